/* SPDX-License-Identifier: MIT */
#include "tui/timeline/timeline.h"

const struct wl_scene *wl_timeline_scene(const struct wl_timeline *t)
{
	return wl_app_scene(t->app, 0);
}

bool wl_timeline_is_ready(const struct wl_timeline *t)
{
	return t->rows.list != NULL;
}
