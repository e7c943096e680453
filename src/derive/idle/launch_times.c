/* SPDX-License-Identifier: MIT */
#include "derive/idle/launch_times.h"

#include "base/memory/texts.h"
#include "base/num.h"
#include "base/process/pool.h"
#include "derive/calls/library_calls.h"
#include "derive/derived.h"
#include "derive/idle/idle.h"

/* The counts of a name, besides its statistics. */
struct tally {
	int64_t calls, launched, later, negative;
	wl_ns time;
	wl_ns exposed; /* saturates at INT64_MAX */
	wl_ns cost[WL_N_CALL_COSTS];
	wl_ns latency_sum; /* saturates at 64 bits */
	wl_ns latency_min; /* at most 0; statistics are of values minus this */
	const char *name, *library;
};

enum measure { OF_API, OF_QUEUE, OF_LATENCY };

struct grouping {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const struct wl_links *links;
	const struct wl_library_calls *by; /* NULL: by name */
	const struct wl_call_costs *costs;
	struct wl_arena *scratch;
	struct wl_ops ops;     /* the kernels */
	const uint32_t *group; /* by kernel name: equal texts share a group; unused with `by` */
	uint32_t *call; /* by kernel: its call, if the kernel is in scope and its call's first; else
			   WL_NONE */
	struct tally *tally; /* by group */
	size_t n_groups;
	enum measure measure; /* being visited */
};

static uint32_t group_of(const struct grouping *g, size_t row)
{
	uint32_t call, own = WL_NONE;

	if (!g->by)
		return g->group[wl_kernels_name(g->trace)[row]];
	call = wl_link_of(g->links, WL_OP_KERNEL, (uint32_t)row);
	if (call != WL_NONE)
		own = g->by->of[call];
	return own == WL_NONE ? (uint32_t)g->by->n : own;
}

/* Order of two kernels that one call launched: by start, device, stream, then row. */
static bool comes_first(const struct grouping *g, uint32_t a, uint32_t b)
{
	const struct wl_place *pa = &g->trace->places[g->ops.place[a]];
	const struct wl_place *pb = &g->trace->places[g->ops.place[b]];

	if (g->ops.start[a] != g->ops.start[b])
		return g->ops.start[a] < g->ops.start[b];
	if (pa->device != pb->device)
		return pa->device < pb->device;
	return pa->stream != pb->stream ? pa->stream < pb->stream : a < b;
}

/* By API row: the first kernel that it launched in the whole trace, regardless of the scope. All
 * nodes of a graph replay share one call. */
static const uint32_t *find_first(const struct grouping *g)
{
	size_t n = g->trace->family[WL_F_API].n;
	uint32_t *first = WL_NEW(g->scratch, uint32_t, n);

	for (size_t i = 0; first && i < n; i++)
		first[i] = WL_NONE;
	for (uint32_t row = 0; first && row < g->ops.n; row++) {
		uint32_t call = wl_link_of(g->links, WL_OP_KERNEL, row);

		if (call != WL_NONE && (first[call] == WL_NONE || comes_first(g, row, first[call])))
			first[call] = row;
	}
	return first;
}

static wl_ns add_signed(wl_ns a, wl_ns b)
{
	wl_ns sum;

	if (wl_add_i64(a, b, &sum))
		return sum;
	return b < 0 ? INT64_MIN : INT64_MAX;
}

/* Add the time that the launch call did not spend on its own work; sums saturate at INT64_MAX. */
static void add_costs(const struct grouping *g, uint32_t call, struct tally *t)
{
	wl_ns begin = wl_api_start(g->trace)[call], cost[WL_N_CALL_COSTS] = { 0 };
	wl_ns end = begin + wl_dur(&g->trace->family[WL_F_API], wl_api_dur(g->trace), call);

	wl_call_costs_add(g->costs, wl_api_thread(g->trace)[call], begin, end, cost);
	for (size_t i = 0; i < WL_N_CALL_COSTS; i++)
		t->cost[i] = wl_add_up(t->cost[i], cost[i]);
}

/* Count the kernels in the scope, and note the calls of those that are measured. */
static void count(struct grouping *g, const uint32_t *first)
{
	const wl_ns *call_start = wl_api_start(g->trace);

	for (size_t row = 0; row < g->ops.n; row++) {
		struct tally *t = &g->tally[group_of(g, row)];
		uint32_t call = wl_link_of(g->links, WL_OP_KERNEL, row);
		wl_ns start, end, latency;

		g->call[row] = WL_NONE;
		if (!wl_op_clip(g->trace, g->scope, &g->ops, row, &start, &end))
			continue;
		t->calls++;
		t->time = wl_add_up(t->time, end - start);
		if (call == WL_NONE)
			continue;
		t->launched++;
		/*
		 * Later nodes of a graph replay wait for earlier ones; their distance from the call
		 * says nothing about launching.
		 */
		if (first[call] != row) {
			t->later++;
			continue;
		}
		g->call[row] = call;
		add_costs(g, call, t);
		latency = g->ops.start[row] - call_start[call];
		t->negative += latency < 0;
		t->latency_sum = add_signed(t->latency_sum, latency);
		t->latency_min = latency < t->latency_min ? latency : t->latency_min;
	}
}

