/* SPDX-License-Identifier: MIT */
/* tree_jump.c - moves from a node to the timeline, bookmarks, the clipboard, lists. */
#include <stdio.h>
#include <string.h>

#include "base/memory/sort.h"
#include "tui/tree/tree.h"
#include "tui/tree/tree_model_parts.h"

/* Where on the timeline a node is. */
struct place {
	uint32_t track;
	wl_ns begin, end;
};

static bool find_ref(const struct wl_lanes *lanes, uint32_t ref, struct place *ret)
{
	for (size_t i = 0; i < lanes->n; i++) {
		const struct wl_lane *lane = &lanes->lane[i];

		for (size_t j = 0; j < lane->n; j++) {
			if (lane->ref[j] != ref)
				continue;
			ret->begin = lane->start[j];
			ret->end = wl_lane_end(lane, j);
			return true;
		}
	}
	return false;
}

/* The range as it lies on a GPU, in a row that shows it there. Linear in the thread's ranges. */
static bool find_projected(const struct wl_scene *scene, uint32_t row, struct place *ret)
{
	uint32_t thread = wl_nvtx_thread(scene->trace)[row];
	uint32_t ref = wl_track_ref(WL_F_NVTX, row);

	for (uint32_t i = 0; scene->lanes && i < scene->tracks.n; i++) {
		const struct wl_track *track = &scene->tracks.at[i];

		ret->track = i;
		if (wl_holds(track) == WL_HOLDS_PROJECTIONS && track->thread == thread &&
		    find_ref(&scene->lanes[i], ref, ret))
			return true;
	}
	return false;
}

static bool place_of_range(const struct wl_scene *scene, uint32_t row, struct place *ret)
{
	const struct wl_trace *t = scene->trace;
	uint32_t thread = wl_nvtx_thread(t)[row];

	if (find_projected(scene, row, ret))
		return true;
	ret->track = wl_track_of_thread(&scene->tracks, WL_F_NVTX, thread);
	ret->begin = wl_nvtx_start(t)[row];
	ret->end = ret->begin + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), row);
	return ret->track != WL_NONE;
}

static bool place_of_op(const struct wl_scene *scene, uint32_t number, struct place *ret)
{
	size_t row;
	enum wl_op_kind kind = wl_tree_op_of(scene->trace, number, &row);
	struct wl_ops ops = wl_trace_ops(scene->trace, wl_op_families[kind]);

	ret->track = wl_track_of_place(&scene->tracks, ops.place[row]);
	ret->begin = ops.start[row];
	ret->end = ret->begin + wl_dur(ops.family, ops.dur, row);
	return ret->track != WL_NONE;
}

static bool find_place(const struct wl_tree *t, struct place *ret)
{
	const struct wl_scene *scene = wl_app_scene(t->app, 0);
	const struct wl_tree_node *n;
	uint32_t row;

	if (t->selected == WL_NONE || !wl_tree_is_ready(t))
		return false;
	n = wl_tree_get(t->display.model, t->selected);
	if (n->kind == WL_TREE_OP && t->mode == WL_TREE_CHRONOLOGICAL)
		return place_of_op(scene, n->id, ret);
	row = wl_tree_median_range(t->display.model, t->selected);
	return row != WL_NONE && place_of_range(scene, row, ret);
}

static void to_timeline(struct wl_tree *t)
{
	struct wl_view_place to;
	bool has_place = false;
	struct place p;

	if (t->came_to == WL_NONE || t->came_to != t->selected) {
		if (find_place(t, &p)) {
			wl_ns margin = (p.end - p.begin) / 8 + 1;

			to = (struct wl_view_place){ p.track, p.begin, p.begin - margin,
						     p.end + margin, WL_NONE };
			has_place = true;
		} else {
			wl_app_say(t->app, "this row has no range");
		}
	}
	t->came_to = WL_NONE;
	wl_app_lead(t->app, WL_VIEW_TIMELINE, has_place ? &to : NULL);
}

static void add_bookmark(struct wl_tree *t, const struct place *p, const char *note)
{
	const struct wl_tree_node *n = wl_tree_get(t->display.model, t->selected);
	char path[1024];

	wl_app_add_bookmark(t->app, &(struct wl_bookmark){
					    .at = p->begin,
					    .begin = p->begin,
					    .end = p->end > p->begin ? p->end : p->begin + 1,
					    .row = "",
					    .kernel = n->kind == WL_TREE_OP ? n->label : "",
					    .context = wl_tree_path(t->display.model, t->selected,
								    path, sizeof(path)),
					    .note = note });
}

