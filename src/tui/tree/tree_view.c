/* SPDX-License-Identifier: MIT */
/* tree_view.c - the tree as a view of the app. */
#include <stdlib.h>

#include "tui/tree/tree.h"

static bool make(struct wl_app *app, void **ret_view)
{
	struct wl_tree *t = calloc(1, sizeof(*t));
	struct wl_budget *budget;

	if (!t)
		return false;
	budget = wl_app_options(app)->budget ? wl_app_options(app)->budget : &t->own_budget;
	t->app = app;
	t->iteration = t->selected = t->wanted_range = t->came_to = t->find_from = WL_NONE;
	t->display.sort = WL_TREE_COL_MEASURE;
	t->shows_second = true;
	for (size_t i = 0; i < WL_N_TREE_COLS_SHOWN; i++)
		t->col_on[i] = 1;
	wl_vec_init(&t->rows, sizeof(uint32_t), budget);
	wl_vec_init(&t->choices, sizeof(uint32_t), budget);
	wl_arena_init_on(&t->match_arena, budget);
	wl_arena_init_on(&t->wish_arena, budget);
	*ret_view = t;
	return true;
}

static void drop(void *view)
{
	struct wl_tree *t = view;

	wl_tree_drop_models(t);
	wl_vec_release(&t->rows);
	wl_vec_release(&t->choices);
	wl_arena_release(&t->match_arena);
	wl_arena_release(&t->wish_arena);
	free(t);
}

static bool do_one_of(struct wl_tree *t, const struct wl_tree_act *acts, enum wl_action action)
{
	for (; acts->action != WL_ACT_NONE; acts++) {
		if (acts->action == action) {
			if (acts->fn)
				acts->fn(t);
			else
				acts->by(t, acts->n);
			return true;
		}
	}
	return false;
}

/* One step back: out of an iteration, then out of a search. */
static bool back(struct wl_tree *t)
{
	if (t->find[0]) {
		t->find[0] = '\0';
		return true;
	}
	return t->iteration != WL_NONE && do_one_of(t, wl_tree_looks, WL_ACT_TREE_ITERATIONS);
}

static bool act(void *view, enum wl_action action)
{
	struct wl_tree *t = view;

	/* Before the tree is loaded, the only useful action is to leave. */
	if (!wl_tree_is_ready(t)) {
		wl_tree_want(t);
		return action == WL_ACT_TREE_TIMELINE && do_one_of(t, wl_tree_jumps, action);
	}
	if (action == WL_ACT_BACK)
		return back(t);
	if (action == WL_ACT_NAMES)
		return true;
	if (action >= WL_ACT_TREE_DEPTH_1 && action <= WL_ACT_TREE_DEPTH_9) {
		wl_tree_open_depth(t, (uint32_t)(action - WL_ACT_TREE_DEPTH_1) + 1);
		wl_tree_settle(t);
		return true;
	}
	return do_one_of(t, wl_tree_moves, action) || do_one_of(t, wl_tree_folds, action) ||
	       do_one_of(t, wl_tree_looks, action) || do_one_of(t, wl_tree_finds, action) ||
	       do_one_of(t, wl_tree_jumps, action) || do_one_of(t, wl_tree_exports, action);
}

static void press_head(struct wl_tree *t, const struct wl_tree_layout *l, int x)
{
	enum wl_tree_col col = WL_TREE_COL_PATH;

	for (size_t i = 0; i < l->n_cols; i++) {
		if (x >= l->col[i].x)
			col = l->col[i].col;
	}
	t->display.is_reversed = t->display.sort == col && !t->display.is_reversed;
	t->display.sort = col;
	wl_tree_settle(t);
}

static void press_row(struct wl_tree *t, const struct wl_tree_layout *l, const struct wl_event *e)
{
	size_t row = wl_tree_scrolled(t, l->body) + (size_t)(e->y - l->body_y);
	int mark;

	if (row >= t->rows.n)
		return;
	wl_tree_select_row(t, row);
	mark = wl_tree_mark_x(l, wl_tree_get(t->display.model, t->selected));
	if (e->x != mark && e->clicks < 2)
		return;
	/* The previous press has already folded it. */
	if (e->x == mark && e->clicks == 2)
		return;
	if (!wl_tree_toggle(t, t->selected) && e->clicks == 2)
		wl_tree_show_node(t);
}

static void scroll(struct wl_tree *t, int body, int by)
{
	size_t n = (size_t)body, most = t->rows.n > n ? t->rows.n - n : 0, row = t->row;
	size_t first = wl_tree_scrolled(t, body);

	if (by < 0)
		first = first > (size_t)-by ? first - (size_t)-by : 0;
	else
		first = first + (size_t)by < most ? first + (size_t)by : most;
	t->scroll = first;
	row = row < first ? first : row >= first + n ? first + n - 1 : row;
	if (t->rows.n)
		wl_tree_select_row(t, row);
}

static void mouse(void *view, const struct wl_event *e)
{
	struct wl_tree *t = view;
	const struct wl_screen *s = wl_app_screen(t->app);
	struct wl_tree_layout l;

	if (!wl_tree_is_ready(t))
		return;
	wl_tree_lay_out(t, s->cols, s->rows, &l);
	if (e->mouse == WL_MOUSE_WHEEL_UP)
		scroll(t, l.body, -3);
	else if (e->mouse == WL_MOUSE_WHEEL_DOWN)
		scroll(t, l.body, 3);
	else if (e->mouse != WL_MOUSE_PRESS || e->button != 1)
		return;
	else if (e->y == l.head_y)
		press_head(t, &l, e->x);
	else if (e->y >= l.body_y && e->y < l.body_y + l.body)
		press_row(t, &l, e);
}

/*
 * If the program starts with the tree, the user waits for it; otherwise it may load last. A picture
 * of the timeline never opens the tree.
 */
static void staged(void *view, int which)
{
	struct wl_tree *t = view;
	const struct wl_scene *scene = wl_app_scene(t->app, which);
	bool is_first = wl_app_options(t->app)->first == WL_VIEW_TREE;

	if (wl_app_options(t->app)->is_picture && !is_first)
		return;
	if (scene->stage >= (is_first ? WL_SCENE_TRACKS : WL_SCENE_FINDINGS) || wl_tree_is_ready(t))
		wl_tree_want(t);
}

static void arrive(void *view, const struct wl_view_place *place)
{
	struct wl_tree *t = view;
	uint32_t nvtx_row = place ? place->nvtx_row : WL_NONE;

	t->wanted_range = nvtx_row;
	t->is_arriving = nvtx_row != WL_NONE;
	t->came_to = nvtx_row == WL_NONE ? t->selected : WL_NONE;
	wl_tree_want(t);
}

const struct wl_view_ops wl_tree_view = {
	.name = "tree",
	.make = make,
	.drop = drop,
	.draw = wl_tree_draw,
	.act = act,
	.mouse = mouse,
	.arrive = arrive,
	.staged = staged,
	.save = wl_tree_save,
	.restore = wl_tree_restore,
};
