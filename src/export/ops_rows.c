/* SPDX-License-Identifier: MIT */
#include "export/ops_rows.h"

#include "derive/kinds/category_times.h"
#include "derive/nvtx/folds.h"
#include "derive/rows/ops.h"
#include "known/exports/codes.h"

enum {
	DEVICE,
	ORDINAL,
	RANK,
	PID,
	CONTEXT,
	STREAM,
	KIND,
	NAME,
	CLASS,
	CATEGORY,
	START,
	END,
	DUR,
	LAUNCH,
	LAUNCH_NAME,
	LAUNCH_DUR,
	THREAD,
	QUEUE,
	LATENCY,
	CORRELATION,
	GRID, /* x, y, z; the same for BLOCK */
	BLOCK = GRID + 3,
	REGISTERS = BLOCK + 3,
	STATIC_SHARED,
	DYNAMIC_SHARED,
	BYTES,
	COPY_KIND,
	SRC,
	DST,
	GRAPH,
	GRAPH_NODE,
	NVTX,
	ITERATION,
	FUSED,
	N_COLS
};

_Static_assert((int)N_COLS == (int)WL_N_OPS_COLS, "as many as the header says");

const struct wl_col wl_ops_cols[WL_N_OPS_COLS] = {
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[ORDINAL] = { "ordinal", "CUDA", WL_T_COUNT, WL_PLAIN,
		      "The process's own number of it: deviceId of the trace." },
	[RANK] = { "rank", "Rank", WL_T_COUNT, WL_PLAIN, "Rank of the process." },
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY, "Process id." },
	[CONTEXT] = { "context", "Context", WL_T_COUNT, WL_KEY, "CUDA context of the process." },
	[STREAM] = { "stream", "Stream", WL_T_COUNT, WL_KEY, "CUDA stream of the context." },
	[KIND] = { "kind", "Kind", WL_T_ENUM, WL_KEY, "kernel, memcpy, memset or graph." },
	[NAME] = { "name", "Name", WL_T_STR, WL_KEY,
		   "The kernel's demangled name; [CUDA memcpy HtoD], [CUDA memset], (graph)." },
	[CLASS] = { "class", "Class", WL_T_ENUM, WL_PLAIN,
		    "compute, comm or copy, as overlap accounts for it." },
	[CATEGORY] = { "category", "Category", WL_T_STR, WL_PLAIN,
		       "Category of the operation, as categories shows it." },
	[START] = { "start", "Start", WL_T_TIME, WL_ANCHOR, "When the operation began." },
	[END] = { "end", "End", WL_T_TIME, WL_PLAIN, "When the operation ended." },
	[DUR] = { "dur", "Duration", WL_T_NS, WL_SUM, "Duration of the operation." },
	[LAUNCH] = { "launch", "Launch", WL_T_TIME, WL_ANCHOR,
		     "When the call began that launched it." },
	[LAUNCH_NAME] = { "launch_name", "Call", WL_T_STR, WL_PLAIN, "The call." },
	[LAUNCH_DUR] = { "launch_dur", "Call took", WL_T_NS, WL_PLAIN, "How long the call took." },
	[THREAD] = { "thread", "Thread", WL_T_COUNT, WL_NUMBER, "Thread id of the caller." },
	[QUEUE] = { "queue", "Queue", WL_T_NS, WL_PLAIN,
		    "From the end of the call to the operation; none where that began before." },
	[LATENCY] = { "latency", "Latency", WL_T_NS, WL_PLAIN,
		      "From the begin of the call to the operation; below 0 where the clocks of "
		      "host and GPU disagree." },
	[CORRELATION] = { "correlation", "Correlation", WL_T_ID, WL_PLAIN,
			  "Correlation id, which is unique in the process only." },
	[GRID] = { "grid_x", "Grid x", WL_T_COUNT, WL_PLAIN, "Blocks of the grid." },
	[GRID + 1] = { "grid_y", "Grid y", WL_T_COUNT, WL_PLAIN, "The same." },
	[GRID + 2] = { "grid_z", "Grid z", WL_T_COUNT, WL_PLAIN, "The same." },
	[BLOCK] = { "block_x", "Block x", WL_T_COUNT, WL_PLAIN, "Threads of a block." },
	[BLOCK + 1] = { "block_y", "Block y", WL_T_COUNT, WL_PLAIN, "The same." },
	[BLOCK + 2] = { "block_z", "Block z", WL_T_COUNT, WL_PLAIN, "The same." },
	[REGISTERS] = { "registers", "Registers", WL_T_COUNT, WL_PLAIN, "Registers per thread." },
	[STATIC_SHARED] = { "static_shared", "Static", WL_T_BYTES, WL_PLAIN,
			    "Static shared memory per block." },
	[DYNAMIC_SHARED] = { "dynamic_shared", "Dynamic", WL_T_BYTES, WL_PLAIN,
			     "Dynamic shared memory per block." },
	[BYTES] = { "bytes", "Bytes", WL_T_BYTES, WL_SUM, "Bytes copied or set." },
	[COPY_KIND] = { "copy_kind", "Direction", WL_T_ENUM, WL_PLAIN,
			"Direction of a copy: HtoD, DtoH, DtoD, PtoP and so on." },
	[SRC] = { "src", "From", WL_T_ENUM, WL_PLAIN,
		  "Kind of memory that was copied: pageable, pinned, device and so on." },
	[DST] = { "dst", "To", WL_T_ENUM, WL_PLAIN, "Kind of memory that was written." },
	[GRAPH] = { "graph", "Graph", WL_T_ID, WL_PLAIN,
		    "CUDA graph, of a replay that was recorded whole." },
	[GRAPH_NODE] = { "graph_node", "Node", WL_T_ID, WL_PLAIN,
			 "CUDA graph and node: graphNodeId of the trace." },
	[NVTX] = { "nvtx", "NVTX", WL_T_STR, WL_PLAIN,
		   "Names of the ranges around the call, the outermost first, joined by >; the "
		   "innermost 64." },
	[ITERATION] = { "iteration", "Iteration", WL_T_COUNT, WL_NUMBER,
			"Iteration of the process that it belongs to, numbered as in iters." },
	[FUSED] = { "fused", "Fused", WL_T_ENUM, WL_PLAIN,
		    "The other class of work that the same kernel does: compute for a "
		    "communication kernel that also computes, comm for the reverse." },
};

