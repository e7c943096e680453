/* SPDX-License-Identifier: MIT */
#include "derive/graph/replay/replay_plan.h"

#include "base/memory/bound.h"
#include "base/memory/vec.h"
#include "derive/derived.h"

/*
 * The activities of a process are visited by start. Whatever an activity needs from its own process
 * starts no later than it does and is already placed, unless both start at the same time; it is
 * then placed first, using a stack. From other processes an activity needs only arrivals at a
 * meeting.
 */
enum { MOST_DEPTH = 64 };

/* A node is a time of an activity: its start or its end. */
#define NODE_START(activity) ((uint64_t)(activity) << 1)
#define NODE_END(activity)   ((uint64_t)(activity) << 1 | 1)
#define NODE_NONE            UINT64_MAX

struct planning {
	const struct wl_graph *g;
	struct wl_replay_plan *to;
	uint32_t *at, *activity, *first, *latency;
	uint8_t *flags;
	uint8_t *ended;  /* by activity: its late end is placed */
	uint32_t *n_met; /* by meeting: number of leading slots whose start is placed */
	uint32_t *left;  /* by lane: the placed member of a meeting with the latest end; WL_NONE */
	uint32_t *from;  /* by candidate */
	uint32_t *slack; /* the same */
	uint32_t n_candidates;
	struct wl_late_end_of *late;
	struct wl_vec long_at, long_slack;
	bool crosses; /* missing times of other processes are placed too */
	struct wl_arena *scratch;
	bool is_stopped;
};

/* Ends that wait for others are placed only when needed, because their times come later. */
static bool has_late_end(const struct wl_graph *g, uint32_t activity)
{
	return wl_graph_slot(g, activity) != WL_NONE ||
	       (activity >= g->n_ops && g->releaser[activity - g->n_ops] != WL_NONE) ||
	       wl_graph_room(g, activity) != WL_NONE;
}

static bool is_there(const struct planning *p, uint64_t node)
{
	uint32_t activity = (uint32_t)(node >> 1);

	if ((node & 1) == 0 || !has_late_end(p->g, activity))
		return p->at[activity] != 0;
	return p->ended[activity] != 0;
}

/* A candidate and the time when it was done. */
struct candidate {
	uint64_t node;
	wl_ns done;
};

enum { MOST_CANDIDATES = 32 };

struct candidates {
	struct candidate at[MOST_CANDIDATES];
	unsigned n;
	uint8_t flags;    /* of the position */
	uint32_t latency; /* the same */
};

static void add(struct candidates *c, uint64_t node, wl_ns done)
{
	if (c->n < MOST_CANDIDATES)
		c->at[c->n++] = (struct candidate){ node, done };
}

/* Add the launch of an operation as the last candidate. */
static void add_launch(const struct wl_graph *g, uint32_t op, struct candidates *to)
{
	uint32_t row = wl_graph_launch(g, op);
	wl_ns latency, least, begin;

	if (row == WL_NONE || g->n_calls == 0)
		return;
	begin = wl_graph_call_start(g, row);
	latency = wl_graph_start(g, op) - begin;
	if (latency < 0)
		return;
	least = g->latency[g->trace->places[wl_graph_place(g, op)].process];
	latency = latency < least ? latency : least;
	add(to, NODE_START(wl_graph_call(g, g->outer[row])), begin + latency);
	to->latency = latency < (wl_ns)UINT32_MAX ? (uint32_t)latency : UINT32_MAX;
	to->flags |= WL_PLAN_LAUNCHED;
}

static void list_op(const struct wl_graph *g, uint32_t op, struct candidates *to)
{
	uint32_t before = g->previous[op];

	*to = (struct candidates){ .n = 0 };
	if (before != WL_NONE) {
		bool overlaps = wl_graph_end(g, before) > wl_graph_start(g, op);

		add(to, overlaps ? NODE_START(before) : NODE_END(before),
		    overlaps ? wl_graph_start(g, before) : wl_graph_end(g, before));
		to->flags |= WL_PLAN_ORDERED;
	}
	for (uint32_t i = g->edge_first[op]; i < g->edge_first[op + 1]; i++)
		add(to, NODE_END(g->edge_from[i]), wl_graph_end(g, g->edge_from[i]));
	add_launch(g, op, to);
}

static void list_call(const struct wl_graph *g, uint32_t row, struct candidates *to)
{
	uint32_t by[2] = { g->call_before[row], g->wake[row] };

	*to = (struct candidates){ .flags = WL_PLAN_CALL };
	for (unsigned i = 0; i < 2; i++) {
		uint32_t from = by[i] == WL_NONE ? WL_NONE : wl_graph_call(g, by[i]);

		if (from != WL_NONE)
			add(to, NODE_END(from), wl_graph_end(g, from));
	}
}