/* Index of the selected node's bookmark; the number of bookmarks if it has none. */
static size_t find_bookmark(const struct wl_tree *t, const struct place *p)
{
	size_t n = wl_app_n_bookmarks(t->app);
	char path[1024];
	const char *context = wl_tree_path(t->display.model, t->selected, path, sizeof(path));

	for (size_t i = 0; i < n; i++) {
		const struct wl_bookmark *b = wl_app_bookmark(t->app, i);

		if (b->at == p->begin && strcmp(b->context, context) == 0)
			return i;
	}
	return n;
}

static void noted(void *ctx, const char *text)
{
	struct wl_tree *t = ctx;
	struct place p;
	size_t i;

	if (!text || !find_place(t, &p))
		return;
	i = find_bookmark(t, &p);
	if (i < wl_app_n_bookmarks(t->app))
		wl_app_remove_bookmark(t->app, i);
	add_bookmark(t, &p, text);
}

static void bookmark(struct wl_tree *t)
{
	struct place p;
	size_t i;

	if (!find_place(t, &p)) {
		wl_app_say(t->app, "this row has no range");
		return;
	}
	i = find_bookmark(t, &p);
	if (i < wl_app_n_bookmarks(t->app)) {
		wl_app_prompt(t->app,
			      &(struct wl_prompt_opts){ .label = "note: ",
							.text = wl_app_bookmark(t->app, i)->note,
							.done = noted,
							.ctx = t });
		return;
	}
	add_bookmark(t, &p, "");
	wl_app_say(t->app, "kept as a bookmark; B again writes a note to it");
}

/* Bookmarks are places of the timeline. */
static void hand_over(struct wl_tree *t, int action)
{
	if (!wl_app_n_bookmarks(t->app)) {
		wl_app_say(t->app, "there are no bookmarks yet: B makes one");
		return;
	}
	wl_app_switch(t->app, WL_VIEW_TIMELINE);
	wl_app_hand_over(t->app, WL_VIEW_TIMELINE, (enum wl_action)action);
}

static void copy_name(struct wl_tree *t)
{
	const struct wl_tree_node *n;
	const char *text;
	char path[4096];

	if (t->selected == WL_NONE)
		return;
	n = wl_tree_get(t->display.model, t->selected);
	text = n->kind == WL_TREE_OP
		       ? n->label
		       : wl_tree_path(t->display.model, t->selected, path, sizeof(path));
	wl_app_copy(t->app, text);
	wl_app_say(t->app, "copied: %.200s", text);
}

static void copy_command(struct wl_tree *t)
{
	const char *line = wl_app_command_line(t->app);

	wl_app_copy(t->app, line);
	wl_app_say(t->app, "copied: %.200s", line);
}

static void chosen(void *ctx, size_t i)
{
	struct wl_tree *t = ctx;

	if (i < t->choices.n && wl_tree_is_ready(t)) {
		uint32_t node = ((const uint32_t *)t->choices.data)[i];

		if (node < wl_tree_n(t->display.model))
			wl_tree_reveal(t, node);
	}
}

/* Name of the selected operation, or of the one with most time in and below a range. */
static uint32_t op_name_at(const struct wl_tree *t)
{
	const struct wl_tree_node *n = wl_tree_get(t->display.model, t->selected);

	if (n->kind == WL_TREE_OP)
		return n->id;
	return t->n_tops ? t->top[0].kernel_name : WL_NONE;
}

static bool larger(const void *ctx, uint32_t a, uint32_t b)
{
	return wl_tree_get(ctx, a)->is.gpu > wl_tree_get(ctx, b)->is.gpu;
}

static const char *user_text(const struct wl_tree *t, uint32_t node, char *buf, size_t size)
{
	const struct wl_tree_model *m = t->display.model;
	const struct wl_tree_node *n = wl_tree_get(m, node);
	char a[WL_TREE_CELL], path[1024];

	(void)snprintf(buf, size, "%10s %7zu×  %s",
		       wl_tree_length(n->is.gpu / (wl_ns)wl_tree_divisor(m), a), n->is.calls,
		       wl_tree_path(m, n->parent, path, sizeof(path)));
	return buf;
}

