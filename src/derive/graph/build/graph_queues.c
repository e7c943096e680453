/* SPDX-License-Identifier: MIT */
/*
 * graph_queues.c - full launch queues: finds the operation that made room for a launch.
 *
 * The driver queues a limited number of launches per context; the next call waits until the GPU has
 * begun the first of them. Such a call ends shortly after the start of an operation launched a
 * certain number of launches earlier. This number is nearly constant and never larger.
 */
#include "base/memory/sort.h"
#include "derive/calls/blocking.h"
#include "derive/derived.h"
#include "derive/graph/build/graph_pairs.h"
#include "derive/graph/build/graph_parts.h"
#include "derive/rows/scope.h"

enum {
	LEAST_DEPTH = 16,       /* no queue is shorter */
	MOST_RETURN_NS = 50000, /* limit from the start that made room to the end of the call */
	FEWEST = 10,            /* fewest calls to learn from */
	MOST_CHANCE = 3,        /* as for pairs of streams (graph_pairs.c) */
	LEAST_GAIN = 10,
	SPREAD = 100,      /* depths vary by 1/SPREAD, because not everything that fills a queue is
			      recorded */
	MOST_DEEPER = 100, /* at most one call in this many may end before there was room */
	FEW_USUAL = 20,
	CROWD = 64, /* this many operations between a call and its own operation may be a full queue
		     */
};

/* The launches of a context, numbered in the order of their correlation ids. */
struct queue {
	const struct wl_graph *g;
	const struct wl_graph_making *m;
	uint32_t *op;       /* by launch: its operation that starts first */
	uint32_t *by_start; /* launches by start of that operation */
	uint32_t n;
	struct wl_launch_queue learned;
	wl_ns usual; /* length of a call while the queue is not full */
};

/* Whether a call may be held: it does not block and has no known wait. */
static bool may_be_held(const struct wl_graph_making *m, uint32_t call)
{
	return call < m->to->first_call[1] && m->to->releaser[call] == WL_NONE &&
	       m->given->blocking->call[call] == WL_BLOCKS_NOT;
}

static wl_ns call_length(const struct wl_graph *g, uint32_t call)
{
	return wl_graph_length(g, wl_graph_call(g, call));
}

/* The outermost call that made a launch; WL_NONE if it is unknown or cannot be held. */
static uint32_t call_of(const struct wl_graph_making *m, uint32_t op)
{
	uint32_t row = wl_graph_launch(m->to, op), outer;

	if (row == WL_NONE)
		return WL_NONE;
	outer = m->to->outer[row];
	return may_be_held(m, row) && may_be_held(m, outer) ? outer : WL_NONE;
}

static uint32_t context_of(const struct wl_graph_making *m, uint32_t op)
{
	return m->context[m->to->lane[wl_graph_place(m->to, op)]];
}

static uint32_t corr_of(const struct wl_graph *g, uint32_t op)
{
	enum wl_op_kind kind = wl_graph_kind(g, op);
	const uint32_t *corr = g->ops[kind].corr;

	return corr ? corr[op - g->first[kind]] : WL_NONE;
}

static wl_ns start_of(const struct queue *q, uint32_t launch)
{
	return wl_graph_start(q->g, q->op[launch]);
}

struct moment {
	const struct queue *q;
	wl_ns at;
};

static bool starts_by(const void *ctx, size_t i)
{
	const struct moment *m = ctx;

	return start_of(m->q, m->q->by_start[i]) <= m->at;
}

/* How many launches ago the operation was launched that has just started; 0 if none has. */
static uint32_t depth_at(const struct queue *q, uint32_t launch, struct wl_interval within)
{
	const struct moment m = { q, within.end };
	size_t n = wl_lower_bound(q->n, starts_by, &m);
	uint32_t started;

	if (n == 0)
		return 0;
	started = q->by_start[n - 1];
	if (start_of(q, started) < within.begin ||
	    within.end - start_of(q, started) > MOST_RETURN_NS || started + LEAST_DEPTH > launch)
		return 0;
	return launch - started;
}

/* The largest number of calls with nearly equal depths; depths are sorted. */
static uint32_t find_depth(const int64_t *depth, size_t n, struct wl_launch_queue *to)
{
	uint32_t most = 0;

	for (size_t lo = 0, hi = 0; lo < n; lo++) {
		while (hi < n && depth[hi] <= depth[lo] + depth[lo] / SPREAD)
			hi++;
		if (hi - lo <= most)
			continue;
		most = (uint32_t)(hi - lo);
		to->least = (uint32_t)depth[lo];
		to->most = (uint32_t)depth[hi - 1];
	}
	return most;
}

