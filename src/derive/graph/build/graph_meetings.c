/* SPDX-License-Identifier: MIT */
/*
 * graph_meetings.c - matched collectives and messages by arrival, with the members that could
 * release each one. The meeting of an MPI call between two ranks releases only that call; the calls
 * at the other ends of its messages have their own meetings.
 */
#include "base/memory/sort.h"
#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/graph/build/graph_parts.h"

struct meetings {
	struct wl_graph *g;
	const struct wl_matches *matches;
	struct wl_meet_slot *slot;
	struct wl_meeting *meeting;
	uint32_t *slot_of;
};

uint32_t wl_graph_comm_op(const struct wl_graph *g, const struct wl_comm_queues *q,
			  const struct wl_comm_op *op)
{
	uint32_t call;

	if (!wl_comm_is_mpi(&q->queue[op->queue]))
		return g->first[op->is_copy ? WL_OP_MEMCPY : WL_OP_KERNEL] + op->row;
	call = op->row;
	for (unsigned i = 0; wl_call_families[i] != op->family; i++)
		call += g->first_call[i + 1] - g->first_call[i];
	return g->outer[call] == call ? wl_graph_call(g, call) : WL_NONE;
}

static bool is_by_message(const struct meetings *m, size_t match)
{
	return m->matches->set[m->matches->at[match].set].by_message;
}

/* Add a slot, with a mark if the meeting releases the member. */
static void put_slot(struct meetings *m, uint32_t match, uint32_t activity, bool is_released)
{
	struct wl_meeting *meeting = &m->meeting[match];

	if (activity != WL_NONE)
		m->slot[meeting->lo + meeting->n++] =
			(struct wl_meet_slot){ activity, match, is_released };
}

/* Add the other ends of an operation's messages that arrive before it is over; it waits only for
 * those. */
static void put_partners(struct meetings *m, size_t op)
{
	const struct wl_comm_queues *q = &m->matches->queues;
	const struct wl_partners p = wl_partners_of(&m->matches->messages, op);
	const uint32_t end[] = { p.from, p.to };

	for (size_t k = 0; k < 2; k++) {
		if (end[k] != WL_NONE && !(k && end[1] == end[0]) &&
		    q->op[end[k]].start <= wl_comm_end(&q->op[op]))
			put_slot(m, q->op[op].match, wl_graph_comm_op(m->g, q, &q->op[end[k]]),
				 false);
	}
}

/* Counting sort of the matched operations by match. */
static void deal(struct meetings *m)
{
	const struct wl_comm_queues *q = &m->matches->queues;
	uint32_t n = 0;

	for (size_t i = 0; i < q->n_ops; i++) {
		uint32_t match = q->op[i].match;

		if (match != WL_NONE)
			m->meeting[match].n += is_by_message(m, match) ? 3 : 1;
	}
	for (size_t i = 0; i < m->matches->n; i++) {
		m->meeting[i].lo = n;
		n += m->meeting[i].n;
		m->meeting[i].n = 0;
	}
	for (size_t i = 0; i < q->n_ops; i++) {
		const struct wl_comm_op *op = &q->op[i];
		uint32_t activity = op->match == WL_NONE ? WL_NONE : wl_graph_comm_op(m->g, q, op);

		if (activity == WL_NONE)
			continue;
		put_slot(m, op->match, activity, true);
		if (is_by_message(m, op->match))
			put_partners(m, i);
	}
}

static bool arrives_before(const void *ctx, uint32_t a, uint32_t b)
{
	const struct meetings *m = ctx;
	wl_ns sa = wl_graph_start(m->g, m->slot[a].activity),
	      sb = wl_graph_start(m->g, m->slot[b].activity);

	return sa != sb ? sa < sb : m->slot[a].activity < m->slot[b].activity;
}

struct end {
	const struct wl_graph *g;
	const struct wl_meet_slot *slot;
	wl_ns at;
};

static bool arrives_by(const void *ctx, size_t i)
{
	const struct end *e = ctx;

	return wl_graph_start(e->g, e->slot[i].activity) <= e->at;
}

/* Index into slot_of, which leaves out CUDA calls. */
static uint32_t place_of(const struct wl_graph *g, uint32_t activity)
{
	return activity < g->n_ops ? activity : activity - g->first_call[1];
}

static void release(struct meetings *m, const struct wl_meeting *meeting)
{
	for (uint32_t i = meeting->lo; i < meeting->lo + meeting->n; i++) {
		struct wl_meet_slot *slot = &m->slot[i];
		const struct end end = { m->g, m->slot + meeting->lo,
					 wl_graph_end(m->g, slot->activity) };

		if (!slot->released)
			continue;
		slot->released = (uint32_t)wl_lower_bound(meeting->n, arrives_by, &end);
		m->g->counts.late += meeting->n - slot->released;
		m->slot_of[place_of(m->g, slot->activity)] = i;
	}
}

static bool sort_all(struct meetings *m, size_t n, struct wl_arena *scratch)
{
	uint32_t *order = WL_NEW(scratch, uint32_t, 2 * n);
	struct wl_meet_slot *sorted = WL_NEW(scratch, struct wl_meet_slot, n);

	if (!order || !sorted)
		return false;
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = 0; i < m->matches->n; i++) {
		const struct wl_meeting *meeting = &m->meeting[i];

		wl_sort_index(order + meeting->lo, meeting->n, order + n, arrives_before, m);
	}
	for (size_t i = 0; i < n; i++)
		sorted[i] = m->slot[order[i]];
	for (size_t i = 0; i < n; i++)
		m->slot[i] = sorted[i];
	for (size_t i = 0; i < m->matches->n; i++)
		release(m, &m->meeting[i]);
	return true;
}

bool wl_graph_meetings(struct wl_graph_making *making)
{
	struct wl_graph *g = making->to;
	struct meetings m = { .g = g, .matches = making->given->matches };
	size_t n = m.matches->queues.n_ops + 2 * m.matches->messages.n;
	size_t n_members = (size_t)g->n_ops + g->n_calls - g->first_call[1];

	m.slot = WL_NEW(making->arena, struct wl_meet_slot, n);
	m.meeting = WL_NEW(making->arena, struct wl_meeting, m.matches->n);
	m.slot_of = WL_NEW(making->arena, uint32_t, n_members);
	if (!m.slot || !m.meeting || !m.slot_of)
		return false;
	for (size_t i = 0; i < n_members; i++)
		m.slot_of[i] = WL_NONE;
	deal(&m);
	g->slot = m.slot;
	g->meeting = m.meeting;
	g->slot_of = m.slot_of;
	g->n_meetings = m.matches->n;
	g->n_slots = g->n_meetings
			     ? m.meeting[g->n_meetings - 1].lo + m.meeting[g->n_meetings - 1].n
			     : 0;
	return sort_all(&m, g->n_slots, making->scratch);
}

bool wl_graph_meet(const struct wl_derived *given, struct wl_arena *arena, struct wl_graph *graph)
{
	struct wl_arena scratch;
	struct wl_graph_making making = { .given = given,
					  .trace = given->trace,
					  .to = graph,
					  .arena = arena,
					  .scratch = &scratch };
	bool ok;

	graph->counts.late = 0;
	wl_arena_init_child(&scratch, arena);
	ok = wl_graph_meetings(&making);
	wl_arena_release(&scratch);
	return ok;
}
