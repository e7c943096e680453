/* SPDX-License-Identifier: MIT */
/* gather.h - reads facts from one file, from several, or from directories. */
#ifndef WL_FACTS_GATHER_H
#define WL_FACTS_GATHER_H

#include "facts/file.h"

/* Whether path is a facts file, or a directory that contains some. */
bool wl_facts_are_at(const char *path);

/*
 * Read these tables of the facts at n paths, each a file or a directory, as one set; release after
 * success. WL_E_IO, WL_E_FORMAT and WL_E_NOMEM as in wl_facts_read(); WL_E_USAGE for a directory
 * without facts.
 */
int wl_facts_gather(const char *const *path, size_t n, uint32_t tables, struct wl_budget *budget,
		    struct wl_facts *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
