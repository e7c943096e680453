/* SPDX-License-Identifier: MIT */
#include "sql/rows/ops_walk.h"

#include "base/memory/bound.h"
#include "derive/calls/launch.h"
#include "derive/iters/iters.h"

bool wl_ops_walk_prepare(struct wl_row_walk *w)
{
	struct wl_ops_walk *o = wl_ops_walk_of(w);

	for (size_t i = 1; i < WL_N_OP_FAMILIES; i++)
		o->first[i] = o->first[i - 1] + (int64_t)w->trace->family[wl_op_families[i - 1]].n;
	return wl_path_memo_make(&o->paths, &w->derived, &w->arena, w->ctx->budget) &&
	       wl_category_map_generic(w->trace, w->derived.named, &w->arena, &o->rules, &o->map);
}

void wl_ops_walk_release(struct wl_row_walk *w)
{
	struct wl_ops_walk *o = wl_ops_walk_of(w);

	wl_path_memo_release(&o->paths);
	wl_category_rules_release(&o->rules);
}

/* ---- Walking ---- */

/* Stand before the first operation of the device that starts at walk->from or later. */
static void begin_device(struct wl_row_walk *w)
{
	struct wl_ops_walk *o = wl_ops_walk_of(w);

	wl_ops_begin(w->trace, o->device, &o->cursor);
	for (size_t i = 0; w->from > -WL_TIME_MAX && i < WL_N_OP_FAMILIES; i++) {
		size_t lo = o->cursor.row[i], end = o->cursor.end[i];

		if (end > lo)
			o->cursor.row[i] +=
				WL_BELOW(o->cursor.ops[i].start + lo, end - lo, w->from);
	}
}

void wl_ops_walk_rewind(struct wl_row_walk *w)
{
	struct wl_ops_walk *o = wl_ops_walk_of(w);

	o->device = 0;
	if (w->trace->n_devices)
		begin_device(w);
}

static bool is_in(const struct wl_row_walk *w, uint32_t device, struct wl_op op)
{
	return w->scope.place_on[op.place] &&
	       wl_clip(&w->scope, w->scope.device[device], &op.start, &op.end);
}

static bool next_on_device(struct wl_row_walk *w)
{
	struct wl_ops_walk *o = wl_ops_walk_of(w);

	while (w->scope.device_on[o->device] && wl_ops_next(&o->cursor, &o->op)) {
		if (o->op.start > w->to)
			return false;
		if (is_in(w, o->device, o->op))
			return true;
	}
	return false;
}

bool wl_ops_walk_next(struct wl_row_walk *w)
{
	struct wl_ops_walk *o = wl_ops_walk_of(w);

	while (o->device < w->trace->n_devices) {
		if (next_on_device(w)) {
			o->call = wl_link_of(w->derived.links, o->op.kind, o->op.row);
			return true;
		}
		if (++o->device < w->trace->n_devices)
			begin_device(w);
	}
	return false;
}

int64_t wl_ops_walk_where(struct wl_row_walk *w)
{
	const struct wl_ops_walk *o = wl_ops_walk_of(w);

	return o->first[o->op.kind] + (int64_t)o->op.row;
}

void wl_ops_walk_seek(struct wl_row_walk *w, uint32_t at)
{
	struct wl_ops_walk *o = wl_ops_walk_of(w);
	size_t kind = WL_N_OP_FAMILIES - 1;
	struct wl_ops ops;
	size_t row;

	while (o->first[kind] > (int64_t)at)
		kind--;
	row = (size_t)((int64_t)at - o->first[kind]);
	ops = wl_trace_ops(w->trace, wl_op_families[kind]);
	o->op = (struct wl_op){
		.family = wl_op_families[kind],
		.kind = (enum wl_op_kind)kind,
		.place = ops.place[row],
		.row = row,
		.start = ops.start[row],
		.end = ops.start[row] + wl_dur(ops.family, ops.dur, row),
	};
	o->device = w->trace->places[o->op.place].device;
	o->call = wl_link_of(w->derived.links, o->op.kind, row);
}

/* ---- Cells ---- */

static const struct wl_place *place_of(const struct wl_row_walk *w)
{
	return &w->trace->places[wl_ops_walk_of(w)->op.place];
}

bool wl_op_key(struct wl_row_walk *w, int64_t *ret)
{
	*ret = wl_ops_walk_where(w);
	return true;
}

void wl_op_title(struct wl_row_walk *w, sqlite3_context *to)
{
	const struct wl_op *op = &wl_ops_walk_of(w)->op;

	wl_row_text(to, wl_op_name(w->trace, op->family, op->row));
}

