/* SPDX-License-Identifier: MIT */
/* rows_ops.c - GPU operations. */
#include "derive/kinds/classes.h"
#include "sql/rows/ops_walk.h"

enum {
	OP_KEY,
	OP_NAME,
	OP_SHORT_NAME,
	OP_DEVICE,
	OP_STREAM,
	OP_START,
	OP_END,
	OP_DURATION,
	OP_STEP,
	OP_NVTX,
	OP_NVTX_PATH,
	OP_CATEGORY,
	OP_CLASS,
	OP_LATENCY,
	OP_CALL,
	OP_LAUNCH,
	OP_CORRELATION,
	OP_TID,
	OP_PID,
	OP_RANK,
	OP_CONTEXT,
	OP_KIND,
	OP_BYTES,
	N_OP_COLS
};

static const struct wl_col op_cols[N_OP_COLS] = {
	[OP_KEY] = { "key", "Key", WL_T_COUNT, WL_KEY | WL_NUMBER,
		     "Number of the operation in the trace; op of launches and matches." },
	[OP_NAME] = { "name", "Operation", WL_T_STR, WL_KERNEL,
		      "A kernel's demangled name; [CUDA memcpy HtoD], [CUDA memset], (graph)." },
	[OP_SHORT_NAME] = { "short_name", "Label", WL_T_STR, WL_PLAIN,
			    "What screens call it: a kernel's label." },
	[OP_DEVICE] = { "device", "GPU", WL_T_COUNT, WL_NUMBER, "Device, numbered as in info." },
	[OP_STREAM] = { "stream", "Stream", WL_T_COUNT, WL_NUMBER,
			"CUDA stream of the operation." },
	[OP_START] = { "start", "Start", WL_T_TIME, WL_ANCHOR, "Start of the operation." },
	[OP_END] = { "end", "End", WL_T_TIME, WL_PLAIN, "End of the operation." },
	[OP_DURATION] = { "duration", "Duration", WL_T_NS, WL_PLAIN,
			  "How long it took, also outside the window." },
	[OP_STEP] = { "step", "Step", WL_T_COUNT, WL_NUMBER,
		      "Step of its process that it belongs to, numbered as in iters." },
	[OP_NVTX] = { "nvtx", "NVTX range", WL_T_STR, WL_PLAIN,
		      "The innermost NVTX range around the call that launched it." },
	[OP_NVTX_PATH] = { "nvtx_path", "NVTX path", WL_T_STR, WL_PLAIN,
			   "The ranges around the call, the outermost first, joined by >." },
	[OP_CATEGORY] = { "category", "Category", WL_T_ENUM, WL_PLAIN,
			  "What the rules call it, as in categories." },
	[OP_CLASS] = { "class", "Class", WL_T_ENUM, WL_PLAIN,
		       "compute, comm or copy, as overlap accounts for it." },
	[OP_LATENCY] = { "latency", "Latency", WL_T_NS, WL_PLAIN,
			 "From the begin of the call to the operation; below 0 where the clocks of "
			 "host and GPU disagree." },
	[OP_CALL] = { "call", "Call", WL_T_STR, WL_PLAIN,
		      "CUDA call that launched the operation." },
	[OP_LAUNCH] = { "launch", "Launch", WL_T_TIME, WL_PLAIN, "When the call began." },
	[OP_CORRELATION] = { "correlation", "Correlation", WL_T_ID, WL_PLAIN,
			     "Correlation id, which is unique in the process only." },
	[OP_TID] = { "tid", "TID", WL_T_COUNT, WL_NUMBER, "Thread that called." },
	[OP_PID] = { "pid", "PID", WL_T_COUNT, WL_NUMBER, "Process that launched the operation." },
	[OP_RANK] = { "rank", "Rank", WL_T_COUNT, WL_NUMBER, "Rank of the process." },
	[OP_CONTEXT] = { "context", "Context", WL_T_COUNT, WL_NUMBER,
			 "CUDA context; stream numbers are its own." },
	[OP_KIND] = { "kind", "Kind", WL_T_ENUM, WL_PLAIN, "kernel, memcpy, memset or graph." },
	[OP_BYTES] = { "bytes", "Bytes", WL_T_BYTES, WL_PLAIN, "Bytes copied or set." },
};

