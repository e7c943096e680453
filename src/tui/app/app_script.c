/* SPDX-License-Identifier: MIT */
/* app_script.c - a script instead of a user. */
#include <string.h>

#include "tui/app/app_parts.h"

int wl_app_result(const struct wl_app *app, struct wl_err *reterr)
{
	return app->err.code == WL_OK ? WL_OK : wl_fail(reterr, app->err.code, "%s", app->err.msg);
}

enum { MAX_ROUNDS = 100 };

/*
 * Until nothing is being computed, so that the next event meets the same state every time.
 * What is drawn may ask for something, which is then drawn, too.
 */
static void settle(struct wl_app *app)
{
	for (int i = 0; i < MAX_ROUNDS && !wl_app_is_done(app); i++) {
		wl_app_tick(app);
		if (wl_app_is_busy(app)) {
			wl_worker_wait(app->worker);
			continue;
		}
		(void)wl_app_draw(app);
		if (!wl_app_is_busy(app))
			return;
	}
}

int wl_app_script(struct wl_app *app, const char *script, int cols, int rows,
		  struct wl_look_caps caps, struct wl_err *reterr)
{
	struct wl_event event = { .kind = WL_EVENT_RESIZE, .cols = cols, .rows = rows };
	struct wl_script_pos pos = { .at = script };
	const char *bad = NULL;

	app->screen.caps = caps;
	wl_app_event(app, &event);
	settle(app);
	while (!wl_app_is_done(app) && wl_script_next(&pos, &event, &bad)) {
		wl_app_event(app, &event);
		settle(app);
	}
	if (bad)
		return wl_fail(reterr, WL_E_USAGE, "--script: \"%.*s\" is not an event",
			       (int)strcspn(bad, " "), bad);
	return wl_app_result(app, reterr);
}
