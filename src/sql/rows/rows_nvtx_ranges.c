/* SPDX-License-Identifier: MIT */
/*
 * rows_nvtx_ranges.c - every NVTX range: push/pop ranges by thread in nesting order, then start/end
 * ranges.
 */
#include "derive/iters/iters.h"
#include "derive/nvtx/range_around.h"
#include "derive/use/range_work.h"
#include "sql/rows/row_source.h"

struct range_walk {
	struct wl_path_memo paths;
	struct wl_range_works works; /* where they are asked for */
	size_t at;     /* nodes of the forest, then spans; one more than the range's */
	uint32_t row;  /* of the nvtx family */
	uint32_t node; /* WL_NONE: it is a span */
	wl_ns start, end;
};

enum {
	KEY,
	NAME,
	DOMAIN,
	LABEL,
	START,
	END,
	DURATION,
	DEPTH,
	PARENT,
	PATH,
	KIND,
	TID,
	THREAD,
	PID,
	RANK,
	STEP,
	CLOSED,
	GPU_OPS,
	LAUNCHES,
	GPU_START,
	GPU_END,
	PROJECTED,
	AROUND,
	EVENT_ID,
	PAYLOAD,
	N_COLS
};

static const struct wl_col cols[N_COLS] = {
	[KEY] = { "key", "Key", WL_T_COUNT, WL_KEY | WL_NUMBER,
		  "Number of the range in the trace." },
	[NAME] = { "name", "Name", WL_T_STR, WL_PLAIN, "Its text, without the domain." },
	[DOMAIN] = { "domain", "Domain", WL_T_STR, WL_PLAIN,
		     "Name of its domain; the default domain has none." },
	[LABEL] = { "label", "Label", WL_T_STR, WL_PLAIN,
		    "The name with numbers that only count as #, as nvtx groups ranges." },
	[START] = { "start", "Start", WL_T_TIME, WL_ANCHOR, "When it began." },
	[END] = { "end", "End", WL_T_TIME, WL_PLAIN,
		  "When it ended; a range that was never closed ends with the capture." },
	[DURATION] = { "duration", "Duration", WL_T_NS, WL_PLAIN, "How long it took." },
	[DEPTH] = { "depth", "Depth", WL_T_COUNT, WL_NUMBER,
		    "How many push/pop ranges are around it; of push/pop ranges only." },
	[PARENT] = { "parent", "Parent", WL_T_COUNT, WL_NUMBER,
		     "key of the nearest range around it; of push/pop ranges only." },
	[PATH] = { "path", "Path", WL_T_STR, WL_PLAIN,
		   "Names from the outermost range to this one, joined by >." },
	[KIND] = { "kind", "Kind", WL_T_ENUM, WL_PLAIN, "push/pop or start/end." },
	[TID] = { "tid", "TID", WL_T_COUNT, WL_NUMBER, "Thread that began it." },
	[THREAD] = { "thread", "Thread", WL_T_STR, WL_PLAIN, "Name of the thread." },
	[PID] = { "pid", "PID", WL_T_COUNT, WL_NUMBER, "Its process." },
	[RANK] = { "rank", "Rank", WL_T_COUNT, WL_NUMBER, "Rank of the process." },
	[STEP] = { "step", "Step", WL_T_COUNT, WL_NUMBER,
		   "Step that the host was in when it began, numbered as in iters." },
	[CLOSED] = { "closed", "Closed", WL_T_BOOL, WL_PLAIN, "0 where it was never closed." },
	[GPU_OPS] = { "gpu_ops", "GPU ops", WL_T_COUNT, WL_PLAIN,
		      "Operations launched inside it on its thread." },
	[LAUNCHES] = { "launches", "Launches", WL_T_COUNT, WL_PLAIN,
		       "Calls that launched them; a graph launch is one, of many operations." },
	[GPU_START] = { "gpu_start", "GPU start", WL_T_TIME, WL_PLAIN,
			"When the first of these operations began: the range projected on the "
			"GPU." },
	[GPU_END] = { "gpu_end", "GPU end", WL_T_TIME, WL_PLAIN, "When the last of them ended." },
	[PROJECTED] = { "projected", "Projected", WL_T_NS, WL_PLAIN, "From gpu_start to gpu_end." },
	[AROUND] = { "around", "Around", WL_T_COUNT, WL_NUMBER,
		     "key of the shortest range around it on its thread, of either kind." },
	[EVENT_ID] = { "event_id", "Event", WL_T_COUNT, WL_NUMBER,
		       "Its number in the file (eventId), by which other tables name it." },
	[PAYLOAD] = { "payload", "Payload", WL_T_STR, WL_PLAIN,
		      "Fields of its payload; ? for one that is not read." },
};

