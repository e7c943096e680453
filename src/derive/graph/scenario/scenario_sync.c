/* SPDX-License-Identifier: MIT */
/* scenario_sync.c - the scenario in which calls do not wait for the GPU. */
#include "base/text/pattern.h"
#include "derive/comm/collectives.h"
#include "derive/derived.h"
#include "derive/graph/scenario/scenario_parts.h"
#include "known/exports/codes.h"

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "not enough memory for the replay");
}

/* Calls with a matching name that no longer wait, and calls that merely continue their waits. */
struct unsynced {
	struct wl_whatif *w;
	const struct wl_graph *g;
	const struct wl_pattern *pattern;
	const bool *is_kept; /* by call: wl_waits_for_messages() */
	uint32_t *gone;      /* by thread: the operation that it last waited for and no longer does;
				WL_NONE */
	size_t n;            /* number of calls with the name */
	bool *is_gone;       /* by call: it no longer waits */
};

/* Make a call not wait; only its return remains. */
static void stop_waiting(struct wl_whatif *w, uint32_t p, wl_ns least)
{
	w->n_changed += !w->changes.lone[p];
	w->changes.lone[p] = 1;
	if (wl_changed_length(w, p) > least)
		wl_set_length(w, p, least);
}

/*
 * If nothing was launched in between, a call that waits for the same operation as the one before it
 * is part of that wait; if kept, it would only wait in its place.
 */
static void pass_no_sync(struct unsynced *u, uint32_t p)
{
	const struct wl_trace *t = u->g->trace;
	uint32_t call = u->w->plan->activity[p] - u->g->n_ops, op;
	uint32_t *gone = &u->gone[wl_graph_call_thread(u->g, call)];
	bool is_named;

	if (u->w->does[p] == WL_DOES_LAUNCH)
		*gone = WL_NONE;
	if (u->w->does[p] != WL_DOES_BLOCK)
		return;
	op = u->g->releaser[call];
	is_named = wl_pattern_matches(u->pattern, wl_str(t, wl_api_name(t)[call]));
	u->n += is_named;
	if (!is_named && (op == WL_NONE || op != *gone || u->is_kept[call])) {
		*gone = WL_NONE;
		return;
	}
	*gone = op;
	u->is_gone[call] = true;
	stop_waiting(u->w, p, u->g->back[wl_graph_call_process(u->g, call)]);
}

/* With more lanes, no table of their waits is made, and each operation needs its own wait. */
enum { MOST_LANES = 2048 };

enum how { RECORDED = 1, INFERRED = 2 };

/*
 * What a host wait orders besides the host: later launches on other streams, which may need what it
 * waited for. If no event or default stream also orders them, the replay lets them begin before
 * their data is ready.
 */
struct ordering {
	const struct wl_whatif *w;
	const struct wl_graph *g;
	const bool *is_gone;
	uint32_t *since; /* by thread: the call that waited last, if it no longer waits; WL_NONE */
	uint32_t *after; /* by call: value of since when it launched */
	uint32_t *lane;  /* by call: lane of an operation that it launched; WL_NONE */
	bool *is_open;   /* by call: nothing else orders what it ordered */
	uint32_t *ordered; /* by lane: the call after which its operations are ordered by something
			      else */
	uint8_t *waits;    /* by pair of lanes: how the second waits for the first; may be NULL */
};

static uint32_t lane_of(const struct wl_graph *g, uint32_t op)
{
	return g->lane[wl_graph_place(g, op)];
}

static uint8_t *waits_of(const struct ordering *o, uint32_t from, uint32_t lane)
{
	return o->waits ? &o->waits[(size_t)from * o->g->n_lanes + lane] : NULL;
}

static void find_waits(struct ordering *o)
{
	const struct wl_graph *g = o->g;

	for (uint32_t op = 0; o->waits && op < g->n_ops; op++) {
		for (uint32_t e = g->edge_first[op]; e < g->edge_first[op + 1]; e++)
			*waits_of(o, lane_of(g, g->edge_from[e]), lane_of(g, op)) |=
				g->edge_kind[e] == WL_EDGE_INFERRED ? INFERRED : RECORDED;
	}
}

