/* SPDX-License-Identifier: MIT */
/* tree_folded.c - the aggregated tree: ranges by path, operations by name below them. */

#include "base/memory/intern.h"
#include "base/memory/texts.h"
#include "derive/derived.h"
#include "derive/rows/groups.h"
#include "tui/tree/tree_model_parts.h"

/* A name that one fold has. No padding. */
struct fold_name {
	uint32_t fold, name;
};

static bool add_name(struct wl_intern *in, const struct wl_folds *folds, uint32_t fold,
		     uint32_t name)
{
	const struct fold_name x = { fold, folds->names->name[name].same_exact };

	return wl_intern_put(in, &x) != WL_NONE;
}

/* Different exact names by fold, and one of them. False when memory is exhausted. */
static bool count_names(const struct wl_tree_model *m, struct wl_arena *arena, uint32_t **ret_n,
			uint32_t **ret_name)
{
	const struct wl_forest *f = m->forest;
	uint32_t *n = WL_NEW(arena, uint32_t, m->folds.n), *name;
	const struct fold_name *found;
	struct wl_intern in;
	bool ok = n != NULL;

	name = WL_NEW(arena, uint32_t, m->folds.n);
	wl_intern_init(&in, sizeof(struct fold_name), wl_arena_budget(arena));
	for (size_t i = 0; ok && i < f->n; i++)
		ok = add_name(&in, &m->folds, m->folds.of_node[i], f->name[i]);
	for (size_t i = 0; ok && i < f->n_spans; i++)
		ok = add_name(&in, &m->folds, m->folds.of_span[i], m->folds.names->of[f->span[i]]);
	found = in.items.data;
	for (size_t i = 0; ok && name && i < in.items.n; i++) {
		n[found[i].fold]++;
		name[found[i].fold] = found[i].name;
	}
	wl_intern_release(&in);
	*ret_n = n;
	*ret_name = name;
	return ok && name != NULL;
}

struct folding {
	struct wl_tree_model *m;
	const struct wl_run *run;
	const struct wl_links *links;
	struct wl_range_uses uses;
	struct wl_branch_uses branches;
	const uint32_t *same_kernel; /* by kernel name: the first with this text */
};

static void put_range(struct folding *f, uint32_t fold, uint32_t n_names, uint32_t exact)
{
	const struct wl_fold *x = &f->m->folds.fold[fold];
	const struct wl_range_use *u = &f->uses.of[fold];
	const char *label = wl_fold_name(&f->m->folds, fold);
	struct wl_tree_node node = {
		.parent = x->parent == WL_NONE ? WL_NONE : f->m->node_of_fold[x->parent],
		.id = fold,
		.n_names = n_names,
		.kind = x->is_span ? WL_TREE_SPAN : WL_TREE_RANGE,
		.label = label,
		.name = n_names == 1 ? f->m->folds.names->name[exact].exact : label,
		.start = WL_NO_TIME,
		.is = { .bridged = u->bridged.busy,
			.wall = u->host.sum,
			.p50 = u->host.p50,
			.p99 = u->host.p99,
			.calls = u->host.n },
	};

	wl_tree_take_branch(&f->branches.of[fold], &node.is);
	f->m->node_of_fold[fold] = wl_tree_add(f->m, &node);
	f->m->n_paths++;
	if (x->parent == WL_NONE)
		f->m->all.wall = wl_add_up(f->m->all.wall, u->host.sum);
}

/* Those that have something in the window; so have the ones above them. */
static bool put_ranges(struct folding *f, struct wl_arena *arena)
{
	size_t n = f->m->folds.n;
	uint32_t *n_names, *name;
	bool *used = WL_NEW(arena, bool, n);

	f->m->node_of_fold = WL_NEW(&f->m->arena, uint32_t, n + 1);
	if (!used || !f->m->node_of_fold || !count_names(f->m, arena, &n_names, &name))
		return false;
	for (size_t i = n; i-- > 0;) {
		const struct wl_range_use *u = &f->uses.of[i];
		uint32_t parent = f->m->folds.fold[i].parent;

		used[i] = used[i] || u->host.n || u->gpu.ops || u->bridged.ops;
		if (used[i] && parent != WL_NONE)
			used[parent] = true;
	}
	for (uint32_t i = 0; i < n; i++) {
		f->m->node_of_fold[i] = WL_NONE;
		if (used[i])
			put_range(f, i, n_names[i], name[i]);
	}
	return true;
}

static void put_outside(struct folding *f)
{
	struct wl_tree_node node = { .parent = WL_NONE,
				     .id = WL_NONE,
				     .n_names = 1,
				     .kind = WL_TREE_OUTSIDE,
				     .label = "(no NVTX)",
				     .name = "(no NVTX)",
				     .start = WL_NO_TIME };

	f->m->node_of_fold[f->m->folds.n] = WL_NONE;
	if (!f->branches.outside.gpu.ops)
		return;
	wl_tree_take_branch(&f->branches.outside, &node.is);
	f->m->node_of_fold[f->m->folds.n] = wl_tree_add(f->m, &node);
}

