/* SPDX-License-Identifier: MIT */
/*
 * ops.c - individual GPU operations: the longest, or the first.
 *
 * One pass over the operations keeps the best --top in a heap. A row is made for an operation, to
 * test --where, only if it could still be among the best. For the k best of n operations in random
 * order that is about k log(n / k) rows, and at worst n, if --where rejects nearly all. Memory is
 * proportional to k, plus 40 bytes for each kernel name.
 */
#include <string.h>

#include "analysis/name_categories.h"
#include "base/memory/sort.h"
#include "base/memory/vec.h"
#include "base/text/marks.h"
#include "base/text/regex.h"
#include "base/text/units.h"
#include "derive/iters/iters.h"
#include "derive/nvtx/forest.h"
#include "derive/nvtx/range_names.h"
#include "derive/rows/ops.h"
#include "table/filter.h"

WL_DECLARE_ANALYSIS(ops);

enum {
	NAME,
	DEVICE,
	STREAM,
	START,
	DURATION,
	STEP,
	NVTX,
	CATEGORY,
	LATENCY,
	CALL,
	TID,
	PID,
	CONTEXT,
	KIND,
	BYTES,
	N_COLS
};

static const struct wl_col cols[N_COLS] = {
	[NAME] = { "name", "Operation", WL_T_STR, WL_KEY | WL_KERNEL,
		   "A kernel's demangled name; [CUDA memcpy HtoD], [CUDA memset], (graph)." },
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[STREAM] = { "stream", "Stream", WL_T_COUNT, WL_KEY, "CUDA stream of the operation." },
	[START] = { "start", "Start", WL_T_TIME, WL_KEY | WL_ANCHOR, "Start of the operation." },
	[DURATION] = { "duration", "Duration", WL_T_NS, WL_PLAIN,
		       "How long it took, also outside the window." },
	[STEP] = { "step", "Step", WL_T_COUNT, WL_PLAIN,
		   "Step of its process that it belongs to, numbered as in iters." },
	[NVTX] = { "nvtx", "NVTX range", WL_T_STR, WL_PLAIN,
		   "The innermost NVTX range around the call that launched it." },
	[CATEGORY] = { "category", "Category", WL_T_ENUM, WL_MINOR,
		       "What the rules call it, as in categories." },
	[LATENCY] = { "latency", "Latency", WL_T_NS, WL_MINOR,
		      "From the begin of the call to the operation; below 0 where the clocks of "
		      "host and GPU disagree." },
	[CALL] = { "call", "Call", WL_T_STR, WL_MINOR, "CUDA call that launched the operation." },
	[TID] = { "tid", "TID", WL_T_COUNT, WL_MINOR, "Thread that called." },
	[PID] = { "pid", "PID", WL_T_COUNT, WL_MINOR, "Process that launched the operation." },
	[CONTEXT] = { "context", "Context", WL_T_COUNT, WL_MINOR,
		      "CUDA context; stream numbers are its own." },
	[KIND] = { "kind", "Kind", WL_T_ENUM, WL_MINOR, "kernel, memcpy, memset or graph." },
	[BYTES] = { "bytes", "Bytes", WL_T_BYTES, WL_MINOR, "Bytes copied or set." },
};

enum { MATCH, ONLY, ORDER, TOP, RULES, N_PARAMS = RULES + WL_N_RULE_PARAMS };

enum order { BY_DURATION, BY_START };
static const char *const orders[] = { "duration", "start", NULL };

/* All, then in the order of enum wl_op_kind. */
static const char *const kinds[] = { "all",
				     [1 + WL_OP_KERNEL] = "kernel",
				     [1 + WL_OP_MEMCPY] = "memcpy",
				     [1 + WL_OP_MEMSET] = "memset",
				     [1 + WL_OP_GRAPH] = "graph",
				     NULL };