static void pass_call_of(struct ordering *o, uint32_t p)
{
	uint32_t row = o->w->plan->activity[p] - o->g->n_ops;
	uint32_t *since = &o->since[wl_graph_call_thread(o->g, row)];

	if (o->w->does[p] == WL_DOES_BLOCK)
		*since = o->is_gone[row] && o->g->releaser[row] != WL_NONE ? row : WL_NONE;
	/* MPI transfers or waits for GPU results. */
	else if (o->w->does[p] == WL_DOES_MPI && *since != WL_NONE)
		o->is_open[*since] = true;
	o->after[row] = *since;
	/*
	 * Work launched after more work on the awaited stream needs that work, which no host wait
	 * orders.
	 */
	if (o->w->does[p] == WL_DOES_LAUNCH && *since != WL_NONE &&
	    o->lane[row] == lane_of(o->g, o->g->releaser[*since]))
		*since = WL_NONE;
}

/* The call that waited before the launch of an operation and no longer does; WL_NONE. */
static uint32_t call_before(const struct ordering *o, uint32_t op)
{
	uint32_t row = wl_graph_launch(o->g, op);

	return row != WL_NONE && o->g->n_calls ? o->after[o->g->outer[row]] : WL_NONE;
}

static bool is_ordered(const struct ordering *o, uint32_t op, uint32_t call)
{
	const struct wl_graph *g = o->g;
	uint32_t lane = lane_of(g, op), awaited = lane_of(g, g->releaser[call]);

	if (lane == awaited || o->ordered[lane] == call ||
	    (o->waits && *waits_of(o, awaited, lane) & RECORDED))
		return true;
	for (uint32_t e = g->edge_first[op]; e < g->edge_first[op + 1]; e++) {
		uint32_t from = lane_of(g, g->edge_from[e]);

		if (from == awaited || o->ordered[from] == call)
			return true;
	}
	return false;
}

/*
 * Copies to the GPU and memory sets read nothing that the GPU computed, and ranks usually gather or
 * broadcast parameters. Other communication sends results. A kernel may read results if its stream
 * waits for the other stream elsewhere.
 */
static bool reads_results(const struct ordering *o, uint32_t op, uint32_t call)
{
	const struct wl_graph *g = o->g;
	enum wl_op_kind kind = wl_graph_kind(g, op);
	uint32_t row = op - g->first[kind];
	const uint8_t *copy = wl_memcpys_kind(g->trace);
	enum wl_collective of;

	if (kind == WL_OP_MEMSET || (kind == WL_OP_MEMCPY && copy && copy[row] == WL_COPY_H2D))
		return false;
	if (wl_class_of(g->trace, o->w->given->classes, wl_op_families[kind], row) != WL_COMM)
		return o->waits &&
		       *waits_of(o, lane_of(g, g->releaser[call]), lane_of(g, op)) & INFERRED;
	of = wl_collective_of(g->trace, o->w->given->collectives, wl_op_families[kind], row);
	return of != WL_ALL_GATHER && of != WL_BROADCAST;
}

static void pass_op_of(struct ordering *o, uint32_t op)
{
	uint32_t call = call_before(o, op);

	if (call == WL_NONE)
		return;
	if (is_ordered(o, op, call))
		o->ordered[lane_of(o->g, op)] = call;
	else if (reads_results(o, op, call))
		o->is_open[call] = true;
}

static void find_launched(struct ordering *o)
{
	for (uint32_t op = 0; op < o->g->n_ops; op++) {
		uint32_t row = wl_graph_launch(o->g, op);

		if (row != WL_NONE && o->g->n_calls)
			o->lane[o->g->outer[row]] = lane_of(o->g, op);
	}
}

