/* SPDX-License-Identifier: MIT */
/*
 * Matches against brute force by the definition: random groups of processes that meet in
 * collectives, with jitter, cut captures, lost rows, and processes that meet nobody.
 *
 *   property matches [SEED [RUNS]]
 */
#include "derive/comm/match/matches.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "derive/derived.h"
#include "support/mem.h"
#include "support/unit.h"

enum { MAX_QUEUES = 16, MAX_OPS = 60, FIRST_PID = 100, MAX_PIDS = 64 };

static const wl_ns us = 1000;

static uint64_t state;

static wl_ns below(wl_ns n) /* [0, n) */
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (wl_ns)(state % (uint64_t)n);
}

struct op {
	wl_ns start, end;
	size_t first; /* the first queue of its match; SIZE_MAX: none */
	wl_ns late, shortest, caused, alone;
	bool is_last;
};

/* One stream of one process, with operations of one kind. */
struct queue {
	unsigned pid, stream;
	const char *name;
	bool is_mixed; /* the stream computes, too */
	struct op op[MAX_OPS];
	size_t n;
	/* What brute force finds: */
	size_t first; /* queue of its set */
	long at;      /* place of its first operation on the axis of the set */
	bool exchanges;
};

/* Operations of two queues that exchange. */
struct exchange {
	size_t queue[2], op[2][MAX_OPS], n;
};

struct known {
	size_t role;
	uint64_t members;
};

enum { MOST_EXCHANGES = MAX_QUEUES * MAX_QUEUES, MOST_KNOWN = 4 * MAX_QUEUES };

struct trial {
	struct queue queue[MAX_QUEUES];
	size_t n;
	long cut[MAX_QUEUES]; /* of the axis, by first queue */
	bool is_cut[MAX_QUEUES];
	double r1[MAX_QUEUES];
	struct exchange exchange[MOST_EXCHANGES];
	size_t n_exchanges;
	struct known known[MOST_KNOWN];
	size_t n_known, role;
};

static const char *const kinds[] = { "ncclDevKernel_AllReduce_x", "ncclDevKernel_AllGather_x",
				     "ncclDevKernel_SendRecv" };

/* A communicator: members, a kind, a period and how exactly they end. */
static void add_group(struct trial *t, unsigned first, unsigned n_members, unsigned stream,
		      size_t kind)
{
	wl_ns period = (1 + below(8)) * 100 * us, transfer = 1 + below(period / 2);
	wl_ns jitter = below(3) ? 1 + below(4) * us : 1 + below(40) * us;
	size_t n = 1 + (size_t)below(MAX_OPS);
	wl_ns arrival[MAX_OPS];

	for (size_t k = 0; k < n; k++)
		arrival[k] = (wl_ns)k * period + below(period / 4);
	for (unsigned m = 0; m < n_members && t->n < MAX_QUEUES; m++) {
		struct queue *q = &t->queue[t->n++];
		size_t cut = below(4) ? 0 : (size_t)below(6),
		       lost = below(4) ? MAX_OPS : (size_t)below(MAX_OPS);

		*q = (struct queue){ .pid = first + m,
				     .stream = stream + m % 2 * 10,
				     .name = kinds[kind],
				     .is_mixed = below(8) == 0 };
		for (size_t k = cut; k < n; k++) {
			wl_ns end = arrival[k] + transfer + below(jitter);
			wl_ns start = arrival[k] - below(period / 4);

			if (k != lost)
				q->op[q->n++] =
					(struct op){ .start = start < 0 ? 0 : start, .end = end };
		}
		if (q->n == 0)
			t->n--;
	}
}

/* Streams of a process have one kind each, so that queues are streams. */
static void make(struct trial *t)
{
	unsigned pid = FIRST_PID;

	t->n = 0;
	while (t->n < MAX_QUEUES / 2) {
		unsigned n = 1 + (unsigned)below(4);

		add_group(t, pid, n, 20, (size_t)below(3));
		if (below(2) && t->n < MAX_QUEUES)
			add_group(t, pid, n, 40, (size_t)below(3));
		pid += n;
	}
}

/* ---- Brute force ---- */

static bool is_send(const struct queue *q)
{
	return q->name == kinds[2];
}

