/* SPDX-License-Identifier: MIT */
/* tree_wish.c - opens and selects what was requested before the tree was loaded. */
#include <string.h>

#include "tui/tree/tree.h"

static uint32_t child_called(const struct wl_tree_model *m, uint32_t parent, const char *label)
{
	uint32_t i = parent == WL_NONE ? m->first_root : wl_tree_get(m, parent)->first;

	while (i != WL_NONE && strcmp(wl_tree_get(m, i)->label, label) != 0)
		i = wl_tree_get(m, i)->next;
	return i;
}

static void grant_wishes(struct wl_tree *t)
{
	const struct wl_tree_model *m = t->display.model;
	uint32_t selected = WL_NONE;

	if (t->n_wishes)
		wl_tree_open_depth(t, 1);
	for (size_t i = 0; i < t->n_wishes; i++) {
		uint32_t node = WL_NONE;

		for (size_t j = 0; j < t->wish[i].n; j++) {
			node = child_called(m, node, t->wish[i].label[j]);
			if (node == WL_NONE)
				break;
		}
		if (node == WL_NONE)
			continue;
		if (t->wish[i].is_selected)
			selected = node;
		else
			wl_tree_set_open(t, node, true);
	}
	t->n_wishes = 0;
	if (selected != WL_NONE)
		t->selected = selected;
}

static void grant_range(struct wl_tree *t)
{
	struct wl_tree_model *m = &t->model[t->mode];
	uint32_t item = wl_tree_item_of_row(m, t->wanted_range), node = WL_NONE;

	t->wanted_range = WL_NONE;
	if (item != WL_NONE)
		node = t->mode == WL_TREE_AGGREGATED
			       ? wl_tree_of_fold(m, wl_tree_fold_of_item(m, item))
			       : wl_tree_of_item(m, item);
	if (node != WL_NONE)
		wl_tree_reveal(t, node);
	else if (t->is_arriving)
		wl_app_say(t->app, "the range is not in this tree");
	t->came_to = t->is_arriving ? node : WL_NONE;
	t->is_arriving = false;
}

void wl_tree_grant(struct wl_tree *t)
{
	if (!wl_tree_is_ready(t) || t->display.model != &t->model[t->mode])
		return;
	if (t->mode == WL_TREE_AGGREGATED && t->n_wishes)
		grant_wishes(t);
	if (t->wanted_range != WL_NONE)
		grant_range(t);
	wl_tree_settle(t);
}
