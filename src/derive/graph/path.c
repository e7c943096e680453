/* SPDX-License-Identifier: MIT */
#include "derive/graph/path.h"

#include "base/memory/bound.h"
#include "base/memory/vec.h"
#include "derive/calls/call_costs.h"
#include "derive/calls/host_functions.h"
#include "derive/calls/skew.h"
#include "derive/comm/clocks/host_clocks.h"
#include "derive/comm/hosts.h"
#include "derive/derived.h"
#include "derive/kinds/classes.h"

enum { MOST_UNLAUNCHED_NS = 5000 }; /* a longer wait without a launch counts as unknown */

const char *wl_path_class_name(enum wl_path_class class)
{
	static const char *const names[WL_N_PATH_CLASSES] = {
		[WL_PATH_COMPUTE] = "compute",
		[WL_PATH_COMM] = "comm",
		[WL_PATH_TRANSFER] = "transfer",
		[WL_PATH_COPY] = "copy",
		[WL_PATH_HOST] = "host",
		[WL_PATH_API] = "api",
		[WL_PATH_MPI] = "mpi",
		[WL_PATH_RETURN] = "return",
		[WL_PATH_QUEUE] = "queue_full",
		[WL_PATH_LOADING] = "loading",
		[WL_PATH_PROFILER] = "profiler",
		[WL_PATH_CALLBACK] = "callback",
		[WL_PATH_LATENCY] = "latency",
		[WL_PATH_DISPATCH] = "dispatch",
		[WL_PATH_DEPENDENCY] = "dependency",
		[WL_PATH_UNKNOWN] = "unknown",
	};

	return names[class];
}

struct segment {
	wl_ns begin;
	uint32_t activity;
	uint8_t class;
	bool is_inferred, is_rigid;
};

struct walk {
	const struct wl_derived *given;
	const struct wl_graph *g;
	wl_ns first; /* where the walk ends */
	wl_ns at;
	struct wl_vec segments; /* struct segment, in reverse order of the path */
	bool is_inferred;       /* an inferred candidate led here */
};

/* Position of the walk: the start or the end of an activity; WL_NONE for nowhere. */
struct node {
	uint32_t activity;
	bool is_end;
};

/* Assign the time since begin to the activity; whole is the class that it is part of. */
static void add_part(struct walk *w, wl_ns begin, uint32_t activity, enum wl_path_class class,
		     enum wl_path_class whole)
{
	const struct segment segment = { begin > w->first ? begin : w->first, activity,
					 (uint8_t) class, w->is_inferred,
					 wl_path_class_is_rigid(whole) };

	if (segment.begin >= w->at)
		return;
	wl_vec_push(&w->segments, &segment);
	w->at = segment.begin;
}

static void add_segment(struct walk *w, wl_ns begin, uint32_t activity, enum wl_path_class class)
{
	add_part(w, begin, activity, class, class);
}

/* Time that leads up to the start or the end of an activity. */
struct spent {
	uint32_t activity;
	enum wl_path_class class;
	uint32_t call;     /* call whose costs divide the time; WL_NONE */
	uint32_t place[2]; /* places of the streams whose host functions divide it */
	unsigned n_places;
};

/* The same, with the time of a call divided by its costs. */
static void add_call_time(struct walk *w, wl_ns begin, const struct spent *s)
{
	static const enum wl_path_class of[WL_N_CALL_COSTS] = {
		[WL_COST_QUEUE] = WL_PATH_QUEUE,
		[WL_COST_LOADING] = WL_PATH_LOADING,
		[WL_COST_PROFILER] = WL_PATH_PROFILER,
	};
	const struct wl_call_costs *costs = w->given->call_costs;
	uint32_t thread = wl_graph_call_thread(w->g, s->call - w->g->n_ops);
	wl_ns limit = wl_graph_end(w->g, s->call);
	const struct wl_cost_piece *p;

	limit = limit < w->at ? limit : w->at;
	while (limit > begin && (p = wl_call_cost_before(costs, thread, limit)) && p->end > begin) {
		add_segment(w, p->end < limit ? p->end : limit, s->activity, s->class);
		limit = p->begin > begin ? p->begin : begin;
		add_part(w, limit, s->activity, of[p->class], s->class);
	}
	add_segment(w, begin, s->activity, s->class);
}

