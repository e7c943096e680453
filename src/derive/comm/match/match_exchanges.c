/* SPDX-License-Identifier: MIT */
/* match_exchanges.c - SendRecv between two ranks, each of which exchanges with several. */
#include <stdlib.h>

#include "base/memory/sort.h"
#include "derive/comm/match/matches_parts.h"

enum {
	FAR = 3,    /* times as far as the nearest end the second nearest is at least */
	FEWEST = 3, /* pairs of operations that make a pair of ranks */
};

/* The operations of some queues, in order of their ends. */
struct ends {
	const struct wl_matching *m;
	uint32_t *op;
	size_t n;
	wl_ns *start;    /* the earliest of this operation and all behind it */
	uint32_t *near;  /* by place: that of the operation that it exchanges with, or WL_NONE */
	uint32_t *place; /* of those with a partner that is of a later queue */
	size_t n_pairs;
};

static const struct wl_comm_op *op_at(const struct ends *e, size_t i)
{
	return &e->m->op[e->op[i]];
}

static bool ends_before(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_comm_op *op = ctx;
	wl_ns ea = wl_comm_end(&op[a]), eb = wl_comm_end(&op[b]);

	return ea != eb ? ea < eb : op[a].start < op[b].start;
}

static bool list_ends(struct ends *e, const uint32_t *queue, size_t n, struct wl_arena *scratch)
{
	const struct wl_comm_queue *q = e->m->to->queues.queue;
	uint32_t *tmp;

	for (size_t i = 0; i < n; i++)
		e->n += q[queue[i]].hi - q[queue[i]].lo;
	e->op = WL_NEW(scratch, uint32_t, e->n);
	e->start = WL_NEW(scratch, wl_ns, e->n);
	e->near = WL_NEW(scratch, uint32_t, e->n);
	e->place = WL_NEW(scratch, uint32_t, e->n);
	tmp = WL_NEW(scratch, uint32_t, e->n);
	if (!e->op || !e->start || !e->near || !e->place || !tmp)
		return false;
	e->n = 0;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = q[queue[i]].lo; k < q[queue[i]].hi; k++)
			e->op[e->n++] = (uint32_t)k;
	}
	wl_sort_index(e->op, e->n, tmp, ends_before, e->m->op);
	for (size_t i = e->n; i-- > 0;) {
		wl_ns behind = i + 1 < e->n ? e->start[i + 1] : INT64_MAX;

		e->start[i] = op_at(e, i)->start < behind ? op_at(e, i)->start : behind;
	}
	return true;
}

/* Whether an operation may be the other end of the one at a place. */
static bool may_meet(const struct ends *e, size_t own, size_t other)
{
	const struct wl_comm_op *a = op_at(e, own), *b = op_at(e, other);
	const uint32_t *member = e->m->to->member_of;

	return a->start < wl_comm_end(b) && b->start < wl_comm_end(a) &&
	       member[a->queue] != member[b->queue];
}

/*
 * The operation of another member with the nearest end that overlaps one, if no second is nearly
 * as near. Looked for on both sides, up to where none overlaps it.
 */
static uint32_t find_near(const struct ends *e, size_t own)
{
	const struct wl_comm_op *op = op_at(e, own);
	size_t before = own, after = own + 1; /* the next are before - 1 and after */
	uint32_t best = WL_NONE;
	wl_ns nearest = 0, end = wl_comm_end(op);

	for (;;) {
		wl_ns back = before > 0 && wl_comm_end(op_at(e, before - 1)) > op->start
				     ? end - wl_comm_end(op_at(e, before - 1))
				     : INT64_MAX;
		wl_ns on = after < e->n && e->start[after] < end
				   ? wl_comm_end(op_at(e, after)) - end
				   : INT64_MAX;
		wl_ns away = back < on ? back : on;
		size_t at = back < on ? before - 1 : after;

		if (away == INT64_MAX ||
		    (best != WL_NONE && away > nearest && away / FAR >= nearest))
			return best;
		before -= back < on;
		after += back >= on;
		if (!may_meet(e, own, at))
			continue;
		if (best != WL_NONE)
			return WL_NONE;
		best = (uint32_t)at;
		nearest = away;
	}
}

static bool pair_before(const void *ctx, uint32_t a, uint32_t b)
{
	const struct ends *e = ctx;
	const struct wl_comm_op *xa = op_at(e, a), *xb = op_at(e, b);
	const struct wl_comm_op *ya = op_at(e, e->near[a]), *yb = op_at(e, e->near[b]);

	if (xa->queue != xb->queue)
		return xa->queue < xb->queue;
	if (ya->queue != yb->queue)
		return ya->queue < yb->queue;
	return a < b;
}

