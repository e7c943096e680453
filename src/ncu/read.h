/* SPDX-License-Identifier: MIT */
/*
 * read.h - reads an Nsight Compute file in either form.
 *
 * Two forms are known: the report itself (.ncu-rep) and its raw page as CSV, printed by `ncu
 * --import FILE --page raw --csv` with any --print-units. Both are untrusted: memory is bounded by
 * the file's size and the arena's budget.
 */
#ifndef WL_NCU_READ_H
#define WL_NCU_READ_H

#include "base/attr.h"
#include "base/err.h"
#include "base/memory/arena.h"
#include "ncu/ncu.h"

/*
 * Read a file. WL_E_IO if it cannot be read; WL_E_FORMAT if it has neither form, is damaged, or is
 * a report with an unknown layout; WL_E_NOMEM. *ret must be released even after a failure.
 */
int wl_ncu_read(const char *path, struct wl_arena *arena, struct wl_ncu *ret,
		struct wl_err *reterr) WL_MUST_CHECK;

/* The same for bytes in memory; messages refer to them by name. */
int wl_ncu_parse(const char *name, const unsigned char *bytes, size_t n, struct wl_arena *arena,
		 struct wl_ncu *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