/* The value of the current measure for a kernel and its call; below 0 if it makes no sense. */
static wl_ns value_of(const struct grouping *g, size_t row, uint32_t group, uint32_t call)
{
	const struct wl_trace *t = g->trace;
	wl_ns start = wl_api_start(t)[call];
	wl_ns dur = wl_dur(&t->family[WL_F_API], wl_api_dur(t), call);

	if (g->measure == OF_API)
		return dur;
	if (g->measure == OF_QUEUE)
		return g->ops.start[row] - start - dur;
	/*
	 * Statistics take non-negative numbers, but clocks that disagree give negative latencies:
	 * the least one is subtracted from all and added back afterwards.
	 */
	return add_signed(g->ops.start[row] - start, -g->tally[group].latency_min);
}

static void block(void *ctx, size_t row, size_t n, uint32_t *group, int64_t *value)
{
	const struct grouping *g = ctx;

	for (size_t i = 0; i < n; i++) {
		uint32_t own = group_of(g, row + i), call = g->call[row + i];
		wl_ns found = call == WL_NONE ? -1 : value_of(g, row + i, own, call);

		group[i] = found < 0 ? WL_NONE : own;
		if (value)
			value[i] = found;
	}
}

/* Make a group for each library call; the last is for kernels outside any. */
static bool make_library_groups(struct grouping *g)
{
	g->n_groups = g->by->n + 1;
	g->tally = WL_NEW(g->scratch, struct tally, g->n_groups);
	for (size_t i = 0; g->tally && i < g->by->n; i++) {
		g->tally[i].name = g->by->call[i].name;
		g->tally[i].library = g->by->call[i].library;
	}
	return g->tally != NULL;
}

/* Number the distinct names, and give each its tally. */
static bool make_groups(struct grouping *g)
{
	const struct wl_trace *t = g->trace;
	size_t n = t->n_kernel_names;
	const char **text = WL_NEW(g->scratch, const char *, n);
	uint32_t *first, *group = WL_NEW(g->scratch, uint32_t, n);

	g->tally = WL_NEW(g->scratch, struct tally, n);
	for (size_t i = 0; text && i < n; i++)
		text[i] = wl_str(t, t->kernel_names[i].demangled);
	first = text ? wl_texts_merge(text, n, g->scratch) : NULL;
	if (!first || !group || !g->tally)
		return false;
	for (size_t i = 0; i < n; i++) {
		group[i] = first[i] == i ? (uint32_t)g->n_groups++ : group[first[i]];
		g->tally[group[i]].name = text[i];
	}
	g->group = group;
	return true;
}

/* Idle time inside the launch call of the kernel that ended a gap. */
struct exposed {
	uint32_t group;
	wl_ns length;
};

struct exposing {
	const struct grouping *grouping;
	const struct wl_idle *idle;
	struct wl_vec *found; /* by device: struct exposed */
};

/* Whether a kernel was launched while the device was idle, in the window. */
static bool may_be_exposed(void *ctx, const struct wl_gap *gap)
{
	const struct grouping *g = ((const struct exposing *)ctx)->grouping;
	const struct wl_trace *t = g->trace;
	struct wl_interval window = g->scope->device[gap->device];

	return gap->after.kind == WL_OP_KERNEL && gap->begin < window.end &&
	       gap->end > window.begin && gap->call != WL_NONE &&
	       wl_api_start(t)[gap->call] + wl_dur(&t->family[WL_F_API], wl_api_dur(t), gap->call) >
		       gap->begin;
}

static void take_gap(void *ctx, const struct wl_gap *gap)
{
	const struct exposing *x = ctx;
	const struct grouping *g = x->grouping;
	struct wl_interval window = g->scope->device[gap->device];
	struct exposed found = { .length = 0 };

	/*
	 * Gaps are found over the whole trace and clipped here, because their causes do not depend
	 * on the window.
	 */
	for (size_t i = 0; i < gap->n_parts; i++) {
		const struct wl_gap_part *p = &gap->part[i];
		wl_ns begin = p->begin > window.begin ? p->begin : window.begin;
		wl_ns end = p->end < window.end ? p->end : window.end;

		if (p->cause == WL_CAUSE_LAUNCH && end > begin)
			found.length += end - begin;
	}
	found.group = group_of(g, gap->after.row);
	if (found.length)
		wl_vec_push(&x->found[gap->device], &found);
}

static bool expose_device(void *ctx, size_t device, struct wl_arena *arena)
{
	struct exposing *x = ctx;
	const struct wl_scope *scope = x->grouping->scope;

	return !scope->device_on[device] ||
	       (wl_idle_visit(x->idle, scope, (uint32_t)device, arena,
			      &(struct wl_gap_visitor){
				      .take = take_gap, .ctx = x, .wants = may_be_exposed }) &&
		!x->found[device].failed);
}