static struct range_walk *walk_of(const struct wl_row_walk *w)
{
	return w->state;
}

static bool prepare(struct wl_row_walk *w)
{
	struct range_walk *r = walk_of(w);

	return wl_path_memo_make(&r->paths, &w->derived, &w->arena, w->ctx->budget) &&
	       (!w->is_costly || wl_range_works_find(&w->derived, &w->scope, &w->arena, &r->works));
}

static void release(struct wl_row_walk *w)
{
	wl_path_memo_release(&walk_of(w)->paths);
}

static void begin(struct wl_row_walk *w)
{
	walk_of(w)->at = 0;
}

/* Take the range at at, and stand behind it. */
static void take_at(struct wl_row_walk *w)
{
	const struct wl_forest *f = w->derived.forest;
	struct range_walk *r = walk_of(w);
	struct wl_thread_rows rows = wl_trace_thread_rows(w->trace, WL_F_NVTX);

	r->node = r->at < f->n ? (uint32_t)r->at : WL_NONE;
	r->row = r->at < f->n ? f->row[r->at] : f->span[r->at - f->n];
	r->start = rows.start[r->row];
	r->end = wl_thread_row_end(&rows, r->row);
	r->at++;
}

/* Take the next range, wherever it is; false past the last. */
static bool take(struct wl_row_walk *w)
{
	const struct wl_forest *f = w->derived.forest;

	if (walk_of(w)->at >= f->n + f->n_spans)
		return false;
	take_at(w);
	return true;
}

static int64_t where(struct wl_row_walk *w)
{
	return (int64_t)walk_of(w)->at - 1;
}

static void seek(struct wl_row_walk *w, uint32_t at)
{
	walk_of(w)->at = at;
	take_at(w);
}

static bool next(struct wl_row_walk *w)
{
	const struct range_walk *r = walk_of(w);

	while (take(w)) {
		wl_ns start = r->start, end = r->end;

		if (wl_host_clip(w->trace, &w->scope, wl_nvtx_thread(w->trace)[r->row], &start,
				 &end))
			return true;
	}
	return false;
}

/* ---- Cells ---- */

static const struct wl_thread *thread_of(const struct wl_row_walk *w)
{
	return &w->trace->threads[wl_nvtx_thread(w->trace)[walk_of(w)->row]];
}

static const struct wl_range_name *name_of(const struct wl_row_walk *w)
{
	return wl_range_name_of(w->derived.range_names, walk_of(w)->row);
}

WL_ROW_INT(get_key, walk_of(w)->row)
WL_ROW_TEXT(put_name, name_of(w)->text)
WL_ROW_TEXT(put_domain, name_of(w)->domain)
WL_ROW_TEXT(put_label, w->derived.range_names->name[name_of(w)->label].label_text)
WL_ROW_NUMBER(put_start, walk_of(w)->start)
WL_ROW_NUMBER(put_end, walk_of(w)->end)
WL_ROW_NUMBER(put_duration, walk_of(w)->end - walk_of(w)->start)

static void put_depth(struct wl_row_walk *w, sqlite3_context *to)
{
	uint32_t node = walk_of(w)->node;

	if (node != WL_NONE)
		sqlite3_result_int64(to, w->derived.forest->up.depth[node]);
}

static bool get_parent(struct wl_row_walk *w, int64_t *ret)
{
	const struct wl_forest *f = w->derived.forest;
	uint32_t node = walk_of(w)->node;

	if (node == WL_NONE || f->parent[node] == WL_NONE)
		return false;
	*ret = f->row[f->parent[node]];
	return true;
}

static void put_path(struct wl_row_walk *w, sqlite3_context *to)
{
	struct range_walk *r = walk_of(w);
	const struct wl_folds *folds = &r->paths.folds;

	wl_row_path(to, &r->paths,
		    r->node != WL_NONE ? folds->of_node[r->node]
				       : folds->of_span[r->at - 1 - w->derived.forest->n]);
}

WL_ROW_TEXT(put_kind, walk_of(w)->node != WL_NONE ? "push/pop" : "start/end")
WL_ROW_INT(get_tid, thread_of(w)->tid)

static void put_thread(struct wl_row_walk *w, sqlite3_context *to)
{
	uint32_t name = thread_of(w)->name;

	wl_row_text(to, name == WL_NONE ? NULL : wl_str(w->trace, name));
}