/* The same, with the time split off for which streams wait for host functions; k is the number of
 * streams done. */
static void add_divided(struct walk *w, wl_ns begin, const struct spent *s, unsigned k)
{
	const struct wl_host_functions *all = w->given->host_functions;
	const struct wl_host_function *f;
	wl_ns limit = w->at;

	if (k == s->n_places) {
		if (s->call != WL_NONE)
			add_call_time(w, begin, s);
		else
			add_segment(w, begin, s->activity, s->class);
		return;
	}
	while (limit > begin && (f = wl_host_function_before(all, s->place[k], limit)) &&
	       f->end > begin) {
		add_divided(w, f->end, s, k + 1);
		limit = f->begin > begin ? f->begin : begin;
		add_part(w, limit, s->activity, WL_PATH_CALLBACK, s->class);
	}
	add_divided(w, begin, s, k + 1);
}

/* Add the time of a call since begin; releaser is the operation that it waited for, or WL_NONE. */
static void add_call(struct walk *w, wl_ns begin, uint32_t call, uint32_t releaser,
		     enum wl_path_class class)
{
	const struct spent s = { .activity = call,
				 .class = class,
				 .call = wl_graph_is_mpi(w->g, call) ? WL_NONE : call,
				 .place = { releaser == WL_NONE ? WL_NONE
								: wl_graph_place(w->g, releaser) },
				 .n_places = releaser != WL_NONE };

	add_divided(w, begin, &s, 0);
}

/* Add the time since an operation was launched. */
static void add_launch(struct walk *w, uint32_t op, uint32_t call, enum wl_path_class class)
{
	const struct spent waits = { .activity = op,
				     .class = class,
				     .call = WL_NONE,
				     .place = { wl_graph_place(w->g, op) },
				     .n_places = 1 };
	const struct spent launches = { .activity = op, .class = class, .call = call };

	if (w->given->host_functions->n)
		add_divided(w, wl_graph_end(w->g, call), &waits, 0);
	add_divided(w, wl_graph_start(w->g, call), &launches, 0);
}

/* Whether a has the smaller rank; without known ranks, the order of processes decides. */
static bool ranks_before(const struct walk *w, uint32_t a, uint32_t b)
{
	const int64_t *rank = w->given->ranks->of;
	uint32_t pa = wl_graph_process(w->g, a), pb = wl_graph_process(w->g, b);

	return rank[pa] != rank[pb] ? rank[pa] < rank[pb] : pa < pb;
}

/* A thing that an operation waited for, and when it was done. */
struct candidate {
	wl_ns at;
	uint32_t activity; /* for a launch, the call */
	enum { BY_EVENT, BY_DEFAULT, BY_STREAM, BY_LAUNCH, BY_INFERENCE } by;
	bool is_end;
};

static uint32_t stream_of(const struct wl_graph *g, uint32_t op)
{
	return g->trace->places[wl_graph_place(g, op)].stream;
}

/* Whether to follow a rather than b, which is at the same time. */
static bool goes_first(const struct walk *w, const struct candidate *a, const struct candidate *b)
{
	uint32_t sa, sb;

	if (a->by != b->by)
		return a->by < b->by;
	sa = stream_of(w->g, a->activity);
	sb = stream_of(w->g, b->activity);
	if (sa != sb)
		return sa < sb;
	return a->activity < b->activity;
}

static void consider(const struct walk *w, struct candidate *best, struct candidate c)
{
	if (best->activity == WL_NONE || c.at > best->at ||
	    (c.at == best->at && goes_first(w, &c, best)))
		*best = c;
}

static void consider_previous(const struct walk *w, uint32_t op, struct candidate *best)
{
	uint32_t before = w->g->previous[op];
	bool is_end;

	if (before == WL_NONE)
		return;
	is_end = wl_graph_end(w->g, before) <= wl_graph_start(w->g, op);
	consider(w, best,
		 (struct candidate){ is_end ? wl_graph_end(w->g, before)
					    : wl_graph_start(w->g, before),
				     before, BY_STREAM, is_end });
}