/* How many streams of its process and class have lower numbers. */
static size_t order_of(const struct trial *t, const struct queue *q)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->queue[i].pid == q->pid && t->queue[i].is_mixed == q->is_mixed &&
		     t->queue[i].stream < q->stream;
	return n;
}

static bool same_role(const struct trial *t, const struct queue *a, const struct queue *b)
{
	return a->name == b->name && a->is_mixed == b->is_mixed && order_of(t, a) == order_of(t, b);
}

static int by_number(const void *va, const void *vb)
{
	const wl_ns *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

static wl_ns middle(const wl_ns *at, size_t n)
{
	wl_ns sorted[MAX_OPS];

	for (size_t i = 0; i < n; i++)
		sorted[i] = at[i];
	qsort(sorted, n, sizeof(*sorted), by_number);
	return sorted[(n - 1) / 2] + (sorted[n / 2] - sorted[(n - 1) / 2]) / 2;
}

static double spread(const wl_ns *at, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)llabs(at[i] - middle(at, n));
	return sum / (double)n;
}

/* R1: what rounding makes of ends that agree is none. */
static double agreement(const wl_ns *at, size_t n)
{
	double r1 = spread(at, n);

	return r1 <= 1 ? 0 : r1;
}

enum verdict { APART, UNDECIDED, TOGETHER };

static enum verdict law(double r1, double r2)
{
	return 5 * r1 <= 4 * r2 ? TOGETHER : 4 * r1 < 5 * r2 ? UNDECIDED : APART;
}

static bool overlap(const struct op *a, const struct op *b)
{
	return a->start < b->end && b->start < a->end;
}

/* Sets of queues; the second's axis begins at offset on that of the first. */
struct side {
	const struct queue *queue[MAX_QUEUES];
	long at[MAX_QUEUES];
	size_t n;
};

static const struct op *op_of(const struct side *s, size_t k, long i)
{
	return &s->queue[k]->op[i - s->at[k]];
}

static void bounds(const struct side *s, long *lo, long *hi)
{
	for (size_t k = 0; k < s->n; k++) {
		long end = s->at[k] + (long)s->queue[k]->n;

		*lo = s->at[k] > *lo ? s->at[k] : *lo;
		*hi = end < *hi ? end : *hi;
	}
}

/* Median end and last arrival of an instance. */
static void sum_up(const struct side *s, long i, wl_ns *end, wl_ns *last, wl_ns *shortest)
{
	wl_ns ends[MAX_QUEUES];

	*last = INT64_MIN;
	for (size_t k = 0; k < s->n; k++) {
		const struct op *op = op_of(s, k, i);

		ends[k] = op->end;
		*last = op->start > *last ? op->start : *last;
		*shortest = op->end - op->start < *shortest ? op->end - op->start : *shortest;
	}
	*end = middle(ends, s->n);
}

/* Instances [lo, hi) of both. r1 < 0: too few overlap. */
static enum verdict judge(const struct side *a, const struct side *b, long lo, long hi, double *r1)
{
	wl_ns d[MAX_OPS], rest[MAX_OPS], shortest[MAX_OPS];
	size_t n = 0, n_overlap = 0;

	*r1 = -1;
	for (long i = lo; i < hi; i++, n++) {
		wl_ns end_a, last_a, end_b, last_b;
		bool all = true;

		for (size_t k = 0; k < a->n; k++) {
			for (size_t l = 0; l < b->n; l++)
				all = all && overlap(op_of(a, k, i), op_of(b, l, i));
		}
		shortest[n] = INT64_MAX;
		sum_up(a, i, &end_a, &last_a, &shortest[n]);
		sum_up(b, i, &end_b, &last_b, &shortest[n]);
		d[n] = end_b - end_a;
		rest[n] = d[n] - (last_b - last_a);
		n_overlap += all;
	}
	if (n == 0 || 20 * n_overlap < 19 * n)
		return APART;
	*r1 = agreement(d, n);
	return 2 * llabs(middle(d, n)) <= middle(shortest, n) ? law(*r1, spread(rest, n)) : APART;
}

/* What is found of two queues: b's first operation is at a's operation at. */
struct pairing {
	enum verdict verdict;
	long at, cut;
	double r1;
};

