/* SPDX-License-Identifier: MIT */
/*
 * folds.h - NVTX ranges folded into rows, by name or by path of names.
 *
 * Ranges of all threads are folded together, and so are those of all processes unless the options
 * say otherwise. Push/pop and start/end ranges with the same name are separate folds. A path leads
 * from the root through push/pop ranges to the range. A start/end range of one thread is below the
 * nearest push/pop range that contains it; any other start/end range is a root. Nothing is below a
 * start/end range.
 */
#ifndef WL_DERIVE_FOLDS_H
#define WL_DERIVE_FOLDS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/nvtx/forest.h"
#include "derive/nvtx/range_names.h"

struct wl_fold_opts {
	bool exact;      /* names as recorded, else labels */
	bool by_path;    /* else by name only: all folds are roots */
	bool by_process; /* processes are kept apart */
};

/* No padding. */
struct wl_fold {
	uint32_t parent; /* a fold with a smaller number; WL_NONE for a root */
	uint32_t name;   /* in wl_range_names: the first of the names that are equal */
	uint32_t is_span;
	uint32_t process; /* WL_NONE if processes are folded together */
};

struct wl_folds {
	size_t n;
	const struct wl_fold *fold;
	const uint32_t *of_node; /* by node of the forest */
	const uint32_t *of_span; /* by index of forest->span */
	const struct wl_range_names *names;
	struct wl_fold_opts opts;
};

/* False when memory is exhausted. Hashes each range once. */
bool wl_folds_find(const struct wl_derived *derived, const struct wl_forest *forest,
		   const struct wl_fold_opts *opts, struct wl_arena *arena,
		   struct wl_folds *ret) WL_MUST_CHECK;

/* The name of the fold, exact or label as the options say. Borrowed from the names. */
const char *wl_fold_name(const struct wl_folds *folds, uint32_t fold);

/* Levels in the text of a path; further ones are cut off at the outer end. */
enum { WL_PATH_SHOWN = 64 };

/*
 * The names from the root to the fold, joined by " > ". Owned by the arena; NULL when that is
 * exhausted. WL_PATH_SHOWN keeps the texts of a hostile trace, in which each range contains the
 * next, from growing with the square of the number of ranges.
 */
const char *wl_fold_path(const struct wl_folds *folds, uint32_t fold,
			 struct wl_arena *arena) WL_MUST_CHECK;

#endif
