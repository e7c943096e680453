/* SPDX-License-Identifier: MIT */
/* timeline_bookmarks.c - places and ranges that the user marks. */
#include <stdio.h>
#include <string.h>

#include "tui/timeline/tell/timeline_tell.h"

enum { NAME_BUF = 1024, MAX_LISTED = 256 };

/* ---- Marks ---- */

static void say_range(struct wl_timeline *t)
{
	char length[WL_UNITS_BUF], time[WL_TIME_BUF];

	if (t->view.mark_a != WL_NO_TIME && t->view.mark_b != WL_NO_TIME)
		wl_app_say(t->app, "range A..B: %s",
			   wl_brief_ns(length, t->view.mark_b - t->view.mark_a));
	else if (t->view.mark_a != WL_NO_TIME)
		wl_app_say(t->app, "A at %s; ] ends the range",
			   wl_timeline_fmt(t, t->view.mark_a, time));
	else if (t->view.mark_b != WL_NO_TIME)
		wl_app_say(t->app, "B at %s; [ begins the range",
			   wl_timeline_fmt(t, t->view.mark_b, time));
}

static void mark_a(struct wl_timeline *t)
{
	wl_ns b = t->view.mark_b != WL_NO_TIME && t->view.mark_b > t->view.cursor ? t->view.mark_b
										  : WL_NO_TIME;

	wl_timeline_mark(t, t->view.cursor, b);
	say_range(t);
}

static void mark_b(struct wl_timeline *t)
{
	wl_ns a = t->view.mark_a != WL_NO_TIME && t->view.mark_a < t->view.cursor ? t->view.mark_a
										  : WL_NO_TIME;

	if (t->view.mark_b == t->view.cursor) {
		wl_timeline_mark(t, WL_NO_TIME, WL_NO_TIME);
		wl_app_say(t->app, "no range");
		return;
	}
	wl_timeline_mark(t, a, t->view.cursor);
	say_range(t);
}

/* ---- Bookmarks ---- */

static const char no_bookmarks[] = "no bookmarks yet; B keeps this place";

/* The bookmark exactly here; SIZE_MAX for none. */
static size_t bookmark_here(struct wl_timeline *t)
{
	char key[WL_ROW_KEY_BUF];

	(void)wl_timeline_row_key(t, t->view.track, key);
	for (size_t i = 0; i < wl_app_n_bookmarks(t->app); i++) {
		const struct wl_bookmark *b = wl_app_bookmark(t->app, i);

		if (b->at == t->view.cursor && strcmp(b->row, key) == 0)
			return i;
	}
	return SIZE_MAX;
}

static void set_note(void *ctx, const char *text)
{
	struct wl_timeline *t = ctx;
	size_t i = t->view.track == WL_NONE ? SIZE_MAX : bookmark_here(t);
	char row[WL_ROW_KEY_BUF], kernel[NAME_BUF], context[NAME_BUF];
	struct wl_bookmark b;

	if (!text || i == SIZE_MAX)
		return;
	/* The texts are the app's and end with the bookmark. */
	b = *wl_app_bookmark(t->app, i);
	(void)snprintf(row, sizeof(row), "%s", b.row);
	(void)snprintf(kernel, sizeof(kernel), "%s", b.kernel);
	(void)snprintf(context, sizeof(context), "%s", b.context);
	b.row = row;
	b.kernel = kernel;
	b.context = context;
	b.note = text;
	wl_app_remove_bookmark(t->app, i);
	wl_app_add_bookmark(t->app, &b);
}

/* The NVTX path of what was picked. */
static void path_of(struct wl_timeline *t, const struct wl_pick *pick, char *buf, size_t size)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	uint32_t node = WL_NONE;
	struct wl_op_details op;
	bool is_bridged;

	if (wl_is_op(pick->event.family)) {
		wl_op_details_of(scene, (struct wl_op_id){ pick->event.family, pick->event.row },
				 pick->cat, &op);
		node = op.node;
	} else if (pick->event.family == WL_F_API) {
		node = wl_node_of_call(scene, pick->event.row, &is_bridged);
	} else if (pick->event.family == WL_F_NVTX) {
		node = wl_node_of_row(scene, pick->event.row);
	}
	(void)wl_node_path(scene, node, 0, buf, size);
}