static bool set_common(const struct queue *a, const struct queue *b, long at, long *lo, long *hi)
{
	size_t shorter = a->n < b->n ? a->n : b->n;

	*lo = at > 0 ? at : 0;
	*hi = (long)a->n < at + (long)b->n ? (long)a->n : at + (long)b->n;
	return *hi > *lo && 2 * (*hi - *lo) >= (long)shorter;
}

static struct pairing try_at(const struct queue *a, const struct queue *b, long at)
{
	const struct side one = { { a }, { 0 }, 1 }, two = { { b }, { at }, 1 };
	struct pairing p = { APART, at, LONG_MAX, -1 };
	long lo, hi;

	if (set_common(a, b, at, &lo, &hi))
		p.verdict = judge(&one, &two, lo, hi, &p.r1);
	return p;
}

/* They get out of step somewhere. */
static struct pairing try_cut(const struct queue *a, const struct queue *b, long at)
{
	const struct side one = { { a }, { 0 }, 1 }, two = { { b }, { at }, 1 };
	struct pairing p = { APART, at, LONG_MAX, -1 };
	long lo, hi, i, n = 0;

	if (!set_common(a, b, at, &lo, &hi))
		return p;
	for (i = lo; i < hi && overlap(&a->op[i], &b->op[i - at]);)
		i++;
	for (long k = i; k < hi; k++)
		n += overlap(&a->op[k], &b->op[k - at]);
	if (i == hi || i - lo < 8 || 2 * n >= hi - i)
		return p;
	p.verdict = judge(&one, &two, lo, i, &p.r1) == TOGETHER ? TOGETHER : APART;
	p.cut = p.verdict == TOGETHER ? i : LONG_MAX;
	return p;
}

static long most_overlaps(const struct queue *a, const struct queue *b)
{
	long best = 0, most = 0;

	for (long by = 0; by < MAX_OPS; by++) {
		for (int sign = -1; sign <= 1; sign += 2) {
			long at = sign * by, lo, hi, n = 0;

			if (!set_common(a, b, at, &lo, &hi))
				continue;
			for (long i = lo; i < hi; i++)
				n += overlap(&a->op[i], &b->op[i - at]);
			best = n > most ? at : best;
			most = n > most ? n : most;
		}
	}
	return best;
}

static struct pairing pair_up(const struct queue *a, const struct queue *b)
{
	struct pairing p = { APART, 0, LONG_MAX, -1 }, other;
	long at;

	if (a->n == b->n)
		p = try_at(a, b, 0);
	if (p.r1 >= 0)
		return p;
	at = most_overlaps(a, b);
	if (at != 0 || a->n != b->n) {
		p = try_at(a, b, at);
		if (p.r1 >= 0)
			return p;
	}
	p = try_cut(a, b, 0);
	other = at ? try_cut(a, b, at) : p;
	if (other.verdict == TOGETHER &&
	    (p.verdict != TOGETHER || other.cut - (at > 0 ? at : 0) > p.cut))
		return other;
	return p;
}

static int by_process(const void *va, const void *vb)
{
	const struct queue *a = va, *b = vb;

	return a->pid != b->pid ? (a->pid < b->pid ? -1 : 1) : a->stream < b->stream ? -1 : 1;
}

static bool has_member(const struct trial *t, size_t set, unsigned pid)
{
	for (size_t k = 0; k < t->n; k++) {
		if (t->queue[k].first == set && t->queue[k].pid == pid)
			return true;
	}
	return false;
}

static void take_side(const struct trial *t, size_t set, long offset, struct side *to)
{
	to->n = 0;
	for (size_t k = 0; k < t->n; k++) {
		if (t->queue[k].first != set)
			continue;
		to->queue[to->n] = &t->queue[k];
		to->at[to->n++] = t->queue[k].at + offset;
	}
}

static uint64_t members_of(const struct side *s)
{
	uint64_t all = 0;

	for (size_t k = 0; k < s->n; k++)
		all |= UINT64_C(1) << (s->queue[k]->pid - FIRST_PID);
	return all;
}

static bool is_known(const struct trial *t, size_t role, uint64_t members)
{
	for (size_t i = 0; i < t->n_known; i++) {
		if (t->known[i].role == role && t->known[i].members == members)
			return true;
	}
	return false;
}

static void know(struct trial *t, uint64_t members)
{
	if (members & (members - 1) && t->n_known < MOST_KNOWN)
		t->known[t->n_known++] = (struct known){ t->role, members };
}

