/* SPDX-License-Identifier: MIT */
/* rows_launches.c - CUDA calls that launched something, a row for each operation of them. */
#include "sql/rows/ops_walk.h"

enum {
	LAUNCH_CALL,
	LAUNCH_OP,
	LAUNCH_NAME,
	LAUNCH_START,
	LAUNCH_END,
	LAUNCH_DURATION,
	LAUNCH_TID,
	LAUNCH_PID,
	LAUNCH_RANK,
	LAUNCH_CORRELATION,
	LAUNCH_OP_NAME,
	LAUNCH_KIND,
	LAUNCH_DEVICE,
	LAUNCH_STREAM,
	LAUNCH_OP_START,
	LAUNCH_OP_DURATION,
	LAUNCH_LATENCY,
	LAUNCH_QUEUE,
	LAUNCH_STEP,
	LAUNCH_NVTX,
	LAUNCH_NVTX_PATH,
	N_LAUNCH_COLS
};

static const struct wl_col launch_cols[N_LAUNCH_COLS] = {
	[LAUNCH_CALL] = { "call", "Call", WL_T_COUNT, WL_KEY | WL_NUMBER,
			  "Number of the call in the trace; a graph launch comes once per "
			  "operation." },
	[LAUNCH_OP] = { "op", "Operation key", WL_T_COUNT, WL_KEY | WL_NUMBER,
			"The operation that it launched: key of ops." },
	[LAUNCH_NAME] = { "name", "Function", WL_T_STR, WL_PLAIN, "The CUDA function." },
	[LAUNCH_START] = { "start", "Start", WL_T_TIME, WL_ANCHOR, "When the call began." },
	[LAUNCH_END] = { "end", "End", WL_T_TIME, WL_PLAIN, "When it returned." },
	[LAUNCH_DURATION] = { "duration", "Duration", WL_T_NS, WL_PLAIN, "How long it took." },
	[LAUNCH_TID] = { "tid", "TID", WL_T_COUNT, WL_NUMBER, "Thread that called." },
	[LAUNCH_PID] = { "pid", "PID", WL_T_COUNT, WL_NUMBER, "Its process." },
	[LAUNCH_RANK] = { "rank", "Rank", WL_T_COUNT, WL_NUMBER, "Rank of the process." },
	[LAUNCH_CORRELATION] = { "correlation", "Correlation", WL_T_ID, WL_PLAIN,
				 "Correlation id, which is unique in the process only." },
	[LAUNCH_OP_NAME] = { "op_name", "Operation", WL_T_STR, WL_KERNEL,
			     "Name of the operation, as in ops." },
	[LAUNCH_KIND] = { "kind", "Kind", WL_T_ENUM, WL_PLAIN, "kernel, memcpy, memset or graph." },
	[LAUNCH_DEVICE] = { "device", "GPU", WL_T_COUNT, WL_NUMBER, "Where the operation ran." },
	[LAUNCH_STREAM] = { "stream", "Stream", WL_T_COUNT, WL_NUMBER, "CUDA stream of it." },
	[LAUNCH_OP_START] = { "op_start", "Operation start", WL_T_TIME, WL_ANCHOR,
			      "When the operation began." },
	[LAUNCH_OP_DURATION] = { "op_duration", "Operation duration", WL_T_NS, WL_PLAIN,
				 "How long the operation took." },
	[LAUNCH_LATENCY] = { "latency", "Latency", WL_T_NS, WL_PLAIN,
			     "From the begin of the call to the operation; below 0 where the "
			     "clocks of host and GPU disagree." },
	[LAUNCH_QUEUE] = { "queue", "Queue", WL_T_NS, WL_PLAIN,
			   "From the end of the call to the operation; none where that began "
			   "before." },
	[LAUNCH_STEP] = { "step", "Step", WL_T_COUNT, WL_NUMBER,
			  "Step that the operation belongs to, numbered as in iters." },
	[LAUNCH_NVTX] = { "nvtx", "NVTX range", WL_T_STR, WL_PLAIN,
			  "The innermost NVTX range around the call." },
	[LAUNCH_NVTX_PATH] = { "nvtx_path", "NVTX path", WL_T_STR, WL_PLAIN,
			       "The ranges around the call, the outermost first, joined by >." },
};

static bool next(struct wl_row_walk *w)
{
	while (wl_ops_walk_next(w)) {
		if (wl_ops_walk_of(w)->call != WL_NONE)
			return true;
	}
	return false;
}

WL_ROW_INT(get_call, wl_ops_walk_of(w)->call)
WL_ROW_NUMBER(put_start, wl_ops_call_start(w))
WL_ROW_NUMBER(put_end, wl_ops_call_start(w) + wl_ops_call_dur(w))
WL_ROW_NUMBER(put_duration, wl_ops_call_dur(w))

static void put_queue(struct wl_row_walk *w, sqlite3_context *to)
{
	wl_ns queue = wl_ops_walk_of(w)->op.start - wl_ops_call_start(w) - wl_ops_call_dur(w);

	if (queue >= 0)
		sqlite3_result_int64(to, queue);
}

static wl_row_cell *const cells[N_LAUNCH_COLS] = {
	[LAUNCH_NAME] = wl_op_call,       [LAUNCH_START] = put_start,
	[LAUNCH_END] = put_end,           [LAUNCH_DURATION] = put_duration,
	[LAUNCH_OP_NAME] = wl_op_title,   [LAUNCH_KIND] = wl_op_kind,
	[LAUNCH_OP_START] = wl_op_start,  [LAUNCH_OP_DURATION] = wl_op_dur,
	[LAUNCH_LATENCY] = wl_op_latency, [LAUNCH_QUEUE] = put_queue,
	[LAUNCH_NVTX] = wl_op_nvtx,       [LAUNCH_NVTX_PATH] = wl_op_nvtx_path,
};

/* Rough: they order plans, and answer nothing. */
static const struct wl_row_lookup lookup[N_LAUNCH_COLS] = {
	[LAUNCH_CALL] = { get_call, 2 },           [LAUNCH_OP] = { wl_op_key, 1 },
	[LAUNCH_TID] = { wl_op_tid, 20000 },       [LAUNCH_PID] = { wl_op_pid, 20000 },
	[LAUNCH_RANK] = { wl_op_rank, 20000 },     [LAUNCH_CORRELATION] = { wl_op_correlation, 4 },
	[LAUNCH_DEVICE] = { wl_op_device, 20000 }, [LAUNCH_STREAM] = { wl_op_stream, 15000 },
	[LAUNCH_STEP] = { wl_op_step, 2000 },
};

const struct wl_row_source wl_row_source_launches = {
	.rows = { "launches", "CUDA calls, each with an operation that it launched", launch_cols,
		  N_LAUNCH_COLS },
	.need = WL_SQL_OPS,
	.state_size = sizeof(struct wl_ops_walk),
	.start_col = -1,
	.prepare = wl_ops_walk_prepare,
	.release = wl_ops_walk_release,
	.rewind = wl_ops_walk_rewind,
	.next = next,
	.cells = cells,
	.lookup = lookup,
	.where = wl_ops_walk_where,
	.seek = wl_ops_walk_seek,
};
