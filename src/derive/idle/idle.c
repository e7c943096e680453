/* SPDX-License-Identifier: MIT */
#include "derive/idle/idle.h"

#include "derive/calls/skew.h"
#include "derive/derived.h"
#include "derive/idle/idle_parts.h"

const char *wl_cause_name(enum wl_cause cause)
{
	static const char *const names[WL_N_CAUSES] = {
		[WL_CAUSE_MANAGED] = "managed",   [WL_CAUSE_UNKNOWN] = "unknown",
		[WL_CAUSE_PROFILER] = "profiler", [WL_CAUSE_CALLBACK] = "callback",
		[WL_CAUSE_DISPATCH] = "dispatch", [WL_CAUSE_DEPENDENCY] = "dependency",
		[WL_CAUSE_LAUNCH] = "launch",     [WL_CAUSE_LATENCY] = "latency",
		[WL_CAUSE_SYNC] = "sync",         [WL_CAUSE_MPI] = "mpi",
		[WL_CAUSE_ALLOC] = "alloc",       [WL_CAUSE_LOAD] = "load",
		[WL_CAUSE_API] = "api",           [WL_CAUSE_OS] = "os",
		[WL_CAUSE_HOST] = "host",         [WL_CAUSE_UNUSED] = "unused",
	};

	return names[cause];
}

bool wl_cause_is_host_side(enum wl_cause cause)
{
	return cause == WL_CAUSE_LAUNCH || cause == WL_CAUSE_LATENCY || cause == WL_CAUSE_API ||
	       cause == WL_CAUSE_OS || cause == WL_CAUSE_HOST;
}

const char *wl_gap_opened_by(const struct wl_trace *trace, const struct wl_gap *gap)
{
	const uint32_t *name = wl_api_name(trace);

	if (gap->opener == WL_NONE || name[gap->opener] == WL_NONE)
		return NULL;
	return wl_str(trace, name[gap->opener]);
}

static const bool *find_os(const struct wl_idle *idle, struct wl_arena *arena)
{
	const struct wl_trace *t = idle->trace;
	bool *sees_os = WL_NEW(arena, bool, t->n_processes);

	for (size_t i = 0; sees_os && i < t->n_threads; i++) {
		if (idle->rows.os.list[i].lo < idle->rows.os.list[i].hi)
			sees_os[t->threads[i].process] = true;
	}
	return sees_os;
}

bool wl_idle_in_calls_find(const struct wl_derived *given, struct wl_arena *arena,
			   struct wl_idle *ret)
{
	const struct wl_trace *t = given->trace;

	*ret = (struct wl_idle){ .trace = t,
				 .links = given->links,
				 .costs = given->call_costs,
				 .functions = given->host_functions };
	ret->skewed = wl_skew_find(t, ret->links, arena);
	ret->sees_os = WL_NEW(arena, bool, t->n_processes);
	return ret->skewed && ret->sees_os &&
	       wl_host_calls_make(t, given->blocking, arena, &ret->rows) &&
	       wl_managed_find(t, ret->skewed, arena, &ret->managed);
}

bool wl_idle_find(const struct wl_derived *given, struct wl_arena *arena, struct wl_idle *ret)
{
	/*
	 * The lists of calls are shared, not copied: both results live in the arena of the
	 * derivations.
	 */
	*ret = *given->idle_in_calls;
	ret->forest = given->forest;
	ret->names = given->range_names;
	ret->mpi = given->mpi_calls->any ? given->mpi_calls : NULL;
	if (!wl_host_os_make(&ret->rows, arena))
		return false;
	ret->sees_os = find_os(ret, arena);
	return ret->sees_os != NULL;
}

bool wl_idle_is_skewed(const struct wl_idle *idle, uint32_t process)
{
	return idle->skewed[process];
}

wl_ns wl_idle_skew(const struct wl_idle *idle, uint32_t process)
{
	return wl_skew_mean(idle->trace, idle->links, process);
}

bool wl_idle_sees_os(const struct wl_idle *idle, uint32_t process)
{
	return idle->sees_os[process];
}

/* Operations that start together. */
struct together {
	bool any, has_length; /* has_length: any of them has a length */
	wl_ns start, end;     /* the latest end */
	struct wl_op first;   /* the one that represents all of them */
	struct wl_op last;    /* the one that represents those that end last */
};

/* One pass over a device's operations in order of start. */
struct gap_finder {
	const struct wl_trace *trace;
	struct wl_explaining explaining;
	const struct wl_gap_visitor *visitor;
	uint32_t device;
	bool began;
	wl_ns until;           /* the device is busy, or was busy, until then */
	struct wl_op before;   /* the operation that ended there */
	struct together loose; /* the latest operations without length after that */
};