static bool stay_apart(const struct trial *t, size_t set_a, size_t set_b, const struct side *a,
		       const struct side *b, double r1)
{
	double most = t->r1[set_a] > t->r1[set_b] ? t->r1[set_a] : t->r1[set_b];

	if (a->n < 2 || b->n < 2)
		return false;
	for (size_t role = 0; role < t->role; role++) {
		if (is_known(t, role, members_of(a)) && is_known(t, role, members_of(b)))
			return true;
	}
	return r1 > 3 * most;
}

struct candidate {
	double r1;
	size_t a, b;
	struct pairing p;
};

static int closest_first(const void *va, const void *vb)
{
	const struct candidate *a = va, *b = vb;

	if (a->r1 != b->r1)
		return a->r1 < b->r1 ? -1 : 1;
	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return (a->b > b->b) - (a->b < b->b);
}

static void try_join(struct trial *t, const struct candidate *c)
{
	size_t set_a = t->queue[c->a].first, set_b = t->queue[c->b].first;
	long offset = t->queue[c->a].at + c->p.at - t->queue[c->b].at, lo = LONG_MIN;
	long hi = c->p.cut == LONG_MAX ? LONG_MAX : t->queue[c->a].at + c->p.cut;
	struct side a, b;
	enum verdict verdict;
	double r1;

	if (set_a == set_b)
		return;
	take_side(t, set_a, 0, &a);
	take_side(t, set_b, offset, &b);
	if (members_of(&a) & members_of(&b))
		return;
	bounds(&a, &lo, &hi);
	bounds(&b, &lo, &hi);
	hi = t->cut[set_a] < hi ? t->cut[set_a] : hi;
	hi = t->cut[set_b] != LONG_MAX && t->cut[set_b] + offset < hi ? t->cut[set_b] + offset : hi;
	verdict = judge(&a, &b, lo, hi, &r1);
	if (verdict == APART || (verdict == UNDECIDED && stay_apart(t, set_a, set_b, &a, &b, r1)))
		return;
	for (size_t k = 0; k < t->n; k++) {
		if (t->queue[k].first == set_b) {
			t->queue[k].first = set_a;
			t->queue[k].at += offset;
		}
	}
	t->is_cut[set_a] = t->is_cut[set_a] || t->is_cut[set_b] || c->p.cut != LONG_MAX;
	t->cut[set_a] = t->is_cut[set_a] ? hi : LONG_MAX;
	t->r1[set_a] = r1;
}

/* Queues of one role, from the one numbered lead on. */
static void group_sets(struct trial *t, size_t lead)
{
	struct candidate found[MAX_QUEUES * MAX_QUEUES];
	size_t n = 0;

	for (size_t a = lead; a < t->n; a++) {
		for (size_t b = a + 1; b < t->n; b++) {
			const struct queue *qa = &t->queue[a], *qb = &t->queue[b];
			struct pairing p;

			if (!same_role(t, &t->queue[lead], qa) ||
			    !same_role(t, &t->queue[lead], qb) || qa->pid == qb->pid)
				continue;
			p = pair_up(qa, qb);
			if (p.verdict != APART)
				found[n++] = (struct candidate){ p.r1, a, b, p };
		}
	}
	qsort(found, n, sizeof(*found), closest_first);
	for (size_t i = 0; i < n; i++)
		try_join(t, &found[i]);
}

/* By what is first in a set: the longest queue, of several the first. */
static void name_sets(struct trial *t, size_t lead)
{
	size_t name[MAX_QUEUES];
	bool is_cut[MAX_QUEUES];

	for (size_t i = 0; i < t->n; i++) {
		name[i] = SIZE_MAX;
		is_cut[i] = t->is_cut[i];
	}
	for (size_t i = 0; i < t->n; i++) {
		size_t *best = &name[t->queue[i].first];

		if (*best == SIZE_MAX || t->queue[i].n > t->queue[*best].n)
			*best = i;
	}
	for (size_t i = lead; i < t->n; i++) {
		if (same_role(t, &t->queue[lead], &t->queue[i])) {
			struct side side;

			t->is_cut[name[t->queue[i].first]] = is_cut[t->queue[i].first];
			if (t->queue[i].first == i) {
				take_side(t, i, 0, &side);
				know(t, members_of(&side));
			}
		}
	}
	for (size_t i = lead; i < t->n; i++) {
		if (same_role(t, &t->queue[lead], &t->queue[i]))
			t->queue[i].first = name[t->queue[i].first];
	}
}

