/* SPDX-License-Identifier: MIT */
/* match_messages.c - matches of MPI calls between two ranks: each call and its messages' ends. */
#include "base/memory/sort.h"
#include "derive/comm/match/matches_parts.h"

static uint32_t member_of(const struct wl_matching *m, uint32_t op)
{
	return m->to->member_of[m->op[op].queue];
}

/* How many calls of each queue have messages of which both ends are known. */
static bool count_calls(struct wl_matching *m)
{
	const struct wl_messages *messages = &m->to->messages;

	m->called = WL_NEW(m->scratch, uint32_t, m->to->queues.n);
	for (size_t i = messages->first; m->called && i < messages->first + messages->n; i++)
		m->called[m->op[i].queue] += wl_partners_of(messages, i).is_all;
	return m->called != NULL;
}

/* By member: the queue at the other ends of a queue's messages, plus 1; its own is one of them. */
static size_t mark_queues(const struct wl_matching *m, uint32_t queue, uint32_t *of)
{
	const struct wl_comm_queue *q = &m->to->queues.queue[queue];
	size_t n = 1;

	of[m->to->member_of[queue]] = queue + 1;
	for (size_t i = q->lo; i < q->hi; i++) {
		const struct wl_partners p = wl_partners_of(&m->to->messages, i);
		const uint32_t end[] = { p.from, p.to };

		for (size_t k = 0; p.is_all && k < 2; k++) {
			if (end[k] == WL_NONE || of[member_of(m, end[k])] != 0)
				continue;
			of[member_of(m, end[k])] = m->op[end[k]].queue + 1;
			n++;
		}
	}
	return n;
}

/* The queues that are marked, by member; their marks are gone then. */
static bool put_set(struct wl_matching *m, uint32_t queue, uint32_t *of)
{
	struct wl_match_set *set = &m->set[m->to->n_sets];
	size_t n = mark_queues(m, queue, of), at = 0;
	uint32_t *list = WL_NEW(m->arena, uint32_t, n);

	for (size_t i = 0; i < m->to->n_members; i++) {
		if (list && of[i])
			list[at++] = of[i] - 1;
		of[i] = 0;
	}
	if (!list)
		return false;
	*set = (struct wl_match_set){
		.queue = list, .n = n, .stopped = WL_NONE, .odd = WL_NONE, .by_message = true
	};
	while (set->queue[set->own] != queue)
		set->own++;
	m->set_of[queue] = (uint32_t)m->to->n_sets++;
	return true;
}

bool wl_matching_messages(struct wl_matching *m)
{
	uint32_t *of = WL_NEW(m->scratch, uint32_t, m->to->n_members);

	if (!of || !count_calls(m))
		return false;
	for (uint32_t i = 0; i < m->to->queues.n; i++) {
		if (m->called[i] && !put_set(m, i, of))
			return false;
	}
	return true;
}

struct sought {
	const struct wl_matching *m;
	const struct wl_match_set *set;
	uint32_t member;
};

static bool is_before(const void *ctx, size_t i)
{
	const struct sought *s = ctx;

	return s->m->to->member_of[s->set->queue[i]] < s->member;
}

/* Which of a set's queues is of a member. */
static uint32_t position_of(const struct wl_matching *m, const struct wl_match_set *set,
			    uint32_t member)
{
	return (uint32_t)wl_lower_bound(set->n, is_before, &(struct sought){ m, set, member });
}

/* A call waits for the ends that arrive before it is over: a message may be left behind. */
static void put_call(const struct wl_matching *m, const struct wl_match_set *set, uint32_t op,
		     struct wl_match *match)
{
	struct wl_comm_op *own = &m->op[op];
	const struct wl_partners p = wl_partners_of(&m->to->messages, op);
	const uint32_t end[] = { p.from, p.to };
	uint32_t last = op;
	wl_ns before = own->start;

	match->shortest = own->dur;
	for (size_t k = 0; k < 2; k++) {
		const struct wl_comm_op *other = end[k] == WL_NONE ? own : &m->op[end[k]];

		match->shortest = other->dur < match->shortest ? other->dur : match->shortest;
		if (end[k] == WL_NONE || end[k] == last || other->start > wl_comm_end(own))
			continue;
		if (other->start > m->op[last].start) {
			before = m->op[last].start;
			last = end[k];
		} else if (other->start > before) {
			before = other->start;
		}
	}
	match->last = position_of(m, set, member_of(m, last));
	if (m->to->group[set->group].no_clock)
		return;
	own->late = m->op[last].start - own->start;
	match->caused = own->late;
	match->alone = last == op ? 0 : m->op[last].start - before;
}

void wl_matching_calls(struct wl_matching *m, struct wl_match_set *set, struct wl_match *match)
{
	const struct wl_comm_queue *q = &m->to->queues.queue[set->queue[set->own]];

	set->lo = m->to->n;
	for (size_t i = q->lo; i < q->hi; i++) {
		if (!wl_partners_of(&m->to->messages, i).is_all)
			continue;
		m->op[i].match = (uint32_t)m->to->n;
		match[m->to->n].set = (uint32_t)(set - m->set);
		put_call(m, set, (uint32_t)i, &match[m->to->n++]);
	}
	set->hi = m->to->n;
}
