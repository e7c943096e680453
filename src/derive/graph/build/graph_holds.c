/* SPDX-License-Identifier: MIT */
/*
 * graph_holds.c - held operations and what they seem to wait for.
 *
 * An operation that starts as soon as its stream and its launch allow needs no other reason. One
 * that starts later is taken to wait for the operation that ended on another stream just before it,
 * within the time learned for that pair of streams. Two thirds of all operations start close to an
 * end on another stream whatever they wait for; few held operations do so by chance.
 */
#include "base/memory/intern.h"
#include "base/memory/sort.h"
#include "base/num.h"
#include "derive/graph/build/endings.h"
#include "derive/graph/build/graph_pairs.h"
#include "derive/graph/build/graph_parts.h"
#include "derive/rows/ops.h"

/* Maximum number of streams per operation that end shortly before it, latest first. */
enum { MOST_CHOICES = 16 };

struct held {
	uint32_t op, device;
	wl_ns ready, start;
	uint32_t first, n; /* of choices */
};

struct choice {
	uint32_t from, pair;
};

/* Ended operations of a lane, by end, and the process's lanes that ended before and after it. */
struct ended {
	uint32_t lo, n; /* of by_end */
	uint32_t newer, older;
};

struct holds {
	struct wl_graph_making *m;
	struct wl_graph *g;
	struct wl_vec held;    /* struct held, by device, then start */
	struct wl_vec choices; /* struct choice */
	struct wl_vec learned; /* struct wl_held_op */
	struct wl_vec running; /* struct wl_ending; of is the lane */
	struct wl_intern ids;  /* of pairs: lanes */
	struct wl_vec pairs;   /* struct wl_stream_pair */
	struct ended *ended;   /* by lane */
	uint32_t *by_end;
	uint32_t *newest; /* by process: the lane that ended last on the swept device; WL_NONE */
	uint32_t *n_inferred; /* by process: inferred waits that nothing else explains */
	wl_ns *default_end; /* by operation: end of what it waits for by the default stream's rule;
			       NULL if no operation does */
};

wl_ns wl_graph_ready(const struct wl_graph *g, const struct wl_graph_late *late)
{
	wl_ns start = wl_graph_start(g, late->op), launched = late->launched;

	if (launched == INT64_MIN)
		return late->stream;
	launched += g->latency[wl_graph_process(g, late->op)];
	launched = launched < start ? launched : start;
	return launched > late->stream ? launched : late->stream;
}

static bool list_held(struct holds *h)
{
	const struct wl_graph_late *late = h->m->late.data;
	const struct wl_place *places = h->m->trace->places;

	for (size_t i = 0; i < h->m->late.n; i++) {
		struct held held = { .op = late[i].op,
				     .device = places[wl_graph_place(h->g, late[i].op)].device,
				     .ready = wl_graph_ready(h->g, &late[i]),
				     .start = wl_graph_start(h->g, late[i].op) };

		if (held.start - held.ready > WL_HOLD_NS && !h->m->has_event[held.op])
			wl_vec_push(&h->held, &held);
	}
	return !h->held.failed;
}

/* Allocate space for the ends of each lane. */
static bool make_room(struct holds *h)
{
	const struct wl_graph *g = h->g;
	struct wl_arena *scratch = h->m->scratch;
	uint32_t n = 0;

	h->ended = WL_NEW(scratch, struct ended, g->n_lanes);
	h->by_end = WL_NEW(scratch, uint32_t, g->n_ops);
	h->newest = WL_NEW(scratch, uint32_t, h->m->trace->n_processes);
	h->n_inferred = WL_NEW(scratch, uint32_t, h->m->trace->n_processes);
	if (!h->ended || !h->by_end || !h->newest || !h->n_inferred)
		return false;
	for (unsigned kind = 0; kind < WL_N_OP_FAMILIES; kind++) {
		for (size_t i = 0; i < g->ops[kind].n; i++)
			h->ended[g->lane[g->ops[kind].place[i]]].n++;
	}
	for (size_t i = 0; i < g->n_lanes; i++) {
		h->ended[i].lo = n;
		n += h->ended[i].n;
		h->ended[i].n = 0;
	}
	return true;
}