/* False if no launch could have released it. */
static bool consider_launch(const struct walk *w, uint32_t op, struct candidate *best)
{
	const struct wl_graph *g = w->g;
	uint32_t row = wl_graph_launch(g, op);
	wl_ns begin, latency, least;

	if (row == WL_NONE || g->n_calls == 0)
		return false;
	begin = wl_graph_call_start(g, row);
	latency = wl_graph_start(g, op) - begin;
	if (latency < 0)
		return false;
	least = g->latency[wl_graph_process(g, op)];
	consider(w, best,
		 (struct candidate){ begin + (latency < least ? latency : least),
				     wl_graph_call(g, row), BY_LAUNCH, false });
	return true;
}

static const enum wl_path_class class_between[] = {
	[BY_EVENT] = WL_PATH_DEPENDENCY,     [BY_STREAM] = WL_PATH_DISPATCH,
	[BY_LAUNCH] = WL_PATH_LATENCY,       [BY_DEFAULT] = WL_PATH_DEPENDENCY,
	[BY_INFERENCE] = WL_PATH_DEPENDENCY,
};

/* Go from the start of an operation to the candidate that released it. */
static struct node leave_op(struct walk *w, uint32_t op)
{
	static const unsigned char by_edge[WL_N_EDGES] = {
		[WL_EDGE_EVENT] = BY_EVENT,
		[WL_EDGE_DEFAULT] = BY_DEFAULT,
		[WL_EDGE_INFERRED] = BY_INFERENCE,
	};
	const struct wl_graph *g = w->g;
	struct candidate best = { .activity = WL_NONE };
	enum wl_path_class class;
	bool is_launched;

	consider_previous(w, op, &best);
	for (uint32_t i = g->edge_first[op]; i < g->edge_first[op + 1]; i++)
		consider(w, &best,
			 (struct candidate){ wl_graph_end(g, g->edge_from[i]), g->edge_from[i],
					     by_edge[g->edge_kind[i]], true });
	is_launched = consider_launch(w, op, &best);
	if (best.activity == WL_NONE)
		return (struct node){ WL_NONE, false };
	class = class_between[best.by];
	if (best.by == BY_LAUNCH) {
		uint32_t outer = wl_graph_call(g, g->outer[best.activity - g->n_ops]);

		add_launch(w, op, best.activity, class);
		add_call(w, wl_graph_start(g, outer), outer, WL_NONE, WL_PATH_API);
		return (struct node){ outer, false };
	}
	if (!is_launched && w->at - best.at > MOST_UNLAUNCHED_NS)
		class = WL_PATH_UNKNOWN;
	w->is_inferred = best.by == BY_INFERENCE;
	add_divided(w, best.at,
		    &(struct spent){
			    .activity = op,
			    .class = class,
			    .call = WL_NONE,
			    .place = { wl_graph_place(g, op), wl_graph_place(g, best.activity) },
			    .n_places = best.by == BY_STREAM ? 1U : 2U },
		    0);
	return (struct node){ best.activity, best.is_end };
}

/* Go from the start of a call to the end of the call before it. */
static struct node leave_call(struct walk *w, uint32_t call)
{
	const struct wl_graph *g = w->g;
	uint32_t row = call - g->n_ops, by = g->call_before[row], wake = g->wake[row];

	if (wake != WL_NONE && (by == WL_NONE || wl_graph_end(g, wl_graph_call(g, wake)) >
							 wl_graph_end(g, wl_graph_call(g, by)))) {
		by = wake;
		w->is_inferred = true;
	}
	if (by == WL_NONE)
		return (struct node){ WL_NONE, false };
	add_segment(w, wl_graph_end(g, wl_graph_call(g, by)), call, WL_PATH_HOST);
	return (struct node){ wl_graph_call(g, by), true };
}

/* The possible error between two clocks; zero on one host. */
static wl_ns error_between(const struct walk *w, uint32_t a, uint32_t b)
{
	const uint32_t *host = w->given->hosts->of;

	return host[wl_graph_process(w->g, a)] == host[wl_graph_process(w->g, b)]
		       ? 0
		       : w->given->host_clocks->error;
}

