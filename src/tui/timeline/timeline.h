/* SPDX-License-Identifier: MIT */
/*
 * timeline.h - the state of the timeline and what its parts share.
 *
 * timeline_view.c gets the events; each group of actions is a file of its own, a part.
 * Times are on the trace clock. The view never leaves the extent of the trace, and is
 * never narrower than 1 ns per half cell, where the trace is as long as that.
 */
#ifndef WL_TUI_TIMELINE_H
#define WL_TUI_TIMELINE_H

#include "derive/lanes/columns.h"
#include "scene/colour_by.h"
#include "tui/app/app.h"

/* Relative: since the first operation of a GPU, as --window +A..B counts. */
enum wl_clock_style { WL_CLOCK_RELATIVE, WL_CLOCK_ABSOLUTE, WL_CLOCK_ITERATION, WL_N_CLOCK_STYLES };
enum wl_row_set { WL_ROWS_GPU, WL_ROWS_BY_KIND, WL_ROWS_CPU, WL_ROWS_ALL, WL_N_ROW_SETS };
enum wl_second_mode {
	WL_SECOND_OFF,
	WL_SECOND_BOTH,
	WL_SECOND_ONLY,
	WL_SECOND_DELTA,
	WL_N_SECOND_MODES
};
enum wl_path_style { WL_PATH_WHOLE, WL_PATH_LAST_TWO, WL_PATH_LAST, WL_N_PATH_STYLES };
enum wl_label_style { WL_LABEL_AUTO, WL_LABEL_BRIEF, WL_LABEL_FULL, WL_N_LABEL_STYLES };

/* The panel C; int because the settings overlay edits them. */
struct wl_timeline_config {
	int selected_rows; /* 1-6: lines of the selected stream, where its events overlap */
	int other_rows;    /* 1-4: of the others */
	int tick_density;  /* 2-20: cells from one tick label to the next, at least */
	int nvtx_depth;    /* 0-8: lines of an NVTX row */
	int min_us;        /* what is shorter is hidden; min_dur has it in full */
	int ascii;         /* nothing but ASCII */
	int colour;
	int mouse;
	int path_style;  /* enum wl_path_style: how much of an NVTX path is shown */
	int label_style; /* enum wl_label_style: of rows */
};

/* A place in the history. */
struct wl_timeline_place {
	wl_ns begin, end, cursor;
	uint32_t track;
};

enum { WL_HISTORY = 256, WL_MAX_PINS = 16 };

struct wl_timeline_rows;  /* timeline_rows.c */
struct wl_timeline_shown; /* lanes as they are shown, by track; timeline_shown.c */
struct wl_timeline_overview;
struct wl_timeline_kept; /* what the parts that tell things keep, as they declare it */

/* Where the view is: all that a function needs which puts times on cells. */
struct wl_timeline_window {
	wl_ns begin, end;
	wl_ns cursor;   /* in [begin, end) */
	uint32_t track; /* selected, of the first trace; WL_NONE only before it is ready */
	int scroll;     /* first row shown, before the selected one is made visible */
	enum wl_clock_style clock;
	wl_ns first_op;       /* the origin of WL_CLOCK_RELATIVE */
	wl_ns mark_a, mark_b; /* WL_NO_TIME: not set; set by wl_timeline_mark() */
};

/* Which rows there are, and how they are shown. */
struct wl_timeline_row_state {
	enum wl_row_set set;
	enum wl_colour_by colouring;
	bool merged;   /* S: all streams of a GPU in the fewest lanes, on its GPU row */
	bool logical;  /* L: without NVTX rows */
	bool counters; /* K: with rows of counters */
	uint8_t *fold; /* by track: bits of enum wl_fold_bits; NULL before there are rows */
	struct wl_timeline_rows *list;
	uint32_t pin[WL_MAX_PINS];
	size_t n_pins;
	enum wl_second_mode second;
	uint32_t *twin; /* by track: its row of the second trace; timeline_twins.c */
};

