/* SPDX-License-Identifier: MIT */
/* tree_find.c - finding by name: "/", n, N; unfolds what is needed to show a match. */
#include <stdio.h>
#include <string.h>

#include "base/text/pattern.h"
#include "tui/tree/tree.h"

/* "/x/" is a regular expression, anything else part of a name. */
static bool make_pattern(struct wl_pattern *p, const char *find, char buf[WL_TREE_FIND + 8],
			 struct wl_err *err)
{
	size_t n = strlen(find);

	if (n > 2 && find[0] == '/' && find[n - 1] == '/')
		(void)snprintf(buf, WL_TREE_FIND + 8, "re:%.*s", (int)(n - 2), find + 1);
	else
		(void)snprintf(buf, WL_TREE_FIND + 8, "%s", find);
	return wl_pattern_init(p, buf, err) == WL_OK;
}

static bool matches(const struct wl_tree *t, uint32_t node, const struct wl_pattern *p)
{
	const struct wl_tree_node *n = wl_tree_get(t->display.model, node);
	char buf[WL_TREE_NAME];

	return wl_pattern_matches(p, n->name) || wl_pattern_matches(p, wl_tree_name(t, node, buf));
}

/* Among the nodes that there are, in the order they would have if all were open. */
static uint32_t find_node(struct wl_tree *t, const struct wl_pattern *p, uint32_t from, int by,
			  bool takes_from)
{
	struct wl_vec all;
	uint32_t found = WL_NONE;
	size_t at = 0;

	wl_vec_init(&all, sizeof(uint32_t), t->rows.budget);
	if (wl_tree_rows(&t->display, WL_TREE_EVERYTHING, &all) && all.n) {
		const uint32_t *node = all.data;

		while (at < all.n && node[at] != from)
			at++;
		at = at == all.n ? 0 : at;
		for (size_t i = takes_from ? 0 : 1; i <= all.n && found == WL_NONE; i++) {
			size_t next = by > 0 ? (at + i) % all.n : (at + all.n - i % all.n) % all.n;

			if (matches(t, node[next], p))
				found = node[next];
		}
	}
	wl_vec_release(&all);
	return found;
}

/* In order of time: a range that no node was made of yet. */
static uint32_t find_item(struct wl_tree *t, const struct wl_pattern *p)
{
	struct wl_tree_model *m = &t->model[t->mode];

	for (uint32_t i = 0; i < wl_tree_n_items(m); i++) {
		uint32_t node;

		if (!wl_pattern_matches(p, wl_tree_item_name(m, i)))
			continue;
		node = wl_tree_of_item(m, i);
		if (node != WL_NONE)
			return node;
	}
	return WL_NONE;
}

/* False where nothing was found, which is said. */
static bool find(struct wl_tree *t, uint32_t from, int by, bool takes_from)
{
	char buf[WL_TREE_FIND + 8];
	struct wl_pattern p = { .part = NULL };
	struct wl_err err;
	uint32_t node = WL_NONE;

	if (!t->find[0] || !wl_tree_is_ready(t))
		return true;
	if (!make_pattern(&p, t->find, buf, &err)) {
		wl_app_say(t->app, "%s", err.msg);
	} else {
		node = find_node(t, &p, from, by, takes_from);
		if (node == WL_NONE)
			node = find_item(t, &p);
		if (node == WL_NONE)
			wl_app_say(t->app, "nothing is called %s", t->find);
		else
			wl_tree_reveal(t, node);
	}
	wl_pattern_release(&p);
	return node != WL_NONE;
}

static void set_find(struct wl_tree *t, const char *text)
{
	(void)snprintf(t->find, sizeof(t->find), "%s", text);
}

static void typed(void *ctx, const char *text)
{
	struct wl_tree *t = ctx;

	set_find(t, text);
	(void)find(t, t->find_from, 1, true);
}

static void given(void *ctx, const char *text)
{
	struct wl_tree *t = ctx;

	set_find(t, text ? text : "");
	if (text && find(t, t->find_from, 1, true))
		return;
	/* Back to where it began: what was found while typing may be far from there. */
	if (t->find_from != WL_NONE && wl_tree_is_ready(t) &&
	    t->find_from < wl_tree_n(t->display.model))
		wl_tree_reveal(t, t->find_from);
}

static void ask(struct wl_tree *t)
{
	t->find_from = t->selected;
	wl_app_prompt(t->app, &(struct wl_prompt_opts){ .label = "find: ",
							.text = t->find,
							.changed = typed,
							.done = given,
							.ctx = t });
}

static void next(struct wl_tree *t)
{
	if (!t->find[0])
		wl_app_say(t->app, "nothing to find yet: /");
	(void)find(t, t->selected, 1, false);
}

static void previous(struct wl_tree *t)
{
	if (!t->find[0])
		wl_app_say(t->app, "nothing to find yet: /");
	(void)find(t, t->selected, -1, false);
}

const struct wl_tree_act wl_tree_finds[] = {
	{ WL_ACT_TREE_FIND, .fn = ask },
	{ WL_ACT_TREE_FIND_NEXT, .fn = next },
	{ WL_ACT_TREE_FIND_PREV, .fn = previous },
	{ .action = WL_ACT_NONE },
};
