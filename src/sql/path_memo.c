/* SPDX-License-Identifier: MIT */
#include "sql/path_memo.h"

#include "derive/derived.h"

bool wl_path_memo_make(struct wl_path_memo *memo, const struct wl_derived *derived,
		       struct wl_arena *arena, struct wl_budget *budget)
{
	static const struct wl_fold_opts by_path = { .exact = true, .by_path = true };

	*memo = (struct wl_path_memo){ .fold = WL_NONE };
	wl_arena_init_on(&memo->arena, budget);
	return wl_folds_find(derived, derived->forest, &by_path, arena, &memo->folds);
}

void wl_path_memo_release(struct wl_path_memo *memo)
{
	wl_arena_release(&memo->arena);
}

const char *wl_path_memo_get(struct wl_path_memo *memo, uint32_t fold)
{
	if (fold == memo->fold)
		return memo->path;
	wl_arena_release(&memo->arena);
	memo->path = wl_fold_path(&memo->folds, fold, &memo->arena);
	memo->fold = memo->path ? fold : WL_NONE;
	return memo->path;
}