/* The nearest operation of another process, if no second is nearly as near: queue and index. */
static bool find_near(const struct trial *t, const bool *in, size_t q, size_t k, size_t *ret_q,
		      size_t *ret_k)
{
	const struct op *own = &t->queue[q].op[k];
	wl_ns first = INT64_MAX, second = INT64_MAX;

	for (size_t i = 0; i < t->n; i++) {
		for (size_t l = 0; in[i] && t->queue[i].pid != t->queue[q].pid && l < t->queue[i].n;
		     l++) {
			const struct op *op = &t->queue[i].op[l];
			wl_ns away = llabs(op->end - own->end);

			if (!overlap(own, op))
				continue;
			if (away < first) {
				second = first;
				first = away;
				*ret_q = i;
				*ret_k = l;
			} else if (away < second) {
				second = away;
			}
		}
	}
	return first != INT64_MAX &&
	       (second == INT64_MAX || (second > first && second >= 3 * first));
}

static void list_exchange(const struct trial *t, const bool *in, size_t a, size_t b,
			  struct exchange *to)
{
	to->queue[0] = a;
	to->queue[1] = b;
	to->n = 0;
	for (size_t k = 0; k < t->queue[a].n; k++) {
		size_t q, l, back_q, back_k;

		if (!find_near(t, in, a, k, &q, &l) || q != b ||
		    !find_near(t, in, b, l, &back_q, &back_k) || back_q != a || back_k != k)
			continue;
		to->op[0][to->n] = k;
		to->op[1][to->n++] = l;
	}
}

static bool is_exchange(const struct trial *t, const struct exchange *x)
{
	wl_ns end[MAX_OPS], dur[MAX_OPS];

	for (size_t i = 0; i < x->n; i++) {
		const struct op *a = &t->queue[x->queue[0]].op[x->op[0][i]];
		const struct op *b = &t->queue[x->queue[1]].op[x->op[1][i]];

		end[i] = b->end - a->end;
		dur[i] = b->end - b->start - (a->end - a->start);
	}
	return x->n >= 3 && law(agreement(end, x->n), spread(dur, x->n)) != APART;
}

/* Whether exchanges explain these queues; then they are listed. */
static bool group_exchanges(struct trial *t, const bool *in)
{
	size_t before = t->n_exchanges, covered = 0, all = 0, length = 0;
	bool differ = false;

	for (size_t a = 0; a < t->n; a++) {
		if (!in[a])
			continue;
		differ = differ || (length && length != t->queue[a].n);
		length = t->queue[a].n;
		all += length;
		for (size_t b = a + 1; b < t->n; b++) {
			struct exchange *x = &t->exchange[t->n_exchanges];

			if (!in[b])
				continue;
			list_exchange(t, in, a, b, x);
			if (!is_exchange(t, x))
				continue;
			covered += 2 * x->n;
			t->n_exchanges++;
		}
	}
	if (!differ && 20 * covered < 19 * all) {
		t->n_exchanges = before;
		return false;
	}
	for (size_t i = before; i < t->n_exchanges; i++) {
		struct queue *a = &t->queue[t->exchange[i].queue[0]];
		struct queue *b = &t->queue[t->exchange[i].queue[1]];

		a->exchanges = b->exchanges = true;
		know(t, UINT64_C(1) << (a->pid - FIRST_PID) | UINT64_C(1) << (b->pid - FIRST_PID));
	}
	return true;
}

static void group(struct trial *t, size_t lead)
{
	bool in[MAX_QUEUES];
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		in[i] = same_role(t, &t->queue[lead], &t->queue[i]);
		n += in[i];
	}
	if (n > 1 && is_send(&t->queue[lead]) && group_exchanges(t, in))
		return;
	group_sets(t, lead);
	name_sets(t, lead);
}

static int role_rank(const struct trial *t, const struct queue *q)
{
	int kind = q->name == kinds[0] ? 0 : q->name == kinds[1] ? 1 : 2;

	return kind * 1000 + (q->is_mixed ? 0 : 100) + (int)order_of(t, q);
}

