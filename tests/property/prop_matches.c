/* SPDX-License-Identifier: MIT */
/*
 * Matches against brute force by the definition: random groups of processes that meet in
 * collectives, with jitter, cut captures, lost rows, and processes that meet nobody.
 *
 *   property matches [SEED [RUNS]]
 */
#include "derive/comm/matches.h"

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
	size_t match[2]; /* set and index; SIZE_MAX: none */
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
	long shift;
};

struct trial {
	struct queue queue[MAX_QUEUES];
	size_t n;
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
	return a->name == b->name &&
	       (is_send(a) || (a->is_mixed == b->is_mixed && order_of(t, a) == order_of(t, b)));
}

enum { AGREES, DIFFERS, MISMATCH };

/* All processes are on one host. */
static int compare(const struct op *a, const struct op *b)
{
	bool overlap = a->start <= b->end && b->start <= a->end;
	bool is_near = llabs(b->end - a->end) <= 5 * us;

	return overlap && is_near ? AGREES : overlap || is_near ? DIFFERS : MISMATCH;
}

/* Samples that agree at a shift; 0 where it does not do. */
static size_t agreeing(const struct queue *a, const struct queue *b, long shift, bool *all)
{
	size_t n = 0, agree = 0, shorter = a->n < b->n ? a->n : b->n, seen = 0;

	*all = false;
	for (size_t i = 0; i < a->n; i++) {
		long j = (long)i + shift;

		n += j >= 0 && j < (long)b->n;
	}
	if (n == 0 || 2 * n < shorter)
		return 0;
	for (size_t i = 0; i < a->n; i++) {
		long j = (long)i + shift;
		int how;

		if (j < 0 || j >= (long)b->n)
			continue;
		how = compare(&a->op[i], &b->op[j]);
		if (how == MISMATCH)
			break;
		agree += how == AGREES;
		seen++;
	}
	*all = seen == n;
	return (*all || seen >= 8) && 20 * agree >= 19 * seen ? agree : 0;
}

static long vote(const struct queue *a, const struct queue *b)
{
	long best = 0;
	size_t most = 0;

	for (long shift = -MAX_OPS; shift <= MAX_OPS; shift++) {
		size_t n = 0;

		for (size_t j = 0; j < b->n; j++) {
			size_t nearest = 0;

			for (size_t i = 1; i < a->n; i++) {
				if (llabs(a->op[i].end - b->op[j].end) <
				    llabs(a->op[nearest].end - b->op[j].end))
					nearest = i;
			}
			n += (long)j - (long)nearest == shift &&
			     llabs(a->op[nearest].end - b->op[j].end) <= 50 * us;
		}
		if (n > most || (n == most && labs(shift) < labs(best))) {
			most = n;
			best = shift;
		}
	}
	return best;
}

