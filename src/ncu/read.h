/* SPDX-License-Identifier: MIT */
/*
 * read.h - reads a file of Nsight Compute, whatever its form.
 *
 * Two forms are known: the report itself (.ncu-rep) and its raw page as CSV, as
 * `ncu --import FILE --page raw --csv` prints it, with any --print-units. Both are untrusted:
 * memory is bounded by the size of the file and by the budget of the arena.
 */
#ifndef WL_NCU_READ_H
#define WL_NCU_READ_H

#include "base/attr.h"
#include "base/err.h"
#include "base/memory/arena.h"
#include "ncu/ncu.h"

/*
 * Read a file. WL_E_IO when it cannot be read; WL_E_FORMAT when it is neither form, is damaged,
 * or is a report of a layout that is not known; WL_E_NOMEM. Release also after a failure.
 */
int wl_ncu_read(const char *path, struct wl_arena *arena, struct wl_ncu *ret,
		struct wl_err *reterr) WL_MUST_CHECK;

/* The same of bytes in memory; name is what messages call them. */
int wl_ncu_parse(const char *name, const unsigned char *bytes, size_t n, struct wl_arena *arena,
		 struct wl_ncu *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
