/* SPDX-License-Identifier: MIT */
/* range_rows.h - columns, parameters and figures shared by nvtx and tree. */
#ifndef WL_ANALYSIS_RANGE_ROWS_H
#define WL_ANALYSIS_RANGE_ROWS_H

#include "analysis/analysis.h"
#include "derive/nvtx/folds.h"
#include "derive/use/range_use.h"

enum wl_range_col {
	WL_RANGE_NAME,
	WL_RANGE_PID,
	WL_RANGE_HOST,
	WL_RANGE_STYLE,
	WL_RANGE_COUNT,
	WL_RANGE_HOST_SUM,
	WL_RANGE_HOST_AVG,
	WL_RANGE_HOST_P50,
	WL_RANGE_HOST_P90,
	WL_RANGE_SELF,
	WL_RANGE_GPU_OPS,
	WL_RANGE_GPU_SUM,
	WL_RANGE_GPU_BUSY,
	WL_RANGE_PROJECTED,
	WL_RANGE_BRIDGED,
	WL_RANGE_BRIDGED_SUM,
	WL_RANGE_BRIDGED_BUSY,
	WL_N_RANGE_COLS,
	/* Of tree alone. */
	WL_RANGE_STREAM = WL_N_RANGE_COLS,
	WL_N_TREE_RANGE_COLS
};

extern const struct wl_col wl_range_cols[WL_N_TREE_RANGE_COLS];

/* The first parameters of both. */
enum { WL_RANGE_EXACT, WL_RANGE_DOMAIN, WL_RANGE_NO_BRIDGE, WL_N_RANGE_PARAMS };

#define WL_RANGE_EXACT_PARAM                                                                       \
	{                                                                                          \
		.key = "exact-names", .type = WL_P_BOOL,                                           \
		.help = "Keep names of ranges as recorded, with the numbers that count."           \
	}
#define WL_RANGE_DOMAIN_PARAM                                                                      \
	{                                                                                          \
		.key = "domain", .type = WL_P_STR,                                                 \
		.help = "Only ranges of this domain; default is the one without a name."           \
	}
#define WL_RANGE_NO_BRIDGE_PARAM                                                                   \
	{                                                                                          \
		.key = "no-bridge", .type = WL_P_BOOL,                                             \
		.help = "Leave out what other threads launched while a range was open."            \
	}

/* The columns that both need; ends with WL_N_COLUMNS. */
extern const enum wl_column_id wl_range_needs[];

/* The columns that widen the window of an answer over the whole trace, because ranges count
 * wherever they are. */
extern const enum wl_column_id wl_range_counted[];

/* Note if that window exceeds the time of the GPU work. */
void wl_range_note_window(const struct wl_run *run, struct wl_table *out);

/* The columns to hide: those of the process unless rows are by process, and those of bridging
 * without it. */
uint64_t wl_range_hidden(const union wl_arg *arg);

/* WL_E_NODATA if there are no ranges because the trace's NVTX events are only marks. */
int wl_range_names_check(const struct wl_range_names *names, struct wl_err *reterr) WL_MUST_CHECK;

struct wl_range_rows {
	const struct wl_trace *trace;
	const struct wl_forest *forest; /* of the chosen domain, or that of all verbs */
	struct wl_forest chosen;
	struct wl_folds folds;
	struct wl_range_uses uses;
	bool bridge;
};

/* What ranges are folded by. */
enum wl_range_facet { WL_RANGE_BY_NAME, WL_RANGE_BY_PID, WL_RANGE_BY_PATH };

/* Find the figures. The arguments begin with the parameters above. */
int wl_range_rows_find(const struct wl_analysis *a, const struct wl_run *r, enum wl_range_facet by,
		       struct wl_range_rows *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* Whether the fold has anything in the window. */
bool wl_range_row_is_used(const struct wl_range_rows *rows, uint32_t fold);

/* Whether fold a comes before b: longer host time first, then by name and style. */
bool wl_range_row_less(const struct wl_range_rows *rows, uint32_t a, uint32_t b);

/*
 * Add the fold's row to the table; note how much kernel time the ranges cover, and where any
 * bridged work is.
 */
void wl_range_row_put(const struct wl_range_rows *rows, uint32_t fold, struct wl_table *out);
void wl_range_rows_cover(const struct wl_range_rows *rows, struct wl_table *out);

#endif
