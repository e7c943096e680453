/* SPDX-License-Identifier: MIT */
/* tree_look.c - queries about a node: its representative range, the operations it runs. */
#include <string.h>

#include "base/memory/sort.h"
#include "tui/tree/tree_model_parts.h"

uint32_t wl_tree_item_of_row(const struct wl_tree_model *m, uint32_t nvtx_row)
{
	const struct wl_forest *f = m->forest;

	for (size_t i = 0; i < f->n + f->n_spans; i++) {
		if ((i < f->n ? f->row[i] : f->span[i - f->n]) == nvtx_row)
			return (uint32_t)i;
	}
	return WL_NONE;
}

uint32_t wl_tree_fold_of_item(const struct wl_tree_model *m, uint32_t item)
{
	size_t n = m->forest->n;

	return item < n ? m->folds.of_node[item] : m->folds.of_span[item - n];
}

static wl_ns duration(const struct wl_forest *f, const struct wl_trace *t, size_t item,
		      uint32_t *ret_row)
{
	*ret_row = item < f->n ? f->row[item] : f->span[item - f->n];
	return wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), *ret_row);
}

/* By length, then by start, then by row. */
struct candidate {
	wl_ns dur, start;
	uint32_t row;
};

static bool shorter(const void *ctx, uint32_t a, uint32_t b)
{
	const struct candidate *c = ctx, *x = &c[a], *y = &c[b];

	if (x->dur != y->dur)
		return x->dur < y->dur;
	return x->start != y->start ? x->start < y->start : x->row < y->row;
}

static uint32_t median_of(const struct candidate *c, size_t n, struct wl_arena *arena)
{
	uint32_t *order = WL_NEW(arena, uint32_t, n), *tmp = WL_NEW(arena, uint32_t, n);
	size_t at;

	if (!order || !tmp || !n)
		return WL_NONE;
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	wl_sort_index(order, n, tmp, shorter, c);
	/* The first of equal durations. */
	for (at = wl_rank(n, 50); at > 0 && c[order[at - 1]].dur == c[order[at]].dur; at--)
		;
	return c[order[at]].row;
}

static uint32_t median_of_fold(const struct wl_tree_model *m, uint32_t fold)
{
	const struct wl_forest *f = m->forest;
	size_t n = 0, all = f->n + f->n_spans;
	struct wl_arena scratch;
	struct candidate *c;
	uint32_t row = WL_NONE;

	for (size_t i = 0; i < all; i++)
		n += wl_tree_fold_of_item(m, (uint32_t)i) == fold;
	wl_arena_init_on(&scratch, m->arena.of_root);
	c = WL_NEW(&scratch, struct candidate, n);
	n = 0;
	for (size_t i = 0; c && i < all; i++) {
		if (wl_tree_fold_of_item(m, (uint32_t)i) != fold)
			continue;
		c[n].dur = duration(f, m->trace, i, &c[n].row);
		c[n].start = wl_nvtx_start(m->trace)[c[n].row];
		n++;
	}
	if (c)
		row = median_of(c, n, &scratch);
	wl_arena_release(&scratch);
	return row;
}

uint32_t wl_tree_median_range(const struct wl_tree_model *m, uint32_t node)
{
	const struct wl_tree_node *x = wl_tree_get(m, node);
	uint32_t row;

	if (x->kind == WL_TREE_OP || x->kind == WL_TREE_MORE)
		return x->parent == WL_NONE ? WL_NONE : wl_tree_median_range(m, x->parent);
	if (x->kind == WL_TREE_OUTSIDE)
		return WL_NONE;
	if (m->mode == WL_TREE_AGGREGATED)
		return median_of_fold(m, x->id);
	(void)duration(m->forest, m->trace, x->id, &row);
	return row;
}

/* The node after a subtree, in an order of parents before children. */
static uint32_t step(const struct wl_tree_model *m, uint32_t at, uint32_t top)
{
	if (wl_tree_get(m, at)->first != WL_NONE)
		return wl_tree_get(m, at)->first;
	while (at != top && wl_tree_get(m, at)->next == WL_NONE)
		at = wl_tree_get(m, at)->parent;
	return at == top ? WL_NONE : wl_tree_get(m, at)->next;
}

static void offer(struct wl_tree_top *top, size_t *n_top, size_t n, const struct wl_tree_top *x)
{
	size_t at = *n_top;

	while (at > 0 && top[at - 1].sum < x->sum)
		at--;
	if (at == n)
		return;
	if (*n_top < n)
		++*n_top;
	memmove(top + at + 1, top + at, (*n_top - at - 1) * sizeof(*top));
	top[at] = *x;
}

/* Sums by operation name while they are added up. */
struct op_sum {
	wl_ns sum;
	size_t calls;
};

static void add(struct op_sum *sums, size_t name, wl_ns sum, size_t calls)
{
	sums[name].sum = wl_add_up(sums[name].sum, sum);
	sums[name].calls += calls;
}

static void add_nodes(const struct wl_tree_model *m, uint32_t node, struct op_sum *sums)
{
	for (uint32_t i = node; i != WL_NONE; i = step(m, i, node)) {
		const struct wl_tree_node *x = wl_tree_get(m, i);

		if (x->kind == WL_TREE_OP)
			add(sums, x->id, x->is.gpu, x->is.calls);
	}
}

static void add_ops(const struct wl_tree_model *m, uint32_t node, struct op_sum *sums)
{
	size_t n;
	const uint32_t *op = wl_tree_ops_below(m, node, &n);

	for (size_t i = 0; i < n && n <= WL_TREE_MOST_SUMMED; i++) {
		size_t row;
		enum wl_op_kind kind = wl_tree_op_of(m->trace, op[i], &row);
		struct wl_ops ops = wl_trace_ops(m->trace, wl_op_families[kind]);

		add(sums, wl_tree_op_name(m->trace, kind, row), wl_dur(ops.family, ops.dur, row),
		    1);
	}
}

size_t wl_tree_tops(const struct wl_tree_model *m, uint32_t node, struct wl_tree_top *ret, size_t n)
{
	struct wl_arena scratch;
	struct op_sum *sums;
	size_t n_top = 0;

	wl_arena_init_on(&scratch, m->arena.of_root);
	sums = WL_NEW(&scratch, struct op_sum, m->n_op_names);
	if (sums && m->mode == WL_TREE_AGGREGATED)
		add_nodes(m, node, sums);
	else if (sums)
		add_ops(m, node, sums);
	for (uint32_t i = 0; sums && n && i < m->n_op_names; i++) {
		if (sums[i].calls)
			offer(ret, &n_top, n,
			      &(struct wl_tree_top){
				      .name = wl_tree_op_text(m->trace, i),
				      .kernel_name = i < m->trace->n_kernel_names ? i : WL_NONE,
				      .sum = sums[i].sum,
				      .calls = sums[i].calls });
	}
	wl_arena_release(&scratch);
	return n_top;
}
