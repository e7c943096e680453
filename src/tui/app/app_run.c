/* SPDX-License-Identifier: MIT */
/* app_run.c - the loop on a terminal. */
#include "base/clock.h"
#include "tui/app/app_parts.h"

/* How long to wait for a key: not for ever where something is being computed. */
enum { POLL_MS = 50, REST_MS = 3600 * 1000 };

static void serve_terminal(struct wl_app *app, struct wl_term *term)
{
	if (app->wants_copy)
		wl_term_copy(term, app->copied);
	if (app->wants_redraw)
		wl_term_forget(term);
	if (app->wants_suspend)
		wl_term_suspend(term);
	if (app->wants_mouse_change)
		wl_term_mouse(term, app->mouse_on);
	app->wants_copy = app->wants_redraw = app->wants_suspend = app->wants_mouse_change = false;
}

/*
 * The first picture comes before the first tick, which begins to load. Nothing is taken over
 * between a picture and the wait for a key, or it would not be seen until then.
 */
int wl_app_run(struct wl_app *app, struct wl_term *term, struct wl_err *reterr)
{
	struct wl_event event = { .kind = WL_EVENT_RESIZE };

	app->screen.caps = wl_term_caps(term);
	wl_term_size(term, &event.cols, &event.rows);
	wl_app_event(app, &event);
	if (!app->opts.frozen)
		app->begun_ns = wl_clock_wall_ns();
	while (!wl_app_is_done(app)) {
		wl_term_show(term, wl_app_draw(app));
		wl_worker_begin(app->worker);
		wl_term_next(term, wl_app_is_busy(app) ? POLL_MS : REST_MS, &event);
		wl_app_event(app, &event);
		wl_app_tick(app);
		serve_terminal(app, term);
	}
	return wl_app_result(app, reterr);
}
