/* SPDX-License-Identifier: MIT */
/* tree_rows.c - the visible nodes as rows, sorted. */
#include <string.h>

#include "base/memory/sort.h"
#include "tui/tree/tree_display.h"

static int rank(const struct wl_tree_node *n)
{
	return n->kind == WL_TREE_MORE ? 2 : n->kind == WL_TREE_OUTSIDE;
}

/* Numbers descend and names ascend, unless reversed. */
static int compare(const struct wl_tree_display *s, uint32_t a, uint32_t b)
{
	const struct wl_tree_node *x = wl_tree_get(s->model, a), *y = wl_tree_get(s->model, b);
	double v, w;
	int order = 0;

	if (rank(x) != rank(y))
		return rank(x) - rank(y);
	if (s->sort == WL_TREE_COL_PATH || s->sort == WL_TREE_COL_START) {
		order = x->start == y->start ? strcmp(x->label, y->label)
					     : (x->start > y->start) - (x->start < y->start);
	} else {
		v = wl_tree_value(s, s->sort, a);
		w = wl_tree_value(s, s->sort, b);
		order = (v < w) - (v > w);
	}
	return s->is_reversed ? -order : order;
}

/* Rows are popped from a stack, so the first must be pushed last. */
static bool later(const void *ctx, uint32_t a, uint32_t b)
{
	int order = compare(ctx, a, b);

	return order ? order > 0 : a > b;
}

static bool is_shown(const struct wl_tree_display *s, const struct wl_tree_node *n)
{
	if (n->kind == WL_TREE_MORE)
		return true;
	if (n->kind == WL_TREE_OP)
		return !s->hides_ops && n->is.gpu >= s->min;
	return wl_tree_measured(s, &n->is) >= s->min;
}

static bool push_list(const struct wl_tree_display *s, uint32_t first, struct wl_vec *stack,
		      struct wl_vec *tmp)
{
	size_t from = stack->n, n;

	for (uint32_t i = first; i != WL_NONE; i = wl_tree_get(s->model, i)->next) {
		if (is_shown(s, wl_tree_get(s->model, i)))
			wl_vec_push(stack, &i);
	}
	n = stack->n - from;
	if (stack->failed || !wl_vec_reserve(tmp, n))
		return false;
	if (n)
		wl_sort_index((uint32_t *)stack->data + from, n, tmp->data, later, s);
	return true;
}

bool wl_tree_rows(const struct wl_tree_display *s, enum wl_tree_extent extent, struct wl_vec *ret)
{
	struct wl_vec stack, tmp;
	bool ok;

	wl_vec_init(&stack, sizeof(uint32_t), ret->budget);
	wl_vec_init(&tmp, sizeof(uint32_t), ret->budget);
	ret->n = 0;
	ok = push_list(s, s->model->first_root, &stack, &tmp);
	while (ok && stack.n) {
		uint32_t node = ((uint32_t *)stack.data)[--stack.n];
		const struct wl_tree_node *n = wl_tree_get(s->model, node);

		wl_vec_push(ret, &node);
		if (n->is_open || extent == WL_TREE_EVERYTHING)
			ok = push_list(s, n->first, &stack, &tmp);
	}
	wl_vec_release(&stack);
	wl_vec_release(&tmp);
	return ok && !ret->failed;
}