static struct wl_interval extent_of(const struct queue *q, uint32_t call)
{
	uint32_t activity = wl_graph_call(q->g, call);

	return (struct wl_interval){ wl_graph_start(q->g, activity), wl_graph_end(q->g, activity) };
}

/* Count long calls that match by chance, at a moment chosen within them. */
static uint32_t count_chance(const struct queue *q)
{
	uint32_t n = 0, k = 0;

	for (uint32_t i = 0; i < q->n; i++) {
		uint32_t call = call_of(q->m, q->op[i]), depth;
		struct wl_interval at;

		if (call == WL_NONE || call_length(q->g, call) <= WL_HOLD_NS)
			continue;
		at = extent_of(q, call);
		at.end = wl_hold_moment(k++, at.begin, at.end);
		at.begin = INT64_MIN;
		depth = depth_at(q, i, at);
		n += depth >= q->learned.least && depth <= q->learned.most;
	}
	return n;
}

/* Whether the depth is a limit: launches further back have begun by the end of a call. */
static bool is_capped(const struct queue *q)
{
	size_t n = 0, n_deeper = 0;

	for (uint32_t i = 0; i < q->n; i++) {
		uint32_t call = call_of(q->m, q->op[i]);

		if (call == WL_NONE)
			continue;
		n++;
		n_deeper += i > q->learned.most &&
			    start_of(q, i - q->learned.most - 1) > extent_of(q, call).end;
	}
	return n_deeper * MOST_DEEPER <= n;
}

static bool learn(struct queue *q, struct wl_arena *scratch)
{
	int64_t *depth = WL_NEW(scratch, int64_t, q->n);
	struct wl_launch_queue *to = &q->learned;
	size_t n = 0;

	for (uint32_t i = 0; depth && i < q->n; i++) {
		uint32_t call = call_of(q->m, q->op[i]), at;

		if (call == WL_NONE || call_length(q->g, call) <= WL_HOLD_NS)
			continue;
		to->n_long++;
		at = depth_at(q, i, extent_of(q, call));
		if (at)
			depth[n++] = at;
	}
	if (n < FEWEST)
		return depth != NULL;
	wl_sort_i64(depth, n);
	to->n_alike = find_depth(depth, n, to);
	to->n_chance = count_chance(q);
	return true;
}

static bool is_proven(const struct queue *q)
{
	const struct wl_launch_queue *of = &q->learned;

	return of->n_alike >= FEWEST && of->n_chance * MOST_CHANCE <= of->n_alike &&
	       (of->n_alike - of->n_chance) * LEAST_GAIN >= of->n_long && is_capped(q);
}

/* The operation whose start made room for a launch; WL_NONE if the queue was not full. */
static uint32_t room_for(const struct queue *q, uint32_t launch, uint32_t call)
{
	struct wl_interval at = extent_of(q, call);
	uint32_t lo = launch > q->learned.most ? launch - q->learned.most : 0;
	uint32_t best = WL_NONE;

	for (uint32_t i = lo; i + q->learned.least <= launch; i++) {
		wl_ns start = start_of(q, i);

		if (start >= at.begin && start <= at.end &&
		    (best == WL_NONE || start > wl_graph_start(q->g, best)))
			best = q->op[i];
	}
	return best;
}

static void hold(struct queue *q, uint32_t *room)
{
	for (uint32_t i = q->learned.least; i < q->n; i++) {
		uint32_t call = call_of(q->m, q->op[i]);
		uint32_t op = call == WL_NONE ? WL_NONE : room_for(q, i, call);

		if (op == WL_NONE || (room[call] != WL_NONE &&
				      wl_graph_start(q->g, room[call]) >= wl_graph_start(q->g, op)))
			continue;
		q->learned.n_waits += room[call] == WL_NONE;
		room[call] = op;
	}
}

/* Find the median length of calls made while the queue is not full; if there are few, the least of
 * all. */
