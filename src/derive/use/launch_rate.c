/* SPDX-License-Identifier: MIT */
/*
 * Windows may be long and empty, so there is no array of bins: busy bins are kept as runs of
 * neighbours, and the sliding second jumps to the next place where a launch or a kernel enters or
 * leaves it.
 */
#include "derive/use/launch_rate.h"

#include "base/memory/sort.h"
#include "base/memory/vec.h"
#include "derive/derived.h"
#include "derive/kinds/intervals.h"
#include "derive/rows/ops.h"

const wl_ns wl_short_kernels[WL_N_SHORT] = { 5000, 10000, 20000 };

enum { AT_MOST_10, AT_MOST_20, N_LIMITS };

/* Thresholds of a storm: launches in a second, and a median of at most wl_short_kernels. */
static const struct {
	size_t launches, limit;
} storms[] = { { 50000, AT_MOST_10 }, { 100000, AT_MOST_20 } };

struct rating {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const struct wl_links *links;
	struct wl_interval window;
	struct wl_ops kernels;
	size_t first_kernel, end_kernel; /* rows on the device */
	uint32_t *call;                  /* API rows that launched, by start, each once */
	size_t n_calls;
	int64_t *unseen; /* process and correlation id of launches that were not recorded */
	size_t n_unseen;
	struct wl_vec runs; /* struct wl_interval: busy bins */
	wl_ns *length;      /* lengths of the kernels' parts in the window */
};

static int64_t bin_of(const struct rating *r, wl_ns t)
{
	return (t - r->window.begin) / WL_RATE_BIN_NS;
}

/* Note the bins of an interval; intervals come in order of start, one kind at a time. */
static void put_bins(struct rating *r, size_t first_run, wl_ns start, wl_ns end)
{
	struct wl_interval bins = { bin_of(r, start),
				    bin_of(r, end > start ? end - 1 : start) + 1 };
	struct wl_interval *last =
		r->runs.n > first_run ? (struct wl_interval *)r->runs.data + (r->runs.n - 1) : NULL;

	if (last && bins.begin <= last->end)
		last->end = bins.end > last->end ? bins.end : last->end;
	else
		wl_vec_push(&r->runs, &bins);
}

static void measure_kernel(struct rating *r, struct wl_launch_rate *ret, wl_ns length)
{
	r->length[ret->kernels++] = length;
	for (unsigned i = 0; i < WL_N_SHORT; i++)
		ret->short_kernels[i] += length <= wl_short_kernels[i];
}

static bool starts_inside(const struct rating *r, uint32_t call)
{
	wl_ns start = wl_api_start(r->trace)[call];

	return start >= r->window.begin && start < r->window.end;
}

/* Record an operation whose launch call is not in the trace: one key per launch. */
static void take_unseen(struct rating *r, const struct wl_op *op)
{
	const struct wl_trace *t = r->trace;
	int64_t process = t->places[op->place].process;
	uint32_t corr =
		op->kind == WL_OP_KERNEL ? wl_kernels_corr(t)[op->row] : wl_graphs_corr(t)[op->row];

	if (op->start >= r->window.begin && op->start < r->window.end)
		r->unseen[r->n_unseen++] = process << 32 | corr;
}

static int64_t count_unseen(struct rating *r)
{
	int64_t n = 0;

	wl_sort_i64(r->unseen, r->n_unseen);
	/* An operation without a correlation id is a separate launch. */
	for (size_t i = 0; i < r->n_unseen; i++)
		n += i == 0 || r->unseen[i] != r->unseen[i - 1] ||
		     (uint32_t)r->unseen[i] == WL_NONE;
	return n;
}

/* One pass over the device's operations collects their bins, the kernels' lengths, and calls with
 * duplicates. */