static const struct wl_param params[N_PARAMS] = {
	[MATCH] = { .key = "match",
		    .type = WL_P_REGEX,
		    .help = "Only operations whose name matches this Perl regular expression." },
	[ONLY] = { .key = "kind",
		   .type = WL_P_ENUM,
		   .def = "all",
		   .choices = kinds,
		   .help = "List only operations of this kind." },
	[ORDER] = { .key = "order",
		    .type = WL_P_ENUM,
		    .def = "duration",
		    .choices = orders,
		    .help = "List the longest operations, or the first." },
	[TOP] = { .key = "top",
		  .type = WL_P_COUNT,
		  .def = "1000",
		  .help = "How many operations to list at most, of those that --where keeps; 0 for "
			  "all. -n limits what is shown of them." },
	[RULES] = WL_PARAM_ENGINE,
	[RULES + 1] = WL_PARAM_MODEL,
	[RULES + 2] = WL_PARAM_RULES,
	[RULES + 3] = WL_PARAM_ENGINES,
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

static const enum wl_column_id uses[] = { WL_KERNELS_NAME, WL_MEMCPYS_KIND, WL_MEMCPYS_BYTES,
					  WL_MEMSETS_BYTES, WL_N_COLUMNS };

static const struct wl_alias aliases[] = {
	{ "cuda_gpu_trace", { { "order", "start" }, { "top", "0" } } },
	{ "gputrace", { { "order", "start" }, { "top", "0" } } },
	{ .name = "kernel_instances" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens ops run.sqlite --match gemm -n 10", "The ten slowest runs of GEMM kernels." },
	{ "warplens ops run.sqlite --where 'category = communication and step = 3'",
	  "The longest collectives of one step." },
	{ "warplens ops run.sqlite --order start --gpu 0", "In order of time, as cuda_gpu_trace." },
	{ NULL, NULL },
};

/* An operation that may be listed: the larger key is better; among equals, the earlier one. */
struct pick {
	int64_t key;
	uint64_t number;
	struct wl_op op;
};

/* Rows are tested with --where in batches: a table of one row costs as much as one of 256. */
enum { BATCH = WL_CHUNK_ROWS, N_OTHERS = WL_N_OP_FAMILIES * (UINT8_MAX + 1) };

struct picking {
	const struct wl_run *run;
	struct wl_name_categories categories;
	size_t top;             /* SIZE_MAX for all */
	uint64_t n_seen;        /* matching operations in the scope */
	struct wl_vec best;     /* struct pick: a heap, the worst first */
	struct wl_filter where; /* for the batch; no root if there is no --where */
	struct pick pending[BATCH];
	size_t n_pending;
	struct wl_table batch;
	struct wl_arena scratch; /* of the batch */
	int8_t *of_kernel;       /* by kernel name: 1 if it matches, 0 if not, -1 unknown */
	int8_t of_other[N_OTHERS];
	size_t n_given_up; /* names on which the pattern exceeded its step limit */
};

/* ---- Names ---- */

static int8_t *known_match(struct picking *p, const struct wl_op *op)
{
	const struct wl_trace *t = p->run->trace;
	/* The name of a copy is determined by its kind, which is one byte. */
	size_t kind = op->kind == WL_OP_MEMCPY ? wl_memcpys_kind(t)[op->row] : 0;

	if (op->kind == WL_OP_KERNEL)
		return &p->of_kernel[wl_kernels_name(t)[op->row]];
	return &p->of_other[(size_t)op->kind * (UINT8_MAX + 1) + kind];
}

/* A pattern is tested once per distinct name: a million operations have a few hundred names. */
static bool matches(struct picking *p, const struct wl_op *op)
{
	const struct wl_regex *pattern = p->run->arg[MATCH].regex;
	const int64_t only = p->run->arg[ONLY].i64;
	int8_t *known;

	if (only && op->kind + 1 != only)
		return false;
	if (!pattern)
		return true;
	known = known_match(p, op);
	if (*known < 0) {
		const char *name = wl_op_name(p->run->trace, op->family, op->row);
		int m = wl_regex_match(pattern, name, strlen(name));

		p->n_given_up += m < 0;
		*known = (int8_t)(m > 0);
	}
	return *known > 0;
}

/* ---- Rows ---- */

static void put_launch(const struct picking *p, const struct wl_op *op, uint32_t call,
		       struct wl_table *out)
{
	const struct wl_trace *t = p->run->trace;
	const struct wl_range_name *range = p->run->derived->range_names->name;
	const struct wl_forest *forest = p->run->derived->forest;
	uint32_t node = forest->of_call[call], name = wl_api_name(t)[call];

	wl_put_str(out, CALL, name == WL_NONE ? NULL : wl_str(t, name));
	wl_put_i64(out, TID, t->threads[wl_api_thread(t)[call]].tid);
	wl_put_i64(out, LATENCY, op->start - wl_api_start(t)[call]);
	if (node != WL_NONE)
		wl_put_str(out, NVTX, range[range[forest->name[node]].label].label_text);
}

static void put_place(const struct wl_trace *t, const struct wl_place *place, struct wl_table *out)
{
	wl_put_i64(out, DEVICE, place->device);
	if (place->stream != WL_NONE)
		wl_put_i64(out, STREAM, place->stream);
	if (place->context != WL_NONE)
		wl_put_i64(out, CONTEXT, place->context);
	wl_put_i64(out, PID, t->processes[place->process].pid);
}

static void put_what(const struct picking *p, const struct wl_op *op, struct wl_table *out)
{
	const struct wl_trace *t = p->run->trace;
	uint8_t category = wl_category_of_op(t, &p->categories.map, op->kind, op->row);

	wl_put_str(out, NAME, wl_op_name(t, op->family, op->row));
	wl_put_copy(out, CATEGORY, p->categories.rules.category[category]);
	wl_put_str(out, KIND, kinds[1 + op->kind]);
	if (op->kind == WL_OP_MEMCPY)
		wl_put_i64(out, BYTES, wl_memcpys_bytes(t)[op->row]);
	if (op->kind == WL_OP_MEMSET)
		wl_put_i64(out, BYTES, wl_memsets_bytes(t)[op->row]);
}

static void put_row(const struct picking *p, const struct wl_op *op, struct wl_table *out)
{
	const struct wl_trace *t = p->run->trace;
	const struct wl_derived *d = p->run->derived;
	const struct wl_place *place = &t->places[op->place];
	uint32_t call = wl_link_of(d->links, op->kind, op->row);
	uint32_t step =
		wl_iteration_of(t, &d->iterations->process[place->process], op->start, call);

	wl_table_row(out);
	put_what(p, op, out);
	put_place(t, place, out);
	wl_put_i64(out, START, op->start);
	wl_put_i64(out, DURATION, op->end - op->start);
	if (step != WL_NONE)
		wl_put_i64(out, STEP, step);
	if (call != WL_NONE)
		put_launch(p, op, call, out);
}

/* ---- The best ---- */

static bool is_worse(const struct pick *a, const struct pick *b)
{
	return a->key != b->key ? a->key < b->key : a->number > b->number;
}

static void swap(struct pick *a, struct pick *b)
{
	struct pick c = *a;

	*a = *b;
	*b = c;
}

static void sift_up(struct pick *at, size_t i)
{
	for (; i > 0 && is_worse(&at[i], &at[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&at[i], &at[(i - 1) / 2]);
}

static void sift_down(struct pick *at, size_t n)
{
	for (size_t i = 0, child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && is_worse(&at[child + 1], &at[child]))
			child++;
		if (!is_worse(&at[child], &at[i]))
			return;
		swap(&at[child], &at[i]);
	}
}

/* Whether it is better than the worst operation kept. */
static bool may_stay(const struct picking *p, const struct pick *pick)
{
	const struct pick *best = p->best.data;

	return p->best.n < p->top || is_worse(&best[0], pick);
}

static void keep(struct picking *p, const struct pick *pick)
{
	struct pick *best = p->best.data;

	if (!may_stay(p, pick))
		return;
	if (p->best.n < p->top) {
		wl_vec_push(&p->best, pick);
		if (!p->best.failed)
			sift_up(p->best.data, p->best.n - 1);
		return;
	}
	best[0] = *pick;
	sift_down(best, p->best.n);
}

/* Keep the rows of the batch that pass --where. */
static int ask_batch(struct picking *p, struct wl_err *reterr)
{
	/* The filter was made for this table; refill the table instead of replacing it. */
	wl_table_init(&p->batch, &p->scratch, cols, N_COLS);
	for (size_t i = 0; i < p->n_pending; i++)
		put_row(p, &p->pending[i].op, &p->batch);
	p->best.failed = p->best.failed || !wl_table_ok(&p->batch);
	for (size_t i = 0; !p->best.failed && i < p->n_pending; i++) {
		int r = wl_filter_match(&p->where, i, reterr);

		if (r < 0)
			return r;
		if (r > 0)
			keep(p, &p->pending[i]);
	}
	p->n_pending = 0;
	wl_arena_release(&p->scratch);
	return WL_OK;
}

static int keep_operation(struct picking *p, const struct wl_op *op, struct wl_err *reterr)
{
	bool by_start = p->run->arg[ORDER].i64 == BY_START;
	struct pick pick = { by_start ? -op->start : op->end - op->start, p->n_seen++, *op };

	if (!may_stay(p, &pick))
		return WL_OK;
	if (!p->where.root) {
		keep(p, &pick);
		return WL_OK;
	}
	p->pending[p->n_pending++] = pick;
	return p->n_pending == BATCH ? ask_batch(p, reterr) : WL_OK;
}

static int take_device(struct picking *p, uint32_t device, struct wl_err *reterr)
{
	const struct wl_scope *scope = p->run->scope;
	struct wl_op_cursor cursor;
	struct wl_op op;
	int r = WL_OK;

	wl_ops_begin(p->run->trace, device, &cursor);
	while (r == WL_OK && !p->best.failed && wl_ops_next(&cursor, &op)) {
		/*
		 * The part in the window decides whether an operation counts; its row has the whole
		 * operation.
		 */
		wl_ns start = op.start, end = op.end;

		if (scope->place_on[op.place] &&
		    wl_clip(scope, scope->device[device], &start, &end) && matches(p, &op))
			r = keep_operation(p, &op, reterr);
	}
	return r;
}

/* ---- The table ---- */

static bool better(const void *ctx, uint32_t a, uint32_t b)
{
	const struct pick *at = ctx;

	return is_worse(&at[b], &at[a]);
}

static bool put_best(struct picking *p, struct wl_table *out)
{
	const struct pick *best = p->best.data;
	size_t n = p->best.n;
	uint32_t *order = WL_NEW(p->run->arena, uint32_t, 2 * n + 1);

	if (order)
		wl_sort_all(order, n, better, best);
	for (size_t i = 0; order && i < n; i++)
		put_row(p, &best[order[i]].op, out);
	return order != NULL;
}

static const struct wl_cmdline all_of_them = { .option = { { "top", "0" } } };

static void say_rest(const struct picking *p, struct wl_table *out)
{
	char top[WL_UNITS_BUF], all[WL_UNITS_BUF];

	if (p->best.n == p->top && p->n_seen > p->top)
		wl_table_note_command(out, &all_of_them,
				      "these are the %s %s of %s operations; " WL_COMMAND_MARK
				      " lists all that "
				      "a filter keeps",
				      wl_fmt_count(top, (int64_t)p->top),
				      p->run->arg[ORDER].i64 == BY_START ? "first" : "longest",
				      wl_fmt_count(all, (int64_t)p->n_seen));
	if (p->n_given_up)
		wl_table_note(out, "the pattern is too complex for %zu names; they were skipped",
			      p->n_given_up);
}

static int pick_all(struct picking *p, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_run *r = p->run;
	int result = WL_OK;

	p->of_kernel = WL_NEW(r->arena, int8_t, r->trace->n_kernel_names + 1);
	if (!p->of_kernel)
		return wl_no_memory(&wl_analysis_ops, reterr);
	memset(p->of_kernel, -1, r->trace->n_kernel_names + 1);
	memset(p->of_other, -1, sizeof(p->of_other));
	if (r->where) {
		wl_table_init(&p->batch, &p->scratch, cols, N_COLS);
		result = wl_filter_init(&p->where, &p->batch, r->where, r->arena, reterr);
	}
	/*
	 * Visit devices in order, and operations on each by start: the index of a pick then breaks
	 * ties as docs/definitions/kernels.md requires.
	 */
	for (uint32_t d = 0; result == WL_OK && d < r->trace->n_devices; d++) {
		if (r->scope->device_on[d])
			result = take_device(p, d, reterr);
	}
	if (result == WL_OK && p->n_pending)
		result = ask_batch(p, reterr);
	if (result == WL_OK && (p->best.failed || !put_best(p, out)))
		result = wl_no_memory(&wl_analysis_ops, reterr);
	return result;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct picking *p = WL_NEW(r->arena, struct picking, 1);
	int result;

	if (!p)
		return wl_no_memory(&wl_analysis_ops, reterr);
	p->run = r;
	p->top = r->arg[TOP].i64 ? (size_t)r->arg[TOP].i64 : SIZE_MAX;
	wl_vec_init(&p->best, sizeof(struct pick), wl_arena_budget(r->arena));
	wl_arena_init_child(&p->scratch, r->arena);
	result = wl_name_categories_init(&p->categories, r, r->arg + RULES, "ops", reterr);
	if (result == WL_OK)
		result = pick_all(p, out, reterr);
	if (result == WL_OK) {
		wl_rules_note(&p->categories.rules, r->arg + RULES, out);
		say_rest(p, out);
	}
	wl_filter_release(&p->where);
	wl_vec_release(&p->best);
	wl_arena_release(&p->scratch);
	wl_name_categories_release(&p->categories);
	return result;
}

static int check(const union wl_arg *arg, struct wl_err *reterr)
{
	return wl_rules_check("ops", arg + RULES, reterr);
}

static const struct wl_form forms[] = { { WL_FORM("kernels", "all-ops"), .beside = "list" },
					{ WL_FORM("kernels", "list"),
					  .as.implies = { { "kind", "kernel" } } },
					{ .verb = NULL } };

const struct wl_analysis wl_analysis_ops = {
	.name = "ops",
	.topic = WL_TOPIC_TIME,
	.forms = forms,
	.help = "List single GPU operations, the longest first",
	.about = "One row per operation: a kernel, copy, set or graph replay that was recorded "
		 "whole, with a part in the window. Times are those of the whole operation. At "
		 "most --top operations are listed; --match, --where and the selection of GPUs, "
		 "processes and streams apply before that, so the longest runs of a rare kernel "
		 "are found, too. --sort orders the operations that are listed.",
	.picks_rows = true,
	.needs_any = needs_any,
	.uses = uses,
	.from = WL_FROM(LINKS) | WL_FROM(NAMED) | WL_FROM(ITERATIONS) | WL_FROM(FOREST) |
		WL_FROM(RANGE_NAMES),
	.check = check,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