static void bookmark(struct wl_timeline *t)
{
	char row[WL_ROW_KEY_BUF], kernel[NAME_BUF] = "", context[NAME_BUF] = "";
	struct wl_bookmark b = {
		.at = t->view.cursor, .begin = t->view.begin, .end = t->view.end, .note = ""
	};
	struct wl_pick pick;
	size_t here;

	if (t->view.track == WL_NONE) {
		wl_app_say(t->app, "there is no row to keep a place in");
		return;
	}
	here = bookmark_here(t);
	if (here != SIZE_MAX) {
		wl_app_prompt(t->app,
			      &(struct wl_prompt_opts){ .label = "note: ",
							.text = wl_app_bookmark(t->app, here)->note,
							.done = set_note,
							.ctx = t });
		return;
	}
	if (wl_timeline_pick(t, &pick)) {
		(void)snprintf(kernel, sizeof(kernel), "%s", wl_timeline_pick_name(t, &pick));
		path_of(t, &pick, context, sizeof(context));
	}
	b.row = wl_timeline_row_key(t, t->view.track, row);
	b.kernel = kernel;
	b.context = context;
	wl_app_add_bookmark(t->app, &b);
	wl_app_say(t->app, "bookmark %zu of %zu%s%.80s; B again writes a note",
		   bookmark_here(t) + 1, wl_app_n_bookmarks(t->app), *kernel ? ": " : "", kernel);
}

static void go_to_bookmark(struct wl_timeline *t, size_t i)
{
	const struct wl_bookmark *b = wl_app_bookmark(t->app, i);
	uint32_t track = wl_timeline_row_find(t, b->row);
	char time[WL_TIME_BUF];

	track = track == WL_NONE ? t->view.track : track;
	if (track != WL_NONE)
		wl_timeline_jump(t, track, b->at, b->begin, b->end);
	wl_app_say(t->app, "bookmark %zu of %zu, %s: %.120s", i + 1, wl_app_n_bookmarks(t->app),
		   wl_timeline_fmt(t, b->at, time), *b->note ? b->note : b->kernel);
}

static void chose_bookmark(void *ctx, size_t i)
{
	struct wl_timeline *t = ctx;

	if (i < wl_app_n_bookmarks(t->app))
		go_to_bookmark(t, i);
}

static void list_bookmarks(struct wl_timeline *t)
{
	enum { ITEM = 256 };
	size_t n = wl_app_n_bookmarks(t->app);
	const char *items[MAX_LISTED];
	char text[MAX_LISTED][ITEM], time[WL_TIME_BUF];

	if (n == 0) {
		wl_app_say(t->app, "%s", no_bookmarks);
		return;
	}
	n = n < MAX_LISTED ? n : MAX_LISTED;
	for (size_t i = 0; i < n; i++) {
		const struct wl_bookmark *b = wl_app_bookmark(t->app, i);

		(void)snprintf(text[i], ITEM, "%s  %.40s  %.60s%s%.60s%s%.60s",
			       wl_timeline_fmt(t, b->at, time), b->row, b->kernel,
			       *b->context ? "  " : "", b->context, *b->note ? "  " : "", b->note);
		items[i] = text[i];
	}
	wl_app_show_list(t->app, &(struct wl_list_opts){ .title = "Bookmarks",
							 .items = items,
							 .n = n,
							 .chosen = chose_bookmark,
							 .ctx = t });
}

static void next_bookmark(struct wl_timeline *t)
{
	size_t n = wl_app_n_bookmarks(t->app), i = 0;

	while (i < n && wl_app_bookmark(t->app, i)->at <= t->view.cursor)
		i++;
	if (i < n)
		go_to_bookmark(t, i);
	else
		wl_app_say(t->app, "no bookmark after this");
}

static void previous_bookmark(struct wl_timeline *t)
{
	size_t i = wl_app_n_bookmarks(t->app);

	while (i > 0 && wl_app_bookmark(t->app, i - 1)->at >= t->view.cursor)
		i--;
	if (i > 0)
		go_to_bookmark(t, i - 1);
	else
		wl_app_say(t->app, "no bookmark before this");
}

static void drop_bookmark(struct wl_timeline *t)
{
	size_t n = wl_app_n_bookmarks(t->app), best = 0;
	wl_ns nearest = INT64_MAX;

	for (size_t i = 0; i < n; i++) {
		wl_ns at = wl_app_bookmark(t->app, i)->at;
		wl_ns away = at < t->view.cursor ? t->view.cursor - at : at - t->view.cursor;

		if (away < nearest) {
			nearest = away;
			best = i;
		}
	}
	if (n == 0) {
		wl_app_say(t->app, "%s", no_bookmarks);
		return;
	}
	wl_app_remove_bookmark(t->app, best);
	wl_app_say(t->app, "removed bookmark %zu; %zu left", best + 1, n - 1);
}

static const struct wl_timeline_act acts[] = {
	{ WL_ACT_MARK_A, .act = mark_a },
	{ WL_ACT_MARK_B, .act = mark_b },
	{ WL_ACT_BOOKMARK, .act = bookmark },
	{ WL_ACT_BOOKMARKS, .act = list_bookmarks },
	{ WL_ACT_BOOKMARK_PREV, .act = previous_bookmark },
	{ WL_ACT_BOOKMARK_NEXT, .act = next_bookmark },
	{ WL_ACT_BOOKMARK_DROP, .act = drop_bookmark },
};

const struct wl_timeline_part wl_timeline_bookmarking = { .acts = acts, .n_acts = WL_COUNT(acts) };