static bool find_usual(struct queue *q, struct wl_arena *scratch)
{
	int64_t *length = WL_NEW(scratch, int64_t, q->n);
	int64_t least = INT64_MAX;
	size_t n = 0;

	for (uint32_t i = 0; length && i < q->n; i++) {
		uint32_t call = call_of(q->m, q->op[i]);
		int64_t own = call == WL_NONE ? 0 : call_length(q->g, call);

		if (call == WL_NONE)
			continue;
		least = own < least ? own : least;
		if (i < q->learned.least ||
		    start_of(q, i - q->learned.least) <= extent_of(q, call).begin)
			length[n++] = own;
	}
	if (!length)
		return false;
	q->usual = n < FEW_USUAL ? least : wl_select_i64(length, n, wl_rank(n, 50));
	return true;
}

struct sorting {
	const struct wl_graph *g;
	const uint32_t *op;
};

static bool corr_less(const void *ctx, uint32_t a, uint32_t b)
{
	uint32_t ca = corr_of(ctx, a), cb = corr_of(ctx, b);

	return ca != cb ? ca < cb : wl_graph_start(ctx, a) < wl_graph_start(ctx, b);
}

static bool start_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sorting *s = ctx;
	wl_ns sa = wl_graph_start(s->g, s->op[a]), sb = wl_graph_start(s->g, s->op[b]);

	return sa != sb ? sa < sb : a < b;
}

/* Sorts the operations of a context, which are in order of start, by correlation id and keeps the
 * first of each id. */
static bool begin(struct queue *q, uint32_t *op, size_t n, struct wl_arena *scratch)
{
	const struct sorting by = { q->g, op };
	uint32_t *tmp = WL_NEW(scratch, uint32_t, n);

	q->by_start = WL_NEW(scratch, uint32_t, n);
	if (!tmp || !q->by_start)
		return false;
	wl_sort_index(op, n, tmp, corr_less, q->g);
	for (size_t i = 0; i < n; i++) {
		if (q->n == 0 || corr_of(q->g, op[i]) != corr_of(q->g, op[q->n - 1]))
			op[q->n++] = op[i];
	}
	q->op = op;
	for (uint32_t i = 0; i < q->n; i++)
		q->by_start[i] = i;
	wl_sort_index(q->by_start, q->n, tmp, start_less, &by);
	return true;
}

/* An operation with a long call that ends while other operations have yet to start before it. */
struct deep {
	uint32_t op;
	bool is_crowded; /* many others */
};

struct queues {
	struct wl_graph_making *m;
	uint32_t *room;      /* NULL if no call waits for room yet */
	wl_ns *usual;        /* by process */
	struct wl_vec found; /* struct wl_launch_queue */
	struct wl_vec deep;  /* struct deep */
};

static bool want_room(struct queues *s)
{
	const struct wl_graph_making *m = s->m;

	if (s->room)
		return true;
	s->room = WL_NEW(m->arena, uint32_t, m->to->n_calls);
	s->usual = WL_NEW(m->arena, wl_ns, m->trace->n_processes);
	for (uint32_t i = 0; s->room && i < m->to->n_calls; i++)
		s->room[i] = WL_NONE;
	return s->room && s->usual;
}

/* Learn the queue of a context from its operations. */
static bool try_context(struct queues *s, uint32_t *op, size_t n, struct wl_arena *scratch)
{
	struct queue q = { .g = s->m->to, .m = s->m };
	wl_ns *usual;

	if (!begin(&q, op, n, scratch) || !learn(&q, scratch))
		return false;
	if (!is_proven(&q))
		return true;
	if (!want_room(s) || !find_usual(&q, scratch))
		return false;
	q.learned.place = wl_graph_place(q.g, op[0]);
	hold(&q, s->room);
	usual = &s->usual[wl_graph_process(q.g, op[0])];
	*usual = *usual && *usual < q.usual ? *usual : q.usual;
	wl_vec_push(&s->found, &q.learned);
	return true;
}

static uint32_t *count_deep(const struct queues *s, struct wl_arena *scratch)
{
	uint32_t *ret = WL_NEW(scratch, uint32_t, s->m->n_contexts);
	const struct deep *deep = s->deep.data;

	for (size_t i = 0; ret && i < s->deep.n; i++)
		ret[context_of(s->m, deep[i].op)]++;
	return ret;
}

/* List the operations with a correlation id, by start, of each context that has enough deep
 * ones. */
