/* SPDX-License-Identifier: MIT */
#include "tui/app/app.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/json_read.h"
#include "tui/app/app_parts.h"

static bool make_views(struct wl_app *app)
{
	for (size_t v = 0; v < WL_N_VIEWS; v++) {
		if (!app->opts.views[v]->make(app, &app->view[v])) {
			app->view[v] = NULL;
			return false;
		}
	}
	return true;
}

struct wl_app *wl_app_new(const struct wl_app_opts *opts, struct wl_err *reterr)
{
	struct wl_app *app = calloc(1, sizeof(*app));

	if (!app) {
		(void)wl_fail(reterr, WL_E_NOMEM, "no memory for the viewer");
		return NULL;
	}
	app->opts = *opts;
	app->current = opts->first;
	app->mouse_on = true;
	wl_screen_init(&app->screen, opts->budget);
	wl_bookmarks_init(&app->bookmarks, opts->budget);
	if (opts->view &&
	    wl_json_parse(opts->view, strlen(opts->view), "--view", &app->given, reterr) < 0) {
		wl_app_free(app);
		return NULL;
	}
	app->worker = wl_worker_new(&app->opts);
	if (!app->worker || !wl_screen_resize(&app->screen, 80, 24) || !make_views(app)) {
		(void)wl_fail(reterr, WL_E_NOMEM, "no memory for the viewer");
		wl_app_free(app);
		return NULL;
	}
	wl_state_read_bookmarks(app);
	return app;
}

/* What the worker works on may be the views', and what the views look at is the worker's. */
void wl_app_free(struct wl_app *app)
{
	if (!app)
		return;
	if (app->worker)
		wl_worker_stop(app->worker);
	wl_overlay_free(app->overlay);
	for (size_t v = 0; v < WL_N_VIEWS; v++) {
		if (app->view[v])
			app->opts.views[v]->drop(app->view[v]);
	}
	wl_worker_free(app->worker);
	wl_bookmarks_release(&app->bookmarks);
	wl_screen_release(&app->screen);
	wl_json_free(app->given);
	free(app->copied);
	free(app->command);
	free(app);
}

/* ---- Events ---- */

/* Whatever lies over the view, these keys mean what they always do. */
static bool is_always(uint32_t key, enum wl_action action)
{
	return (action == WL_ACT_QUIT || action == WL_ACT_REDRAW || action == WL_ACT_SUSPEND) &&
	       (key & WL_MOD_CTRL || key >= WL_KEY_FIRST);
}

static void take_key(struct wl_app *app, uint32_t key)
{
	enum wl_action action = wl_keymap_find(&app->opts.keys, app->current, key);

	app->message[0] = '\0';
	if (app->overlay && !is_always(key, action)) {
		if (!app->overlay->ops->key(app->overlay, key))
			wl_app_end_overlay(app);
	} else if (action != WL_ACT_NONE) {
		wl_app_do(app, action);
	}
}

static void take_mouse(struct wl_app *app, const struct wl_event *e)
{
	const bool is_press = e->mouse == WL_MOUSE_PRESS;

	if (is_press)
		app->message[0] = '\0';
	if (app->overlay) {
		if (app->overlay->ops->mouse && !app->overlay->ops->mouse(app->overlay, e))
			wl_app_end_overlay(app);
	} else if (is_press && e->y == app->screen.rows - 2) {
		wl_app_do(app, wl_footer_at(&app->footer, e->x));
	} else if (wl_app_is_ready(app)) {
		app->opts.views[app->current]->mouse(app->view[app->current], e);
	}
}

void wl_app_event(struct wl_app *app, const struct wl_event *event)
{
	switch (event->kind) {
	case WL_EVENT_KEY:
		take_key(app, event->key);
		break;
	case WL_EVENT_MOUSE:
		take_mouse(app, event);
		break;
	case WL_EVENT_RESIZE:
		if (!wl_screen_resize(&app->screen, event->cols, event->rows))
			wl_app_say(app, "no memory for a screen of this size");
		break;
	case WL_EVENT_QUIT:
		app->is_done = true;
		break;
	case WL_EVENT_NONE:
		break;
	}
}

/* ---- The worker ---- */

/* A trace that cannot be shown ends the program; one of which a part is missing does not. */
static void fail_stage(struct wl_app *app, const struct wl_scene *scene, enum wl_scene_stage before)
{
	if (before >= WL_SCENE_TRACKS) {
		wl_app_say(app, "%s", scene->err.msg);
		return;
	}
	wl_app_fail(app, &scene->err);
}

/* What a view has to say of itself is for those who see it. */
static void stage_views(struct wl_app *app, int which)
{
	char before[sizeof(app->message)];

	for (size_t v = 0; v < WL_N_VIEWS; v++) {
		memcpy(before, app->message, sizeof(before));
		app->opts.views[v]->staged(app->view[v], which);
		if (v != app->current)
			memcpy(app->message, before, sizeof(before));
	}
}

static void tell_stage(struct wl_app *app, int which)
{
	const struct wl_scene *scene = wl_worker_scene(app->worker, which);
	enum wl_scene_stage before = app->seen[which], now;

	if (!scene)
		return;
	now = atomic_load_explicit(&scene->stage, memory_order_acquire);
	if (now == before)
		return;
	app->seen[which] = now == WL_SCENE_FAILED && before < WL_SCENE_TRACKS ? before : now;
	if (now == WL_SCENE_FAILED) {
		fail_stage(app, scene, before);
		return;
	}
	if (now < WL_SCENE_TRACKS)
		return;
	stage_views(app, which);
	if (!app->is_restored && which == 0) {
		app->is_restored = true;
		wl_state_restore(app);
	}
}

void wl_app_tick(struct wl_app *app)
{
	wl_worker_tick(app->worker);
	tell_stage(app, 0);
	tell_stage(app, 1);
}

bool wl_app_is_done(const struct wl_app *app)
{
	return app->is_done;
}

bool wl_app_is_busy(const struct wl_app *app)
{
	return wl_worker_is_busy(app->worker);
}

/* ---- The screen ---- */

static void draw_foot(struct wl_app *app)
{
	struct wl_screen *s = &app->screen;
	const struct wl_style bold = { WL_INK_DEFAULT, WL_INK_DEFAULT, WL_ATTR_BOLD };
	int y = s->rows - 2, x = 0;

	wl_screen_fill(s, 0, y, s->cols, 1, WL_STYLE_PLAIN);
	if (app->message[0])
		x = wl_screen_label(s, 0, y, s->cols, bold, app->message) + 3;
	wl_footer_draw(&app->footer, s, x, y, &app->opts.keys, app->current);
}

const struct wl_screen *wl_app_draw(struct wl_app *app)
{
	struct wl_screen *s = &app->screen;

	wl_screen_clear(s);
	s->cursor_x = s->cursor_y = -1;
	if (s->cols < WL_MIN_COLS || s->rows < WL_MIN_ROWS) {
		app->footer.n = 0;
		(void)wl_screen_print(s, 0, 0, s->cols, WL_STYLE_PLAIN,
				      "terminal too small (need %dx%d)", WL_MIN_COLS, WL_MIN_ROWS);
		return s;
	}
	if (wl_app_is_ready(app))
		app->opts.views[app->current]->draw(app->view[app->current], s);
	else
		wl_app_draw_progress(app);
	draw_foot(app);
	if (app->overlay)
		app->overlay->ops->draw(app->overlay, s);
	return s;
}

/* ---- For views ---- */