static void take_ops(struct rating *r, uint32_t device, struct wl_launch_rate *ret)
{
	struct wl_op_cursor cursor;
	struct wl_op op;

	wl_ops_begin(r->trace, device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		uint32_t call = wl_link_of(r->links, op.kind, op.row);
		bool counts = op.kind == WL_OP_KERNEL || op.kind == WL_OP_GRAPH;

		if (!r->scope->place_on[op.place])
			continue;
		if (counts && call != WL_NONE && starts_inside(r, call))
			r->call[r->n_calls++] = call;
		if (counts && call == WL_NONE)
			take_unseen(r, &op);
		if (!wl_clip(r->scope, r->window, &op.start, &op.end))
			continue;
		put_bins(r, 0, op.start, op.end);
		if (op.kind == WL_OP_KERNEL)
			measure_kernel(r, ret, op.end - op.start);
	}
}

static bool starts_earlier(const void *ctx, uint32_t a, uint32_t b)
{
	const wl_ns *start = wl_api_start(((const struct rating *)ctx)->trace);

	return start[a] != start[b] ? start[a] < start[b] : a < b;
}

static void take_calls(struct rating *r, uint32_t *tmp)
{
	const struct wl_trace *t = r->trace;
	size_t n = 0, first_run = r->runs.n;

	wl_sort_index(r->call, r->n_calls, tmp, starts_earlier, r);
	for (size_t i = 0; i < r->n_calls; i++) {
		uint32_t call = r->call[i];
		wl_ns start = wl_api_start(t)[call];
		wl_ns end = start + wl_dur(&t->family[WL_F_API], wl_api_dur(t), call);

		/* Sorted by start, then row, so duplicates of a graph launch are neighbours. */
		if (n && r->call[n - 1] == call)
			continue;
		r->call[n++] = call;
		put_bins(r, first_run, start, end < r->window.end ? end : r->window.end);
	}
	r->n_calls = n;
}

struct run_list {
	const struct wl_interval *run;
};

static bool run_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct run_list *l = ctx;

	return l->run[a].begin < l->run[b].begin;
}

/* Join the runs of operations and calls into one set. */
static bool join_runs(const struct rating *r, struct wl_arena *arena, struct wl_intervals *ret)
{
	const struct wl_interval *run = r->runs.data;
	size_t n = r->runs.n;
	uint32_t *order = WL_NEW(arena, uint32_t, 2 * n);
	struct wl_interval *sorted = WL_NEW(arena, struct wl_interval, n);

	if (!order || !sorted || r->runs.failed)
		return false;
	wl_sort_all(order, n, run_less, &(struct run_list){ run });
	for (size_t i = 0; i < n; i++)
		sorted[i] = run[order[i]];
	return wl_intervals_union(sorted, n, arena, ret);
}

/* Launches and kernels that start before a bin; the bin only moves forward. */
struct front {
	size_t call, kernel_row;
	size_t kernels, at_most[N_LIMITS]; /* counts of the kernels passed */
};

static bool clip_kernel(const struct rating *r, size_t row, wl_ns *start, wl_ns *end)
{
	return wl_op_clip(r->trace, r->scope, &r->kernels, row, start, end);
}

/* Advance; *next is lowered to the bin of the first launch or kernel not passed yet. */
static void move(const struct rating *r, struct front *f, int64_t bin, int64_t *next)
{
	int64_t at = INT64_MAX;
	wl_ns start, end;

	for (; f->call < r->n_calls; f->call++) {
		at = bin_of(r, wl_api_start(r->trace)[r->call[f->call]]);
		if (at >= bin)
			break;
	}
	if (f->call < r->n_calls && at < *next)
		*next = at;
	for (; f->kernel_row < r->end_kernel; f->kernel_row++) {
		if (!clip_kernel(r, f->kernel_row, &start, &end))
			continue;
		at = bin_of(r, start);
		if (at >= bin) {
			*next = at < *next ? at : *next;
			break;
		}
		f->kernels++;
		f->at_most[AT_MOST_10] += end - start <= wl_short_kernels[1];
		f->at_most[AT_MOST_20] += end - start <= wl_short_kernels[2];
	}
}