static void put_label(struct wl_row_walk *w, sqlite3_context *to)
{
	const struct wl_op *op = &wl_ops_walk_of(w)->op;

	if (op->kind == WL_OP_KERNEL)
		wl_row_text(to, w->derived.named->label[wl_kernels_name(w->trace)[op->row]]);
	else
		wl_op_title(w, to);
}

WL_ROW_NUMBER(put_end, wl_ops_walk_of(w)->op.end)

static void put_category(struct wl_row_walk *w, sqlite3_context *to)
{
	const struct wl_ops_walk *o = wl_ops_walk_of(w);
	uint8_t category = wl_category_of_op(w->trace, &o->map, o->op.kind, o->op.row);

	wl_row_text(to, o->rules.category[category]);
}

static void put_class(struct wl_row_walk *w, sqlite3_context *to)
{
	const struct wl_op *op = &wl_ops_walk_of(w)->op;

	wl_row_text(to,
		    wl_class_name(wl_class_of(w->trace, w->derived.classes, op->family, op->row)));
}

static void put_launch(struct wl_row_walk *w, sqlite3_context *to)
{
	if (wl_ops_walk_of(w)->call != WL_NONE)
		sqlite3_result_int64(to, wl_ops_call_start(w));
}

static void put_context(struct wl_row_walk *w, sqlite3_context *to)
{
	wl_row_u32(to, w->trace->places[wl_ops_walk_of(w)->op.place].context);
}

static void put_bytes(struct wl_row_walk *w, sqlite3_context *to)
{
	const struct wl_op *op = &wl_ops_walk_of(w)->op;

	if (op->kind == WL_OP_MEMCPY)
		sqlite3_result_int64(to, wl_memcpys_bytes(w->trace)[op->row]);
	else if (op->kind == WL_OP_MEMSET)
		sqlite3_result_int64(to, wl_memsets_bytes(w->trace)[op->row]);
}

static wl_row_cell *const cells[N_OP_COLS] = {
	[OP_NAME] = wl_op_title,          [OP_SHORT_NAME] = put_label,
	[OP_START] = wl_op_start,         [OP_END] = put_end,
	[OP_DURATION] = wl_op_dur,        [OP_NVTX] = wl_op_nvtx,
	[OP_NVTX_PATH] = wl_op_nvtx_path, [OP_CATEGORY] = put_category,
	[OP_CLASS] = put_class,           [OP_LATENCY] = wl_op_latency,
	[OP_CALL] = wl_op_call,           [OP_LAUNCH] = put_launch,
	[OP_CONTEXT] = put_context,       [OP_KIND] = wl_op_kind,
	[OP_BYTES] = put_bytes,
};

/* Rough: they order plans, and answer nothing. */
static const struct wl_row_lookup lookup[N_OP_COLS] = {
	[OP_KEY] = { wl_op_key, 1 },
	[OP_DEVICE] = { wl_op_device, 20000 },
	[OP_STREAM] = { wl_op_stream, 15000 },
	[OP_STEP] = { wl_op_step, 2000 },
	[OP_CORRELATION] = { wl_op_correlation, 4 },
	[OP_TID] = { wl_op_tid, 20000 },
	[OP_PID] = { wl_op_pid, 20000 },
	[OP_RANK] = { wl_op_rank, 20000 },
};

const struct wl_row_source wl_row_source_ops = {
	.rows = { "ops", "GPU operations: kernels, copies, memory sets and graph replays", op_cols,
		  N_OP_COLS },
	.need = WL_SQL_OPS,
	.state_size = sizeof(struct wl_ops_walk),
	.start_col = OP_START,
	.prepare = wl_ops_walk_prepare,
	.release = wl_ops_walk_release,
	.rewind = wl_ops_walk_rewind,
	.next = wl_ops_walk_next,
	.cells = cells,
	.lookup = lookup,
	.where = wl_ops_walk_where,
	.seek = wl_ops_walk_seek,
};
