/* SPDX-License-Identifier: MIT */
/* match_sets.c - queues that end together: the sets of a match. */
#include <string.h>

#include "base/sort.h"
#include "derive/comm/matches_parts.h"
#include "derive/rows/slices.h"

/* Queues are in the order of members. */
static bool list_members(struct wl_matching *m)
{
	const struct wl_comm_queues *q = &m->to->queues;
	struct wl_member *member = WL_NEW(m->arena, struct wl_member, q->n);
	uint32_t *of = WL_NEW(m->arena, uint32_t, q->n);
	size_t n = 0;

	for (size_t i = 0; member && of && i < q->n; i++) {
		const struct wl_comm_queue *queue = &q->queue[i];

		if (n == 0 || member[n - 1].process != queue->process ||
		    member[n - 1].device != queue->device)
			member[n++] = (struct wl_member){ queue->process, queue->device };
		of[i] = (uint32_t)(n - 1);
	}
	m->to->member = member;
	m->to->member_of = of;
	m->to->n_members = n;
	m->residual = WL_NEW(m->scratch, wl_ns, n);
	for (size_t i = 0; m->residual && i < n; i++)
		m->residual[i] = INT64_MAX;
	return member && of && m->residual;
}

/*
 * < 0 when a's kind and role come first. Neighbours of a pipeline meet on any stream, as do the
 * members of a communicator; MPI calls on none.
 */
static int compare_roles(const struct wl_matching *m, uint32_t queue_a, uint32_t queue_b)
{
	const struct wl_comm_queue *a = &m->to->queues.queue[queue_a];
	const struct wl_comm_queue *b = &m->to->queues.queue[queue_b];

	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (wl_comm_is_mpi(a) != wl_comm_is_mpi(b)) /* MPI calls come first */
		return wl_comm_is_mpi(a) ? -1 : 1;
	/* By name: numbers of names depend on what else a trace has. */
	if (a->function != b->function)
		return strcmp(wl_str(m->trace, a->function), wl_str(m->trace, b->function));
	/* Handles of MPI are numbers of a process: ends decide. */
	if (wl_comm_is_mpi(a))
		return 0;
	if (a->comm != b->comm)
		return a->comm < b->comm ? -1 : 1;
	if (a->type == WL_SEND_RECV || a->comm != WL_NO_U64)
		return 0;
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return a->order == b->order ? 0 : a->order < b->order ? -1 : 1;
}

static bool role_less(const void *ctx, uint32_t a, uint32_t b)
{
	return compare_roles(ctx, a, b) < 0;
}

/* Whether the first operations that two queues have in common may be one collective. */
static bool begin_together(const struct wl_end_pairing *p, const struct wl_op_run *a,
			   const struct wl_op_run *b)
{
	int64_t i = p->shift < 0 ? -p->shift : 0, k = i + p->shift;

	return i < (int64_t)a->n && k < (int64_t)b->n &&
	       wl_end_compare(p, &a->at[i], &b->at[k]) != WL_END_MISMATCH;
}

/* Whether the operations of a queue, by samples, send to or receive from all others. */
static bool is_with_all(const struct wl_matching *m, uint32_t queue)
{
	const struct wl_comm_queue *q = &m->to->queues.queue[queue];
	size_t n = q->hi - q->lo, n_samples = n < WL_END_SAMPLES ? n : WL_END_SAMPLES;
	size_t size = wl_comm_ranks(m->payloads, q->comm);

	for (size_t x = 0; x < n_samples; x++) {
		const struct wl_comm_op *op = &m->op[q->lo + x * n / n_samples];

		if (op->is_copy || wl_payload_of(m->payloads, op->row).n_peers + 1 != size)
			return false;
	}
	return size > 1;
}