static bool is_storm(const struct front *begin, const struct front *end)
{
	size_t kernels = end->kernels - begin->kernels;

	for (size_t i = 0; i < WL_COUNT(storms); i++) {
		size_t limit = storms[i].limit;

		/* The median is at most the limit when half of the kernels, rounded up, are. */
		if (kernels && end->call - begin->call >= storms[i].launches &&
		    end->at_most[limit] - begin->at_most[limit] >= (kernels + 1) / 2)
			return true;
	}
	return false;
}

static bool find_storm(const struct rating *r, const struct wl_intervals *busy)
{
	struct front begin = { .kernel_row = r->first_kernel };
	struct front end = { .kernel_row = r->first_kernel };

	/* The lowest threshold: with fewer launches in the window, no second has enough. */
	if (r->n_calls < storms[0].launches)
		return false;
	for (size_t i = 0; i < busy->n; i++) {
		int64_t at = busy->at[i].begin, last = busy->at[i].end - WL_BINS_PER_SECOND;

		while (at <= last) {
			/* One less than the maximum, because 1 is added below. */
			int64_t leaves = INT64_MAX - 1, enters = INT64_MAX;

			move(r, &begin, at, &leaves);
			move(r, &end, at + WL_BINS_PER_SECOND, &enters);
			if (is_storm(&begin, &end))
				return true;
			/* The next bin at which something has left or entered. */
			leaves++;
			enters -= WL_BINS_PER_SECOND - 1;
			at = leaves < enters ? leaves : enters;
		}
	}
	return false;
}

static void find_percentiles(struct rating *r, struct wl_launch_rate *ret)
{
	size_t n = (size_t)ret->kernels;

	if (n == 0)
		return;
	wl_sort_i64(r->length, n);
	ret->kernel_p50 = r->length[wl_rank(n, 50)];
	ret->kernel_p90 = r->length[wl_rank(n, 90)];
}

static bool rate(struct rating *r, uint32_t device, struct wl_arena *scratch,
		 struct wl_launch_rate *ret)
{
	struct wl_intervals busy;
	uint32_t *tmp;
	size_t n = 0;

	for (unsigned i = 0; i < WL_N_OP_FAMILIES; i++) {
		struct wl_ops ops = wl_trace_ops(r->trace, wl_op_families[i]);
		size_t lo, hi;

		wl_ops_on_device(r->trace, &ops, device, &lo, &hi);
		n += hi - lo;
	}
	r->call = WL_NEW(scratch, uint32_t, n);
	tmp = WL_NEW(scratch, uint32_t, n);
	r->length = WL_NEW(scratch, wl_ns, r->end_kernel - r->first_kernel);
	r->unseen = WL_NEW(scratch, int64_t, n);
	if (!r->call || !tmp || !r->length || !r->unseen)
		return false;
	take_ops(r, device, ret);
	find_percentiles(r, ret);
	take_calls(r, tmp);
	if (!join_runs(r, scratch, &busy))
		return false;
	ret->unrecorded = count_unseen(r);
	ret->launches = (int64_t)r->n_calls + ret->unrecorded;
	ret->busy_bins = wl_intervals_length(&busy);
	ret->storm = find_storm(r, &busy);
	return true;
}

bool wl_launch_rate_find(const struct wl_derived *derived, const struct wl_scope *scope,
			 uint32_t device, struct wl_arena *arena, struct wl_launch_rate *ret)
{
	const struct wl_trace *trace = derived->trace;
	struct rating r = { .trace = trace,
			    .scope = scope,
			    .links = derived->links,
			    .window = scope->device[device],
			    .kernels = wl_trace_ops(trace, WL_F_KERNELS) };
	struct wl_arena scratch;
	bool ok;

	*ret = (struct wl_launch_rate){ .launches = 0 };
	wl_ops_on_device(trace, &r.kernels, device, &r.first_kernel, &r.end_kernel);
	wl_arena_init_child(&scratch, arena);
	wl_vec_init(&r.runs, sizeof(struct wl_interval), wl_arena_budget(arena));
	ok = rate(&r, device, &scratch, ret);
	wl_vec_release(&r.runs);
	wl_arena_release(&scratch);
	return ok;
}