static size_t count_in(const struct trial *t, size_t set)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->queue[i].first == set;
	return n;
}

/* The next queue of a kind in the order of roles, then of processes; SIZE_MAX: none. */
static size_t next_by_role(const struct trial *t, int kind, size_t after)
{
	int from = after == SIZE_MAX ? -1 : role_rank(t, &t->queue[after]), least = INT_MAX;
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < t->n; i++) {
		int rank = role_rank(t, &t->queue[i]);
		bool is_later = rank > from || (rank == from && i > after);

		if (rank / 1000 == kind && is_later && rank < least) {
			least = rank;
			best = i;
		}
	}
	return best;
}

/* How closely a queue that is alone belongs to a set of another role; below 0: not at all. */
static double closeness(const struct trial *t, size_t set, size_t alone, struct pairing *ret)
{
	const struct queue *q = &t->queue[alone], *first = &t->queue[set];
	struct side of, own;
	long lo = LONG_MIN, hi = LONG_MAX;
	double r1;

	if (set == alone || first->first != set || first->n != q->n || same_role(t, first, q) ||
	    has_member(t, set, q->pid))
		return -1;
	*ret = pair_up(first, q);
	if (ret->verdict == APART || ret->at != 0)
		return -1;
	take_side(t, set, 0, &of);
	own = (struct side){ { q }, { first->at }, 1 };
	hi = ret->cut == LONG_MAX ? LONG_MAX : first->at + ret->cut;
	bounds(&of, &lo, &hi);
	bounds(&own, &lo, &hi);
	return judge(&of, &own, lo, hi, &r1) == TOGETHER ? r1 : -1;
}

/* A queue that is alone joins the set of another role that it belongs to most closely. */
static void join(struct trial *t, int kind, size_t alone)
{
	size_t best = SIZE_MAX;
	double least = 0;
	bool is_cut = false;

	for (size_t s = next_by_role(t, kind, SIZE_MAX); s != SIZE_MAX;
	     s = next_by_role(t, kind, s)) {
		struct pairing p;
		double r1 = closeness(t, s, alone, &p);

		if (r1 >= 0 && (best == SIZE_MAX || r1 < least)) {
			best = s;
			least = r1;
			is_cut = p.cut != LONG_MAX;
		}
	}
	if (best == SIZE_MAX)
		return;
	t->queue[alone].first = best;
	t->queue[alone].at = t->queue[best].at;
	t->is_cut[best] = t->is_cut[best] || is_cut;
}

static void join_all(struct trial *t)
{
	bool in[MAX_QUEUES];

	for (int kind = 0; kind < 2; kind++) { /* not of sends */
		for (size_t i = next_by_role(t, kind, SIZE_MAX); i != SIZE_MAX;
		     i = next_by_role(t, kind, i)) {
			if (t->queue[i].first == i && count_in(t, i) == 1)
				join(t, kind, i);
		}
	}
	for (size_t i = 0; i < t->n; i++)
		in[i] = is_send(&t->queue[i]) && t->queue[i].first == i && count_in(t, i) == 1 &&
			!t->queue[i].exchanges;
	(void)group_exchanges(t, in);
}

/* The median duration of a role, the upper one of two. */
static wl_ns length_of(const struct trial *t, size_t lead)
{
	wl_ns dur[MAX_QUEUES * MAX_OPS];
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		for (size_t k = 0; same_role(t, &t->queue[lead], &t->queue[i]) && k < t->queue[i].n;
		     k++)
			dur[n++] = t->queue[i].op[k].end - t->queue[i].op[k].start;
	}
	qsort(dur, n, sizeof(*dur), by_number);
	return dur[n / 2];
}

/* The roles with the longest operations first, then as they are numbered. */
static void group_all(struct trial *t)
{
	bool done[3000] = { false };

	for (t->role = 0;; t->role++) {
		size_t best = SIZE_MAX;
		wl_ns longest = -1;

		for (int rank = 0; rank < 3000; rank++) {
			for (size_t i = 0; !done[rank] && i < t->n; i++) {
				if (role_rank(t, &t->queue[i]) != rank)
					continue;
				if (length_of(t, i) > longest) {
					longest = length_of(t, i);
					best = i;
				}
				break;
			}
		}
		if (best == SIZE_MAX)
			break;
		done[role_rank(t, &t->queue[best])] = true;
		group(t, best);
	}
	join_all(t);
}