static bool end_together(const struct queue *a, struct queue *b)
{
	bool all;
	size_t n = agreeing(a, b, 0, &all), n_other;
	long shift;

	b->shift = 0;
	if (n && all)
		return true;
	shift = vote(a, b);
	n_other = shift ? agreeing(a, b, shift, &all) : 0;
	if (n_other > n)
		b->shift = shift;
	return n || n_other;
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

/* The operation of a queue that belongs to operation i of the first; NULL for none. */
static struct op *partner(struct queue *q, size_t i)
{
	long j = (long)i + q->shift;

	return j >= 0 && j < (long)q->n ? &q->op[j] : NULL;
}

/* Whether all queues of a set have the operation. */
static bool is_common(struct trial *t, size_t set, size_t i)
{
	for (size_t k = 0; k < t->n; k++) {
		if (t->queue[k].first == set && !partner(&t->queue[k], i))
			return false;
	}
	return true;
}

/* Whether a queue leaves a set operations that all have. */
static bool leaves_any(struct trial *t, size_t set, struct queue *q)
{
	for (size_t i = 0; i < t->queue[set].n; i++) {
		if (is_common(t, set, i) && partner(q, i))
			return true;
	}
	return false;
}

/* The first set, in the order in which they were begun, whose first queue ends together with q. */
static size_t find_set(struct trial *t, const size_t *begun, struct queue *q)
{
	for (; *begun != SIZE_MAX; begun++) {
		const struct queue *first = &t->queue[*begun];

		if (!has_member(t, *begun, q->pid) && end_together(first, q) &&
		    leaves_any(t, *begun, q))
			return *begun;
	}
	q->shift = 0;
	return (size_t)(q - t->queue);
}

/* The longest queue of the role of a lead that has no set yet; SIZE_MAX: none. */
static size_t next_longest(const struct trial *t, size_t lead)
{
	size_t best = SIZE_MAX;

	for (size_t i = lead; i < t->n; i++) {
		if (t->queue[i].first == SIZE_MAX && same_role(t, &t->queue[lead], &t->queue[i]) &&
		    (best == SIZE_MAX || t->queue[i].n > t->queue[best].n))
			best = i;
	}
	return best;
}

/* Queues of one kind and role, from the one numbered lead on: the longest first. */
static void group(struct trial *t, size_t lead)
{
	size_t begun[MAX_QUEUES + 1], n = 0;

	for (size_t i; (i = next_longest(t, lead)) != SIZE_MAX;) {
		begun[n] = SIZE_MAX;
		t->queue[i].first = find_set(t, begun, &t->queue[i]);
		if (t->queue[i].first == i)
			begun[n++] = i;
	}
}

static int role_rank(const struct trial *t, const struct queue *q)
{
	int kind = q->name == kinds[0] ? 0 : q->name == kinds[1] ? 1 : 2;

	return kind * 1000 + (is_send(q) ? 0 : (q->is_mixed ? 0 : 100) + (int)order_of(t, q));
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

/* A queue that is alone joins the first set that it ends together with, whatever the role. */
static void join(struct trial *t, int kind, size_t alone)
{
	struct queue *q = &t->queue[alone];

	for (size_t s = next_by_role(t, kind, SIZE_MAX); s != SIZE_MAX;
	     s = next_by_role(t, kind, s)) {
		const struct queue *first = &t->queue[s];

		if (s != alone && first->first == s && first->n == q->n && end_together(first, q) &&
		    q->shift == 0 && !has_member(t, s, q->pid)) {
			q->first = s;
			return;
		}
	}
	q->shift = 0;
}

static void join_all(struct trial *t)
{
	for (int kind = 0; kind < 2; kind++) { /* not of sends */
		for (size_t i = next_by_role(t, kind, SIZE_MAX); i != SIZE_MAX;
		     i = next_by_role(t, kind, i)) {
			if (t->queue[i].first == i && count_in(t, i) == 1)
				join(t, kind, i);
		}
	}
}

static void group_all(struct trial *t)
{
	for (int rank = 0; rank < 3000; rank++) {
		for (size_t i = 0; i < t->n; i++) {
			if (role_rank(t, &t->queue[i]) == rank) {
				group(t, i);
				break;
			}
		}
	}
	join_all(t);
}

/* The operations that make up one match: how many. */
static size_t members(struct trial *t, size_t set, size_t i, struct op **ret)
{
	size_t n = 0;

	for (size_t k = 0; k < t->n; k++) {
		if (t->queue[k].first == set)
			ret[n++] = partner(&t->queue[k], i);
	}
	return n;
}

static void match_one(struct trial *t, size_t set, size_t i)
{
	struct op *op[MAX_QUEUES], *who;
	size_t n = members(t, set, i, op), last = 0;
	wl_ns before = -1, shortest = INT64_MAX, caused = 0;

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
		op[k]->match[0] = set;
		op[k]->match[1] = i;
		op[k]->late = who->start - op[k]->start;
		op[k]->shortest = shortest;
		op[k]->caused = caused;
		op[k]->alone = who->start - before;
		op[k]->is_last = k == last;
	}
}

static bool is_mismatch(struct trial *t, size_t set, size_t i)
{
	struct queue *first = &t->queue[set];

	for (size_t k = 0; k < t->n; k++) {
		struct queue *q = &t->queue[k];

		if (q->first == set && k != set && partner(q, i) &&
		    compare(&first->op[i], partner(q, i)) == MISMATCH)
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
	const struct op *op = partner(&t->queue[first_member(t, set)], i);

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

static bool same_members(const struct trial *t, size_t a, size_t b)
{
	for (unsigned pid = FIRST_PID; pid < FIRST_PID + MAX_PIDS; pid++) {
		bool in_a = false, in_b = false;

		for (size_t k = 0; k < t->n; k++) {
			in_a = in_a || (t->queue[k].first == a && t->queue[k].pid == pid);
			in_b = in_b || (t->queue[k].first == b && t->queue[k].pid == pid);
		}
		if (in_a != in_b)
			return false;
	}
	return true;
}

static void match_set(struct trial *t, size_t set)
{
	struct queue *first = &t->queue[set];
	wl_ns stop = INT64_MAX;
	size_t n = 0;

	for (size_t k = 0; k < t->n; k++) {
		n += t->queue[k].first == set;
		if (t->queue[k].first == k && same_members(t, k, set) && stop_of(t, k) < stop)
			stop = stop_of(t, k);
	}
	for (size_t i = 0; n > 1 && i < first->n; i++) {
		if (!is_common(t, set, i))
			continue;
		if (time_of(t, set, i) >= stop)
			return;
		match_one(t, set, i);
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
	for (size_t i = 0; i < t->n; i++) {
		t->queue[i].first = SIZE_MAX;
		qsort(t->queue[i].op, t->queue[i].n, sizeof(struct op), by_end);
		for (size_t k = 0; k < t->queue[i].n; k++)
			t->queue[i].op[k].match[0] = SIZE_MAX;
	}
	group_all(t);
	for (size_t i = 0; i < t->n; i++) {
		if (t->queue[i].first == i)
			match_set(t, i);
	}
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
			assert_int_equal(match != NULL, w->match[0] != SIZE_MAX);
			if (!match)
				continue;
			n_matched++;
			assert_int_equal(m->set[match->set].queue[0], first_member(t, w->match[0]));
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
