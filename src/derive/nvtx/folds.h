/* SPDX-License-Identifier: MIT */
/*
 * folds.h - NVTX ranges that count as one row: those of one name, or of one path of names.
 *
 * Ranges of all threads, and unless the options say otherwise of all processes, are folded
 * together. Push/pop and start/end
 * ranges of one name are two folds. A path leads from the root to the range by
 * push/pop ranges; a start/end range of one thread stands below the nearest of
 * them that contains it, another one at the root, and nothing stands below either.
 */
#ifndef WL_DERIVE_FOLDS_H
#define WL_DERIVE_FOLDS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/nvtx/forest.h"
#include "derive/nvtx/range_names.h"

struct wl_fold_opts {
	bool exact;      /* names as recorded, else labels */
	bool by_path;    /* else by name alone: all folds are roots */
	bool by_process; /* processes are kept apart */
};

/* No padding. */
struct wl_fold {
	uint32_t parent; /* fold, which has a smaller number; WL_NONE for a root */
	uint32_t name;   /* in wl_range_names: the first of those that are called alike */
	uint32_t is_span;
	uint32_t process; /* WL_NONE where processes are folded together */
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

/* The name of the fold, as the options ask. Borrowed from the names. */
const char *wl_fold_name(const struct wl_folds *folds, uint32_t fold);

/* More levels than this are cut off at the outer end of a path's text. */
enum { WL_PATH_SHOWN = 64 };

/*
 * The names from the root to the fold, joined by " > ". Owned by the arena; NULL
 * when that is exhausted. The bound keeps the texts of a hostile trace, in which
 * each range holds the next, from growing with the square of its ranges.
 */
const char *wl_fold_path(const struct wl_folds *folds, uint32_t fold,
			 struct wl_arena *arena) WL_MUST_CHECK;

#endif
