/* SPDX-License-Identifier: MIT */
/* tree.c - NVTX ranges as a tree, with kernels: instances are folded by the path of their names. */
#include "analysis/ranges/range_rows.h"
#include "analysis/ranges/tree_kernels.h"
#include "base/memory/sort.h"

WL_DECLARE_ANALYSIS(tree);

enum { DEPTH = WL_N_RANGE_PARAMS, MIN, NO_KERNELS };

static const struct wl_param params[] = {
	[WL_RANGE_EXACT] = WL_RANGE_EXACT_PARAM,
	[WL_RANGE_DOMAIN] = WL_RANGE_DOMAIN_PARAM,
	[WL_RANGE_NO_BRIDGE] = WL_RANGE_NO_BRIDGE_PARAM,
	[DEPTH] = { .key = "depth",
		    .type = WL_P_COUNT,
		    .def = "0",
		    .help = "Show this many levels, 0 for all." },
	[MIN] = { .key = "min",
		  .type = WL_P_NS,
		  .def = "0",
		  .help = "Hide ranges whose host_sum is shorter, unless a nested range reaches "
			  "it, and kernels with a shorter gpu_sum." },
	[NO_KERNELS] = { .key = "no-kernels", .type = WL_P_BOOL, .help = "Show ranges alone." },
};

static const struct wl_alias aliases[] = {
	{ "markdown", { { "format", "md" } } },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens tree run.sqlite", "Where the host and GPU time of a step goes." },
	{ "warplens tree run.sqlite --gpu 0 --window iter:2", "The ranges and kernels of a step." },
	{ "warplens tree run.sqlite --no-kernels --depth 2", "The outline alone." },
	{ NULL, NULL },
};

static const enum wl_column_id uses[] = { WL_KERNELS_NAME, WL_N_COLUMNS };

struct outlining {
	const struct wl_range_rows *rows;
	uint32_t *level; /* by fold, from 1 */
	bool *kept;
};

/* Level by level: each row comes after its parent. */
static bool row_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct outlining *o = ctx;

	if (o->level[a] != o->level[b])
		return o->level[a] < o->level[b];
	return wl_range_row_less(o->rows, a, b);
}

/* Parents have smaller numbers than their children. */
static void choose(const struct outlining *o, int64_t depth, wl_ns min)
{
	const struct wl_folds *folds = &o->rows->folds;

	for (uint32_t i = 0; i < folds->n; i++) {
		uint32_t parent = folds->fold[i].parent;

		o->level[i] = parent == WL_NONE ? 1 : o->level[parent] + 1;
		o->kept[i] = wl_range_row_is_used(o->rows, i) &&
			     (depth == 0 || o->level[i] <= depth) &&
			     o->rows->uses.of[i].host.sum >= min;
	}
	/* Children come after their parents: one pass from the end keeps whole chains. */
	for (size_t i = folds->n; i-- > 0;) {
		if (o->kept[i] && folds->fold[i].parent != WL_NONE)
			o->kept[folds->fold[i].parent] = true;
	}
}

static void put_rows(const struct outlining *o, uint32_t *order, uint32_t *row_of,
		     struct wl_table *out)
{
	const struct wl_folds *folds = &o->rows->folds;
	size_t n = 0;

	for (uint32_t i = 0; i < folds->n; i++) {
		if (o->kept[i])
			order[n++] = i;
	}
	/* Row numbers are not known yet: their array is free to use as scratch. */
	wl_sort_index(order, n, row_of, row_less, o);
	for (size_t i = 0; i < n; i++) {
		uint32_t parent = folds->fold[order[i]].parent;

		wl_range_row_put(o->rows, order[i], out);
		if (parent != WL_NONE)
			wl_put_parent(out, row_of[parent]);
		row_of[order[i]] = (uint32_t)i;
	}
}

/* Kernels come after all ranges: each one follows its parent. */
static void put_kernels(const struct wl_run *r, const struct outlining *o,
			const struct wl_tree_leaves *leaves, const uint32_t *row_of,
			struct wl_table *out)
{
	int64_t depth = r->arg[DEPTH].i64;

	for (size_t i = 0; i < leaves->n; i++) {
		const struct wl_tree_leaf *leaf = &leaves->leaf[i];

		/* Kernels are one level below their range. */
		if (!o->kept[leaf->fold] || (depth && o->level[leaf->fold] >= depth) ||
		    leaf->use.sum < r->arg[MIN].i64)
			continue;
		wl_tree_leaf_put(leaf, out);
		wl_put_parent(out, row_of[leaf->fold]);
	}
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct wl_range_rows rows;
	struct outlining o = { .rows = &rows };
	struct wl_tree_leaves leaves = { .n = 0 };
	uint32_t *order, *row_of;
	int result = wl_range_rows_find(&wl_analysis_tree, r, WL_RANGE_BY_PATH, &rows, reterr);

	if (result < 0)
		return result;
	o.level = WL_NEW(r->arena, uint32_t, rows.folds.n);
	o.kept = WL_NEW(r->arena, bool, rows.folds.n);
	order = WL_NEW(r->arena, uint32_t, rows.folds.n);
	row_of = WL_NEW(r->arena, uint32_t, rows.folds.n);
	if (!o.level || !o.kept || !order || !row_of ||
	    (!r->arg[NO_KERNELS].flag && !wl_tree_leaves_find(r, &rows, &leaves)))
		return wl_no_memory(&wl_analysis_tree, reterr);
	choose(&o, r->arg[DEPTH].i64, r->arg[MIN].i64);
	put_rows(&o, order, row_of, out);
	put_kernels(r, &o, &leaves, row_of, out);
	wl_range_rows_cover(&rows, out);
	wl_range_note_window(r, out);
	return WL_OK;
}

static const struct wl_form forms[] = { { WL_FORM("nvtx", "tree") }, { .verb = NULL } };

const struct wl_analysis wl_analysis_tree = {
	.name = "tree",
	.topic = WL_TOPIC_TIME,
	.forms = forms,
	.help = "Show NVTX ranges as a tree, with their GPU work and kernels",
	.about = "The rows of nvtx, folded by the path of names from the outermost range, over all "
		 "threads and processes. Below each row the ranges inside it, the largest host_sum "
		 "first. All columns but self include what is below. A range that crosses another "
		 "is its sibling, and what is launched inside both counts in both. A start/end "
		 "range of one thread is below the nearest push/pop range that contains it, one of "
		 "several threads at the root; neither has children. Kernels are below the "
		 "innermost "
		 "push/pop range around their launch call, by name, the largest gpu_sum first; "
		 "their count is of executions.",
	.is_tree = true,
	.needs = wl_range_needs,
	.needs_any = wl_range_counted,
	.uses = uses,
	.from = WL_FROM(RANGE_USES),
	.hidden = wl_range_hidden,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = wl_range_cols,
	.n_cols = WL_N_TREE_RANGE_COLS,
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
