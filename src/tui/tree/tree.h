/* SPDX-License-Identifier: MIT */
/*
 * tree.h - the state of the tree view and what its parts share.
 *
 * tree_view.c receives the events; each group of actions has its own file. Models are made in the
 * background (tree_ask.c); the previous one stays until the new one is ready. The screen follows
 * from the state alone; wl_tree_settle() updates rows, selection and scrolling after each change.
 */
#ifndef WL_TUI_TREE_H
#define WL_TUI_TREE_H

#include "tui/app/app.h"
#include "tui/tree/tree_display.h"

struct wl_tree;

enum { WL_TREE_WINDOW = 64 }; /* bytes of "iter:N" */

/* A pending question. It must not move in memory until it is answered. */
struct wl_tree_job {
	struct wl_tree *tree;
	int which; /* trace */
	enum wl_tree_mode mode;
	uint32_t iteration;
	bool is_asked, is_made;
	bool is_stale; /* the wish has changed meanwhile: ask again */
	struct wl_tree_model model;
	struct wl_visitor visitor;
	char window[WL_TREE_WINDOW];
	struct wl_budget *budget;
};

/* A path of labels from the root to a node. */
struct wl_tree_wish {
	const char *const *label;
	size_t n;
	bool is_selected; /* else only open */
};

enum { WL_TREE_FIND = 256, WL_TREE_TOPS = 4 };

/* Slots of wl_app_ask(); each trace has its own SLOT. */
enum { WL_TREE_EXPORT_SLOT = 5, WL_TREE_SLOT = 6 };

struct wl_tree {
	struct wl_app *app;
	enum wl_tree_mode mode;
	uint32_t iteration; /* show only this one; WL_NONE: all */
	/* By mode, of the first trace, with its iteration; trace is NULL if not loaded. */
	struct wl_tree_model model[WL_N_TREE_MODES];
	uint32_t model_iteration[WL_N_TREE_MODES];
	uint32_t second_iteration;   /* of second */
	struct wl_tree_model second; /* aggregated, of the second trace */
	struct wl_arena match_arena; /* of display.match */
	struct wl_tree_job job[2];
	struct wl_budget own_budget; /* used if the options have no budget */
	struct wl_err err;           /* why there is no tree; code WL_OK: still loading */
	size_t n_iterations; /* iterations are numbered below this; known with the first model */

	struct wl_tree_display display; /* its model is NULL until one is loaded */
	int col_on[WL_N_TREE_COLS_SHOWN];
	struct wl_vec rows;                   /* nodes that are shown */
	size_t row;                           /* of the selected node in rows */
	size_t scroll;                        /* first row on the screen */
	struct wl_tree_top top[WL_TREE_TOPS]; /* of the selected node */
	size_t n_tops;
	char find[WL_TREE_FIND];
	uint32_t selected;     /* selected node; WL_NONE without rows */
	uint32_t find_from;    /* where the search began; Esc returns there */
	struct wl_vec choices; /* nodes offered by a list */

	char export_path[1024];
	char export_window[WL_TREE_WINDOW];

	struct wl_arena wish_arena; /* holds the paths to open once the model is loaded */
	struct wl_tree_wish *wish;
	size_t n_wishes;
	uint32_t wanted_range; /* nvtx row to select then; WL_NONE for none */
	uint32_t came_to; /* node at which the timeline opened the tree; Tab returns to the timeline
			     there */

	bool shows_second;
	bool is_exporting;
	bool is_arriving; /* from the timeline */
};

static inline bool wl_tree_is_ready(const struct wl_tree *t)
{
	return t->display.model != NULL;
}

/* ---- Asking; tree_ask.c ---- */

/* The window shown, in the form --window takes; in buf if it is an iteration. */
const char *wl_tree_window(const struct wl_tree *t, char buf[WL_TREE_WINDOW]);

/* Request the missing models, if the trace is loaded. */
void wl_tree_want(struct wl_tree *t);
bool wl_tree_is_waiting(const struct wl_tree *t);
void wl_tree_drop_models(struct wl_tree *t);

/* ---- Rows and selection; tree_move.c ---- */

void wl_tree_settle(struct wl_tree *t);
void wl_tree_select_row(struct wl_tree *t, size_t row);
/* Select a node and open its ancestors. */
void wl_tree_reveal(struct wl_tree *t, uint32_t node);
void wl_tree_set_open(struct wl_tree *t, uint32_t node, bool open);
/* Open this many levels from the roots and close all deeper ones. */
void wl_tree_open_depth(struct wl_tree *t, uint32_t depth);
bool wl_tree_toggle(struct wl_tree *t, uint32_t node); /* false if it has no children */

/* The first row on a screen with room for body rows. */
size_t wl_tree_scrolled(const struct wl_tree *t, int body);

/* ---- Keeping the state; tree_state.c ---- */

void wl_tree_save(void *view, struct wl_jsonw *out);
void wl_tree_restore(void *view, const struct wl_json *state);
/* Open and select the wished nodes, now that a model is loaded. */
void wl_tree_grant(struct wl_tree *t);

/* ---- Drawing; tree_draw.c, tree_detail.c ---- */

struct wl_tree_layout {
	int cols, rows;
	int coverage_y, head_y, body_y, body; /* lines; -1: not shown. body: number of rows */
	int rule_y, n_details;                /* the detail pane; -1 and 0 if not shown */
	int path_width;                       /* from column 1 */
	size_t n_cols, n_hidden;
	struct {
		enum wl_tree_col col;
		int x, width;
	} col[WL_N_TREE_COLS_SHOWN];
};

void wl_tree_lay_out(const struct wl_tree *t, int cols, int rows, struct wl_tree_layout *ret);
/* Column of a node's fold mark. */
int wl_tree_mark_x(const struct wl_tree_layout *l, const struct wl_tree_node *node);
void wl_tree_draw(void *view, struct wl_screen *screen);
void wl_tree_draw_detail(const struct wl_tree *t, struct wl_screen *s,
			 const struct wl_tree_layout *l);
/* A node's name in the user's chosen form; in buf if it must be composed. */
const char *wl_tree_name(const struct wl_tree *t, uint32_t node, char buf[WL_TREE_NAME]);

/* A name on the screen and its position. */
struct wl_tree_label {
	const char *text;
	int x, width; /* columns */
};

/*
 * Shorten names that are too wide: different names that begin in the same column stay different
 * (known/kernels/cuts.h). Owned by the arena; unchanged if memory runs out.
 */
void wl_tree_cut(struct wl_tree_label *label, size_t n, struct wl_arena *arena);

/* ---- Actions ---- */

struct wl_tree_act {
	enum wl_action action; /* WL_ACT_NONE ends a list */
	void (*fn)(struct wl_tree *t);
	void (*by)(struct wl_tree *t, int n); /* instead, with n */
	int n;
};

extern const struct wl_tree_act wl_tree_moves[];   /* tree_move.c */
extern const struct wl_tree_act wl_tree_folds[];   /* tree_fold.c */
extern const struct wl_tree_act wl_tree_looks[];   /* tree_look_acts.c: columns, order, units */
extern const struct wl_tree_act wl_tree_finds[];   /* tree_find.c */
extern const struct wl_tree_act wl_tree_exports[]; /* tree_export.c */
extern const struct wl_tree_act wl_tree_jumps[];   /* tree_jump.c: timeline, bookmarks, copies */

void wl_tree_show_node(struct wl_tree *t); /* show everything known about the selected node */

#endif