/* What makes a group is the fold, or none, and the name. */
static void codes(void *ctx, size_t row, size_t n, uint64_t *code, int64_t *value)
{
	const struct folding *f = ctx;
	const struct wl_run *r = f->run;

	for (size_t i = 0; i < n; i++) {
		size_t at;
		enum wl_op_kind kind = wl_tree_op_of(r->trace, (uint32_t)(row + i), &at);
		struct wl_ops ops = wl_trace_ops(r->trace, wl_op_families[kind]);
		uint32_t call, node;
		uint64_t fold;
		uint32_t name;
		wl_ns start, end;

		code[i] = WL_NO_CODE;
		if (!wl_op_clip(r->trace, r->scope, &ops, at, &start, &end))
			continue;
		call = wl_link_of(f->links, kind, at);
		node = call == WL_NONE ? WL_NONE : f->m->forest->of_call[call];
		fold = node == WL_NONE ? f->m->folds.n : f->m->folds.of_node[node];
		name = wl_tree_op_name(r->trace, kind, at);
		if (name < r->trace->n_kernel_names)
			name = f->same_kernel[name];
		code[i] = fold * f->m->n_op_names + name;
		if (value)
			value[i] = end - start;
	}
}

static int compare(void *ctx, uint64_t a, uint64_t b)
{
	(void)ctx;
	return a < b ? -1 : a > b;
}

static bool put_ops(struct folding *f, struct wl_arena *arena)
{
	const struct wl_trace *t = f->run->trace;
	const struct wl_group_spec spec = { .codes = codes,
					    .compare = compare,
					    .n_rows = wl_count_ops(t),
					    .n_codes = (uint64_t)(f->m->folds.n + 1) *
						       f->m->n_op_names,
					    .pool = f->run->pool };
	const char **text = WL_NEW(arena, const char *, t->n_kernel_names);
	struct wl_groups groups;

	for (size_t i = 0; text && i < t->n_kernel_names; i++)
		text[i] = wl_str(t, t->kernel_names[i].demangled);
	f->same_kernel = text ? wl_texts_merge(text, t->n_kernel_names, arena) : NULL;
	if (!f->same_kernel || spec.n_rows >= WL_NONE || !wl_groups_make(&spec, f, arena, &groups))
		return false;
	for (size_t i = 0; i < groups.n; i++) {
		uint64_t code = groups.code[groups.order[i]];
		const struct wl_stats *s = &groups.stats[groups.order[i]];
		uint32_t name = (uint32_t)(code % f->m->n_op_names);
		const char *called = wl_tree_op_text(t, name);

		wl_tree_add(f->m, &(struct wl_tree_node){
					  .parent = f->m->node_of_fold[code / f->m->n_op_names],
					  .id = name,
					  .n_names = 1,
					  .kind = WL_TREE_OP,
					  .label = called,
					  .name = called,
					  .start = WL_NO_TIME,
					  .is = { .gpu = s->sum,
						  .own = s->sum,
						  .p50 = s->p50,
						  .p99 = s->p99,
						  .calls = s->n,
						  .ops = s->n },
				  });
	}
	return true;
}

static bool fold(struct folding *f, const struct wl_iterations *iterations,
		 struct wl_arena *scratch)
{
	struct wl_tree_model *m = f->m;
	const struct wl_branch_spec spec = { .forest = m->forest,
					     .folds = &m->folds,
					     .iterations = iterations };

	if (!wl_range_uses_find(f->run->derived, f->run->scope, m->forest, &m->folds, scratch,
				&f->uses) ||
	    !wl_branch_uses_find(f->run->derived, f->run->scope, &spec, &m->arena, &f->branches) ||
	    !put_ranges(f, scratch))
		return false;
	put_outside(f);
	wl_tree_take_branch(&f->branches.all, &m->all);
	m->kernels = f->uses.kernels;
	m->kernels_in = f->uses.kernels_in;
	m->kernels_bridged = f->uses.kernels_bridged;
	m->n_at = f->branches.n_iterations;
	m->busy_at = f->branches.busy_at;
	return put_ops(f, scratch);
}

bool wl_tree_fold(struct wl_tree_model *m, const struct wl_run *run,
		  const struct wl_iterations *iterations)
{
	struct folding f = { .m = m, .run = run, .links = run->derived->links };
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_on(&scratch, wl_arena_budget(&m->arena));
	ok = fold(&f, iterations, &scratch);
	wl_arena_release(&scratch);
	return ok;
}