/* Paths of hostile names are long: a table that reaches this size is handed over early. */
enum { BYTES_AT_ONCE = 4 << 20 };

/* The data that rows are made from, all found before the first row. */
struct making {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const struct wl_ops_rows_opts *opts;
	const struct wl_links *links;
	const struct wl_classes *classes;
	const struct wl_named *named;
	const struct wl_ranks *ranks;
	const struct wl_iterations *iterations;
	const struct wl_forest *forest;
	struct wl_folds folds;
	struct wl_category_rules rules;
	struct wl_category_map map;
	struct wl_arena arena; /* of the above */
	struct wl_arena part;  /* for the table and its paths */
	struct wl_table table;
	uint32_t fold; /* the fold of the path; WL_NONE before the first one of a table */
	const char *path;
	wl_ops_rows_fn *fn;
	void *ctx;
};

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "no memory for rows of operations");
}

void wl_ops_rows_want(struct wl_wanted *wanted)
{
	static const enum wl_column_id columns[] = {
		WL_OP_STARTS,    WL_KERNELS_CONFIG, WL_KERNELS_NODE, WL_MEMCPYS_BYTES,
		WL_MEMCPYS_SRC,  WL_MEMCPYS_DST,    WL_MEMCPYS_NODE, WL_MEMSETS_BYTES,
		WL_MEMSETS_KIND, WL_MEMSETS_NODE,   WL_GRAPHS_GRAPH, WL_N_COLUMNS,
	};

	wl_want(wanted,
		WL_FROM(LINKS) | WL_FROM(NAMED) | WL_FROM(CLASSES) | WL_FROM(ITERATIONS) |
			WL_FROM(RANKS) | WL_FROM(FOLDS),
		columns);
}

static int find_all(struct making *m, const struct wl_derived *derived, struct wl_err *reterr)
{
	static const struct wl_fold_opts by_path = { .exact = true, .by_path = true };

	m->links = derived->links;
	m->classes = derived->classes;
	m->named = derived->named;
	m->ranks = derived->ranks;
	m->iterations = derived->iterations;
	m->forest = derived->forest;
	if (!wl_folds_find(derived, m->forest, &by_path, &m->arena, &m->folds) ||
	    !wl_category_map_generic(m->trace, m->named, &m->arena, &m->rules, &m->map))
		return no_memory(reterr);
	return WL_OK;
}

static void put_u32(struct wl_table *out, size_t col, uint32_t v)
{
	if (v != WL_NONE)
		wl_put_i64(out, col, v);
}

