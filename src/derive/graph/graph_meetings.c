/* SPDX-License-Identifier: MIT */
/* graph_meetings.c - matched collectives by arrival: the members that could release each one. */
#include "base/sort.h"
#include "derive/comm/matches.h"
#include "derive/derived.h"
#include "derive/graph/graph_parts.h"

struct meetings {
	struct wl_graph *g;
	const struct wl_matches *matches;
	struct wl_meet_slot *slot;
	struct wl_meeting *meeting;
	uint32_t *slot_of;
};

/* The operation of the graph that a comm operation is. */
static uint32_t number_of(const struct wl_graph *g, const struct wl_comm_op *op)
{
	return g->first[op->is_copy ? WL_OP_MEMCPY : WL_OP_KERNEL] + op->row;
}

/* A counting sort of the matched operations by match. */
static void deal(struct meetings *m)
{
	const struct wl_comm_queues *q = &m->matches->queues;
	uint32_t n = 0;

	for (size_t i = 0; i < q->n_ops; i++) {
		if (q->op[i].match != WL_NONE)
			m->meeting[q->op[i].match].n++;
	}
	for (size_t i = 0; i < m->matches->n; i++) {
		m->meeting[i].lo = n;
		n += m->meeting[i].n;
		m->meeting[i].n = 0;
	}
	for (size_t i = 0; i < q->n_ops; i++) {
		const struct wl_comm_op *op = &q->op[i];
		struct wl_meeting *meeting;

		if (op->match == WL_NONE)
			continue;
		meeting = &m->meeting[op->match];
		m->slot[meeting->lo + meeting->n++] =
			(struct wl_meet_slot){ number_of(m->g, op), op->match, 0 };
	}
}

static bool arrives_before(const void *ctx, uint32_t a, uint32_t b)
{
	const struct meetings *m = ctx;
	wl_ns sa = wl_graph_start(m->g, m->slot[a].op), sb = wl_graph_start(m->g, m->slot[b].op);

	return sa != sb ? sa < sb : m->slot[a].op < m->slot[b].op;
}

struct end {
	const struct wl_graph *g;
	const struct wl_meet_slot *slot;
	wl_ns at;
};

static bool arrives_by(const void *ctx, size_t i)
{
	const struct end *e = ctx;

	return wl_graph_start(e->g, e->slot[i].op) <= e->at;
}

static void release(struct meetings *m, const struct wl_meeting *meeting)
{
	for (uint32_t i = meeting->lo; i < meeting->lo + meeting->n; i++) {
		struct wl_meet_slot *slot = &m->slot[i];
		const struct end end = { m->g, m->slot + meeting->lo,
					 wl_graph_end(m->g, slot->op) };

		slot->released = (uint32_t)wl_lower_bound(meeting->n, arrives_by, &end);
		m->g->counts.late += meeting->n - slot->released;
		m->slot_of[slot->op] = i;
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
	size_t n = m.matches->queues.n_ops;

	m.slot = WL_NEW(making->arena, struct wl_meet_slot, n);
	m.meeting = WL_NEW(making->arena, struct wl_meeting, m.matches->n);
	m.slot_of = WL_NEW(making->arena, uint32_t, g->n_ops);
	if (!m.slot || !m.meeting || !m.slot_of)
		return false;
	for (size_t i = 0; i < g->n_ops; i++)
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
