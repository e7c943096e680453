/* SPDX-License-Identifier: MIT */
/* match_rest.c - queues that belong to none of their role: they may belong to some of another. */
#include "derive/comm/match/matches_parts.h"

enum {
	MOST_TRIED = 64,     /* sets that a queue is compared with */
	MOST_IN_MIDDLE = 64, /* members whose ends the median of a set is taken of: its first */
};

/* A set's queues, which stand among those of their kind. */
struct of_set {
	const uint32_t *queue;
	size_t n;
	uint32_t first; /* which is the longest */
};

static bool has(const struct wl_matching *m, const struct of_set *s, size_t i)
{
	return m->first[s->queue[i]] == s->first;
}

/* Whether a set has a queue of a member. */
static bool has_member(const struct wl_matching *m, const struct of_set *s, uint32_t member)
{
	for (size_t i = 0; i < s->n; i++) {
		if (has(m, s, i) && m->to->member_of[s->queue[i]] == member)
			return true;
	}
	return false;
}

/* The operations of its first queue, up to a cut, that all queues of a set have. */
static void narrow(const struct wl_matching *m, const struct of_set *s, int64_t *lo, int64_t *hi)
{
	const struct wl_comm_queue *q = m->to->queues.queue;

	for (size_t i = 0; i < s->n; i++) {
		int64_t shift = m->pairing[s->queue[i]].shift;
		int64_t n = (int64_t)(q[s->queue[i]].hi - q[s->queue[i]].lo);

		if (!has(m, s, i))
			continue;
		*lo = -shift > *lo ? -shift : *lo;
		*hi = n - shift < *hi ? n - shift : *hi;
	}
}

/* An instance of a set, by the operation of its first queue. */
static struct wl_end_row row_at(const struct wl_matching *m, const struct of_set *s, int64_t at)
{
	struct wl_end_row row = { 0, INT64_MAX, INT64_MIN, INT64_MAX };
	wl_ns end[MOST_IN_MIDDLE];
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct wl_comm_op *op = m->op + m->to->queues.queue[s->queue[i]].lo;
		wl_ns ends;

		if (!has(m, s, i))
			continue;
		op += at + m->pairing[s->queue[i]].shift;
		ends = wl_comm_end(op);
		row.first_end = ends < row.first_end ? ends : row.first_end;
		row.arrival = op->start > row.arrival ? op->start : row.arrival;
		row.shortest = op->dur < row.shortest ? op->dur : row.shortest;
		if (n < MOST_IN_MIDDLE)
			end[n++] = ends;
	}
	row.end = wl_end_median(end, n);
	return row;
}

/* On one clock: a queue, at equal indexes, and a set. */
static void judge(const struct wl_matching *m, const struct of_set *s, uint32_t q,
		  struct wl_end_judgement *ret)
{
	struct wl_end_row of[WL_END_SAMPLES], own[WL_END_SAMPLES];
	const struct of_set alone = { &q, 1, m->first[q] };
	int64_t lo = 0, hi = m->pairing[q].cut;
	size_t n;

	narrow(m, s, &lo, &hi);
	n = wl_end_samples(lo, hi);
	for (size_t x = 0; x < n; x++) {
		int64_t at = wl_end_sample(lo, hi, x, n);

		of[x] = row_at(m, s, at);
		own[x] = row_at(m, &alone, at);
	}
	wl_end_judge(of, own, n, ret);
}

/* Whether a queue belongs to a set, and how closely. */
static bool belongs(struct wl_matching *m, const struct of_set *s, uint32_t q, double *ret_r1,
		    bool *ret_ok)
{
	const struct wl_comm_queue *of = m->to->queues.queue;
	const struct wl_op_run rs = { m->op + of[s->first].lo, of[s->first].hi - of[s->first].lo };
	const struct wl_op_run rq = { m->op + of[q].lo, of[q].hi - of[q].lo };
	bool is_one_clock = wl_matching_clock(m, s->first) == wl_matching_clock(m, q);
	struct wl_end_judgement found;

	/* Where something is cut off, a shift may leave nothing in common with the rest. */
	if (rs.n != rq.n || has_member(m, s, m->to->member_of[q]) ||
	    !wl_end_together(&rs, &rq, is_one_clock, m->scratch, &m->pairing[q], ret_ok) ||
	    m->pairing[q].shift != 0)
		return false;
	found = m->pairing[q].found;
	if (is_one_clock)
		judge(m, s, q, &found);
	*ret_r1 = found.r1;
	return found.verdict == WL_END_TOGETHER;
}