static void put_node(struct wl_table *out, const uint64_t *node, size_t row)
{
	if (node[row] != WL_NO_U64)
		wl_put_i64(out, GRAPH_NODE, (int64_t)node[row]);
}

static void put_place(const struct making *m, const struct wl_op *op, struct wl_table *out)
{
	static const char *const kinds[] = { [WL_OP_KERNEL] = "kernel",
					     [WL_OP_MEMCPY] = "memcpy",
					     [WL_OP_MEMSET] = "memset",
					     [WL_OP_GRAPH] = "graph" };
	const struct wl_place *place = &m->trace->places[op->place];
	int64_t rank = m->ranks->of[place->process];

	wl_put_i64(out, DEVICE, place->device);
	put_u32(out, ORDINAL, place->ordinal);
	if (rank >= 0)
		wl_put_i64(out, RANK, rank);
	wl_put_i64(out, PID, m->trace->processes[place->process].pid);
	put_u32(out, CONTEXT, place->context);
	put_u32(out, STREAM, place->stream);
	wl_put_str(out, KIND, kinds[op->kind]);
}

static void put_what(const struct making *m, const struct wl_op *op, struct wl_table *out)
{
	const struct wl_trace *t = m->trace;

	wl_put_str(out, NAME, wl_op_name(t, op->family, op->row));
	wl_put_str(out, CLASS, wl_class_name(wl_class_of(t, m->classes, op->family, op->row)));
	wl_put_str(out, CATEGORY,
		   m->rules.category[wl_category_of_op(t, &m->map, op->kind, op->row)]);
	wl_put_i64(out, START, op->start);
	wl_put_i64(out, END, op->end);
	wl_put_i64(out, DUR, op->end - op->start);
}

/* A fused kernel also does the work of the class that it is not counted in. */
static void put_fused(const struct making *m, const struct wl_op *op, struct wl_table *out)
{
	const struct wl_kernel_facts *facts;

	if (op->kind != WL_OP_KERNEL)
		return;
	facts = &m->named->kernel[wl_kernels_name(m->trace)[op->row]];
	if (facts->fused)
		wl_put_str(out, FUSED,
			   wl_class_name(wl_kernel_is_comm(facts) ? WL_COMPUTE : WL_COMM));
}

static void put_config(const struct wl_launch_config *c, struct wl_table *out)
{
	for (size_t i = 0; i < 3; i++) {
		put_u32(out, GRID + i, c->grid[i]);
		put_u32(out, BLOCK + i, c->block[i]);
	}
	put_u32(out, REGISTERS, c->registers);
	put_u32(out, STATIC_SHARED, c->static_shared);
	put_u32(out, DYNAMIC_SHARED, c->dynamic_shared);
}

/* Columns that only operations of some kind have. */
static void put_details(const struct wl_trace *t, const struct wl_op *op, struct wl_table *out)
{
	size_t row = op->row;

	switch (op->kind) {
	case WL_OP_KERNEL:
		put_config(&t->configs[wl_kernels_config(t)[row]], out);
		put_node(out, wl_kernels_node(t), row);
		break;
	case WL_OP_MEMCPY:
		wl_put_i64(out, BYTES, wl_memcpys_bytes(t)[row]);
		wl_put_str(out, COPY_KIND, wl_copy_kind_name(wl_memcpys_kind(t)[row]));
		wl_put_str(out, SRC, wl_memory_kind_name(wl_memcpys_src(t)[row]));
		wl_put_str(out, DST, wl_memory_kind_name(wl_memcpys_dst(t)[row]));
		put_node(out, wl_memcpys_node(t), row);
		break;
	case WL_OP_MEMSET:
		wl_put_i64(out, BYTES, wl_memsets_bytes(t)[row]);
		wl_put_str(out, DST, wl_memory_kind_name(wl_memsets_kind(t)[row]));
		put_node(out, wl_memsets_node(t), row);
		break;
	case WL_OP_GRAPH:
		put_u32(out, GRAPH, wl_graphs_graph(t)[row]);
		break;
	case WL_N_OP_FAMILIES:
		break;
	}
}

/* Neighbours were usually launched in the same range: its path is written once. */
static void put_path(struct making *m, uint32_t call)
{
	uint32_t node = m->forest->of_call[call], fold;

	if (node == WL_NONE)
		return;
	fold = m->folds.of_node[node];
	if (fold != m->fold) {
		m->path = wl_fold_path(&m->folds, fold, &m->part);
		m->table.failed = m->table.failed || !m->path;
		m->fold = fold;
	}
	wl_put_str(&m->table, NVTX, m->path);
}