/* The operation of a queue that belongs to operation i of the first; NULL for none. */
static struct op *partner(struct trial *t, size_t q, size_t i)
{
	long j = t->queue[t->queue[q].first].at + (long)i - t->queue[q].at;

	return j >= 0 && j < (long)t->queue[q].n ? &t->queue[q].op[j] : NULL;
}

/* Whether all queues of a set have the operation. */
static bool is_common(struct trial *t, size_t set, size_t i)
{
	for (size_t k = 0; k < t->n; k++) {
		if (t->queue[k].first == set && !partner(t, k, i))
			return false;
	}
	return true;
}

/* The operations that make up one match: how many. */
static size_t members(struct trial *t, size_t set, size_t i, struct op **ret)
{
	size_t n = 0;

	for (size_t k = 0; k < t->n; k++) {
		if (t->queue[k].first == set)
			ret[n++] = partner(t, k, i);
	}
	return n;
}

static void match_one(struct op **op, size_t n, size_t first)
{
	size_t last = 0;
	wl_ns before = -1, shortest = INT64_MAX, caused = 0;
	struct op *who;

	for (size_t k = 0; k < n; k++) {
		last = op[k]->start > op[last]->start ? k : last;
		if (op[k]->end - op[k]->start < shortest)
			shortest = op[k]->end - op[k]->start;
	}
	who = op[last];
	for (size_t k = 0; k < n; k++) {
		caused += who->start - op[k]->start;
		before = k != last && op[k]->start > before ? op[k]->start : before;
	}
	for (size_t k = 0; k < n; k++) {
		op[k]->first = first;
		op[k]->late = who->start - op[k]->start;
		op[k]->shortest = shortest;
		op[k]->caused = caused;
		op[k]->alone = who->start - before;
		op[k]->is_last = k == last;
	}
}

static bool is_mismatch(struct trial *t, size_t set, size_t i)
{
	for (size_t k = 0; t->is_cut[set] && k < t->n; k++) {
		const struct op *op = t->queue[k].first == set ? partner(t, k, i) : NULL;

		if (op && k != set && !overlap(&t->queue[set].op[i], op))
			return true;
	}
	return false;
}

static size_t first_member(const struct trial *t, size_t set)
{
	size_t k = 0;

	while (t->queue[k].first != set)
		k++;
	return k;
}

/* When the first member of a set arrives. */
static wl_ns time_of(struct trial *t, size_t set, size_t i)
{
	const struct op *op = partner(t, first_member(t, set), i);

	return op ? op->start : INT64_MAX;
}

/* When the members of a set got out of step, as this set alone shows. */
static wl_ns stop_of(struct trial *t, size_t set)
{
	for (size_t i = 0; i < t->queue[set].n; i++) {
		if (is_common(t, set, i) && is_mismatch(t, set, i))
			return time_of(t, set, i);
	}
	return INT64_MAX;
}

/* When members got out of step. */
static wl_ns stop_by_members(struct trial *t, uint64_t members)
{
	wl_ns stop = INT64_MAX;

	for (size_t k = 0; k < t->n; k++) {
		struct side side;

		if (t->queue[k].first != k)
			continue;
		take_side(t, k, 0, &side);
		if (members_of(&side) == members && stop_of(t, k) < stop)
			stop = stop_of(t, k);
	}
	return stop;
}

static void match_set(struct trial *t, size_t set)
{
	struct op *op[MAX_QUEUES];
	struct side side;
	wl_ns stop;

	take_side(t, set, 0, &side);
	stop = stop_by_members(t, members_of(&side));
	for (size_t i = 0; side.n > 1 && i < t->queue[set].n; i++) {
		if (!is_common(t, set, i))
			continue;
		if (time_of(t, set, i) >= stop)
			return;
		match_one(op, members(t, set, i, op), first_member(t, set));
	}
}

static void match_exchange(struct trial *t, const struct exchange *x)
{
	struct queue *a = &t->queue[x->queue[0]], *b = &t->queue[x->queue[1]];
	wl_ns stop = stop_by_members(t, UINT64_C(1) << (a->pid - FIRST_PID) |
						UINT64_C(1) << (b->pid - FIRST_PID));

	for (size_t i = 0; i < x->n; i++) {
		struct op *op[] = { &a->op[x->op[0][i]], &b->op[x->op[1][i]] };

		if (op[0]->start >= stop)
			return;
		match_one(op, 2, x->queue[0]);
	}
}