static uint32_t shift_of(const struct planning *p, uint64_t node)
{
	return p->at[node >> 1] << 1 | (uint32_t)(node & 1);
}

static void put_candidate(struct planning *p, uint64_t node, wl_ns slack)
{
	uint32_t at = p->n_candidates++;

	p->from[at] = shift_of(p, node);
	p->slack[at] = slack < (wl_ns)WL_LONG ? (uint32_t)slack : WL_LONG;
	if (p->slack[at] == WL_LONG) {
		wl_vec_push(&p->long_at, &at);
		wl_vec_push(&p->long_slack, &slack);
	}
}

/* Note the member of its lane with the latest end. */
static void note_member(struct planning *p, uint32_t op)
{
	uint32_t *left = &p->left[p->g->lane[wl_graph_place(p->g, op)]];

	if (*left == WL_NONE || wl_graph_end(p->g, op) >= wl_graph_end(p->g, *left))
		*left = op;
}

/* Place an activity. */
static void place(struct planning *p, uint32_t activity, const struct candidates *c)
{
	uint32_t at = ++p->to->n;
	wl_ns last = INT64_MIN;

	p->at[activity] = at;
	p->activity[at] = activity;
	p->flags[at] = c->flags;
	p->latency[at] = c->latency;
	if (has_late_end(p->g, activity))
		p->flags[at] |= WL_PLAN_LATE;
	if (activity < p->g->n_ops && wl_graph_slot(p->g, activity) != WL_NONE)
		note_member(p, activity);
	for (unsigned i = 0; i < c->n; i++)
		last = c->at[i].done > last ? c->at[i].done : last;
	for (unsigned i = 0; i < c->n; i++)
		put_candidate(p, c->at[i].node, last - c->at[i].done);
	p->first[at + 1] = p->n_candidates;
}

/*
 * The end of the last member of a meeting before an operation on the same stream is no candidate if
 * something else came between. A scenario may make it one, so it must be placed first.
 */
static uint64_t member_before(const struct planning *p, uint32_t op)
{
	uint32_t left = p->left[p->g->lane[wl_graph_place(p->g, op)]];

	if (left == WL_NONE || wl_graph_end(p->g, left) > wl_graph_start(p->g, op) ||
	    is_there(p, NODE_END(left)))
		return NODE_NONE;
	return NODE_END(left);
}

static uint64_t try_start(struct planning *p, uint32_t activity)
{
	uint64_t before = activity < p->g->n_ops ? member_before(p, activity) : NODE_NONE;
	struct candidates c;

	if (activity < p->g->n_ops)
		list_op(p->g, activity, &c);
	else
		list_call(p->g, activity - p->g->n_ops, &c);
	for (unsigned i = 0; i < c.n; i++) {
		if (!is_there(p, c.at[i].node))
			return c.at[i].node;
	}
	if (before != NODE_NONE)
		return before;
	place(p, activity, &c);
	return NODE_NONE;
}

/* A member leaves when the last member that could release it has arrived. */
static uint64_t try_leave(struct planning *p, uint32_t activity, struct wl_late_end_of *end)
{
	const struct wl_graph *g = p->g;
	uint32_t slot = wl_graph_slot(g, activity), n = g->slot[slot].released;
	uint32_t meeting = g->slot[slot].meeting, *n_met = &p->n_met[meeting];
	const struct wl_meet_slot *met = &g->slot[g->meeting[meeting].lo];

	for (; *n_met < n; ++*n_met) {
		if (!is_there(p, NODE_START(met[*n_met].activity)))
			return NODE_START(met[*n_met].activity);
	}
	end->from = slot;
	end->kind = WL_END_MEETS;
	end->after = wl_graph_start(g, met[n - 1].activity) - wl_graph_start(g, activity);
	return NODE_NONE;
}

/* A call returns after the operation that it waits for. */
static uint64_t try_return(struct planning *p, uint32_t activity, struct wl_late_end_of *end)
{
	const struct wl_graph *g = p->g;
	uint32_t row = activity - g->n_ops, op = g->releaser[row];
	wl_ns held = wl_graph_end(g, activity) - wl_graph_end(g, op), least;

	if (!is_there(p, NODE_END(op)))
		return NODE_END(op);
	end->from = shift_of(p, NODE_END(op));
	if (wl_graph_end(g, op) >= wl_graph_start(g, activity)) {
		end->kind = WL_END_BINDS;
		end->after = wl_graph_end(g, op) - wl_graph_start(g, activity);
	} else {
		least = g->back[wl_graph_call_process(g, row)];
		end->kind = WL_END_FOLLOWS;
		end->after = held - (least < held ? least : held);
	}
	return NODE_NONE;
}

