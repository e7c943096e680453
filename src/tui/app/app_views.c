/* SPDX-License-Identifier: MIT */
/* app_views.c - what views ask the app for. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "derive/kinds/named.h"
#include "tui/app/app_parts.h"

void wl_app_end_overlay(struct wl_app *app)
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
	wl_app_end_overlay(app);
	wl_overlay_free(app->overlay); /* one that the end of the other opened */
	app->overlay = overlay;
}

bool wl_app_is_ready(const struct wl_app *app)
{
	return app->seen[0] >= WL_SCENE_TRACKS && app->is_restored;
}

struct wl_screen *wl_app_screen(struct wl_app *app)
{
	return &app->screen;
}

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
		wl_app_say(app, "%s: the list is empty", opts->title);
	else
		wl_app_put_overlay(app, wl_list_new(opts, app->opts.budget));
}

void wl_app_show_heat(struct wl_app *app, const struct wl_heat_opts *opts)
{
	wl_app_put_overlay(app, wl_heat_new(opts, app->opts.budget));
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

const char *wl_app_kernel_name(const struct wl_app *app, int which, uint32_t kernel_name)
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
	return scene->tracks.named->label[kernel_name];
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
