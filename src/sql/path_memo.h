/* SPDX-License-Identifier: MIT */
/*
 * path_memo.h - texts of NVTX paths, one at a time.
 *
 * Neighbouring rows are in one range as a rule, and the text of a path is long: the last one is
 * kept.
 */
#ifndef WL_SQL_PATH_MEMO_H
#define WL_SQL_PATH_MEMO_H

#include "derive/nvtx/folds.h"

struct wl_path_memo {
	struct wl_folds folds; /* by path, names as recorded; the arena's of make */
	struct wl_arena arena; /* of path */
	const char *path;
	uint32_t fold; /* whose path it is; WL_NONE for none */
};

/* derived needs FOLDS. False without memory. Release also after a failure. */
bool wl_path_memo_make(struct wl_path_memo *memo, const struct wl_derived *derived,
		       struct wl_arena *arena, struct wl_budget *budget) WL_MUST_CHECK;
void wl_path_memo_release(struct wl_path_memo *memo); /* accepts a zeroed one */

/* The names from the root to a fold, joined by " > ", until the next call; NULL without memory. */
const char *wl_path_memo_get(struct wl_path_memo *memo, uint32_t fold) WL_MUST_CHECK;

#endif
