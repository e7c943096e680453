/* SPDX-License-Identifier: MIT */
/*
 * check.h - copies the arrays of a trace from an index, and checks that they are what was
 * written and what model/trace.h promises of every trace.
 *
 * Analyses index with what columns hold, without checks. So before they get a column of
 * a file, it is copied to memory of the process, compared with its sum, which finds damage,
 * and its values are compared with what they count, which makes a hostile file harmless:
 * its answers may be wrong, but nothing is read outside of the copy. All of that takes one
 * pass, and the file is not looked at again.
 */
#ifndef WL_INDEX_CHECK_H
#define WL_INDEX_CHECK_H

#include "index/file.h"
#include "model/trace.h"

struct wl_pool;

/* Strings, and all that is no column. all is what wl_image_get() gave. */
bool wl_check_catalogue(struct wl_index_file *file, const struct wl_trace *all);

/*
 * These columns of one family, of which none was checked before, and the order of its
 * rows if those that order it are among them. The catalogue must have been checked. On
 * the threads of the pool, if any. False also without memory.
 */
bool wl_check_family(struct wl_index_file *file, const struct wl_trace *all,
		     enum wl_family_id family, const struct wl_columns *columns,
		     struct wl_pool *pool);

#endif