static bool test(struct wl_matching *m, uint32_t a, uint32_t b, bool *ret_ok)
{
	const struct wl_comm_queue *qa = &m->to->queues.queue[a], *qb = &m->to->queues.queue[b];
	const struct wl_op_run ra = { m->op + qa->lo, qa->hi - qa->lo };
	const struct wl_op_run rb = { m->op + qb->lo, qb->hi - qb->lo };
	wl_ns known_a = m->residual[m->to->member_of[a]],
	      known_b = m->residual[m->to->member_of[b]];
	/* The larger residual: a set can be no better than the worse of its two clocks. */
	const struct wl_clocks clocks = {
		.is_one = wl_matching_clock(m, a) == wl_matching_clock(m, b),
		.is_exact = m->hosts->of[qa->process] == m->hosts->of[qb->process],
		.residual = known_a > known_b ? known_a : known_b,
	};

	if (wl_end_together(&ra, &rb, &clocks, m->scratch, &m->pairing[b], ret_ok))
		return true;
	/*
	 * The payloads say that it is one communicator: then the order of calls is enough. Sends
	 * and receives meet in pairs, unless they are with all others.
	 */
	return *ret_ok && !wl_comm_is_mpi(qa) && qa->comm != WL_NO_U64 &&
	       (qa->type != WL_SEND_RECV || (is_with_all(m, a) && is_with_all(m, b))) &&
	       begin_together(&m->pairing[b], &ra, &rb);
}

static void learn(struct wl_matching *m, uint32_t queue, wl_ns residual)
{
	wl_ns *known = &m->residual[m->to->member_of[queue]];

	*known = residual < *known ? residual : *known;
}

/* The queues of one kind and role while they are grouped; at[] counts them by member. */
struct role {
	const uint32_t *queue;
	size_t n;
	uint32_t *order;  /* of at: the longest queue first */
	uint32_t *set_of; /* by at: WL_NONE until it has one */
	uint32_t *first;  /* by set: its first queue */
	uint32_t *seen;   /* by set: the last at whose member it has, plus 1 */
	struct wl_slice
		*common; /* by set: operations of its first queue that all its queues have */
	size_t n_sets;
};

struct by_length {
	const struct wl_comm_queue *queue;
	const uint32_t *of;
};

static bool is_longer(const void *ctx, uint32_t a, uint32_t b)
{
	const struct by_length *c = ctx;
	const struct wl_comm_queue *qa = &c->queue[c->of[a]], *qb = &c->queue[c->of[b]];

	return qa->hi - qa->lo > qb->hi - qb->lo;
}

static bool begin_role(struct wl_matching *m, struct role *r)
{
	const struct by_length by = { m->to->queues.queue, r->queue };
	uint32_t *at = WL_NEW(m->scratch, uint32_t, 5 * r->n);

	r->common = WL_NEW(m->scratch, struct wl_slice, r->n);
	if (!at || !r->common)
		return false;
	r->order = at;
	r->set_of = at + 2 * r->n;
	r->first = at + 3 * r->n;
	r->seen = at + 4 * r->n;
	for (uint32_t i = 0; i < r->n; i++) {
		r->order[i] = i;
		r->set_of[i] = WL_NONE;
	}
	wl_sort_index(r->order, r->n, at + r->n, is_longer, &by);
	return true;
}

/* A set has at most one queue of each member, whose queues stand side by side. */
static void see_member(const struct wl_matching *m, struct role *r, uint32_t i)
{
	const uint32_t *member_of = m->to->member_of;
	uint32_t member = member_of[r->queue[i]];
	size_t lo = i;

	while (lo > 0 && member_of[r->queue[lo - 1]] == member)
		lo--;
	for (; lo < r->n && member_of[r->queue[lo]] == member; lo++) {
		if (r->set_of[lo] != WL_NONE)
			r->seen[r->set_of[lo]] = i + 1;
	}
}

/*
 * Whether a queue, paired with the set's first one, leaves operations that all queues have. A
 * communicator's members are known without that.
 */
