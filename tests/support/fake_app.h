/* SPDX-License-Identifier: MIT */
/*
 * fake_app.h - an app around a view under test, without loop, worker and overlays.
 *
 * It shows a trace in memory, remembers what was said and asked, and answers prompts with
 * what the test gives. Questions to the worker are never answered. The functions are
 * defined here, so one file of a program includes this, and that has no real app.
 */
#ifndef WL_TESTS_FAKE_APP_H
#define WL_TESTS_FAKE_APP_H

#include <stdio.h>
#include <string.h>

#include "base/text/json_read.h"
#include "base/text/json_write.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "derive/kinds/named.h"
#include "support/unit.h"
#include "tui/app/app.h"
#include "tui/app/state_json.h"

struct wl_app {
	struct wl_scene *scene[2];
	struct wl_app_opts opts;
	struct wl_budget budget;
	struct wl_screen screen;
	const struct wl_view_ops *ops;
	void *view;
	char said[512], copied[512];
	/* The last prompt, to be answered by fake_app_answer(). */
	wl_line_fn *done;
	void *done_ctx;
	struct wl_setting setting[32];
	size_t n_settings;
	void (*changed)(void *ctx);
	void *changed_ctx;
	bool mouse;
};

static void fake_app_resize(struct wl_app *app, int cols, int rows)
{
	assert_true(wl_screen_resize(&app->screen, cols, rows));
}

/* The view over the trace, staged, on a colourful screen of that size. */
static void fake_app_make(struct wl_app *app, struct wl_scene *scene, const struct wl_view_ops *ops,
			  int cols, int rows)
{
	*app = (struct wl_app){ .scene = { scene }, .ops = ops, .mouse = true };
	app->opts.budget = &app->budget;
	app->opts.frozen = true;
	wl_screen_init(&app->screen, &app->budget);
	app->screen.caps.colourful = true;
	fake_app_resize(app, cols, rows);
	if (scene->window.begin == scene->window.end)
		scene->window = scene->tracks.extent;
	assert_true(ops->make(app, &app->view));
	ops->staged(app->view, 0);
}

static void fake_app_release(struct wl_app *app)
{
	app->ops->drop(app->view);
	wl_screen_release(&app->screen);
	assert_int_equal(app->budget.used, 0);
}

/* Draw, and then the text of a line, without blanks at its end; valid until the next call. */
static void fake_app_draw(struct wl_app *app)
{
	wl_screen_clear(&app->screen);
	app->ops->draw(app->view, &app->screen);
}

static const char *fake_app_line(struct wl_app *app, int y)
{
	static char line[4 * 512 + 1];
	size_t n = 0, end = 0;

	for (int x = 0; x < app->screen.cols && n + WL_UTF8_MAX < sizeof(line); x++) {
		uint32_t cp = wl_screen_at(&app->screen, x, y)->cp;

		if (cp == 0)
			continue;
		n += wl_utf8_encode(cp, line + n);
		if (cp != ' ')
			end = n;
	}
	line[end] = '\0';
	return line;
}

static void fake_app_act(struct wl_app *app, enum wl_action action)
{
	app->said[0] = '\0';
	app->done = NULL;
	assert_true(app->ops->act(app->view, action));
}

/* Do something that opens a prompt, and answer it; NULL stands for Esc. */
static void fake_app_answer(struct wl_app *app, enum wl_action action, const char *text)
{
	fake_app_act(app, action);
	assert_non_null(app->done);
	if (app->done)
		app->done(app->done_ctx, text);
}

static void fake_app_mouse(struct wl_app *app, enum wl_mouse mouse, int button, int x, int y)
{
	struct wl_event event = { .kind = WL_EVENT_MOUSE,
				  .mouse = mouse,
				  .button = button,
				  .clicks = 1,
				  .x = x,
				  .y = y };

	app->ops->mouse(app->view, &event);
}

/* ---- What views call ---- */

const struct wl_scene *wl_app_scene(const struct wl_app *app, int which)
{
	return app->scene[which];
}

const struct wl_app_opts *wl_app_options(const struct wl_app *app)
{
	return &app->opts;
}

void *wl_app_view(struct wl_app *app, enum wl_view_id id)
{
	return id == WL_VIEW_TIMELINE ? app->view : NULL;
}

void wl_app_switch(struct wl_app *app, enum wl_view_id id)
{
	(void)app;
	(void)id;
}

void wl_app_lead(struct wl_app *app, enum wl_view_id id, const struct wl_view_place *place)
{
	(void)app;
	(void)id;
	(void)place;
}

const struct wl_screen *wl_app_draw(struct wl_app *app)
{
	fake_app_draw(app);
	return &app->screen;
}

struct wl_screen *wl_app_screen(struct wl_app *app)
{
	return &app->screen;
}

void wl_app_fail(struct wl_app *app, const struct wl_err *err)
{
	wl_app_say(app, "%s", err->msg);
}

void wl_app_say(struct wl_app *app, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(app->said, sizeof(app->said), fmt, args);
	va_end(args);
}

void wl_app_copy(struct wl_app *app, const char *text)
{
	(void)snprintf(app->copied, sizeof(app->copied), "%s", text);
}

void wl_app_mouse(struct wl_app *app, bool on)
{
	app->mouse = on;
}

void wl_app_prompt(struct wl_app *app, const struct wl_prompt_opts *opts)
{
	app->done = opts->done;
	app->done_ctx = opts->ctx;
}

void wl_app_show_text(struct wl_app *app, const char *title, const char *text)
{
	(void)title;
	(void)snprintf(app->said, sizeof(app->said), "%s", text);
}

void wl_app_show_list(struct wl_app *app, const struct wl_list_opts *opts)
{
	(void)snprintf(app->said, sizeof(app->said), "%s: %zu", opts->title, opts->n);
}

void wl_app_show_heat(struct wl_app *app, const struct wl_heat_opts *opts)
{
	(void)snprintf(app->said, sizeof(app->said), "%s: %zu", opts->title, opts->heat->n_items);
}

void wl_app_show_settings(struct wl_app *app, const struct wl_settings_opts *opts)
{
	assert_true(opts->n <= WL_COUNT(app->setting));
	memcpy(app->setting, opts->settings, opts->n * sizeof(*opts->settings));
	app->n_settings = opts->n;
	app->changed = opts->changed;
	app->changed_ctx = opts->ctx;
}

void wl_app_ask(struct wl_app *app, const struct wl_app_question *question)
{
	(void)app;
	(void)question;
}

enum wl_name_style wl_app_name_style(const struct wl_app *app)
{
	(void)app;
	return WL_NAME_SHORT;
}

const char *wl_app_kernel_name(const struct wl_app *app, int which, uint32_t kernel_name)
{
	return app->scene[which]->tracks.named->label[kernel_name];
}

const char *wl_app_command_line(struct wl_app *app)
{
	(void)app;
	return "warplens timeline";
}

size_t wl_app_n_bookmarks(const struct wl_app *app)
{
	(void)app;
	return 0;
}

const struct wl_bookmark *wl_app_bookmark(const struct wl_app *app, size_t i)
{
	(void)app;
	(void)i;
	return NULL;
}

void wl_app_add_bookmark(struct wl_app *app, const struct wl_bookmark *bookmark)
{
	(void)app;
	(void)bookmark;
}

void wl_app_remove_bookmark(struct wl_app *app, size_t i)
{
	(void)app;
	(void)i;
}

#endif