static bool find_pairs(struct ends *e, struct wl_arena *scratch)
{
	uint32_t *tmp = WL_NEW(scratch, uint32_t, e->n);

	for (size_t i = 0; i < e->n; i++)
		e->near[i] = find_near(e, i);
	for (uint32_t i = 0; i < e->n; i++) {
		uint32_t other = e->near[i];

		if (other != WL_NONE && e->near[other] == i &&
		    op_at(e, i)->queue < op_at(e, other)->queue)
			e->place[e->n_pairs++] = i;
	}
	if (tmp)
		wl_sort_index(e->place, e->n_pairs, tmp, pair_before, e);
	return tmp != NULL;
}

/* The pairs [lo, hi) of two queues: whether their ends agree better than their durations. */
static enum wl_end_verdict judge(const struct ends *e, size_t lo, size_t hi, double *ret_r1)
{
	wl_ns end[WL_END_SAMPLES], dur[WL_END_SAMPLES];
	size_t n = wl_end_samples((int64_t)lo, (int64_t)hi);

	for (size_t x = 0; x < n; x++) {
		uint32_t i = e->place[wl_end_sample((int64_t)lo, (int64_t)hi, x, n)];
		const struct wl_comm_op *a = op_at(e, i), *b = op_at(e, e->near[i]);

		end[x] = wl_comm_end(b) - wl_comm_end(a);
		dur[x] = b->dur - a->dur;
	}
	*ret_r1 = wl_end_agreement(end, n);
	return wl_end_law(*ret_r1, wl_end_spread(dur, n));
}

static bool put_exchange(struct wl_matching *m, const struct ends *e, size_t lo, size_t hi,
			 enum wl_end_verdict verdict, double r1)
{
	uint32_t *op = WL_NEW(m->scratch, uint32_t, 2 * (hi - lo));
	uint32_t i = e->place[lo];
	const struct wl_exchange exchange = {
		.queue = { op_at(e, i)->queue, op_at(e, e->near[i])->queue },
		.op = { op, op + (hi - lo) },
		.n = hi - lo,
		.r1 = r1,
		.is_undecided = verdict == WL_END_UNDECIDED,
	};

	if (!op)
		return false;
	wl_vec_push(&m->exchanges, &exchange);
	for (size_t k = lo; k < hi; k++) {
		op[k - lo] = e->op[e->place[k]];
		op[hi - lo + k - lo] = e->op[e->near[e->place[k]]];
	}
	return !m->exchanges.failed;
}

/* List the pairs of queues; returns how many operations they have. */
static bool put_exchanges(struct wl_matching *m, const struct ends *e, size_t *ret_covered)
{
	bool ok = true;

	*ret_covered = 0;
	for (size_t lo = 0, hi; ok && lo < e->n_pairs; lo = hi) {
		uint32_t own = op_at(e, e->place[lo])->queue;
		uint32_t other = op_at(e, e->near[e->place[lo]])->queue;
		enum wl_end_verdict verdict;
		double r1 = 0;

		for (hi = lo + 1; hi < e->n_pairs && op_at(e, e->place[hi])->queue == own &&
				  op_at(e, e->near[e->place[hi]])->queue == other;)
			hi++;
		verdict = hi - lo < FEWEST ? WL_END_APART : judge(e, lo, hi, &r1);
		if (verdict == WL_END_APART)
			continue;
		*ret_covered += 2 * (hi - lo);
		ok = put_exchange(m, e, lo, hi, verdict, r1);
	}
	return ok;
}

/* Captures that are cut, and stages of a pipeline, which have one neighbour or two. */
static bool differ_in_length(const struct wl_matching *m, const uint32_t *queue, size_t n)
{
	const struct wl_comm_queue *q = m->to->queues.queue;

	for (size_t i = 1; i < n; i++) {
		if (q[queue[i]].hi - q[queue[i]].lo != q[queue[0]].hi - q[queue[0]].lo)
			return true;
	}
	return false;
}

bool wl_matching_exchange(struct wl_matching *m, const uint32_t *queue, size_t n, bool *ret_done)
{
	size_t before = m->exchanges.n, covered = 0;
	struct ends e = { .m = m };
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, m->scratch);
	ok = list_ends(&e, queue, n, &scratch) && find_pairs(&e, &scratch) &&
	     put_exchanges(m, &e, &covered);
	/* At least 95% of them. */
	*ret_done = differ_in_length(m, queue, n) || 20 * covered >= 19 * e.n;
	wl_arena_release(&scratch);
	if (!*ret_done)
		m->exchanges.n = before;
	for (size_t i = before; ok && i < m->exchanges.n; i++) {
		const struct wl_exchange *x = wl_exchange_at(m, i);

		wl_matching_know(
			m, wl_matching_code(m, x->queue[0]) + wl_matching_code(m, x->queue[1]), 2);
	}
	return ok;
}
