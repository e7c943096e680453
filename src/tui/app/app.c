/* SPDX-License-Identifier: MIT */
#include "tui/app/app.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "known/names.h"
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

static void end_overlay(struct wl_app *app)
{
	struct wl_overlay *o = app->overlay;

	app->overlay = NULL;
	if (o && o->ops->end)
		o->ops->end(o);
	wl_overlay_free(o);
}

void wl_app_put_overlay(struct wl_app *app, struct wl_overlay *overlay)
{
	if (!overlay) {
		wl_app_say(app, "no memory for this");
		return;
	}
	end_overlay(app);
	wl_overlay_free(app->overlay); /* one that the end of the other opened */
	app->overlay = overlay;
}

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
			end_overlay(app);
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
			end_overlay(app);
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

bool wl_app_is_ready(const struct wl_app *app)
{
	return app->seen[0] >= WL_STAGE_TRACKS && app->is_restored;
}

/* A trace that cannot be shown ends the program; one of which a part is missing does not. */
static void fail_stage(struct wl_app *app, const struct wl_scene *scene, enum wl_stage before)
{
	if (before >= WL_STAGE_TRACKS) {
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
	enum wl_stage before = app->seen[which], now;

	if (!scene)
		return;
	now = atomic_load_explicit(&scene->stage, memory_order_acquire);
	if (now == before)
		return;
	app->seen[which] = now == WL_STAGE_FAILED && before < WL_STAGE_TRACKS ? before : now;
	if (now == WL_STAGE_FAILED) {
		fail_stage(app, scene, before);
		return;
	}
	if (now < WL_STAGE_TRACKS)
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

struct wl_screen *wl_app_screen(struct wl_app *app)
{
	return &app->screen;
}

/* ---- For views ---- */

const struct wl_scene *wl_app_scene(const struct wl_app *app, int which)
{
	return wl_worker_scene(app->worker, which);
}

const struct wl_app_opts *wl_app_options(const struct wl_app *app)
{
	return &app->opts;
}

void *wl_app_view(struct wl_app *app, enum wl_view_id id)
{
	return app->view[id];
}

void wl_app_switch(struct wl_app *app, enum wl_view_id id)
{
	app->current = id;
}

void wl_app_lead(struct wl_app *app, enum wl_view_id id, const struct wl_view_place *place)
{
	app->opts.views[id]->arrive(app->view[id], place);
	wl_app_switch(app, id);
}

void wl_app_hand_over(struct wl_app *app, enum wl_view_id id, enum wl_action action)
{
	(void)app->opts.views[id]->act(app->view[id], action);
}

void wl_app_say(struct wl_app *app, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(app->message, sizeof(app->message), fmt, args);
	va_end(args);
}

void wl_app_fail(struct wl_app *app, const struct wl_err *err)
{
	app->err = *err;
	app->is_done = true;
}

void wl_app_copy(struct wl_app *app, const char *text)
{
	char *copy = strdup(text);

	if (!copy) {
		wl_app_say(app, "no memory to copy this");
		return;
	}
	free(app->copied);
	app->copied = copy;
	app->wants_copy = true;
}

void wl_app_mouse(struct wl_app *app, bool on)
{
	app->wants_mouse_change = true;
	app->mouse_on = on;
}

void wl_app_prompt(struct wl_app *app, const struct wl_prompt_opts *opts)
{
	wl_app_put_overlay(app, wl_prompt_new(opts, app->opts.budget));
}

void wl_app_show_text(struct wl_app *app, const char *title, const char *text)
{
	wl_app_put_overlay(app, wl_text_new(title, text, app->opts.budget));
}

void wl_app_show_list(struct wl_app *app, const struct wl_list_opts *opts)
{
	if (opts->n == 0)
		wl_app_say(app, "%s: there are none", opts->title);
	else
		wl_app_put_overlay(app, wl_list_new(opts, app->opts.budget));
}

void wl_app_show_settings(struct wl_app *app, const struct wl_settings_opts *opts)
{
	wl_app_put_overlay(app, wl_settings_new(opts, app->opts.budget));
}

void wl_app_ask(struct wl_app *app, const struct wl_app_question *question)
{
	wl_worker_ask(app->worker, question);
}

enum wl_name_style wl_app_name_style(const struct wl_app *app)
{
	return app->names;
}

const char *wl_app_kernel_name(const struct wl_app *app, int which, uint32_t kernel_name, char *buf,
			       size_t size)
{
	const struct wl_scene *scene = wl_app_scene(app, which);
	const struct wl_kernel_name *name;

	if (!scene || !scene->trace || kernel_name >= scene->trace->n_kernel_names)
		return "?";
	name = &scene->trace->kernel_names[kernel_name];
	if (app->names == WL_NAME_FULL)
		return wl_str(scene->trace, name->demangled);
	if (app->names == WL_NAME_MANGLED)
		return wl_str(scene->trace, name->mangled);
	(void)wl_name_base(wl_str(scene->trace, name->demangled), buf, size);
	return buf;
}

size_t wl_app_n_bookmarks(const struct wl_app *app)
{
	return app->bookmarks.n;
}

const struct wl_bookmark *wl_app_bookmark(const struct wl_app *app, size_t i)
{
	return &app->bookmarks.at[i];
}

void wl_app_add_bookmark(struct wl_app *app, const struct wl_bookmark *bookmark)
{
	if (!wl_bookmarks_add(&app->bookmarks, bookmark))
		wl_app_say(app, "no room for more bookmarks");
}

void wl_app_remove_bookmark(struct wl_app *app, size_t i)
{
	wl_bookmarks_remove(&app->bookmarks, i);
}