WL_ROW_INT(get_pid, w->trace->processes[thread_of(w)->process].pid)

static bool get_rank(struct wl_row_walk *w, int64_t *ret)
{
	return wl_row_rank(w, thread_of(w)->process, ret);
}

static bool get_step(struct wl_row_walk *w, int64_t *ret)
{
	const struct wl_process_iters *iters =
		&w->derived.iterations->process[thread_of(w)->process];

	return iters->n && wl_row_int_u32(wl_iteration_at(iters, walk_of(w)->start), ret);
}

WL_ROW_NUMBER(put_closed, !(wl_nvtx_flags(w->trace)[walk_of(w)->row] & WL_NVTX_UNCLOSED))

static const struct wl_range_work *work_of(const struct wl_row_walk *w)
{
	const struct range_walk *r = w->state;

	return r->node != WL_NONE ? &r->works.node[r->node]
				  : &r->works.span[r->at - 1 - w->derived.forest->n];
}

WL_ROW_NUMBER(put_gpu_ops, work_of(w)->ops)
WL_ROW_NUMBER(put_launches, work_of(w)->launches)

static void put_gpu_start(struct wl_row_walk *w, sqlite3_context *to)
{
	if (work_of(w)->ops)
		sqlite3_result_int64(to, work_of(w)->first);
}

static void put_gpu_end(struct wl_row_walk *w, sqlite3_context *to)
{
	if (work_of(w)->ops)
		sqlite3_result_int64(to, work_of(w)->last);
}

static void put_projected(struct wl_row_walk *w, sqlite3_context *to)
{
	if (work_of(w)->ops)
		sqlite3_result_int64(to, work_of(w)->last - work_of(w)->first);
}

static void put_around(struct wl_row_walk *w, sqlite3_context *to)
{
	const struct range_walk *r = walk_of(w);
	const struct wl_forest *f = w->derived.forest;

	wl_row_u32(to, r->node != WL_NONE
			       ? wl_range_around_node(w->trace, f, &r->works.spans, r->node)
			       : wl_range_around_span(w->trace, f, &r->works.spans,
						      (uint32_t)(r->at - 1 - f->n)));
}

static void put_event_id(struct wl_row_walk *w, sqlite3_context *to)
{
	uint64_t id = wl_nvtx_event(w->trace)[walk_of(w)->row];

	if (id <= INT64_MAX)
		sqlite3_result_int64(to, (int64_t)id);
}

static void put_payload(struct wl_row_walk *w, sqlite3_context *to)
{
	uint32_t text = wl_nvtx_payload(w->trace)[walk_of(w)->row];

	wl_row_text(to, text == WL_NONE ? NULL : wl_str(w->trace, text));
}

static wl_row_cell *const cells[N_COLS] = {
	[NAME] = put_name,         [DOMAIN] = put_domain,
	[LABEL] = put_label,       [START] = put_start,
	[END] = put_end,           [DURATION] = put_duration,
	[DEPTH] = put_depth,       [PATH] = put_path,
	[KIND] = put_kind,         [THREAD] = put_thread,
	[CLOSED] = put_closed,     [GPU_OPS] = put_gpu_ops,
	[LAUNCHES] = put_launches, [GPU_START] = put_gpu_start,
	[GPU_END] = put_gpu_end,   [PROJECTED] = put_projected,
	[AROUND] = put_around,     [EVENT_ID] = put_event_id,
	[PAYLOAD] = put_payload,
};

/* Rough: they order plans, and answer nothing. */
static const struct wl_row_lookup lookup[N_COLS] = {
	[KEY] = { get_key, 1 },     [PARENT] = { get_parent, 10 }, [TID] = { get_tid, 20000 },
	[PID] = { get_pid, 20000 }, [RANK] = { get_rank, 20000 },  [STEP] = { get_step, 2000 },
};

const struct wl_row_source wl_row_source_nvtx_ranges = {
	.rows = { "nvtx_ranges", "NVTX ranges, each with its thread, depth and path", cols,
		  N_COLS },
	.need = WL_SQL_RANGES,
	.costly_cols = ((UINT64_C(1) << N_COLS) - 1) & ~((UINT64_C(1) << GPU_OPS) - 1),
	.costly_need = WL_SQL_WORKS,
	.state_size = sizeof(struct range_walk),
	.start_col = -1,
	.prepare = prepare,
	.release = release,
	.rewind = begin,
	.next = next,
	.cells = cells,
	.lookup = lookup,
	.where = where,
	.seek = seek,
};
