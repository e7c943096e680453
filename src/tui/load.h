/*
 * load.h - from a file to what the views show, in the stages of data.h.
 */
#ifndef WL_TUI_LOAD_H
#define WL_TUI_LOAD_H

#include "tui/app.h"

/* What loading is told. Borrowed. */
struct wl_loading {
	const struct wl_app_opts *opts;
	int which; /* of opts->path */
	const atomic_int *cancel;
};

/*
 * Go one stage further: to the tracks, the causes, the findings; or to FAILED. Runs beside
 * the views, which may look at what the stages before promise.
 */
void wl_tui_load(struct wl_tui_data *data, const struct wl_loading *how);

/* Nobody may look any more. Accepts a zeroed one. */
void wl_tui_unload(struct wl_tui_data *data);

#endif