static bool narrow(const struct wl_matching *m, uint32_t queue, struct wl_slice *common)
{
	const struct wl_comm_queue *q = &m->to->queues.queue[queue];
	int64_t shift = m->pairing[queue].shift, n = (int64_t)(q->hi - q->lo);
	int64_t lo = (int64_t)common->lo, hi = (int64_t)common->hi;

	/* Operation i + shift must exist: 0 <= i + shift < n. */
	lo = -shift > lo ? -shift : lo;
	hi = n - shift < hi ? n - shift : hi;
	if (lo >= hi && (wl_comm_is_mpi(q) || q->comm == WL_NO_U64))
		return false;
	*common = (struct wl_slice){ (size_t)lo, (size_t)(hi > lo ? hi : lo) };
	return true;
}

/*
 * Each queue is compared with the first one of each set, the longest: captures that are cut may
 * have little in common with each other, but have it with that one.
 */
static bool group_queues(struct wl_matching *m, const uint32_t *queue, size_t n)
{
	/*
	 * A test costs a fixed number of samples, and there are at most as many as queues times
	 * sets of a role: both count ranks and streams, not events.
	 */
	struct role r = { .queue = queue, .n = n };
	bool ok = begin_role(m, &r);

	for (size_t k = 0; ok && k < n; k++) {
		uint32_t i = r.order[k], q = queue[i], s = 0;

		see_member(m, &r, i);
		while (ok && s < r.n_sets &&
		       (r.seen[s] == i + 1 || !test(m, r.first[s], q, &ok) ||
			!narrow(m, q, &r.common[s])))
			s++;
		if (s == r.n_sets) {
			m->pairing[q] = (struct wl_end_pairing){ .shift = 0 };
			r.common[s] = (struct wl_slice){ 0, m->to->queues.queue[q].hi -
								    m->to->queues.queue[q].lo };
			r.first[r.n_sets++] = q;
		}
		m->first[q] = r.first[s];
		r.set_of[i] = s;
	}
	/*
	 * Learned after the role is grouped, so that the result does not depend on the order of
	 * queues within it.
	 */
	for (size_t i = 0; ok && i < n; i++) {
		uint32_t q = queue[i], other = m->first[q];

		if (other == q)
			continue;
		learn(m, q, m->pairing[q].residual);
		learn(m, other, m->pairing[q].residual);
	}
	return ok;
}

static uint32_t *order_queues(struct wl_matching *m)
{
	const struct wl_comm_queues *q = &m->to->queues;
	uint32_t *order = WL_NEW(m->scratch, uint32_t, 2 * q->n);

	for (uint32_t i = 0; order && i < q->n; i++)
		order[i] = i;
	if (order)
		wl_sort_index(order, q->n, order + q->n, role_less, m);
	return order;
}

static bool group_all(struct wl_matching *m, const uint32_t *order)
{
	const struct wl_comm_queues *q = &m->to->queues;

	for (size_t lo = 0, hi; lo < q->n; lo = hi) {
		for (hi = lo + 1; hi < q->n && compare_roles(m, order[lo], order[hi]) == 0;)
			hi++;
		if (wl_comm_is_message(&q->queue[order[lo]])) {
			for (size_t i = lo; i < hi; i++)
				m->first[order[i]] = order[i];
		} else if (!group_queues(m, order + lo, hi - lo)) {
			return false;
		}
	}
	return true;
}

/* How many queues each set has, by its first one. */
static uint32_t *count_queues(const struct wl_matching *m)
{
	const struct wl_comm_queues *q = &m->to->queues;
	uint32_t *n = WL_NEW(m->scratch, uint32_t, q->n);

	for (size_t i = 0; n && i < q->n; i++)
		n[m->first[i]]++;
	return n;
}

/* Whether a set, known by its first queue, has a queue of a member. */
static bool has_member(const struct wl_matching *m, const uint32_t *queue, size_t n, uint32_t first,
		       uint32_t member)
{
	for (size_t i = 0; i < n; i++) {
		if (m->first[queue[i]] == first && m->to->member_of[queue[i]] == member)
			return true;
	}
	return false;
}