/* Record an end; its lane becomes the newest of its process. */
static void note_end(struct holds *h, const struct wl_ending *op)
{
	uint32_t lane = op->of, *newest;
	struct ended *e = &h->ended[lane];

	newest = &h->newest[wl_graph_process(h->g, op->number)];
	h->by_end[e->lo + e->n++] = op->number;
	if (*newest == lane)
		return;
	if (e->n > 1) {
		h->ended[e->newer].older = e->older;
		if (e->older != WL_NONE)
			h->ended[e->older].newer = e->newer;
	}
	if (*newest != WL_NONE)
		h->ended[*newest].newer = lane;
	e->older = *newest;
	*newest = lane;
}

static struct wl_ending ending_of(const struct wl_graph *g, uint32_t op)
{
	return (struct wl_ending){ wl_graph_end(g, op), wl_graph_start(g, op), op, 0 };
}

struct moment {
	const struct wl_graph *g;
	const uint32_t *op;
	wl_ns t;
};

static bool ends_by(const void *ctx, size_t i)
{
	const struct moment *m = ctx;

	return wl_graph_end(m->g, m->op[i]) <= m->t;
}

/* Time from the last end of a lane to a given moment. */
static wl_ns lag_at(const struct holds *h, uint32_t lane, wl_ns t)
{
	const struct ended *e = &h->ended[lane];
	const struct moment m = { h->g, h->by_end + e->lo, t };
	size_t n = wl_lower_bound(e->n, ends_by, &m);

	return n ? t - wl_graph_end(h->g, m.op[n - 1]) : INT64_MAX;
}

static struct wl_stream_pair *pair_of(struct holds *h, uint32_t op, uint32_t from, uint32_t *ret)
{
	uint32_t place = wl_graph_place(h->g, op), other = wl_graph_place(h->g, from);
	const uint32_t lanes[2] = { h->g->lane[place], h->g->lane[other] };
	const struct wl_stream_pair pair = { .place = place, .from = other };

	*ret = wl_intern_put(&h->ids, lanes);
	if (*ret == WL_NONE)
		return NULL;
	if (*ret == h->pairs.n)
		wl_vec_push(&h->pairs, &pair);
	return h->pairs.failed ? NULL : (struct wl_stream_pair *)h->pairs.data + *ret;
}

/* Only the lane that ended last is used for learning; the others are tried if its pair allows no
 * wait. */
static bool consider(struct holds *h, struct held *held, uint32_t from, bool is_first)
{
	wl_ns lag = held->start - wl_graph_end(h->g, from);
	struct choice choice = { .from = from };
	struct wl_stream_pair *pair = pair_of(h, held->op, from, &choice.pair);

	if (!pair)
		return false;
	if (is_first) {
		wl_ns t = wl_hold_moment(pair->n_held++, held->ready, held->start);
		uint32_t lane = h->g->lane[wl_graph_place(h->g, from)];

		wl_vec_push(&h->learned,
			    &(struct wl_held_op){ choice.pair, lag, lag_at(h, lane, t) });
	}
	if (lag <= WL_INFER_MOST_NS && held->n < MOST_CHOICES) {
		wl_vec_push(&h->choices, &choice);
		held->n++;
	}
	return true;
}

/* Consider the lanes that ended before the operation, latest first. */
static bool look_back(struct holds *h, struct held *held)
{
	const struct wl_ending own = ending_of(h->g, held->op);
	uint32_t own_lane = h->g->lane[wl_graph_place(h->g, held->op)];
	uint32_t lane = h->newest[wl_graph_process(h->g, held->op)];
	bool is_first = true;

	held->first = (uint32_t)h->choices.n;
	for (; lane != WL_NONE && held->n < MOST_CHOICES; lane = h->ended[lane].older) {
		const struct ended *e = &h->ended[lane];
		const struct wl_ending from = ending_of(h->g, h->by_end[e->lo + e->n - 1]);

		if (lane == own_lane || !wl_ends_before(&from, &own))
			continue;
		if (!is_first && own.start - from.end > WL_INFER_MOST_NS)
			break;
		if (!consider(h, held, from.number, is_first))
			return false;
		is_first = false;
	}
	return true;
}

/*
 * When an operation starts, all earlier ones that have ended by then are removed from the heap
 * first. Operations that start together are added before the first of them looks back.
 */
