/* SPDX-License-Identifier: MIT */
#include "derive/graph/replay.h"

/*
 * The activities of a process are visited by start. What one needs of its process has a start no
 * later than its own, and is there already unless both start at one moment; then it is computed
 * first, on a stack. What it needs of others are their arrivals at a meeting.
 */
enum { MOST_DEPTH = 64 };

/* A time of an activity: its start, or its end. */
#define NODE_START(activity) ((uint64_t)(activity) << 1)
#define NODE_END(activity)   ((uint64_t)(activity) << 1 | 1)
#define NODE_NONE            UINT64_MAX

struct running {
	const struct wl_graph *g;
	const struct wl_scenario *scenario;
	wl_ns *start, *end;
	wl_ns *arrived;   /* by slot: the latest new arrival of its meeting up to it */
	uint32_t *n_here; /* by meeting: slots that have that */
	size_t n_forced;
	bool crosses; /* a time of another process is computed where it is missing */
};

static const struct wl_change *change_of(const struct running *r, uint32_t activity)
{
	uint32_t at =
		r->scenario && r->scenario->change_of ? r->scenario->change_of[activity] : WL_NONE;

	return at == WL_NONE ? NULL : &r->scenario->change[at];
}

static wl_ns length_of(const struct running *r, uint32_t activity)
{
	const struct wl_change *change = change_of(r, activity);

	return change ? change->length : wl_graph_length(r->g, activity);
}

/* The latest candidate so far, as measured and as it would be. */
struct latest {
	wl_ns old, new;
	bool is_any;
};

static void meet(struct latest *l, wl_ns old, wl_ns new)
{
	l->old = !l->is_any || old > l->old ? old : l->old;
	l->new = !l->is_any || new > l->new ? new : l->new;
	l->is_any = true;
}

/* The candidate that an operation's launch is. */
static uint64_t meet_launch(const struct running *r, uint32_t op, struct latest *l)
{
	const struct wl_graph *g = r->g;
	uint32_t row = wl_graph_launch(g, op), outer;
	wl_ns latency, least, begin;

	if (row == WL_NONE || g->n_calls == 0)
		return NODE_NONE;
	begin = wl_graph_call_start(g, row);
	latency = wl_graph_start(g, op) - begin;
	if (latency < 0)
		return NODE_NONE;
	least = g->latency[g->trace->places[wl_graph_place(g, op)].process];
	latency = latency < least ? latency : least;
	outer = g->outer[row];
	if (r->start[wl_graph_call(g, outer)] == WL_NO_TIME)
		return NODE_START(wl_graph_call(g, outer));
	meet(l, begin + latency,
	     r->start[wl_graph_call(g, outer)] + (begin - wl_graph_call_start(g, outer)) + latency);
	return NODE_NONE;
}

static uint64_t meet_previous(const struct running *r, uint32_t op, struct latest *l)
{
	uint32_t before = r->g->previous[op];

	if (before == WL_NONE)
		return NODE_NONE;
	if (wl_graph_end(r->g, before) > wl_graph_start(r->g, op)) {
		if (r->start[before] == WL_NO_TIME)
			return NODE_START(before);
		meet(l, wl_graph_start(r->g, before), r->start[before]);
		return NODE_NONE;
	}
	if (r->end[before] == WL_NO_TIME)
		return NODE_END(before);
	meet(l, wl_graph_end(r->g, before), r->end[before]);
	return NODE_NONE;
}

static uint64_t start_op(const struct running *r, uint32_t op)
{
	const struct wl_graph *g = r->g;
	struct latest l = { .is_any = false };
	uint64_t missing = meet_previous(r, op, &l);

	for (uint32_t i = g->edge_first[op]; missing == NODE_NONE && i < g->edge_first[op + 1];
	     i++) {
		if (r->end[g->edge_from[i]] == WL_NO_TIME)
			missing = NODE_END(g->edge_from[i]);
		else
			meet(&l, wl_graph_end(g, g->edge_from[i]), r->end[g->edge_from[i]]);
	}
	if (missing == NODE_NONE)
		missing = meet_launch(r, op, &l);
	if (missing == NODE_NONE)
		r->start[op] = wl_graph_start(g, op) + (l.is_any ? l.new - l.old : 0);
	return missing;
}