/* A launch returns after the start of the operation that makes room for it. */
static uint64_t try_room(struct planning *p, uint32_t activity, struct wl_late_end_of *end)
{
	uint64_t node = NODE_START(wl_graph_room(p->g, activity));

	if (!is_there(p, node))
		return node;
	end->from = shift_of(p, node);
	end->kind = WL_END_BINDS;
	end->after = wl_graph_length(p->g, activity) - wl_graph_own_length(p->g, activity);
	return NODE_NONE;
}

static uint64_t try_end(struct planning *p, uint32_t activity)
{
	struct wl_late_end_of end = { .at = p->at[activity], .before = p->to->n + 1 };
	uint64_t missing;

	if (!end.at)
		return NODE_START(activity);
	if (wl_graph_slot(p->g, activity) != WL_NONE)
		missing = try_leave(p, activity, &end);
	else if (wl_graph_room(p->g, activity) != WL_NONE)
		missing = try_room(p, activity, &end);
	else
		missing = try_return(p, activity, &end);
	if (missing == NODE_NONE) {
		p->ended[activity] = 1;
		p->late[p->to->n_late++] = end;
	}
	return missing;
}

/* Try to place a time; returns the time that is missing for it, or NODE_NONE once it is placed. */
static uint64_t try_node(struct planning *p, uint64_t node)
{
	uint32_t activity = (uint32_t)(node >> 1);

	if (is_there(p, node))
		return NODE_NONE;
	if (node & 1 && has_late_end(p->g, activity))
		return try_end(p, activity);
	return try_start(p, activity);
}

/* Keep the measured time, which breaks a cycle. */
static void force(struct planning *p, uint64_t node)
{
	uint32_t activity = (uint32_t)(node >> 1);
	const struct candidates none = { .flags = activity < p->g->n_ops ? 0 : WL_PLAN_CALL };

	if (p->at[activity] == 0)
		place(p, activity, &none);
	if (node & 1)
		p->ended[activity] = 1;
	p->to->n_forced++;
}

/*
 * Place a time after those that are missing for it. False if a time of another process is missing;
 * that process has to place it.
 */
static bool settle_deep(struct planning *p, uint64_t node, uint64_t missing_for_it)
{
	uint32_t process = wl_graph_process(p->g, (uint32_t)(node >> 1));
	uint64_t stack[MOST_DEPTH];
	size_t n = 1;

	stack[0] = node;
	for (uint64_t missing = missing_for_it;;) {
		if (!p->crosses && missing != NODE_NONE &&
		    wl_graph_process(p->g, (uint32_t)(missing >> 1)) != process)
			return false;
		if (missing == NODE_NONE && --n == 0)
			return true;
		if (missing != NODE_NONE && n < MOST_DEPTH)
			stack[n++] = missing;
		else if (missing != NODE_NONE)
			force(p, missing);
		missing = try_node(p, stack[n - 1]);
	}
}

/* Place a time; nearly always nothing is missing. */
static bool settle(struct planning *p, uint64_t node)
{
	uint64_t missing = try_node(p, node);

	return missing == NODE_NONE || settle_deep(p, node, missing);
}

/* Place the activities of a process, starting at *at, until one waits for another process. */
static bool advance(struct planning *p, size_t *at, size_t end)
{
	size_t begin = *at;

	while (*at < end && !p->is_stopped && settle(p, NODE_START(p->g->order[*at])))
		p->is_stopped = wl_arena_ends_at(p->scratch, ++*at);
	return *at > begin;
}

/*
 * Processes take turns: each advances from one meeting to the next, close in memory. If none can
 * advance, they wait in a cycle, and one continues by placing times of the others.
 */
static bool place_all(struct planning *p, struct wl_arena *scratch)
{
	const struct wl_graph *g = p->g;
	size_t n = g->trace->n_processes, *at = WL_NEW(scratch, size_t, n);
	bool is_done = false;

	p->scratch = scratch;
	for (size_t i = 0; at && i < n; i++)
		at[i] = g->order_first[i];
	while (at && !is_done && !p->is_stopped) {
		bool is_moving = false;

		is_done = true;
		for (size_t i = 0; i < n; i++) {
			if (advance(p, &at[i], g->order_first[i + 1])) {
				is_moving = true;
				p->crosses = false;
			}
			is_done &= at[i] == g->order_first[i + 1];
		}
		p->crosses = !is_moving;
	}
	p->crosses = true;
	for (size_t i = 0; at && !p->is_stopped && i < g->n_order; i++) {
		(void)settle(p, NODE_END(g->order[i]));
		p->is_stopped = wl_arena_ends_at(scratch, i);
	}
	return at && !p->is_stopped;
}