static bool sweep_device(struct holds *h, uint32_t device, struct held *at, const struct held *end)
{
	struct wl_op_cursor cursor;
	struct wl_op op;
	bool is_left, ok = true;

	for (size_t i = 0; i < h->m->trace->n_processes; i++)
		h->newest[i] = WL_NONE;
	h->running.n = 0;
	wl_ops_begin(h->m->trace, device, &cursor);
	is_left = wl_ops_next(&cursor, &op);
	while (ok && is_left && at < end) {
		wl_ns start = op.start;

		for (; is_left && op.start == start; is_left = wl_ops_next(&cursor, &op)) {
			const struct wl_ending ending = { op.end, op.start,
							  h->g->first[op.kind] + (uint32_t)op.row,
							  h->g->lane[op.place] };

			wl_endings_put(&h->running, &ending);
		}
		while (wl_endings_any(&h->running, start)) {
			const struct wl_ending ended = wl_endings_take(&h->running);

			note_end(h, &ended);
		}
		for (; ok && at < end && at->start == start; at++)
			ok = look_back(h, at);
	}
	return ok && !h->running.failed;
}

static bool sweep_devices(struct holds *h)
{
	struct held *held = h->held.data;
	bool ok = true;

	for (size_t lo = 0, hi; ok && lo < h->held.n; lo = hi) {
		for (hi = lo + 1; hi < h->held.n && held[hi].device == held[lo].device;)
			hi++;
		ok = sweep_device(h, held[lo].device, held + lo, held + hi);
	}
	return ok && !h->choices.failed && !h->learned.failed;
}

/* Operations that wait by the default stream's rule have one candidate of that kind each. */
static bool list_default_ends(struct holds *h)
{
	const struct wl_graph_edge *edge = h->m->edges.data;

	if (h->g->counts.edges[WL_EDGE_DEFAULT] == 0)
		return true;
	h->default_end = WL_NEW(h->m->scratch, wl_ns, h->g->n_ops);
	if (!h->default_end)
		return false;
	for (uint32_t op = 0; op < h->g->n_ops; op++)
		h->default_end[op] = INT64_MIN;
	for (size_t i = 0; i < h->m->edges.n; i++) {
		if (edge[i].kind == WL_EDGE_DEFAULT)
			h->default_end[edge[i].op] = wl_graph_end(h->g, edge[i].from);
	}
	return true;
}

/* Whether this candidate alone explains the start: no other ended as late. */
static bool is_alone(const struct holds *h, const struct held *held, uint32_t from)
{
	wl_ns end = wl_graph_end(h->g, from);

	return end > held->ready && (!h->default_end || end > h->default_end[held->op]);
}

/* Keep the first choice whose pair allows it. */
static void choose(struct holds *h)
{
	const struct wl_stream_pair *pair = h->pairs.data;
	struct held *held = h->held.data;
	struct choice *choice = h->choices.data;

	for (size_t i = 0; i < h->held.n; i++) {
		struct choice *c, *end;

		if (held[i].n == 0)
			continue;
		c = choice + held[i].first;
		end = c + held[i].n;

		while (c < end &&
		       held[i].start - wl_graph_end(h->g, c->from) > pair[c->pair].within)
			c++;
		held[i].n = c < end;
		held[i].first = (uint32_t)(c - choice);
		if (c < end && is_alone(h, &held[i], c->from))
			h->n_inferred[wl_graph_process(h->g, held[i].op)]++;
	}
}

/*
 * A capture with events usually has all of them, and inference would add only contention. Some
 * tools write few, so inference is skipped only if it explains at most four times as many starts as
 * events do.
 */
enum { FEW_EVENTS = 4 };

static bool is_inferring(const struct holds *h, uint32_t process)
{
	return !h->m->has_resolved[process] ||
	       h->n_inferred[process] > FEW_EVENTS * h->m->n_events[process];
}

static void put_chosen(struct holds *h)
{
	const struct held *held = h->held.data;
	const struct choice *choice = h->choices.data;
	struct wl_stream_pair *pair = h->pairs.data;

	for (size_t i = 0; i < h->held.n; i++) {
		const struct choice *c;

		if (!held[i].n || !is_inferring(h, wl_graph_process(h->g, held[i].op)))
			continue;
		c = &choice[held[i].first];
		wl_graph_put_edge(h->m, held[i].op, c->from, WL_EDGE_INFERRED);
		pair[c->pair].n_waits++;
	}
}

