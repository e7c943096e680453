/* SPDX-License-Identifier: MIT */
/* gather.h - facts where they lie: one file, several, or those of a directory. */
#ifndef WL_FACTS_GATHER_H
#define WL_FACTS_GATHER_H

#include "facts/file.h"

/* Facts can be opened there: a file of them, or a directory that has such files. */
bool wl_facts_are_at(const char *path);

/*
 * Read these tables of the facts at n paths as one set, each a file or a directory; release after
 * success.
 * WL_E_IO, WL_E_FORMAT and WL_E_NOMEM as wl_facts_read(); WL_E_USAGE for a directory without any.
 */
int wl_facts_gather(const char *const *path, size_t n, uint32_t tables, struct wl_budget *budget,
		    struct wl_facts *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