/* The member of a matched collective that arrived last before this one left. */
static uint32_t last_to_arrive(const struct walk *w, uint32_t activity)
{
	const struct wl_graph *g = w->g;
	const struct wl_meet_slot *slot = &g->slot[wl_graph_slot(g, activity)];
	const struct wl_meet_slot *all = g->slot + g->meeting[slot->meeting].lo;
	uint32_t last = all[slot->released - 1].activity;
	wl_ns arrival = wl_graph_start(g, last);

	if (arrival - wl_graph_start(g, activity) <= error_between(w, activity, last))
		return activity;
	for (uint32_t i = slot->released - 1;
	     i > 0 && wl_graph_start(g, all[i - 1].activity) == arrival; i--) {
		if (ranks_before(w, all[i - 1].activity, last))
			last = all[i - 1].activity;
	}
	return last;
}

static enum wl_path_class class_of(const struct walk *w, uint32_t activity)
{
	static const enum wl_path_class of[WL_N_CLASSES] = {
		[WL_COMPUTE] = WL_PATH_COMPUTE,
		[WL_COMM] = WL_PATH_COMM,
		[WL_COPY] = WL_PATH_COPY,
	};
	enum wl_op_kind kind;

	if (activity >= w->g->n_ops)
		return wl_graph_is_mpi(w->g, activity) ? WL_PATH_MPI : WL_PATH_API;
	kind = wl_graph_kind(w->g, activity);
	return of[wl_class_of(w->g->trace, w->given->classes, wl_op_families[kind],
			      activity - w->g->first[kind])];
}

/* Go from the end of an activity to its start, unless another activity released its end. */
static struct node enter(struct walk *w, uint32_t activity)
{
	const struct wl_graph *g = w->g;
	uint32_t room = wl_graph_room(g, activity);
	struct node to = { activity, false };

	if (wl_graph_slot(g, activity) != WL_NONE) {
		to.activity = last_to_arrive(w, activity);
		add_segment(w, wl_graph_start(g, to.activity), activity, WL_PATH_TRANSFER);
	} else if (activity >= g->n_ops && g->releaser[activity - g->n_ops] != WL_NONE &&
		   wl_graph_end(g, g->releaser[activity - g->n_ops]) >=
			   wl_graph_start(g, activity)) {
		to = (struct node){ g->releaser[activity - g->n_ops], true };
		add_call(w, wl_graph_end(g, to.activity), activity, to.activity, WL_PATH_RETURN);
	} else if (room != WL_NONE) {
		to.activity = room;
		add_call(w, wl_graph_start(g, room), activity, WL_NONE, WL_PATH_RETURN);
	} else if (activity >= g->n_ops) {
		add_call(w, wl_graph_start(g, activity), activity, g->releaser[activity - g->n_ops],
			 class_of(w, activity));
	} else {
		add_segment(w, wl_graph_start(g, activity), activity, class_of(w, activity));
	}
	w->is_inferred = false;
	return to;
}

/* The operation that ends last in the window; the walk begins there. */
static uint32_t find_last(const struct walk *w)
{
	struct candidate best = { .activity = WL_NONE };

	for (unsigned kind = 0; kind < WL_N_OP_FAMILIES; kind++) {
		const struct wl_ops *ops = &w->g->ops[kind];

		for (uint32_t i = 0; i < ops->n; i++) {
			if (ops->start[i] + wl_dur(ops->family, ops->dur, i) == w->at)
				consider(w, &best,
					 (struct candidate){ w->at, w->g->first[kind] + i,
							     BY_STREAM, true });
		}
	}
	return best.activity;
}

/*
 * Times never increase on the way, and no node repeats unless activities of zero length wait for
 * each other in a cycle. In that case, and if nothing releases an activity, the rest is unknown.
 */
static void walk_back(struct walk *w)
{
	size_t most = 2 * ((size_t)w->g->n_ops + w->g->n_calls);
	struct node at = { find_last(w), true };
	uint32_t last = at.activity;

	for (size_t i = 0; i <= most && w->at > w->first && at.activity != WL_NONE; i++) {
		last = at.activity;
		if (at.is_end)
			at = enter(w, last);
		else
			at = last < w->g->n_ops ? leave_op(w, last) : leave_call(w, last);
	}
	w->is_inferred = false;
	add_segment(w, w->first, last, WL_PATH_UNKNOWN);
}