static bool keep_pairs(struct holds *h)
{
	const struct wl_stream_pair *from = h->pairs.data;
	struct wl_stream_pair *to = WL_NEW(h->m->arena, struct wl_stream_pair, h->pairs.n);
	size_t n = 0;

	for (size_t i = 0; to && i < h->pairs.n; i++) {
		if (is_inferring(h, h->m->trace->places[from[i].place].process))
			to[n++] = from[i];
	}
	h->g->pair = to;
	h->g->n_pairs = n;
	return to != NULL;
}

static bool infer(struct holds *h)
{
	if (!list_held(h))
		return false;
	if (h->held.n == 0)
		return true;
	if (!make_room(h) || !sweep_devices(h) || !list_default_ends(h) || h->m->edges.failed ||
	    !wl_stream_pairs_learn(h->learned.data, h->learned.n, h->m->scratch, h->pairs.data,
				   h->pairs.n))
		return false;
	choose(h);
	put_chosen(h);
	return keep_pairs(h);
}

bool wl_graph_infer(struct wl_graph_making *m)
{
	struct wl_budget *budget = wl_arena_budget(m->arena);
	struct holds h = { .m = m, .g = m->to };
	bool ok;

	wl_vec_init(&h.held, sizeof(struct held), budget);
	wl_vec_init(&h.choices, sizeof(struct choice), budget);
	wl_vec_init(&h.learned, sizeof(struct wl_held_op), budget);
	wl_vec_init(&h.running, sizeof(struct wl_ending), budget);
	wl_vec_init(&h.pairs, sizeof(struct wl_stream_pair), budget);
	wl_intern_init(&h.ids, 2 * sizeof(uint32_t), budget);
	ok = infer(&h);
	wl_intern_release(&h.ids);
	wl_vec_release(&h.pairs);
	wl_vec_release(&h.running);
	wl_vec_release(&h.learned);
	wl_vec_release(&h.choices);
	wl_vec_release(&h.held);
	return ok;
}

/* An operation that starts after its launch call has ended may have waited for the call's end,
 * which no event explains. */
static wl_ns later_of_call(const struct wl_graph *g, uint32_t op, wl_ns last)
{
	uint32_t launch = wl_graph_launch(g, op);
	wl_ns end = launch == WL_NONE ? last : wl_graph_end(g, wl_graph_call(g, g->outer[launch]));

	return end > last && end <= wl_graph_start(g, op) ? end : last;
}

/*
 * When the last of its candidates was done. proven means that an event shows the wait; the time
 * since then is the delay of that wait, which other waits may also have, and it hides no rank.
 */
static wl_ns last_candidate(const struct wl_graph *g, const struct wl_graph_late *late,
			    bool *ret_proven)
{
	wl_ns last = wl_graph_ready(g, late), called;

	*ret_proven = false;
	for (uint32_t k = g->edge_first[late->op]; k < g->edge_first[late->op + 1]; k++) {
		wl_ns end = wl_graph_end(g, g->edge_from[k]);

		if (end < last)
			continue;
		*ret_proven = g->edge_kind[k] == WL_EDGE_EVENT || (end == last && *ret_proven);
		last = end;
	}
	called = later_of_call(g, late->op, last);
	*ret_proven = *ret_proven && called == last;
	return called;
}

bool wl_graph_unexplained(struct wl_graph_making *m)
{
	const struct wl_graph *g = m->to;
	const struct wl_graph_late *late = m->late.data;
	wl_ns *sum = WL_NEW(m->arena, wl_ns, m->trace->n_processes);

	for (size_t i = 0; sum && i < m->late.n; i++) {
		uint32_t op = late[i].op;
		bool is_proven;
		wl_ns lag = wl_graph_start(g, op) - last_candidate(g, &late[i], &is_proven);
		wl_ns *of = &sum[wl_graph_process(g, op)];

		if (!is_proven && lag > WL_UNEXPLAINED_NS && !wl_add_i64(*of, lag, of))
			*of = INT64_MAX;
	}
	m->to->unexplained = sum;
	return sum != NULL;
}