static void put_launch(struct making *m, const struct wl_op *op, uint32_t call)
{
	const struct wl_trace *t = m->trace;
	struct wl_table *out = &m->table;
	wl_ns start = wl_api_start(t)[call];
	wl_ns dur = wl_dur(&t->family[WL_F_API], wl_api_dur(t), call);
	uint32_t name = wl_api_name(t)[call];

	wl_put_i64(out, LAUNCH, start);
	wl_put_str(out, LAUNCH_NAME, name == WL_NONE ? NULL : wl_str(t, name));
	wl_put_i64(out, LAUNCH_DUR, dur);
	wl_put_i64(out, THREAD, t->threads[wl_api_thread(t)[call]].tid);
	if (op->start - start >= dur)
		wl_put_i64(out, QUEUE, op->start - start - dur);
	wl_put_i64(out, LATENCY, op->start - start);
	put_path(m, call);
}

static void put_row(struct making *m, const struct wl_op *op)
{
	const struct wl_trace *t = m->trace;
	uint32_t call = wl_link_of(m->links, op->kind, op->row);
	const struct wl_process_iters *iters =
		&m->iterations->process[t->places[op->place].process];

	wl_table_row(&m->table);
	put_place(m, op, &m->table);
	put_what(m, op, &m->table);
	put_u32(&m->table, CORRELATION, wl_trace_ops(t, op->family).corr[op->row]);
	put_details(t, op, &m->table);
	if (call != WL_NONE)
		put_launch(m, op, call);
	put_u32(&m->table, ITERATION, wl_iteration_of(t, iters, op->start, call));
	put_fused(m, op, &m->table);
}

static void begin_table(struct making *m)
{
	wl_arena_release(&m->part);
	wl_table_init(&m->table, &m->part, wl_ops_cols, N_COLS);
	m->fold = WL_NONE;
}

/* Hand over the rows so far; 1 if the receiver wants no more. */
static int hand_over(struct making *m, struct wl_err *reterr)
{
	if (!wl_table_ok(&m->table))
		return no_memory(reterr);
	if (m->opts->stop && *m->opts->stop)
		return wl_fail(reterr, WL_E_CANCELED, "stopped");
	if (m->table.n_rows && !m->fn(m->ctx, &m->table))
		return 1;
	begin_table(m);
	return WL_OK;
}

static bool is_in(const struct making *m, struct wl_op op, uint32_t device)
{
	return op.end - op.start >= m->opts->min_dur && m->scope->place_on[op.place] &&
	       wl_clip(m->scope, m->scope->device[device], &op.start, &op.end);
}

static int make_device(struct making *m, uint32_t device, struct wl_err *reterr)
{
	struct wl_op_cursor cursor;
	struct wl_op op;
	int r = WL_OK;

	wl_ops_begin(m->trace, device, &cursor);
	while (r == WL_OK && wl_ops_next(&cursor, &op)) {
		if (!is_in(m, op, device))
			continue;
		put_row(m, &op);
		if (m->table.n_rows == WL_OPS_ROWS_AT_ONCE || m->part.used > BYTES_AT_ONCE)
			r = hand_over(m, reterr);
	}
	return r;
}

static int make_all(struct making *m, struct wl_err *reterr)
{
	int r = WL_OK;

	begin_table(m);
	for (uint32_t d = 0; r == WL_OK && d < m->trace->n_devices; d++) {
		if (m->scope->device_on[d])
			r = make_device(m, d, reterr);
	}
	if (r == WL_OK)
		r = hand_over(m, reterr);
	return r < 0 ? r : WL_OK;
}

int wl_ops_rows(const struct wl_derived *derived, const struct wl_ops_rows_opts *opts,
		wl_ops_rows_fn *fn, void *ctx, struct wl_err *reterr)
{
	struct making m = {
		.trace = derived->trace, .scope = opts->scope, .opts = opts, .fn = fn, .ctx = ctx
	};
	int r;

	wl_arena_init_on(&m.arena, opts->budget);
	wl_arena_init_on(&m.part, opts->budget);
	r = find_all(&m, derived, reterr);
	if (r == WL_OK)
		r = make_all(&m, reterr);
	wl_category_rules_release(&m.rules);
	wl_arena_release(&m.part);
	wl_arena_release(&m.arena);
	return r;
}
