/* SPDX-License-Identifier: MIT */
/* tree_move.c - moves the selection, opens and closes nodes. */
#include "tui/tree/tree.h"

static struct wl_tree_node *get(const struct wl_tree *t, uint32_t node)
{
	return wl_tree_get(t->display.model, node);
}

static uint32_t row_at(const struct wl_tree *t, size_t row)
{
	return ((const uint32_t *)t->rows.data)[row];
}

/* The node itself, or its outermost closed ancestor: the one visible on the screen. */
static uint32_t visible(const struct wl_tree *t, uint32_t node)
{
	uint32_t ret = node;

	for (uint32_t i = node; i != WL_NONE; i = get(t, i)->parent) {
		if (i != node && !get(t, i)->is_open)
			ret = i;
	}
	return ret;
}

static int room_for_rows(const struct wl_tree *t)
{
	const struct wl_screen *s = wl_app_screen(t->app);
	struct wl_tree_layout l;

	wl_tree_lay_out(t, s->cols, s->rows, &l);
	return l.body > 0 ? l.body : 1;
}

void wl_tree_select_row(struct wl_tree *t, size_t row)
{
	if (!t->rows.n) {
		t->selected = WL_NONE;
		t->row = 0;
		return;
	}
	t->row = row < t->rows.n ? row : t->rows.n - 1;
	t->selected = row_at(t, t->row);
	t->n_tops = wl_tree_tops(t->display.model, t->selected, t->top, WL_TREE_TOPS);
	t->scroll = wl_tree_scrolled(t, room_for_rows(t));
}

void wl_tree_settle(struct wl_tree *t)
{
	uint32_t wanted;
	size_t row = t->row;

	if (!wl_tree_is_ready(t))
		return;
	if (!wl_tree_rows(&t->display, WL_TREE_OPEN_ONES, &t->rows))
		wl_app_say(t->app, "no memory for all rows");
	wanted = t->selected == WL_NONE ? WL_NONE : visible(t, t->selected);
	for (size_t i = 0; wanted != WL_NONE && i < t->rows.n; i++) {
		if (row_at(t, i) == wanted) {
			row = i;
			break;
		}
	}
	wl_tree_select_row(t, t->selected == WL_NONE ? 0 : row);
}

void wl_tree_set_open(struct wl_tree *t, uint32_t node, bool open)
{
	if (open)
		wl_tree_list(&t->model[t->mode], node);
	get(t, node)->is_open = open && get(t, node)->first != WL_NONE;
}

bool wl_tree_toggle(struct wl_tree *t, uint32_t node)
{
	if (get(t, node)->kind == WL_TREE_MORE)
		wl_tree_list_more(&t->model[t->mode], node);
	else if (!get(t, node)->has_children)
		return false;
	else
		wl_tree_set_open(t, node, !get(t, node)->is_open);
	wl_tree_settle(t);
	return true;
}

void wl_tree_reveal(struct wl_tree *t, uint32_t node)
{
	for (uint32_t i = get(t, node)->parent; i != WL_NONE; i = get(t, i)->parent)
		wl_tree_set_open(t, i, true);
	t->selected = node;
	wl_tree_settle(t);
}

static void move_by(struct wl_tree *t, int by)
{
	size_t n = (size_t)(by < 0 ? -by : by);

	if (by < 0)
		wl_tree_select_row(t, t->row > n ? t->row - n : 0);
	else
		wl_tree_select_row(t, t->row + n);
}

/* By half pages: an odd one is rounded up. */
static void move_halves(struct wl_tree *t, int by)
{
	move_by(t, (by * room_for_rows(t) + (by > 0 ? 1 : -1)) / 2);
}

static void top(struct wl_tree *t)
{
	wl_tree_select_row(t, 0);
}

static void bottom(struct wl_tree *t)
{
	wl_tree_select_row(t, SIZE_MAX);
}

static void parent(struct wl_tree *t)
{
	uint32_t above = t->selected == WL_NONE ? WL_NONE : get(t, t->selected)->parent;

	if (above != WL_NONE)
		wl_tree_reveal(t, above);
}

/* The nearest row in a direction that has the same parent. */
static void sibling(struct wl_tree *t, int by)
{
	uint32_t above;

	if (t->selected == WL_NONE)
		return;
	above = get(t, t->selected)->parent;
	for (size_t i = t->row + (size_t)by; i < t->rows.n; i += (size_t)by) {
		uint32_t node = row_at(t, i);

		if (get(t, node)->parent == above) {
			wl_tree_select_row(t, i);
			return;
		}
		if (get(t, node)->depth < get(t, t->selected)->depth)
			return;
	}
}

/* Operations count by GPU time, unless the measure is one they lack. */
static void hottest(struct wl_tree *t)
{
	uint32_t best = WL_NONE;
	wl_ns most = -1;

	if (t->selected == WL_NONE)
		return;
	wl_tree_list(&t->model[t->mode], t->selected);
	for (uint32_t i = get(t, t->selected)->first; i != WL_NONE; i = get(t, i)->next) {
		const struct wl_tree_node *n = get(t, i);
		wl_ns measured = wl_tree_measured(&t->display, &n->is);

		if (n->kind == WL_TREE_MORE || (n->kind == WL_TREE_OP && t->display.hides_ops) ||
		    measured <= most)
			continue;
		best = i;
		most = measured;
	}
	if (best != WL_NONE)
		wl_tree_reveal(t, best);
	/* The hot path ends here. */
	if (best == WL_NONE || get(t, best)->kind == WL_TREE_OP) {
		char buf[WL_TREE_NAME];

		wl_app_say(t->app, "hottest: %.300s", wl_tree_name(t, t->selected, buf));
	}
}

const struct wl_tree_act wl_tree_moves[] = {
	{ WL_ACT_TREE_UP, .by = move_by, .n = -1 },
	{ WL_ACT_TREE_DOWN, .by = move_by, .n = 1 },
	{ WL_ACT_TREE_PAGE_UP, .by = move_halves, .n = -2 },
	{ WL_ACT_TREE_PAGE_DOWN, .by = move_halves, .n = 2 },
	{ WL_ACT_TREE_HALF_UP, .by = move_halves, .n = -1 },
	{ WL_ACT_TREE_HALF_DOWN, .by = move_halves, .n = 1 },
	{ WL_ACT_TREE_FIRST, .fn = top },
	{ WL_ACT_TREE_LAST, .fn = bottom },
	{ WL_ACT_TREE_PARENT, .fn = parent },
	{ WL_ACT_TREE_SIBLING_NEXT, .by = sibling, .n = 1 },
	{ WL_ACT_TREE_SIBLING_PREV, .by = sibling, .n = -1 },
	{ WL_ACT_TREE_HOTTEST, .fn = hottest },
	{ .action = WL_ACT_NONE },
};
