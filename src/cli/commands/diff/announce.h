/* SPDX-License-Identifier: MIT */
/* announce.h - the result of a comparison for CI: one line, JUnit XML, annotations. */
#ifndef WL_CLI_ANNOUNCE_H
#define WL_CLI_ANNOUNCE_H

#include "cli/print.h"
#include "compare/diff/diff.h"

struct wl_announcement {
	const struct wl_diff *diff;
	const struct wl_printing *print;
	const char *junit; /* file to write; NULL for none */
};

/*
 * After the document: with gates a line on standard error that has the verdict and the gates
 * that passed, unless these were printed before, and those that did not pass; on GitHub
 * annotations; the JUnit file.
 */
int wl_announce(const struct wl_announcement *news, struct wl_err *reterr) WL_MUST_CHECK;

#endif