/* Let a queue that is alone join the set that it agrees with best. */
static bool join_one(struct wl_matching *m, const uint32_t *queue, size_t n, uint32_t q)
{
	struct wl_end_pairing best = m->pairing[q];
	uint32_t first = q;
	double r1 = 0, least = 0;
	bool ok = true;

	for (size_t i = 0, tried = 0; ok && i < n && tried < MOST_TRIED; i++) {
		const struct of_set s = { queue, n, queue[i] };

		if (m->first[s.first] != s.first || wl_matching_compare_roles(m, s.first, q) == 0)
			continue;
		tried++;
		m->pairing[q] = (struct wl_end_pairing){ .cut = WL_END_WHOLE };
		if (belongs(m, &s, q, &r1, &ok) && (first == q || r1 < least)) {
			first = s.first;
			best = m->pairing[q];
			least = r1;
		}
	}
	m->pairing[q] = best;
	m->first[q] = first;
	if (first != q)
		m->is_cut[first] |= best.cut != WL_END_WHOLE;
	return ok;
}

/*
 * A member with more streams than others numbers them differently: a queue that ends together with
 * none of its role may do so with one of another.
 */
static bool join_roles(struct wl_matching *m, const uint32_t *order)
{
	const struct wl_comm_queue *q = m->to->queues.queue;
	uint32_t *n = wl_matching_count(m);

	for (size_t lo = 0, hi; n && lo < m->to->queues.n; lo = hi) {
		const struct wl_comm_queue *of = &q[order[lo]];

		for (hi = lo + 1; hi < m->to->queues.n && q[order[hi]].type == of->type &&
				  q[order[hi]].function == of->function;)
			hi++;
		if (wl_comm_is_mpi(of) || of->type == WL_SEND_RECV || of->comm != WL_NO_U64)
			continue;
		for (size_t i = lo; i < hi; i++) {
			uint32_t queue = order[i];

			/* A queue may have joined it. */
			if (m->first[queue] != queue || n[queue] > 1)
				continue;
			if (!join_one(m, order + lo, hi - lo, queue))
				return false;
			n[m->first[queue]]++;
		}
	}
	return n != NULL;
}

/* Neighbours of a pipeline may meet on streams of different roles. */
static bool exchange_rest(struct wl_matching *m)
{
	const struct wl_comm_queues *q = &m->to->queues;
	uint32_t *n = wl_matching_count(m), *list = WL_NEW(m->scratch, uint32_t, q->n);
	size_t n_left = 0;
	bool done;

	if (!n || !list)
		return false;
	for (size_t i = 0; i < m->exchanges.n; i++) {
		n[wl_exchange_at(m, i)->queue[0]] = 2;
		n[wl_exchange_at(m, i)->queue[1]] = 2;
	}
	for (uint32_t i = 0; i < q->n; i++) {
		const struct wl_comm_queue *queue = &q->queue[i];

		if (queue->type == WL_SEND_RECV && !wl_comm_is_mpi(queue) &&
		    queue->comm == WL_NO_U64 && m->first[i] == i && n[i] == 1)
			list[n_left++] = i;
	}
	m->role = (uint32_t)q->n;
	return n_left < 2 || !wl_matching_is_one_clock(m, list, n_left) ||
	       wl_matching_exchange(m, list, n_left, &done);
}

bool wl_matching_rest(struct wl_matching *m, const uint32_t *order)
{
	return join_roles(m, order) && exchange_rest(m);
}