static bool collect_users(struct wl_tree *t, uint32_t name)
{
	const struct wl_tree_model *m = t->display.model;
	struct wl_vec tmp;
	bool ok;

	t->choices.n = 0;
	for (uint32_t i = 0; i < wl_tree_n(m); i++) {
		const struct wl_tree_node *n = wl_tree_get(m, i);

		if (n->kind == WL_TREE_OP && n->id == name)
			wl_vec_push(&t->choices, &i);
	}
	wl_vec_init(&tmp, sizeof(uint32_t), t->rows.budget);
	ok = !t->choices.failed && t->choices.n && wl_vec_reserve(&tmp, t->choices.n);
	if (ok)
		wl_sort_index(t->choices.data, t->choices.n, tmp.data, larger, m);
	wl_vec_release(&tmp);
	return ok;
}

enum { MOST_USERS = 200, USER_TEXT = 1200 };

static void bottom_up(struct wl_tree *t)
{
	const char *item[MOST_USERS];
	struct wl_arena scratch;
	char title[WL_TREE_NAME + 64], buf[WL_TREE_NAME];
	uint32_t name;
	size_t n = 0;

	if (t->selected == WL_NONE || t->mode != WL_TREE_AGGREGATED) {
		wl_app_say(t->app, "this needs the aggregated tree: A");
		return;
	}
	name = op_name_at(t);
	if (name == WL_NONE || !collect_users(t, name)) {
		wl_app_say(t->app, "no kernel runs here");
		return;
	}
	wl_arena_init_on(&scratch, t->rows.budget);
	for (; n < t->choices.n && n < MOST_USERS; n++) {
		char *text = WL_NEW(&scratch, char, USER_TEXT);

		if (!text)
			break;
		item[n] = user_text(t, ((uint32_t *)t->choices.data)[n], text, USER_TEXT);
	}
	(void)snprintf(title, sizeof(title), "%zu path%s that run%s %.200s", t->choices.n,
		       t->choices.n == 1 ? "" : "s", t->choices.n == 1 ? "s" : "",
		       wl_tree_name(t, ((uint32_t *)t->choices.data)[0], buf));
	wl_app_show_list(
		t->app,
		&(struct wl_list_opts){
			.title = title, .items = item, .n = n, .chosen = chosen, .ctx = t });
	wl_arena_release(&scratch);
}

void wl_tree_show_node(struct wl_tree *t)
{
	const struct wl_tree_model *m = t->display.model;
	const struct wl_tree_node *n;
	char text[8192], path[4096], a[WL_TREE_CELL], b[WL_TREE_CELL], c[WL_TREE_CELL];

	if (t->selected == WL_NONE)
		return;
	n = wl_tree_get(m, t->selected);
	(void)snprintf(
		text, sizeof(text),
		"%.3000s\n\nin %s\n\nGPU time %s in %zu call%s\nmedian %s, 99th percentile %s\n",
		n->label,
		n->parent == WL_NONE ? "-" : wl_tree_path(m, n->parent, path, sizeof(path)),
		wl_tree_length(n->is.gpu, a), n->is.calls, n->is.calls == 1 ? "" : "s",
		wl_tree_length(n->is.p50, b), wl_tree_length(n->is.p99, c));
	wl_app_show_text(t->app, n->kind == WL_TREE_OP ? "Kernel" : "Range", text);
}

const struct wl_tree_act wl_tree_jumps[] = {
	{ WL_ACT_TREE_TIMELINE, .fn = to_timeline },
	{ WL_ACT_TREE_BOTTOM_UP, .fn = bottom_up },
	{ WL_ACT_TREE_DETAIL, .fn = wl_tree_show_node },
	{ WL_ACT_BOOKMARK, .fn = bookmark },
	{ WL_ACT_BOOKMARKS, .by = hand_over, .n = WL_ACT_BOOKMARKS },
	{ WL_ACT_BOOKMARK_NEXT, .by = hand_over, .n = WL_ACT_BOOKMARK_NEXT },
	{ WL_ACT_BOOKMARK_PREV, .by = hand_over, .n = WL_ACT_BOOKMARK_PREV },
	{ WL_ACT_BOOKMARK_DROP, .by = hand_over, .n = WL_ACT_BOOKMARK_DROP },
	{ WL_ACT_COPY_NAME, .fn = copy_name },
	{ WL_ACT_COPY_COMMAND, .fn = copy_command },
	{ .action = WL_ACT_NONE },
};