/* Which events pass, and the lanes of those. */
struct wl_timeline_filter {
	char text[256];   /* as typed, "" for none */
	char before[256]; /* as it was when another began to be typed */
	wl_ns min_dur;
	uint32_t muted; /* bits of enum wl_colour */
	bool *names_on; /* by kernel name: the filter lets it pass; NULL before the first one */
	struct wl_track_filter active;
	struct wl_timeline_shown *shown;
};

/* Where the user was. */
struct wl_timeline_history {
	struct wl_timeline_place place[WL_HISTORY];
	size_t n, at;
	bool is_moving; /* the last place is where the cursor began to move */
};

/* A button that is held. */
struct wl_timeline_drag {
	int x; /* cell where it went down, -1: it is up */
	int button;
	wl_ns time; /* left: where the range begins; else: the time held */
};

/* What is around the chart. */
struct wl_timeline_panels {
	bool detail_open; /* Space: the detail pane is higher */
	struct wl_timeline_overview *overview;
	struct wl_timeline_kept *kept; /* NULL until the part makes it */
};

struct wl_timeline {
	struct wl_app *app;
	struct wl_timeline_config config;
	struct wl_look_caps caps; /* of the screen, before the configuration takes from them */
	struct wl_timeline_window view;
	struct wl_timeline_row_state rows;
	struct wl_timeline_filter filter;
	struct wl_timeline_history history;
	struct wl_timeline_drag drag;
	struct wl_timeline_panels panels;
	struct wl_arena arena; /* of the view: lives as long as it */
};

/*
 * COMPACT: a GPU of which only the streams that matter and the gaps are shown. OPENED: on
 * the first process, the CPU rows are shown in the set WL_ROWS_GPU, too.
 */
enum wl_fold_bits {
	WL_FOLDED = 1 << 0,
	WL_HIDDEN = 1 << 1,
	WL_OPENED = 1 << 2,
	WL_COMPACT = 1 << 3,
};

/* The first trace, and whether its rows are there. Almost nothing works before. */
const struct wl_scene *wl_timeline_scene(const struct wl_timeline *t);
bool wl_timeline_is_ready(const struct wl_timeline *t);

/* ---- Parts: groups of actions; timeline_view.c lists them ---- */

struct wl_timeline_act {
	enum wl_action action;
	void (*act)(struct wl_timeline *t);
	void (*by)(struct wl_timeline *t, int n); /* instead, with n */
	int n;
};

/* Any function may be NULL. Actions come only when the rows are there. */
struct wl_timeline_part {
	const struct wl_timeline_act *acts;
	size_t n_acts;
	bool (*make)(struct wl_timeline *t); /* false without memory */
	void (*drop)(struct wl_timeline *t);
	void (*staged)(struct wl_timeline *t, int which);
	/* Members of the view's object, with names of their own. */
	void (*save)(struct wl_timeline *t, struct wl_jsonw *out);
	void (*restore)(struct wl_timeline *t, const struct wl_json *state);
};

extern const struct wl_timeline_part wl_timeline_moving, wl_timeline_stepping, wl_timeline_going,
	wl_timeline_filtering, wl_timeline_folding, wl_timeline_configuring, wl_timeline_keeping;

/* ---- Where things are on the screen; timeline_layout.c ---- */

enum wl_line_kind {
	WL_LINE_TITLE,
	WL_LINE_OVERVIEW, /* busy strip of the whole trace */
	WL_LINE_EXPOSED,  /* strip of exposed communication, from 140 columns on */
	WL_LINE_WINDOW,   /* where the view is in the trace */
	WL_LINE_RULER_ITERATIONS,
	WL_LINE_RULER_TIME,
	WL_LINE_TRACK,  /* a lane of a track */
	WL_LINE_FOLDED, /* a folded group, one line of text */
	WL_LINE_PINS,   /* head of the pinned rows */
	WL_LINE_RULE,   /* a line between parts: n 0 over the event, 1 over the range */
	WL_LINE_DETAIL, /* the n-th line about the event; WL_DETAIL_BELOW: under the range */
	WL_LINE_STATE,
};