/* The gaps of one device cannot overflow the sum; those of several can. */
static void add_exposed(struct tally *t, wl_ns length)
{
	t->exposed = wl_add_up(t->exposed, length);
}

static bool expose(struct grouping *g, const struct wl_derived *derived)
{
	size_t n = g->trace->n_devices;
	struct exposing x = { .grouping = g,
			      .idle = derived->idle_in_calls,
			      .found = WL_NEW(g->scratch, struct wl_vec, n) };
	bool ok;

	for (size_t d = 0; x.found && d < n; d++)
		wl_vec_init(&x.found[d], sizeof(struct exposed), wl_arena_budget(g->scratch));
	ok = x.found && wl_pool_map(derived->opts.pool, n, expose_device, &x, g->scratch);
	for (size_t d = 0; x.found && d < n; d++) {
		const struct exposed *found = x.found[d].data;

		for (size_t i = 0; ok && i < x.found[d].n; i++)
			add_exposed(&g->tally[found[i].group], found[i].length);
		wl_vec_release(&x.found[d]);
	}
	return ok;
}

/* Divide, rounded to the nearest; halves away from 0. */
static wl_ns mean(wl_ns sum, int64_t n)
{
	wl_ns whole = sum / n, rest = sum % n;

	/* Avoids products and a doubled remainder, which could overflow. */
	if (rest >= n - rest)
		return whole + 1;
	return -rest >= n + rest ? whole - 1 : whole;
}

/* Undo the subtraction of the least value from all values. */
static struct wl_stats shift_back(const struct wl_stats *found, const struct tally *t)
{
	struct wl_stats s = *found;

	s.min += t->latency_min;
	s.max += t->latency_min;
	s.p50 += t->latency_min;
	s.p90 += t->latency_min;
	s.p99 += t->latency_min;
	s.sum = t->latency_sum;
	s.avg = mean(t->latency_sum, t->launched - t->later);
	return s;
}

static bool measure(struct grouping *g, enum measure what, struct wl_pool *pool,
		    struct wl_launch_times *all)
{
	const struct wl_block_spec spec = {
		.n_rows = g->ops.n, .n_groups = g->n_groups, .block = block, .ctx = g, .pool = pool
	};
	const struct wl_stats *stats;

	g->measure = what;
	stats = wl_stats_by_block(&spec, g->scratch);
	for (size_t i = 0; stats && i < g->n_groups; i++) {
		if (stats[i].n == 0)
			continue;
		if (what == OF_API)
			all[i].api = stats[i];
		else if (what == OF_QUEUE)
			all[i].queue = stats[i];
		else
			all[i].latency = shift_back(&stats[i], &g->tally[i]);
	}
	return stats != NULL;
}

/* Move the names that are in the answer to the front. */
static size_t keep_used(const struct grouping *g, struct wl_launch_times *all)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n_groups; i++) {
		const struct tally *t = &g->tally[i];

		if (t->calls == 0 && t->exposed == 0)
			continue;
		all[n] = all[i];
		all[n].name = t->name;
		all[n].library = t->library;
		all[n].calls = t->calls;
		all[n].launched = t->launched;
		all[n].later = t->later;
		all[n].time = t->time;
		all[n].negative = t->negative;
		all[n].exposed = t->exposed;
		for (size_t c = 0; c < WL_N_CALL_COSTS; c++)
			all[n].cost[c] = t->cost[c];
		n++;
	}
	return n;
}

static struct wl_launch_times *find(struct grouping *g, const struct wl_derived *derived,
				    struct wl_arena *arena)
{
	struct wl_launch_times *all;
	const uint32_t *first;

	if (!(g->by ? make_library_groups(g) : make_groups(g)) || !(first = find_first(g)))
		return NULL;
	all = WL_NEW(arena, struct wl_launch_times, g->n_groups);
	g->call = WL_NEW(g->scratch, uint32_t, g->ops.n);
	if (!all || !g->call)
		return NULL;
	count(g, first);
	if (!measure(g, OF_API, derived->opts.pool, all) ||
	    !measure(g, OF_QUEUE, derived->opts.pool, all) ||
	    !measure(g, OF_LATENCY, derived->opts.pool, all) || !expose(g, derived))
		return NULL;
	return all;
}

const struct wl_launch_times *wl_launch_times_find(const struct wl_derived *derived,
						   const struct wl_scope *scope,
						   const struct wl_library_calls *by,
						   struct wl_arena *arena, size_t *ret_n)
{
	struct wl_arena scratch;
	struct grouping g = { .trace = derived->trace,
			      .scope = scope,
			      .links = derived->links,
			      .by = by,
			      .costs = derived->call_costs,
			      .scratch = &scratch,
			      .ops = wl_trace_ops(derived->trace, WL_F_KERNELS) };
	struct wl_launch_times *all;

	wl_arena_init_child(&scratch, arena);
	all = find(&g, derived, arena);
	if (all)
		*ret_n = keep_used(&g, all);
	wl_arena_release(&scratch);
	return all;
}