/* Let a queue that is alone join the first set that it ends together with. */
static bool join_one(struct wl_matching *m, const uint32_t *queue, size_t n, uint32_t q)
{
	enum { MOST_TRIED = 64 };
	const struct wl_comm_queue *of = m->to->queues.queue;
	const struct wl_end_pairing own = m->pairing[q];
	bool ok = true;

	for (size_t i = 0, tried = 0; ok && i < n && tried < MOST_TRIED; i++) {
		uint32_t s = queue[i];

		/* Where something is cut off, a shift may leave nothing in common with the rest. */
		if (s == q || m->first[s] != s || of[s].hi - of[s].lo != of[q].hi - of[q].lo)
			continue;
		tried++;
		if (test(m, s, q, &ok) && m->pairing[q].shift == 0 &&
		    !has_member(m, queue, n, s, m->to->member_of[q])) {
			m->first[q] = s;
			learn(m, q, m->pairing[q].residual);
			return true;
		}
	}
	m->pairing[q] = own;
	return ok;
}

/*
 * A member with more streams than others numbers them differently: a queue that ends together with
 * none of its role may do so with one of another.
 */
static bool join_roles(struct wl_matching *m, const uint32_t *order)
{
	const struct wl_comm_queue *q = m->to->queues.queue;
	uint32_t *n = count_queues(m);

	for (size_t lo = 0, hi; n && lo < m->to->queues.n; lo = hi) {
		const struct wl_comm_queue *of = &q[order[lo]];

		for (hi = lo + 1; hi < m->to->queues.n && q[order[hi]].type == of->type &&
				  q[order[hi]].function == of->function;)
			hi++;
		if (wl_comm_is_mpi(of) || of->type == WL_SEND_RECV || of->comm != WL_NO_U64)
			continue;
		for (size_t i = lo; i < hi; i++) {
			uint32_t queue = order[i];

			/* Somebody may have joined it. */
			if (m->first[queue] != queue || n[queue] > 1)
				continue;
			if (!join_one(m, order + lo, hi - lo, queue))
				return false;
			n[m->first[queue]]++;
		}
	}
	return n != NULL;
}

/* Queues come in order, but for one of another role. */
static void put_in_order(uint32_t *list, size_t n, uint32_t queue)
{
	for (; n > 0 && list[n - 1] > queue; n--)
		list[n] = list[n - 1];
	list[n] = queue;
}

/* Sets of two queues and more, in the order of their earliest ones. */
static bool number_sets(struct wl_matching *m, const uint32_t *order)
{
	const struct wl_comm_queues *q = &m->to->queues;
	uint32_t *n = count_queues(m), *list = WL_NEW(m->arena, uint32_t, q->n);
	uint32_t *number = WL_NEW(m->scratch, uint32_t, q->n); /* by first queue: plus 1 */
	uint32_t *set_of = WL_NEW(m->arena, uint32_t, q->n);
	size_t at = 0;

	/* One of two queues and more, or of one queue and its messages. */
	m->set = WL_NEW(m->arena, struct wl_match_set, q->n);
	if (!n || !list || !number || !set_of || !m->set)
		return false;
	for (size_t i = 0; i < q->n; i++) {
		uint32_t queue = order[i], first = m->first[queue];
		struct wl_match_set *set;

		set_of[queue] = WL_NONE;
		if (n[first] < 2)
			continue;
		if (number[first] == 0) {
			m->set[m->to->n_sets] = (struct wl_match_set){ .queue = list + at,
								       .stopped = WL_NONE,
								       .odd = WL_NONE };
			at += n[first];
			number[first] = (uint32_t)++m->to->n_sets;
		}
		set_of[queue] = number[first] - 1;
		set = &m->set[set_of[queue]];
		put_in_order(list + (set->queue - list), set->n++, queue);
	}
	m->to->set_of = m->set_of = set_of;
	m->to->set = m->set;
	return true;
}

bool wl_matching_sets(struct wl_matching *m)
{
	size_t n = m->to->queues.n;
	uint32_t *order;

	m->first = WL_NEW(m->scratch, uint32_t, n);
	m->pairing = WL_NEW(m->scratch, struct wl_end_pairing, n);
	order = order_queues(m);
	return m->first && m->pairing && order && list_members(m) && group_all(m, order) &&
	       join_roles(m, order) && number_sets(m, order);
}