enum { WL_LINE_DELTA = 2, WL_DETAIL_BELOW = 100, WL_MAX_LINES = 512, WL_WIDE = 140 };

struct wl_timeline_line {
	enum wl_line_kind kind;
	int y;
	uint32_t track; /* of TRACK, FOLDED */
	int which;      /* trace; WL_LINE_DELTA: the difference of both, of a GPU */
	int lane;       /* of TRACK: which lane; -1: all as one */
	int n;          /* of DETAIL, RULE */
	bool first;     /* of TRACK: the first line of its row */
	bool heads;     /* of TRACK: the first row of its group */
	bool pinned;
};

struct wl_timeline_layout {
	int cols, rows;
	bool too_small;           /* nothing else is set */
	bool wide;                /* from WL_WIDE columns on */
	int label_width;          /* of row labels */
	int chart_x, chart_width; /* cells of time */
	int percent_width;        /* behind the chart, where glyphs show no share; 0: none */
	int panel_x, panel_width; /* at the right, 0: none */
	int panel_y, panel_rows;
	size_t n;
	struct wl_timeline_line line[WL_MAX_LINES]; /* one for each y at most, in any order */
};

void wl_timeline_layout(struct wl_timeline *t, int cols, int rows, struct wl_timeline_layout *ret);
/* The same for the size that the screen has. */
void wl_timeline_layout_now(struct wl_timeline *t, struct wl_timeline_layout *ret);

/*
 * The columns of the chart: two per cell, fewer where the view is shorter than that in
 * nanoseconds. Half h of a cell, from 0, then shows column wl_chart_column().
 */
struct wl_viewport wl_timeline_viewport(const struct wl_timeline_window *view,
					const struct wl_timeline_layout *l);
uint32_t wl_chart_column(const struct wl_viewport *v, int chart_width, int half);

/* The time of a cell of the chart, counted from its left, and back; clamped to the chart. */
wl_ns wl_timeline_time_at(const struct wl_timeline_window *view, const struct wl_timeline_layout *l,
			  int x);
int wl_timeline_x_of(const struct wl_timeline_window *view, const struct wl_timeline_layout *l,
		     wl_ns time);

/* ---- Rows; timeline_rows.c ---- */

struct wl_row {
	uint32_t track;
	bool folded; /* the row stands for its group */
	bool heads;  /* the first row of its group */
};

/* The rows that may be selected, in order. Linear in tracks; valid until the next call. */
const struct wl_row *wl_timeline_rows(struct wl_timeline *t, size_t *ret_n);
/* The place of the selected row in them. */
size_t wl_timeline_row_number(const struct wl_timeline *t, const struct wl_row *rows, size_t n);
/*
 * After a change of what is shown: select another row if the selected one is gone. Where
 * no row is left, what hid them is taken back.
 */
void wl_timeline_settle(struct wl_timeline *t);
/* The process that stands for all in the set WL_ROWS_GPU; WL_NONE for none. */
uint32_t wl_timeline_cpu(const struct wl_timeline *t);

/* The head of the row's group: its GPU or process; itself where it has none. */
uint32_t wl_timeline_group(const struct wl_timeline *t, uint32_t track);
/* The GPU track of the row: its own, or of its process; WL_NONE for none. */
uint32_t wl_timeline_gpu(const struct wl_timeline *t, uint32_t track);

/* What tells the row from all others, and is kept: "GPU 0/Stream 7 compute", "" for none; and
 * back. */
enum { WL_ROW_KEY_BUF = 192 };
const char *wl_timeline_row_key(const struct wl_timeline *t, uint32_t track,
				char buf[WL_ROW_KEY_BUF]);
uint32_t wl_timeline_row_find(const struct wl_timeline *t, const char *key);

/* As people see it: "G0 S7". */
const char *wl_timeline_row_name(const struct wl_timeline *t, uint32_t track,
				 char buf[WL_ROW_KEY_BUF]);

/* Select a row, and unfold and unhide what keeps it from being seen. */
void wl_timeline_select(struct wl_timeline *t, uint32_t track);

/* ---- Moving; timeline_move.c ---- */

