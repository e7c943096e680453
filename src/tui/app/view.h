/* SPDX-License-Identifier: MIT */
/* view.h - the interface of a view, and the options of an app: views, traces, keys, files. */
#ifndef WL_TUI_VIEW_H
#define WL_TUI_VIEW_H

#include "base/process/pool.h"
#include "scene/scene.h"
#include "tui/app/actions.h"
#include "tui/term/screen.h"
#include "tui/term/term.h"

struct wl_app;
struct wl_json;
struct wl_jsonw;

/* A place of the trace that one view leads another to. */
struct wl_view_place {
	uint32_t track; /* WL_NONE: any */
	wl_ns at;
	wl_ns begin, end;  /* what to show around it */
	uint32_t nvtx_row; /* of a range; WL_NONE for none */
};

/* A view. view is what it keeps; made and freed by the app. */
struct wl_view_ops {
	const char *name;
	bool (*make)(struct wl_app *app, void **ret_view);
	void (*drop)(void *view); /* the worker has stopped, the scenes are still there */
	/* Draw everything but the last line but one, where the app puts messages and the footer;
	 * the last is the view's state. Called once tracks are there, and for a screen of at
	 * least WL_MIN_COLS x WL_MIN_ROWS cells, which is blank. Must not change the view. */
	void (*draw)(void *view, struct wl_screen *screen);
	/* Do it; false: the view does not know the action. */
	bool (*act)(void *view, enum wl_action action);
	void (*mouse)(void *view, const struct wl_event *event);
	/* Another view leads here; NULL: as it is. The app switches afterwards. */
	void (*arrive)(void *view, const struct wl_view_place *place);
	/* A further stage of a trace was reached: 0 the first trace, 1 the second. */
	void (*staged)(void *view, int which);
	/* The state that is kept for the next time, and dumped for tests, as members of an
	 * object; and back again, as far as it fits the trace. */
	void (*save)(void *view, struct wl_jsonw *out);
	void (*restore)(void *view, const struct wl_json *state);
};

/* Copied; what it points to must outlive the app. */
struct wl_app_opts {
	const struct wl_view_ops *views[WL_N_VIEWS];
	const char *path[2];  /* of the databases; [1] NULL for one; [0] NULL: nothing is loaded */
	const char *label[2]; /* how the traces are called, as given; NULL: by their paths */
	struct wl_input_opts input;
	struct wl_index_opts index;
	bool indexed;
	struct wl_request request; /* selection, conventions, marker, pool */
	enum wl_view_id first;
	const char *start;  /* --start; NULL for none */
	const char *window; /* --window, which the first view shows; NULL for all */
	bool absolute;      /* the window is in times of the trace's clock: so begin the views */
	const char *view;   /* --view: a state as JSON, before that of the file; NULL */
	const char *command[WL_N_VIEWS]; /* to print a view: what comes before --view, quoted */
	const char *state_file;          /* where the state is kept; NULL for nowhere */
	const char *bookmarks_file;      /* where bookmarks are; NULL: with the state */
	struct wl_keymap keys;
	struct wl_budget *budget;
	bool is_picture; /* the first screen is printed and nothing else: no key, no state */
	bool frozen; /* for tests: no clocks, no timings, all loading done before a key counts */
};

#endif
