/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/folds.h"

#include <string.h>

#include "base/memory/intern.h"
#include "derive/derived.h"
#include "derive/nvtx/range_parents.h"

struct folding {
	const struct wl_trace *trace;
	const struct wl_forest *forest;
	const struct wl_range_names *names;
	struct wl_fold_opts opts;
	uint32_t *of_node, *of_span;
	struct wl_intern folds; /* struct wl_fold */
};

static uint32_t put(struct folding *f, uint32_t parent, uint32_t row, bool is_span)
{
	const struct wl_trace *t = f->trace;
	const struct wl_range_name *n = wl_range_name_of(f->names, row);
	const struct wl_fold fold = {
		/*
		 * The key holds everything that distinguishes folds, and WL_NONE in members that do
		 * not matter: one hash table serves all options. The struct has no padding, because
		 * its bytes are compared.
		 */
		f->opts.by_path ? parent : WL_NONE, f->opts.exact ? n->same_exact : n->label,
		is_span, f->opts.by_process ? t->threads[wl_nvtx_thread(t)[row]].process : WL_NONE
	};

	return wl_intern_put(&f->folds, &fold);
}

/* Parents have smaller numbers, so their folds are known. */
static bool fold_nodes(struct folding *f)
{
	for (size_t i = 0; i < f->forest->n; i++) {
		uint32_t parent = f->forest->parent[i];

		f->of_node[i] = put(f, parent == WL_NONE ? WL_NONE : f->of_node[parent],
				    f->forest->row[i], false);
		if (f->of_node[i] == WL_NONE)
			return false;
	}
	return true;
}

/* The parent fold of a start/end range. */
static uint32_t around_span(const struct folding *f, uint32_t row)
{
	uint32_t node = f->opts.by_path ? wl_span_parent(f->trace, f->forest, row) : WL_NONE;

	return node == WL_NONE ? WL_NONE : f->of_node[node];
}

/* Runs after the nodes, because spans are below nodes and never the other way round. */
static bool fold_spans(struct folding *f)
{
	for (size_t i = 0; i < f->forest->n_spans; i++) {
		uint32_t row = f->forest->span[i];

		f->of_span[i] = put(f, around_span(f, row), row, true);
		if (f->of_span[i] == WL_NONE)
			return false;
	}
	return true;
}

static bool keep(const struct folding *f, struct wl_arena *arena, struct wl_folds *ret)
{
	size_t n = f->folds.items.n;
	struct wl_fold *fold = WL_NEW(arena, struct wl_fold, n);

	if (!fold)
		return false;
	if (n)
		memcpy(fold, f->folds.items.data, n * sizeof(*fold));
	*ret = (struct wl_folds){ .n = n,
				  .fold = fold,
				  .of_node = f->of_node,
				  .of_span = f->of_span,
				  .names = f->names,
				  .opts = f->opts };
	return true;
}

bool wl_folds_find(const struct wl_derived *derived, const struct wl_forest *forest,
		   const struct wl_fold_opts *opts, struct wl_arena *arena, struct wl_folds *ret)
{
	struct folding f = { .trace = derived->trace,
			     .forest = forest,
			     .names = derived->range_names,
			     .opts = *opts,
			     .of_node = WL_NEW(arena, uint32_t, forest->n),
			     .of_span = WL_NEW(arena, uint32_t, forest->n_spans) };
	bool ok;

	if (!f.of_node || !f.of_span)
		return false;
	wl_intern_init(&f.folds, sizeof(struct wl_fold), wl_arena_budget(arena));
	ok = fold_nodes(&f) && fold_spans(&f) && keep(&f, arena, ret);
	wl_intern_release(&f.folds);
	return ok;
}

const char *wl_fold_name(const struct wl_folds *folds, uint32_t fold)
{
	const struct wl_range_name *name = &folds->names->name[folds->fold[fold].name];

	return folds->opts.exact ? name->exact : name->label_text;
}

const char *wl_fold_path(const struct wl_folds *folds, uint32_t fold, struct wl_arena *arena)
{
	static const char glue[] = " > ", cut[] = "...";
	uint32_t level[WL_PATH_SHOWN];
	size_t n = 0, size = sizeof(cut) + sizeof(glue);
	char *text, *at;

	/*
	 * Bounded: recursion in the traced program can nest ranges to any depth, and the path is a
	 * cell of a table.
	 */
	for (; fold != WL_NONE && n < WL_PATH_SHOWN; fold = folds->fold[fold].parent) {
		size += strlen(wl_fold_name(folds, fold)) + sizeof(glue);
		level[n++] = fold;
	}
	text = at = WL_NEW(arena, char, size);
	if (!text)
		return NULL;
	if (fold != WL_NONE)
		at = stpcpy(stpcpy(at, cut), glue);
	while (n-- > 0) {
		at = stpcpy(at, wl_fold_name(folds, level[n]));
		if (n)
			at = stpcpy(at, glue);
	}
	return text;
}