static bool begin_ordering(struct ordering *o, struct wl_arena *scratch)
{
	const struct wl_graph *g = o->g;

	o->since = WL_NEW(scratch, uint32_t, g->trace->n_threads);
	o->after = WL_NEW(scratch, uint32_t, g->n_calls);
	o->lane = WL_NEW(scratch, uint32_t, g->n_calls);
	o->is_open = WL_NEW(scratch, bool, g->n_calls);
	o->ordered = WL_NEW(scratch, uint32_t, g->n_lanes);
	if (g->n_lanes <= MOST_LANES)
		o->waits = WL_NEW(scratch, uint8_t, g->n_lanes * g->n_lanes);
	if (!o->since || !o->after || !o->lane || !o->is_open || !o->ordered ||
	    (g->n_lanes <= MOST_LANES && !o->waits))
		return false;
	for (size_t i = 0; i < g->trace->n_threads; i++)
		o->since[i] = WL_NONE;
	for (size_t i = 0; i < g->n_calls; i++)
		o->after[i] = o->lane[i] = WL_NONE;
	for (size_t i = 0; i < g->n_lanes; i++)
		o->ordered[i] = WL_NONE;
	find_waits(o);
	find_launched(o);
	return true;
}

/*
 * Count the calls that no longer wait but were the only order of something, as far as the trace
 * shows. A few, as at the start of a run, do not change the forecast.
 */
static bool bound(struct wl_whatif *w, const bool *is_gone, struct wl_arena *scratch)
{
	enum { HUNDREDTH = 100 };
	struct ordering o = { .w = w, .g = w->plan->graph, .is_gone = is_gone };
	size_t n_gone = 0, n_open = 0;

	if (!begin_ordering(&o, scratch))
		return false;
	for (uint32_t i = 0; i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		if (w->plan->flags[p] & WL_PLAN_CALL)
			pass_call_of(&o, p);
		else
			pass_op_of(&o, w->plan->activity[p]);
	}
	for (uint32_t i = 0; i < o.g->n_calls; i++) {
		n_gone += is_gone[i];
		n_open += o.is_open[i];
	}
	if (n_open == 0 || HUNDREDTH * n_open < n_gone)
		return true;
	if (w->forecast == WL_PREDICTION)
		w->forecast = WL_UPPER_BOUND;
	w->remark = (struct wl_whatif_remark){ .kind = WL_REMARK_ONLY_ORDER,
					       .n = n_open,
					       .of_n = n_gone };
	return true;
}

/* Calls of a thread come in order. */
static int stop_syncs(struct unsynced *u, struct wl_err *reterr)
{
	struct wl_whatif *w = u->w;
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, w->arena);
	u->gone = WL_NEW(&scratch, uint32_t, u->g->trace->n_threads);
	u->is_gone = WL_NEW(&scratch, bool, u->g->n_calls);
	u->is_kept = wl_waits_for_messages(w, &scratch);
	ok = u->gone && u->is_gone && u->is_kept && wl_change_ends(w) && wl_change_lengths(w);
	for (size_t i = 0; ok && i < u->g->trace->n_threads; i++)
		u->gone[i] = WL_NONE;
	for (uint32_t i = 0; ok && i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		if (w->plan->flags[p] & WL_PLAN_CALL)
			pass_no_sync(u, p);
	}
	ok = ok && bound(w, u->is_gone, &scratch);
	wl_arena_release(&scratch);
	return ok ? WL_OK : no_memory(reterr);
}

int wl_apply_no_sync(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	struct wl_pattern pattern = { .part = NULL };
	struct unsynced u = { .w = w, .g = w->plan->graph, .pattern = &pattern };
	int r = wl_pattern_init(&pattern, ask->what, reterr);

	if (r == WL_OK)
		r = stop_syncs(&u, reterr);
	wl_pattern_release(&pattern);
	if (r == WL_OK && u.n == 0)
		return wl_fail(reterr, WL_E_NOMATCH,
			       "no call that waits for the GPU is called \"%.100s\"; \"warplens "
			       "sync\" lists them",
			       ask->what);
	return r;
}