static bool deal_contexts(const struct queues *s, struct wl_arena *scratch, size_t *first,
			  uint32_t **ret)
{
	const struct wl_graph_making *m = s->m;
	const uint32_t *n_deep = count_deep(s, scratch);
	uint32_t *op = WL_NEW(scratch, uint32_t, m->to->n_ops);

	if (!n_deep || !op)
		return false;
	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < m->to->n_ops; i++) {
			uint32_t of = context_of(m, m->op[i]), corr;

			if (n_deep[of] < FEWEST)
				continue;
			corr = corr_of(m->to, m->op[i]);
			if (corr == WL_NONE || corr == 0)
				continue;
			if (pass == 0)
				first[of + 2]++;
			else
				op[first[of + 1]++] = m->op[i];
		}
		for (size_t i = 0; pass == 0 && i < m->n_contexts; i++)
			first[i + 2] += first[i + 1];
	}
	*ret = op;
	return true;
}

static bool try_contexts(struct queues *s, struct wl_arena *scratch)
{
	size_t *first = WL_NEW(scratch, size_t, s->m->n_contexts + 2);
	uint32_t *op;

	if (!first || !deal_contexts(s, scratch, first, &op))
		return false;
	for (size_t i = 0; i < s->m->n_contexts; i++) {
		size_t n = first[i + 1] - first[i];

		if (n > LEAST_DEPTH && !try_context(s, op + first[i], n, scratch))
			return false;
	}
	return !s->found.failed;
}

/* Mark long calls with many operations before the one they launch if the operation that made room
 * is unknown. */
static bool mark_crowded(struct queues *s)
{
	const struct deep *deep = s->deep.data;

	for (size_t i = 0; i < s->deep.n; i++) {
		uint32_t call = call_of(s->m, deep[i].op);

		if (!deep[i].is_crowded || (s->room && s->room[call] != WL_NONE))
			continue;
		if (!want_room(s))
			return false;
		s->room[call] = WL_ROOM_UNKNOWN;
	}
	return true;
}

static bool keep(struct queues *s)
{
	const struct wl_launch_queue *from = s->found.data;
	struct wl_launch_queue *to = WL_NEW(s->m->arena, struct wl_launch_queue, s->found.n);

	for (size_t i = 0; to && i < s->found.n; i++)
		to[i] = from[i];
	s->m->to->queue = to;
	s->m->to->n_queues = s->found.n;
	s->m->to->room = s->room;
	s->m->to->usual = s->usual;
	return to != NULL;
}

/* Whether at least this many operations of a device, sorted by start, start after a time and before
 * the i-th. */
static bool has_between(const struct wl_graph *g, const uint32_t *op, size_t i, size_t n, wl_ns at)
{
	return i >= n && wl_graph_start(g, op[i - n]) > at;
}

/* List the long calls that end well before their operation starts. Nearly all calls are short. */
static void list_deep(struct queues *s, const uint32_t *op, size_t n)
{
	const struct wl_graph *g = s->m->to;
	const struct wl_thread_rows *api = &g->calls[0];

	for (size_t i = 0; i < n; i++) {
		uint32_t row = wl_graph_launch(g, op[i]), outer;
		struct deep deep = { .op = op[i] };
		wl_ns end;

		if (row == WL_NONE)
			continue;
		outer = g->outer[row];
		if (outer >= api->n || wl_dur(api->family, api->dur, outer) <= WL_HOLD_NS)
			continue;
		end = wl_graph_end(g, wl_graph_call(g, outer));
		if (!has_between(g, op, i, LEAST_DEPTH / 2, end) || call_of(s->m, op[i]) == WL_NONE)
			continue;
		deep.is_crowded = has_between(g, op, i, CROWD, end);
		wl_vec_push(&s->deep, &deep);
	}
}

bool wl_graph_queues(struct wl_graph_making *m)
{
	struct queues s = { .m = m };
	struct wl_arena scratch;
	bool ok;

	if (m->to->first_call[1] == 0 || !m->given->blocking->call)
		return true;
	wl_arena_init_child(&scratch, m->arena);
	wl_vec_init(&s.found, sizeof(struct wl_launch_queue), wl_arena_budget(m->arena));
	wl_vec_init(&s.deep, sizeof(struct deep), wl_arena_budget(m->arena));
	for (size_t i = 0; i < m->trace->n_devices; i++)
		list_deep(&s, m->op + m->op_first[i], m->op_first[i + 1] - m->op_first[i]);
	ok = !s.deep.failed;
	if (s.deep.n)
		ok = ok && (s.deep.n < FEWEST || try_contexts(&s, &scratch)) && mark_crowded(&s) &&
		     keep(&s);
	wl_vec_release(&s.deep);
	wl_vec_release(&s.found);
	wl_arena_release(&scratch);
	return ok;
}
