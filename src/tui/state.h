/* SPDX-License-Identifier: MIT */
/*
 * state.h - what is kept of a session with a trace: where the views stood, and bookmarks.
 *
 * One JSON file per trace, in a folder of the user's; nothing is written beside the trace.
 * It may be gone, cut, or of another version: then there is no state, and a message.
 */
#ifndef WL_TUI_STATE_H
#define WL_TUI_STATE_H

#include "tui/app.h"

/* Bookmarks, which need no trace to be there. */
void wl_state_read_bookmarks(struct wl_app *app);

/* Put the views where they stood: as the options say, else as the file does. */
void wl_state_restore(struct wl_app *app);

/* ---- For who saves and restores; state_json.c ---- */

/* Times are texts in JSON, because a double does not hold them all. */
void wl_state_put_time(struct wl_jsonw *out, const char *key, wl_ns t);
/* False where there is none, or not a time; a number will do as well. */
bool wl_state_time(const struct wl_json *object, const char *key, wl_ns *ret);

/* A whole number in [min, max]; false where there is none. */
bool wl_state_int(const struct wl_json *object, const char *key, int min, int max, int *ret);

#endif
