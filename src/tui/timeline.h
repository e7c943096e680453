/*
 * timeline.h - the state of the timeline and what its parts share.
 *
 * timeline_view.c gets the events; each group of actions is a file of its own. Times are
 * on the trace clock. The view never leaves the extent of the trace, and is never
 * narrower than 1 ns per half cell.
 */
#ifndef WL_TUI_TIMELINE_H
#define WL_TUI_TIMELINE_H

#include "derive/columns.h"
#include "tui/app.h"

enum wl_clock_style { WL_CLOCK_RELATIVE, WL_CLOCK_ABSOLUTE, WL_CLOCK_ITERATION, WL_N_CLOCK_STYLES };
enum wl_row_set { WL_ROWS_GPU, WL_ROWS_BY_KIND, WL_ROWS_CPU, WL_ROWS_ALL, WL_N_ROW_SETS };
enum wl_colouring {
	WL_BY_CATEGORY,
	WL_BY_NAME,
	WL_BY_NVTX,
	WL_BY_DURATION,
	WL_BY_STREAM,
	WL_N_COLOURINGS
};
enum wl_second_mode {
	WL_SECOND_OFF,
	WL_SECOND_BOTH,
	WL_SECOND_ONLY,
	WL_SECOND_DELTA,
	WL_N_SECOND_MODES
};

/* The panel C; int because the settings overlay edits them. */
struct wl_timeline_config {
	int selected_rows; /* 1-6: lines of the selected stream */
	int other_rows;    /* 1-4 */
	int tick_density;  /* 2-20: columns per tick label... the more, the fewer */
	int nvtx_depth;    /* 0-8 */
	int ascii;         /* glyph set */
	int colour;
	int mouse;
};

/* A place in the history. */
struct wl_timeline_place {
	wl_ns begin, end, cursor;
	uint32_t track;
};

enum { WL_HISTORY = 256, WL_MAX_PINS = 16 };

struct wl_timeline {
	struct wl_app *app;
	wl_ns begin, end; /* the view */
	wl_ns cursor;     /* in [begin, end) */
	uint32_t track;   /* selected, of the first trace; WL_NONE before there are any */
	int scroll;       /* first row shown */
	struct wl_timeline_config config;
	enum wl_clock_style clock;
	enum wl_row_set rows;
	enum wl_colouring colouring;
	bool merged;          /* S: all streams of a GPU in the fewest lanes */
	bool logical;         /* L: without NVTX rows */
	bool detail_open;     /* Enter */
	wl_ns mark_a, mark_b; /* WL_NO_TIME: not set */
	/* Filter */
	char filter[256]; /* as typed, "" for none */
	wl_ns min_dur;
	uint32_t muted; /* bits of enum wl_colour */
	struct wl_track_filter active;
	struct wl_lanes *filtered; /* by track, filled when first drawn; NULL without filter */
	bool *is_filtered;         /* by track: it is */
	/* By track: bits of enum wl_fold_bits */
	uint8_t *fold;
	uint32_t pin[WL_MAX_PINS];
	size_t n_pins;
	struct wl_timeline_place history[WL_HISTORY];
	size_t n_history, at_history;
	enum wl_second_mode second;
	struct wl_timeline_parts *parts; /* what single files keep between events: each its own */
};

enum wl_fold_bits { WL_FOLDED = 1 << 0, WL_HIDDEN = 1 << 1 };

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
	WL_LINE_RULE,   /* a line between parts, with a title */
	WL_LINE_DETAIL, /* the n-th line of the detail pane */
	WL_LINE_STATE,
};

struct wl_line {
	enum wl_line_kind kind;
	int y;
	uint32_t track; /* of TRACK, FOLDED */
	int which;      /* trace */
	int lane;       /* of TRACK: which lane; -1: all as one */
	int n;          /* of DETAIL */
};

struct wl_layout {
	int cols, rows;
	int label_width;          /* of row labels */
	int chart_x, chart_width; /* cells of time */
	int panel_x, panel_width; /* at the right, 0: none */
	size_t n;
	struct wl_line line[512]; /* by y */
};

void wl_timeline_layout(const struct wl_timeline *t, int cols, int rows, struct wl_layout *ret);

/* The rows that may be selected, in order; returns how many, at most cap. */
size_t wl_timeline_visible(const struct wl_timeline *t, uint32_t *ret, size_t cap);

/* The time of a cell of the chart, and back. */
wl_ns wl_timeline_time_at(const struct wl_timeline *t, const struct wl_layout *l, int x);
int wl_timeline_x_of(const struct wl_timeline *t, const struct wl_layout *l, wl_ns time);

/* ---- Moving; timeline_move.c ---- */

/* Show [begin, end), as near as the trace and the zoom allow; the cursor stays inside. */
void wl_timeline_show(struct wl_timeline *t, wl_ns begin, wl_ns end);
/* Move the cursor; the view follows. */
void wl_timeline_go(struct wl_timeline *t, wl_ns cursor);
/* The same, select the row, and remember where we were (history). */
void wl_timeline_jump(struct wl_timeline *t, uint32_t track, wl_ns cursor, wl_ns begin, wl_ns end);
/* What --start and the key g take: "39.4s" "+5ms" "i12" "#184102" "%50" or a name. */
int wl_timeline_goto(struct wl_timeline *t, const char *where, struct wl_err *reterr);

/* ---- What is under the cursor; timeline_pick.c ---- */

struct wl_pick {
	const struct wl_lane *lane; /* NULL: nothing there */
	uint32_t lane_number;
	uint32_t index;
	wl_ns start, end;
	uint8_t cat;
	struct wl_track_event event;
};

/* The event of the selected row at the cursor, in the filtered lanes. */
bool wl_timeline_pick(const struct wl_timeline *t, struct wl_pick *ret);
/* The lanes of a track as they are shown: filtered where a filter is on. NULL: not ready. */
const struct wl_lanes *wl_timeline_lanes(struct wl_timeline *t, uint32_t track);
const struct wl_lane *wl_timeline_lane(struct wl_timeline *t, uint32_t track); /* as one lane */

/* The iteration of the selected row's process at the cursor; NULL: there is none. */
const struct wl_iteration *wl_timeline_iteration(const struct wl_timeline *t, size_t *ret_number,
						 size_t *ret_of);

/* A time as the user wants it; a length. */
enum { WL_TIME_BUF = 48 };
const char *wl_timeline_fmt(const struct wl_timeline *t, wl_ns time, char buf[WL_TIME_BUF]);

#endif
