/* SPDX-License-Identifier: MIT */
/*
 * app.h - the program around the views: its loop, what lies over a view (help, a list, a
 * prompt), its worker, and what both views share.
 *
 * A view gets actions, mouse events and the screen, and calls back here. All of this
 * happens on one thread. Events come from a terminal or from a script, and the loop does
 * not know which.
 */
#ifndef WL_TUI_APP_H
#define WL_TUI_APP_H

#include "tui/app/bookmarks.h"
#include "tui/app/view.h"
#include "tui/app/worker.h"
#include "tui/overlay/overlay.h"

extern const struct wl_view_ops wl_timeline_view, wl_tree_view;

enum { WL_MIN_COLS = 40, WL_MIN_ROWS = 8 };

struct wl_app *wl_app_new(const struct wl_app_opts *opts, struct wl_err *reterr) WL_MUST_CHECK;
void wl_app_free(struct wl_app *app);

/* What main loops do: an event, a redraw. The app draws into its own screen, of 80 x 24 cells
 * at first. */
void wl_app_event(struct wl_app *app, const struct wl_event *event);
bool wl_app_is_done(const struct wl_app *app);
bool wl_app_is_busy(const struct wl_app *app); /* the worker has something to do */
void wl_app_tick(struct wl_app *app);          /* take over what the worker has finished */
const struct wl_screen *wl_app_draw(struct wl_app *app);
struct wl_screen *wl_app_screen(struct wl_app *app);

/* Run on a terminal until the user leaves. */
int wl_app_run(struct wl_app *app, struct wl_term *term, struct wl_err *reterr) WL_MUST_CHECK;
/* Run a script instead, on a screen of this size. WL_E_USAGE for an unknown word. */
int wl_app_script(struct wl_app *app, const char *script, int cols, int rows,
		  struct wl_look_caps caps, struct wl_err *reterr) WL_MUST_CHECK;

/* The command line that shows what is shown now; borrowed until the next call. */
const char *wl_app_command_line(struct wl_app *app);
/* The whole state, for tests, as a JSON object. */
void wl_app_dump(struct wl_app *app, struct wl_jsonw *out);
/* Keep state and bookmarks for the next time; nothing where the trace was not read yet. */
int wl_app_save(struct wl_app *app, struct wl_err *reterr) WL_MUST_CHECK;

/* ---- For views ---- */

const struct wl_scene *wl_app_scene(const struct wl_app *app, int which); /* 0, 1; NULL: no
									       second trace */
const struct wl_app_opts *wl_app_options(const struct wl_app *app);
void *wl_app_view(struct wl_app *app, enum wl_view_id id);
void wl_app_switch(struct wl_app *app, enum wl_view_id id);
/* Switch to another view at this place; NULL: where it was. */
void wl_app_lead(struct wl_app *app, enum wl_view_id id, const struct wl_view_place *place);
/* Let another view do what this one cannot. */
void wl_app_hand_over(struct wl_app *app, enum wl_view_id id, enum wl_action action);

/* A line for people where the footer is, until the next key. */
void wl_app_say(struct wl_app *app, const char *fmt, ...) WL_PRINTF(2, 3);
/* End the program with this error: the command line asked for what cannot be shown. */
void wl_app_fail(struct wl_app *app, const struct wl_err *err);
/* Into the clipboard of the user's terminal. */
void wl_app_copy(struct wl_app *app, const char *text);
/* Mouse reports on or off: without them the terminal itself selects text. */
void wl_app_mouse(struct wl_app *app, bool on);

/* Ask for a line of text. */
void wl_app_prompt(struct wl_app *app, const struct wl_prompt_opts *opts);

/* A text over the view, scrollable, searchable. Copied. */
void wl_app_show_text(struct wl_app *app, const char *title, const char *text);

/*
 * A list over the view; digits 1-9 and Enter choose, which calls chosen with the number
 * from 0. Where there are no items, that is said instead.
 */
void wl_app_show_list(struct wl_app *app, const struct wl_list_opts *opts);

/* A heat map over the view; title and map must live as long. */
void wl_app_show_heat(struct wl_app *app, const struct wl_heat_opts *opts);

/* Numbers with bounds over the view; Left and Right, + and - change one, and changed tells. */
void wl_app_show_settings(struct wl_app *app, const struct wl_settings_opts *opts);

/*
 * Have a question answered in the background. The request is copied, its texts and
 * arguments must live until then; marker, conventions and pool are those of the options.
 * answered is called on the views' thread, with a document that lives during the call, or
 * NULL and the reason. A newer question with the same slot replaces one that was not
 * begun. Nothing is loaded for it: what every verb wants with its default arguments is there.
 */
void wl_app_ask(struct wl_app *app, const struct wl_app_question *question);

/* How names are shown, for both views: the key d. */
enum wl_name_style { WL_NAME_SHORT, WL_NAME_FULL, WL_NAME_MANGLED, WL_N_NAME_STYLES };
enum wl_name_style wl_app_name_style(const struct wl_app *app);
/* The kernel's name in that style: its label, whole or mangled. */
const char *wl_app_kernel_name(const struct wl_app *app, int which, uint32_t kernel_name);

/* Bookmarks of both views. */
size_t wl_app_n_bookmarks(const struct wl_app *app);
const struct wl_bookmark *wl_app_bookmark(const struct wl_app *app, size_t i);    /* by time */
void wl_app_add_bookmark(struct wl_app *app, const struct wl_bookmark *bookmark); /* copies */
void wl_app_remove_bookmark(struct wl_app *app, size_t i);

#endif
