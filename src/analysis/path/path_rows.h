/* SPDX-License-Identifier: MIT */
/* path_rows.h - internals of the verb path: its columns and rows of segments. */
#ifndef WL_ANALYSIS_PATH_ROWS_H
#define WL_ANALYSIS_PATH_ROWS_H

#include "analysis/axes.h"
#include "analysis/function_cols.h"
#include "derive/graph/path.h"

enum wl_path_col {
	WL_PATH_COL_START,
	WL_PATH_COL_RANK,
	WL_PATH_COL_DEVICE,
	WL_PATH_COL_PID,
	WL_PATH_COL_LANE,
	WL_PATH_COL_CLASS,
	WL_PATH_COL_NAME,
	WL_PATH_COL_STAGE,
	WL_PATH_COL_TIME,
	WL_PATH_COL_SHARE,
	WL_PATH_COL_SEGMENTS,
	WL_PATH_COL_MEAN,
	WL_PATH_COL_IMBALANCE,
	WL_PATH_COL_SAVING,
	WL_PATH_COL_SCENARIO,
	WL_PATH_COL_SLACK,
	WL_PATH_COL_VIA,
	WL_PATH_COL_TO,
	WL_PATH_COL_INFERRED,
	WL_PATH_COL_FUNCTION,
	WL_PATH_COL_AXES = WL_PATH_COL_FUNCTION + WL_N_FUNCTION_COLS
};

enum wl_path_by {
	WL_PATH_BY_CLASS,
	WL_PATH_BY_RANK,
	WL_PATH_BY_RANK_CLASS,
	WL_PATH_BY_NAME,
	WL_PATH_BY_STAGE,
	WL_PATH_BY_CHAIN,
	WL_PATH_BY_SEGMENT,
	WL_PATH_BY_AXIS
};

/* What the run would save without the time of a class, by replay. */
struct wl_path_saving {
	const char *scenario; /* a scenario of whatif; NULL: none, or it has no answer */
	bool is_here;         /* the class of the scenario that shows its saving */
	wl_ns saving;
};

struct wl_path_rows {
	const struct wl_run *run;
	const struct wl_path *path;
	enum wl_path_by by;
	wl_ns total;                   /* time of the path in the window, selected or not */
	wl_ns time[WL_N_PATH_CLASSES]; /* time in the window, selected only */
	const uint32_t *device_of;     /* by process: its only device, or WL_NONE */
	struct wl_path_saving saving[WL_N_PATH_CLASSES];
};

/*
 * Find the savings by class in the window, with a note if replays have no answer. Costs a replay
 * for each of a few scenarios, plus those for the fidelity (held_out.h).
 */
int wl_path_savings_find(struct wl_path_rows *r, struct wl_table *out,
			 struct wl_err *reterr) WL_MUST_CHECK;

/* Find what all rows share; false if memory runs out. */
bool wl_path_rows_init(struct wl_path_rows *r) WL_MUST_CHECK;

/* The part of a segment in the scope; false if there is none. */
bool wl_path_clip(const struct wl_path_rows *r, size_t segment, struct wl_interval *ret);

/* What the time is spent in: an operation, a call, or for host time the NVTX range. Never NULL. */
const char *wl_path_segment_name(const struct wl_path_rows *r, size_t segment);

/* Put rank, GPU, pid and coordinates of the process of an activity. */
void wl_path_put_process(struct wl_table *out, const struct wl_path_rows *r, uint32_t process);

/* Put a row per class, rank, name or stage; false if memory runs out. Costs a hash per segment. */
bool wl_path_put_sums(struct wl_table *out, const struct wl_path_rows *r) WL_MUST_CHECK;

/* Put a row per stretch of the path on one rank, or per segment, in time order. Linear. */
void wl_path_put_chain(struct wl_table *out, const struct wl_path_rows *r);
void wl_path_put_segments(struct wl_table *out, const struct wl_path_rows *r);

#endif