static int by_end(const void *va, const void *vb)
{
	const struct op *a = va, *b = vb;

	return a->end != b->end ? (a->end < b->end ? -1 : 1)
				: (a->start > b->start) - (a->start < b->start);
}

static void brute_force(struct trial *t)
{
	qsort(t->queue, t->n, sizeof(t->queue[0]), by_process);
	t->n_known = t->n_exchanges = 0;
	for (size_t i = 0; i < t->n; i++) {
		t->queue[i].first = i;
		t->queue[i].at = 0;
		t->queue[i].exchanges = t->is_cut[i] = false;
		t->cut[i] = LONG_MAX;
		qsort(t->queue[i].op, t->queue[i].n, sizeof(struct op), by_end);
		for (size_t k = 0; k < t->queue[i].n; k++)
			t->queue[i].op[k].first = SIZE_MAX;
	}
	group_all(t);
	for (size_t i = 0; i < t->n; i++) {
		if (t->queue[i].first == i)
			match_set(t, i);
	}
	for (size_t i = 0; i < t->n_exchanges; i++)
		match_exchange(t, &t->exchange[i]);
}

/* ---- Comparison ---- */

static size_t check(const struct trial *t, const struct wl_trace *trace, const struct wl_matches *m)
{
	size_t n_matched = 0;

	assert_int_equal(m->queues.n, t->n);
	for (size_t i = 0; i < t->n; i++) {
		const struct queue *want = &t->queue[i];
		const struct wl_comm_queue *got = &m->queues.queue[i];

		assert_int_equal(trace->processes[got->process].pid, want->pid);
		assert_int_equal(got->hi - got->lo, want->n);
		for (size_t k = 0; k < want->n; k++) {
			const struct wl_comm_op *op = &m->queues.op[got->lo + k];
			const struct op *w = &want->op[k];
			const struct wl_match *match =
				op->match == WL_NONE ? NULL : &m->at[op->match];

			assert_int_equal(op->start, w->start);
			assert_int_equal(match != NULL, w->first != SIZE_MAX);
			if (!match)
				continue;
			n_matched++;
			assert_int_equal(m->set[match->set].queue[0], w->first);
			assert_int_equal(op->late, w->late);
			assert_int_equal(match->shortest, w->shortest);
			assert_int_equal(match->caused, w->caused);
			assert_int_equal(match->alone, w->alone);
			assert_int_equal(m->set[match->set].queue[match->last] == i, w->is_last);
		}
	}
	return n_matched;
}

static size_t try_one(void)
{
	struct trial t;
	struct mem mem;
	const struct wl_trace *trace;
	const struct wl_matches *m;
	size_t n;

	make(&t);
	mem_init(&mem);
	for (size_t i = 0; i < t.n; i++) {
		const struct queue *q = &t.queue[i];

		for (size_t k = 0; k < q->n; k++)
			mem_op(&mem, WL_F_KERNELS,
			       &(struct mem_op){ .start = q->op[k].start,
						 .end = q->op[k].end,
						 .pid = q->pid,
						 .stream = q->stream,
						 .name = q->name });
		if (q->is_mixed)
			mem_op(&mem, WL_F_KERNELS,
			       &(struct mem_op){ .end = 1,
						 .pid = q->pid,
						 .stream = q->stream,
						 .name = "gemm" });
	}
	brute_force(&t);
	trace = mem_seal(&mem);
	m = mem.derived.matches;
	assert_non_null(m);
	n = check(&t, trace, m);
	mem_release(&mem);
	return n;
}

static uint64_t seed = 1;
static size_t runs = 400;

static void matches_are_those_of_brute_force(void **ctx)
{
	size_t n = 0;

	(void)ctx;
	for (size_t i = 0; i < runs; i++) {
		state = (seed + i) * UINT64_C(0x9e3779b97f4a7c15) | 1;
		n += try_one();
	}
	(void)printf("%zu traces, %zu operations matched\n", runs, n);
	assert_true(n > 0);
}

TEST_MAIN(matches)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(matches_are_those_of_brute_force) };

	if (argc > 1)
		seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		runs = strtoull(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