/* A member leaves when the last that could release it has arrived, plus the transfer. */
static uint64_t end_member(const struct running *r, uint32_t activity)
{
	const struct wl_graph *g = r->g;
	const struct wl_meet_slot *slot = &g->slot[wl_graph_slot(g, activity)];
	uint32_t lo = g->meeting[slot->meeting].lo, *n = &r->n_here[slot->meeting];
	wl_ns transfer;

	for (; *n < slot->released; ++*n) {
		wl_ns at = r->start[g->slot[lo + *n].activity];

		if (at == WL_NO_TIME)
			return NODE_START(g->slot[lo + *n].activity);
		r->arrived[lo + *n] =
			*n && r->arrived[lo + *n - 1] > at ? r->arrived[lo + *n - 1] : at;
	}
	transfer = wl_graph_end(g, activity) -
		   wl_graph_start(g, g->slot[lo + slot->released - 1].activity);
	r->end[activity] = r->arrived[lo + slot->released - 1] + transfer;
	return NODE_NONE;
}

static uint64_t end_op(const struct running *r, uint32_t op)
{
	if (r->start[op] == WL_NO_TIME)
		return NODE_START(op);
	if (r->g->slot_of[op] != WL_NONE)
		return end_member(r, op);
	r->end[op] = r->start[op] + length_of(r, op);
	return NODE_NONE;
}

static uint64_t start_call(const struct running *r, uint32_t row)
{
	const struct wl_graph *g = r->g;
	uint32_t call = wl_graph_call(g, row), by[2] = { g->call_before[row], g->wake[row] };
	const struct wl_change *change = change_of(r, call);
	struct latest l = { .is_any = false };

	for (unsigned i = 0; i < 2; i++) {
		uint32_t from = by[i] == WL_NONE ? WL_NONE : wl_graph_call(g, by[i]);

		if (from == WL_NONE)
			continue;
		if (r->end[from] == WL_NO_TIME)
			return NODE_END(from);
		meet(&l, wl_graph_end(g, from), r->end[from]);
	}
	if (!l.is_any)
		r->start[call] = wl_graph_start(g, call);
	else
		r->start[call] = l.new + (change ? change->gap : wl_graph_start(g, call) - l.old);
	return NODE_NONE;
}

static uint64_t end_call(const struct running *r, uint32_t row)
{
	const struct wl_graph *g = r->g;
	uint32_t call = wl_graph_call(g, row), op = g->releaser[row];
	wl_ns end = wl_graph_end(g, call), held, least;

	if (r->start[call] == WL_NO_TIME)
		return NODE_START(call);
	if (wl_graph_slot(g, call) != WL_NONE)
		return end_member(r, call);
	r->end[call] = r->start[call] + length_of(r, call);
	if (op == WL_NONE)
		return NODE_NONE;
	if (r->end[op] == WL_NO_TIME) {
		r->end[call] = WL_NO_TIME;
		return NODE_END(op);
	}
	held = end - wl_graph_end(g, op);
	if (wl_graph_end(g, op) >= wl_graph_start(g, call)) {
		r->end[call] = (r->end[op] > r->start[call] ? r->end[op] : r->start[call]) + held;
		return NODE_NONE;
	}
	least = g->back[wl_graph_call_process(g, row)];
	held = r->end[op] + (least < held ? least : held);
	r->end[call] = held > r->end[call] ? held : r->end[call];
	return NODE_NONE;
}

/* Compute a time; the one that is missing for it, or NODE_NONE when it is there. */
static uint64_t compute(const struct running *r, uint64_t node)
{
	uint32_t activity = (uint32_t)(node >> 1);

	if (activity < r->g->n_ops)
		return node & 1 ? end_op(r, activity) : start_op(r, activity);
	activity -= r->g->n_ops;
	return node & 1 ? end_call(r, activity) : start_call(r, activity);
}

static bool is_there(const struct running *r, uint64_t node)
{
	return (node & 1 ? r->end : r->start)[node >> 1] != WL_NO_TIME;
}

/* Keep the measured time, which breaks a circle. */
static void force(struct running *r, uint64_t node)
{
	uint32_t activity = (uint32_t)(node >> 1);

	if (node & 1)
		r->end[activity] = wl_graph_end(r->g, activity);
	else
		r->start[activity] = wl_graph_start(r->g, activity);
	r->n_forced++;
}

/*
 * Compute a time after those that are missing for it. False: one of another process is missing,
 * and is left to that one.
 */