static void join(const struct wl_trace *t, struct together *g, const struct wl_op *op)
{
	if (!g->any) {
		*g = (struct together){ true, op->end > op->start, op->start, op->end, *op, *op };
		return;
	}
	if (wl_op_counts_first(t, op, &g->first))
		g->first = *op;
	if (op->end > g->end || (op->end == g->end && wl_op_counts_first(t, op, &g->last))) {
		g->end = op->end;
		g->last = *op;
	}
	g->has_length = g->has_length || op->end > op->start;
}

/* Without an activity, every gap is. */
static bool is_in_window(const struct gap_finder *f, const struct wl_gap *gap)
{
	const struct wl_gap_visitor *v = f->visitor;

	return !v->activity || (gap->begin < v->window.end && gap->end > v->window.begin);
}

static bool end_gap(struct gap_finder *f, const struct together *g)
{
	struct wl_gap gap = { .device = f->device,
			      .begin = f->until,
			      .end = g->start,
			      .before = f->before,
			      .after = g->first };

	if (!is_in_window(f, &gap))
		return true;
	gap.call = wl_link_of(f->explaining.idle->links, g->first.kind, g->first.row);
	if (f->visitor->wants && !f->visitor->wants(f->visitor->ctx, &gap))
		return true;
	if (!wl_explain(&f->explaining, &gap))
		return false;
	gap.part = f->explaining.parts.data;
	gap.n_parts = f->explaining.parts.n;
	f->visitor->take(f->visitor->ctx, &gap);
	return true;
}

/* Called when no more operations start with these. */
static bool add_gap(struct gap_finder *f, const struct together *g)
{
	bool is_after = f->began && g->start > f->until;

	/*
	 * An operation without length inside a gap does not cut it. Only the last such operations
	 * count, if no operation with a length follows.
	 */
	if (is_after && !g->has_length) {
		f->loose = *g;
		return true;
	}
	if (is_after && !end_gap(f, g))
		return false;
	/*
	 * If several operations end together, the first by stream and row is the one before the
	 * gap; the result does not depend on the order of rows.
	 */
	if (!f->began || g->end > f->until ||
	    (g->end == f->until && wl_op_counts_first(f->trace, &g->last, &f->before))) {
		f->until = g->end;
		f->before = g->last;
	}
	f->began = true;
	return true;
}

/*
 * Where a walk over operations begins: no gap that ends by then is visited, and operations that
 * began before also ended before and do not affect later gaps.
 */
static void begin_gaps(const struct gap_finder *f, struct wl_op_cursor *cursor)
{
	const struct wl_gap_visitor *v = f->visitor;

	wl_ops_begin(f->trace, f->device, cursor);
	if (v->activity)
		wl_ops_skip(cursor, wl_activity_resumed(v->activity, v->window.begin));
}

/* All further gaps begin after the window. */
static bool is_past(const struct gap_finder *f)
{
	return f->visitor->activity && f->began && f->until >= f->visitor->window.end;
}

static bool find_gaps(struct gap_finder *f, const struct wl_scope *scope)
{
	struct together g = { .any = false };
	struct wl_op_cursor cursor;
	struct wl_op op;

	begin_gaps(f, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		if (!scope->place_on[op.place])
			continue;
		if (g.any && op.start > g.start) {
			if (!add_gap(f, &g))
				return false;
			if (is_past(f))
				return true;
			g.any = false;
		}
		join(f->trace, &g, &op);
	}
	if (g.any && !add_gap(f, &g))
		return false;
	return !f->loose.any || f->loose.start <= f->until || end_gap(f, &f->loose);
}

bool wl_idle_visit(const struct wl_idle *idle, const struct wl_scope *scope, uint32_t device,
		   struct wl_arena *arena, const struct wl_gap_visitor *visitor)
{
	struct gap_finder f = { .trace = idle->trace, .visitor = visitor, .device = device };
	bool ok;

	wl_explaining_init(&f.explaining, idle, wl_arena_budget(arena));
	ok = find_gaps(&f, scope);
	wl_explaining_release(&f.explaining);
	return ok;
}

bool wl_device_extent(const struct wl_trace *trace, const struct wl_scope *scope, uint32_t device,
		      struct wl_interval *ret)
{
	struct wl_op_cursor cursor;
	struct wl_op op;
	bool any = false;

	wl_ops_begin(trace, device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		if (!scope->place_on[op.place])
			continue;
		if (!any)
			*ret = (struct wl_interval){ op.start, op.end };
		else if (op.end > ret->end)
			ret->end = op.end;
		any = true;
	}
	return any;
}