/* Show [begin, end), as near as the trace and the zoom allow; the cursor stays inside. */
void wl_timeline_show(struct wl_timeline *t, wl_ns begin, wl_ns end);
/* Move the cursor; the view follows. */
void wl_timeline_go(struct wl_timeline *t, wl_ns cursor);
/* The same, select the row, and remember where we were (history). */
void wl_timeline_jump(struct wl_timeline *t, uint32_t track, wl_ns cursor, wl_ns begin, wl_ns end);
/* Remember where we are, before going elsewhere. */
void wl_timeline_remember(struct wl_timeline *t);
/* Set the range; either may be WL_NO_TIME. */
void wl_timeline_mark(struct wl_timeline *t, wl_ns a, wl_ns b);
/* The range from A to B, or the view where it is not set: false then. */
bool wl_timeline_range(const struct wl_timeline *t, struct wl_interval *ret);

/*
 * What --start takes: "39.4s" on the trace clock, "+5ms" from the cursor, "i12" "#184102"
 * "%50" or part of a kernel's name. WL_E_USAGE, or WL_E_NODATA where there is no such
 * thing, with the reason. The key g reads times on the clock that is shown.
 */
int wl_timeline_goto(struct wl_timeline *t, const char *where, struct wl_err *reterr) WL_MUST_CHECK;

/* ---- What is under the cursor; timeline_pick.c, timeline_shown.c ---- */

struct wl_pick {
	const struct wl_lane *lane; /* NULL: nothing there */
	uint32_t lane_number;
	uint32_t index;
	uint32_t track; /* whose ref it is: of a merged row one of its streams */
	uint32_t ref;
	wl_ns start, end;
	uint8_t cat;
	struct wl_track_event event;
};

/*
 * The event of the selected row at the cursor, in the lanes as shown. Where several lie
 * in the cursor's cell and none at the cursor itself, the longest of the cell.
 */
bool wl_timeline_pick(struct wl_timeline *t, struct wl_pick *ret);
/* The name of what was picked, in the app's style; in buf if it must be made. */
const char *wl_timeline_pick_name(struct wl_timeline *t, const struct wl_pick *pick);

/*
 * The lanes of a track as they are shown: filtered where a filter is on, of a GPU row all
 * streams where they are merged. NULL: empty or not ready. Made when first asked for,
 * linear in the row's events then; valid until the filter changes.
 */
const struct wl_lanes *wl_timeline_lanes(struct wl_timeline *t, uint32_t track);
const struct wl_lane *wl_timeline_lane(struct wl_timeline *t, uint32_t track); /* as one lane */
/* The filter changed: drop what was made for the old one. */
void wl_timeline_refilter(struct wl_timeline *t);

/* The iterations of a row's process; NULL: there are none. */
const struct wl_process_iters *wl_timeline_iters(const struct wl_timeline *t, uint32_t track);
/* The iteration whose tile holds a time; WL_NONE for none. */
uint32_t wl_timeline_iter_at(const struct wl_process_iters *iters, wl_ns time);
/* The same at the cursor; NULL: there is none. Numbers count from 0, as --window iter:N does. */
const struct wl_iteration *wl_timeline_iteration(const struct wl_timeline *t, size_t *ret_number,
						 size_t *ret_of);

/* A time as the user wants it. */
enum { WL_TIME_BUF = 48 };
const char *wl_timeline_fmt(const struct wl_timeline *t, wl_ns time, char buf[WL_TIME_BUF]);
/* What the clock that is shown counts from. */
wl_ns wl_timeline_origin(const struct wl_timeline *t);

/* ---- What the parts with texts draw ---- */

/* A DETAIL line; and what stands on RULE 1, whose line is drawn already. */
void wl_timeline_draw_detail(struct wl_timeline *t, struct wl_screen *s,
			     const struct wl_timeline_line *line,
			     const struct wl_timeline_layout *l);
/* All of the right panel, but for the line at its left. */
void wl_timeline_draw_panel(struct wl_timeline *t, struct wl_screen *s,
			    const struct wl_timeline_layout *l);

#endif