/* Copy the segments from the vector to the arena, in order of time. */
static bool keep(const struct walk *w, struct wl_arena *arena, struct wl_path *path)
{
	const struct segment *segment = w->segments.data;
	size_t n = w->segments.n;
	wl_ns *begin = WL_NEW(arena, wl_ns, n + 1);
	uint8_t *class = WL_NEW(arena, uint8_t, n);
	uint32_t *activity = WL_NEW(arena, uint32_t, n);
	bool *is_inferred = WL_NEW(arena, bool, n);

	if (w->segments.failed || !begin || !class || !activity || !is_inferred)
		return false;
	begin[n] = path->window.end;
	for (size_t i = 0; i < n; i++) {
		const struct segment *s = &segment[i];
		size_t at = n - 1 - i;
		wl_ns length = begin[at + 1] - s->begin;

		assert(length > 0);
		begin[at] = s->begin;
		class[at] = s->class;
		activity[at] = s->activity;
		is_inferred[at] = s->is_inferred;
		path->time[s->class] += length;
		path->inferred += s->is_inferred ? length : 0;
		path->rigid += s->is_rigid ? length : 0;
	}
	assert(begin[0] == path->window.begin);
	path->n = n;
	path->begin = begin;
	path->class = class;
	path->activity = activity;
	path->is_inferred = is_inferred;
	return true;
}

static struct wl_interval window_of(const struct wl_graph *g)
{
	struct wl_interval window = { INT64_MAX, INT64_MIN };

	for (unsigned kind = 0; kind < WL_N_OP_FAMILIES; kind++) {
		const struct wl_ops *ops = &g->ops[kind];

		for (size_t i = 0; i < ops->n; i++) {
			wl_ns start = ops->start[i], end = start + wl_dur(ops->family, ops->dur, i);

			window.begin = start < window.begin ? start : window.begin;
			window.end = end > window.end ? end : window.end;
		}
	}
	return g->n_ops ? window : (struct wl_interval){ 0, 0 };
}

static bool count_skewed(const struct wl_derived *given, struct wl_arena *arena,
			 struct wl_path *path)
{
	struct wl_arena scratch;
	const bool *skewed;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	skewed = wl_skew_find(given->trace, given->links, &scratch);
	ok = skewed != NULL;
	for (size_t i = 0; ok && i < given->trace->n_processes; i++)
		path->n_skewed += skewed[i];
	wl_arena_release(&scratch);
	return ok;
}

bool wl_path_find(const struct wl_derived *given, struct wl_arena *arena, struct wl_path *ret)
{
	const struct wl_graph *g = given->graph;
	const struct wl_graph_counts *c = &g->counts;
	struct walk w = { .given = given, .g = g };
	bool ok;

	*ret = (struct wl_path){ .graph = g,
				 .window = window_of(g),
				 .n_violations = c->violations + c->negative + c->late,
				 .n_activities = g->n_order,
				 .has_clashing_hosts = given->host_clocks->is_refused };
	w.first = ret->window.begin;
	w.at = ret->window.end;
	wl_vec_init(&w.segments, sizeof(struct segment), wl_arena_budget(arena));
	if (g->n_ops)
		walk_back(&w);
	ok = keep(&w, arena, ret) && count_skewed(given, arena, ret);
	wl_vec_release(&w.segments);
	return ok;
}

enum wl_path_trust wl_path_trust(const struct wl_path *path)
{
	wl_ns all = path->window.end - path->window.begin;
	wl_ns unknown = path->time[WL_PATH_UNKNOWN];

	if (path->n_skewed || path->has_clashing_hosts || unknown > all / 10 ||
	    path->n_violations > path->n_activities / 10)
		return WL_PATH_REFUSED;
	if (unknown > all / 100 || path->n_violations > path->n_activities / 1000)
		return WL_PATH_DOUBTFUL;
	return WL_PATH_SOUND;
}

size_t wl_path_at(const struct wl_path *path, wl_ns t)
{
	return WL_UPTO(path->begin, path->n, t) - 1;
}