static bool settle_deep(struct running *r, uint64_t node, uint64_t missing_for_it)
{
	uint32_t process = wl_graph_process(r->g, (uint32_t)(node >> 1));
	uint64_t stack[MOST_DEPTH];
	size_t n = 1;

	stack[0] = node;
	for (uint64_t missing = missing_for_it;;) {
		if (!r->crosses && missing != NODE_NONE &&
		    wl_graph_process(r->g, (uint32_t)(missing >> 1)) != process)
			return false;
		if (missing == NODE_NONE && --n == 0)
			return true;
		if (missing != NODE_NONE && n < MOST_DEPTH)
			stack[n++] = missing;
		else if (missing != NODE_NONE)
			force(r, missing);
		missing = is_there(r, stack[n - 1]) ? NODE_NONE : compute(r, stack[n - 1]);
	}
}

/* Nearly always all is there. */
static bool settle(struct running *r, uint64_t node)
{
	uint64_t missing = is_there(r, node) ? NODE_NONE : compute(r, node);

	return missing == NODE_NONE || settle_deep(r, node, missing);
}

/* Ends that wait for others are left until they are asked for: their times come later. */
static bool has_late_end(const struct wl_graph *g, uint32_t activity)
{
	return wl_graph_slot(g, activity) != WL_NONE ||
	       (activity >= g->n_ops && g->releaser[activity - g->n_ops] != WL_NONE);
}

/* The activities of a process from *at on, until one waits for another process. */
static bool advance(struct running *r, size_t *at, size_t end)
{
	size_t begin = *at;

	for (; *at < end; ++*at) {
		uint32_t activity = r->g->order[*at];

		if (!settle(r, NODE_START(activity)))
			break;
		if (!has_late_end(r->g, activity) && !settle(r, NODE_END(activity)))
			break;
	}
	return *at > begin;
}

/*
 * Processes take turns: each goes from one meeting to the next, near in memory. Where none gets
 * further they wait in a circle: then one goes on with the times of others.
 */
static bool run_all(struct running *r, struct wl_arena *scratch)
{
	const struct wl_graph *g = r->g;
	size_t n = g->trace->n_processes, *at = WL_NEW(scratch, size_t, n);
	bool is_done = false;

	for (size_t i = 0; at && i < n; i++)
		at[i] = g->order_first[i];
	while (at && !is_done) {
		bool is_moving = false;

		is_done = true;
		for (size_t i = 0; i < n; i++) {
			if (advance(r, &at[i], g->order_first[i + 1])) {
				is_moving = true;
				r->crosses = false;
			}
			is_done &= at[i] == g->order_first[i + 1];
		}
		r->crosses = !is_moving;
	}
	r->crosses = true;
	for (size_t i = 0; at && i < g->n_order; i++)
		(void)settle(r, NODE_END(g->order[i]));
	return at != NULL;
}

static wl_ns makespan_of(const struct running *r)
{
	wl_ns first = INT64_MAX, last = INT64_MIN;

	for (uint32_t i = 0; i < r->g->n_ops; i++) {
		first = r->start[i] < first ? r->start[i] : first;
		last = r->end[i] > last ? r->end[i] : last;
	}
	return r->g->n_ops ? last - first : 0;
}

static bool begin(struct running *r, struct wl_arena *arena, struct wl_arena *scratch)
{
	size_t n = (size_t)r->g->n_ops + r->g->n_calls;

	r->start = WL_NEW(arena, wl_ns, n);
	r->end = WL_NEW(arena, wl_ns, n);
	r->arrived = WL_NEW(scratch, wl_ns, r->g->n_slots);
	r->n_here = WL_NEW(scratch, uint32_t, r->g->n_meetings);
	if (!r->start || !r->end || !r->arrived || !r->n_here)
		return false;
	for (size_t i = 0; i < n; i++)
		r->start[i] = r->end[i] = WL_NO_TIME;
	return true;
}

bool wl_replay_run(const struct wl_graph *g, const struct wl_scenario *scenario,
		   struct wl_arena *arena, struct wl_replay *ret)
{
	struct running r = { .g = g, .scenario = scenario };
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	ok = begin(&r, arena, &scratch) && run_all(&r, &scratch);
	if (ok)
		*ret = (struct wl_replay){ r.start, r.end, makespan_of(&r), r.n_forced };
	wl_arena_release(&scratch);
	return ok;
}

size_t wl_replay_count_moved(const struct wl_graph *g, const struct wl_replay *replay)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n_order; i++) {
		uint32_t activity = g->order[i];

		n += replay->start[activity] != wl_graph_start(g, activity) ||
		     replay->end[activity] != wl_graph_end(g, activity);
	}
	return n;
}