void wl_op_kind(struct wl_row_walk *w, sqlite3_context *to)
{
	static const char *const kinds[] = { [WL_OP_KERNEL] = "kernel",
					     [WL_OP_MEMCPY] = "memcpy",
					     [WL_OP_MEMSET] = "memset",
					     [WL_OP_GRAPH] = "graph" };

	wl_row_text(to, kinds[wl_ops_walk_of(w)->op.kind]);
}

bool wl_op_device(struct wl_row_walk *w, int64_t *ret)
{
	*ret = wl_ops_walk_of(w)->device;
	return true;
}

bool wl_op_stream(struct wl_row_walk *w, int64_t *ret)
{
	return wl_row_int_u32(place_of(w)->stream, ret);
}

void wl_op_start(struct wl_row_walk *w, sqlite3_context *to)
{
	sqlite3_result_int64(to, wl_ops_walk_of(w)->op.start);
}

void wl_op_dur(struct wl_row_walk *w, sqlite3_context *to)
{
	const struct wl_op *op = &wl_ops_walk_of(w)->op;

	sqlite3_result_int64(to, op->end - op->start);
}

bool wl_op_step(struct wl_row_walk *w, int64_t *ret)
{
	const struct wl_ops_walk *o = wl_ops_walk_of(w);
	const struct wl_process_iters *iters =
		&w->derived.iterations->process[place_of(w)->process];

	return wl_row_int_u32(wl_iteration_of(w->trace, iters, o->op.start, o->call), ret);
}

bool wl_op_pid(struct wl_row_walk *w, int64_t *ret)
{
	*ret = w->trace->processes[place_of(w)->process].pid;
	return true;
}

bool wl_op_rank(struct wl_row_walk *w, int64_t *ret)
{
	return wl_row_rank(w, place_of(w)->process, ret);
}

bool wl_op_correlation(struct wl_row_walk *w, int64_t *ret)
{
	const struct wl_op *op = &wl_ops_walk_of(w)->op;
	const uint32_t *corr = wl_trace_ops(w->trace, op->family).corr;

	return corr && wl_row_int_u32(corr[op->row], ret);
}

/* ---- Cells of the call ---- */

wl_ns wl_ops_call_start(const struct wl_row_walk *w)
{
	return wl_api_start(w->trace)[wl_ops_walk_of(w)->call];
}

wl_ns wl_ops_call_dur(const struct wl_row_walk *w)
{
	return wl_dur(&w->trace->family[WL_F_API], wl_api_dur(w->trace), wl_ops_walk_of(w)->call);
}

void wl_op_call(struct wl_row_walk *w, sqlite3_context *to)
{
	uint32_t call = wl_ops_walk_of(w)->call;
	uint32_t name = call == WL_NONE ? WL_NONE : wl_api_name(w->trace)[call];

	wl_row_text(to, name == WL_NONE ? NULL : wl_str(w->trace, name));
}

bool wl_op_tid(struct wl_row_walk *w, int64_t *ret)
{
	uint32_t call = wl_ops_walk_of(w)->call;

	if (call == WL_NONE)
		return false;
	*ret = w->trace->threads[wl_api_thread(w->trace)[call]].tid;
	return true;
}

void wl_op_latency(struct wl_row_walk *w, sqlite3_context *to)
{
	const struct wl_ops_walk *o = wl_ops_walk_of(w);

	if (o->call != WL_NONE)
		sqlite3_result_int64(to, o->op.start - wl_ops_call_start(w));
}

/* The innermost range around the call, or WL_NONE. */
static uint32_t node_of(const struct wl_row_walk *w)
{
	uint32_t call = wl_ops_walk_of(w)->call;

	return call == WL_NONE ? WL_NONE : w->derived.forest->of_call[call];
}

void wl_op_nvtx(struct wl_row_walk *w, sqlite3_context *to)
{
	const struct wl_range_name *name = w->derived.range_names->name;
	uint32_t node = node_of(w);

	if (node != WL_NONE)
		wl_row_text(to, name[name[w->derived.forest->name[node]].label].label_text);
}

void wl_op_nvtx_path(struct wl_row_walk *w, sqlite3_context *to)
{
	struct wl_ops_walk *o = wl_ops_walk_of(w);
	uint32_t node = node_of(w);

	if (node != WL_NONE)
		wl_row_path(to, &o->paths, o->paths.folds.of_node[node]);
}
