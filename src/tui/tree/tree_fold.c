/* SPDX-License-Identifier: MIT */
/* tree_fold.c - opening and closing what is below a node. */
#include "tui/tree/tree.h"

/* In order of time opening makes nodes; more at once than this are not readable. */
enum { MOST_MADE = 20000 };

static struct wl_tree_node *get(const struct wl_tree *t, uint32_t node)
{
	return wl_tree_get(t->display.model, node);
}

/* The next node of a walk below a node, parents first; closed ones are entered, too. */
static uint32_t step(const struct wl_tree *t, uint32_t at, uint32_t top)
{
	if (get(t, at)->first != WL_NONE)
		return get(t, at)->first;
	while (at != top && get(t, at)->next == WL_NONE) {
		at = get(t, at)->parent;
		if (at == WL_NONE)
			return WL_NONE;
	}
	return at == top ? WL_NONE : get(t, at)->next;
}

/* Open the nodes below and at top that are less than depth levels below it; close others. */
static void open_below(struct wl_tree *t, uint32_t top, uint32_t depth)
{
	size_t before = wl_tree_n(t->display.model);
	uint32_t from = get(t, top)->depth;

	for (uint32_t i = top; i != WL_NONE; i = step(t, i, top)) {
		bool is_full = wl_tree_n(t->display.model) - before >= MOST_MADE;
		bool open = get(t, i)->depth - from < depth;

		if (get(t, i)->kind == WL_TREE_OP || get(t, i)->kind == WL_TREE_MORE)
			continue;
		if (is_full && open && get(t, i)->first == WL_NONE && get(t, i)->has_children) {
			wl_app_say(t->app, "opened %d ranges; open further ones one by one",
				   MOST_MADE);
			return;
		}
		wl_tree_set_open(t, i, open);
	}
}

void wl_tree_open_depth(struct wl_tree *t, uint32_t depth)
{
	if (!wl_tree_is_ready(t))
		return;
	for (uint32_t i = t->display.model->first_root; i != WL_NONE; i = get(t, i)->next)
		open_below(t, i, depth - 1);
}

static void open_or_enter(struct wl_tree *t)
{
	if (t->selected == WL_NONE)
		return;
	if (get(t, t->selected)->kind == WL_TREE_OP)
		return;
	if (get(t, t->selected)->is_open)
		wl_tree_select_row(t, t->row + 1);
	else
		(void)wl_tree_toggle(t, t->selected);
}

static void enter(struct wl_tree *t)
{
	if (t->selected == WL_NONE)
		return;
	if (get(t, t->selected)->kind == WL_TREE_MORE || get(t, t->selected)->has_children)
		(void)wl_tree_toggle(t, t->selected);
	else
		wl_tree_show_node(t);
}

static void close_or_leave(struct wl_tree *t)
{
	if (t->selected == WL_NONE)
		return;
	if (get(t, t->selected)->is_open)
		(void)wl_tree_toggle(t, t->selected);
	else if (get(t, t->selected)->parent != WL_NONE)
		wl_tree_reveal(t, get(t, t->selected)->parent);
}

static void toggle(struct wl_tree *t)
{
	if (t->selected != WL_NONE && !wl_tree_toggle(t, t->selected))
		wl_app_say(t->app, "nothing is inside");
}

/* Open so many levels; -1 opens all. */
static void set_below(struct wl_tree *t, int depth)
{
	if (t->selected == WL_NONE || get(t, t->selected)->kind == WL_TREE_MORE)
		return;
	open_below(t, t->selected, (uint32_t)depth);
	wl_tree_settle(t);
}

const struct wl_tree_act wl_tree_folds[] = {
	{ WL_ACT_TREE_OPEN, .fn = open_or_enter },
	{ WL_ACT_TREE_ENTER, .fn = enter },
	{ WL_ACT_TREE_CLOSE, .fn = close_or_leave },
	{ WL_ACT_TREE_TOGGLE, .fn = toggle },
	{ WL_ACT_TREE_CLOSE_CHILDREN, .by = set_below, .n = 1 },
	{ WL_ACT_TREE_OPEN_CHILDREN, .by = set_below, .n = 2 },
	{ WL_ACT_TREE_CLOSE_ALL, .by = set_below, .n = 0 },
	{ WL_ACT_TREE_OPEN_ALL, .by = set_below, .n = -1 },
	{ .action = WL_ACT_NONE },
};
