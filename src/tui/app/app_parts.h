/* SPDX-License-Identifier: MIT */
/* app_parts.h - the inside of the app, for its own sources. */
#ifndef WL_TUI_APP_PARTS_H
#define WL_TUI_APP_PARTS_H

#include "tui/app/app.h"
#include "tui/app/footer.h"

struct wl_app {
	struct wl_app_opts opts;
	struct wl_screen screen;
	enum wl_view_id current;
	void *view[WL_N_VIEWS];
	struct wl_worker *worker;
	enum wl_scene_stage seen[2]; /* stages that were reported to the views */
	bool is_restored;            /* the state was put back, or there was none */
	struct wl_json *given;       /* the state that the options have; NULL for none */
	struct wl_overlay *overlay;
	struct wl_footer footer;
	enum wl_name_style names;
	struct wl_bookmarks bookmarks;
	char message[512]; /* "": none */
	char *copied;      /* the last text for the clipboard; NULL for none */
	char *command;     /* see wl_app_command_line() */
	/* What a terminal is to do after the event. */
	bool wants_copy, wants_redraw, wants_suspend, wants_mouse_change, mouse_on;
	int64_t begun_ns; /* when loading began; 0: not yet, or frozen */
	bool is_done;
	struct wl_err err; /* why it is over; WL_OK as a rule */
};

/* Do an action, as a key or the palette asks for it; app_actions.c. */
void wl_app_do(struct wl_app *app, enum wl_action action);

/* Put an overlay over the view, in place of one that is there. NULL says that memory is short. */
void wl_app_put_overlay(struct wl_app *app, struct wl_overlay *overlay);

/* Take the overlay off, let it say its result, and free it. */
void wl_app_end_overlay(struct wl_app *app);

/* While there is nothing to see yet; app_progress.c. */
void wl_app_draw_progress(struct wl_app *app);

/* How it ended: WL_OK, or why it could not go on. */
int wl_app_result(const struct wl_app *app, struct wl_err *reterr) WL_MUST_CHECK;

/* The first trace has tracks, so that views can be drawn. */
bool wl_app_is_ready(const struct wl_app *app);

/*
 * What is kept of a session with a trace: where the views stood, and bookmarks; app_state.c.
 *
 * One JSON file per trace, in a folder of the user's; nothing is written next to the trace.
 * It may be gone, cut, or of another version: then there is no state, and a message.
 */

/* Bookmarks, which need no trace to be there. */
void wl_state_read_bookmarks(struct wl_app *app);

/* Put the views where they stood: as the options say, else as the file does. */
void wl_state_restore(struct wl_app *app);

#endif
