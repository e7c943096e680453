/* SPDX-License-Identifier: MIT */
/*
 * ops_walk.h - the walk over GPU operations that ops and launches share, and cells of both.
 *
 * Operations of a device come in order of start. Only the categories of names and the paths of
 * ranges are found beforehand.
 */
#ifndef WL_SQL_OPS_WALK_H
#define WL_SQL_OPS_WALK_H

#include "derive/kinds/category_times.h"
#include "derive/rows/ops.h"
#include "sql/path_memo.h"
#include "sql/rows/row_source.h"

struct wl_ops_walk {
	struct wl_path_memo paths;
	struct wl_category_rules rules;
	struct wl_category_map map;
	int64_t first[WL_N_OP_FAMILIES]; /* the key of a family's first row */
	uint32_t device;
	struct wl_op_cursor cursor;
	struct wl_op op;
	uint32_t call; /* that launched it; WL_NONE: none */
};

/* Of struct wl_row_source, for a state that is a struct wl_ops_walk. */
bool wl_ops_walk_prepare(struct wl_row_walk *w) WL_MUST_CHECK;
void wl_ops_walk_release(struct wl_row_walk *w);
void wl_ops_walk_rewind(struct wl_row_walk *w);
bool wl_ops_walk_next(struct wl_row_walk *w);
int64_t wl_ops_walk_where(struct wl_row_walk *w);
void wl_ops_walk_seek(struct wl_row_walk *w, uint32_t at);

static inline struct wl_ops_walk *wl_ops_walk_of(const struct wl_row_walk *w)
{
	return w->state;
}

/* The call's start and length; there must be one. */
wl_ns wl_ops_call_start(const struct wl_row_walk *w);
wl_ns wl_ops_call_dur(const struct wl_row_walk *w);

/* Cells. Those of the call are absent where there is none. */
wl_row_cell wl_op_title, wl_op_kind, wl_op_start, wl_op_dur, wl_op_call, wl_op_latency, wl_op_nvtx,
	wl_op_nvtx_path;
wl_row_int wl_op_key, wl_op_device, wl_op_stream, wl_op_step, wl_op_pid, wl_op_rank,
	wl_op_correlation, wl_op_tid;

#endif