/* Allocate candidates for the largest possible number. */
static bool make_candidates(struct planning *p, struct wl_arena *arena)
{
	const struct wl_graph *g = p->g;
	size_t n = 2 * (size_t)g->n_ops + g->edge_first[g->n_ops] + g->n_calls + g->counts.wake_ups;
	size_t n_late = 0;

	for (size_t i = 0; i < g->n_order; i++)
		n_late += has_late_end(g, g->order[i]);
	if (n >= UINT32_MAX || g->n_order >= UINT32_MAX / 2)
		return false; /* shifts and candidates have 32-bit numbers */
	p->from = WL_NEW(arena, uint32_t, n);
	p->slack = WL_NEW(arena, uint32_t, n);
	p->late = WL_NEW(arena, struct wl_late_end_of, n_late);
	return p->from && p->slack && p->late;
}

static bool begin(struct planning *p, struct wl_arena *arena, struct wl_arena *scratch)
{
	size_t n = (size_t)p->g->n_ops + p->g->n_calls, n_at = p->g->n_order;

	p->at = WL_NEW(arena, uint32_t, n);
	p->activity = WL_NEW(arena, uint32_t, n_at + 1);
	p->first = WL_NEW(arena, uint32_t, n_at + 2);
	p->flags = WL_NEW(arena, uint8_t, n_at + 1);
	p->latency = WL_NEW(arena, uint32_t, n_at + 1);
	p->ended = WL_NEW(scratch, uint8_t, n);
	p->n_met = WL_NEW(scratch, uint32_t, p->g->n_meetings);
	p->left = WL_NEW(scratch, uint32_t, p->g->n_lanes);
	for (size_t i = 0; p->left && i < p->g->n_lanes; i++)
		p->left[i] = WL_NONE;
	return p->at && p->activity && p->first && p->flags && p->latency && p->ended && p->n_met &&
	       p->left && make_candidates(p, arena);
}

static bool finish(struct planning *p, struct wl_arena *arena)
{
	struct wl_replay_plan *to = p->to;
	size_t n = p->long_at.n;
	uint32_t *long_at = WL_NEW(arena, uint32_t, n);
	wl_ns *long_slack = WL_NEW(arena, wl_ns, n);

	if (!long_at || !long_slack || p->long_at.failed || p->long_slack.failed)
		return false;
	for (size_t i = 0; i < n; i++) {
		long_at[i] = ((const uint32_t *)p->long_at.data)[i];
		long_slack[i] = ((const wl_ns *)p->long_slack.data)[i];
	}
	to->activity = p->activity;
	to->at = p->at;
	to->flags = p->flags;
	to->latency = p->latency;
	to->first = p->first;
	to->from = p->from;
	to->slack = p->slack;
	to->n_candidates = p->n_candidates;
	to->late = p->late;
	to->long_at = long_at;
	to->long_slack = long_slack;
	to->n_long = n;
	return true;
}

bool wl_replay_plan_make(const struct wl_graph *g, struct wl_arena *arena,
			 struct wl_replay_plan *ret)
{
	struct planning p = { .g = g, .to = ret };
	struct wl_arena scratch;
	bool ok;

	*ret = (struct wl_replay_plan){ .graph = g };
	wl_arena_init_child(&scratch, arena);
	wl_vec_init(&p.long_at, sizeof(uint32_t), wl_arena_budget(arena));
	wl_vec_init(&p.long_slack, sizeof(wl_ns), wl_arena_budget(arena));
	ok = begin(&p, arena, &scratch) && place_all(&p, &scratch) && finish(&p, arena);
	wl_vec_release(&p.long_slack);
	wl_vec_release(&p.long_at);
	wl_arena_release(&scratch);
	return ok;
}

bool wl_replay_plan_find(const struct wl_derived *given, struct wl_arena *arena,
			 struct wl_replay_plan *ret)
{
	return wl_replay_plan_make(given->graph, arena, ret);
}

wl_ns wl_replay_plan_long_slack(const struct wl_replay_plan *plan, uint32_t candidate)
{
	return plan->long_slack[WL_BELOW(plan->long_at, plan->n_long, candidate)];
}
