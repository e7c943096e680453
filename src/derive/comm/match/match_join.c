/* SPDX-License-Identifier: MIT */
/* match_join.c - the queues of a role: those of a communicator, the closest first. */
#include <stdlib.h>

#include "base/memory/sort.h"
#include "derive/comm/match/matches_parts.h"

enum {
	MOST_PAIRED = 64,    /* more queues are not all compared with each other */
	MOST_IN_MIDDLE = 64, /* members whose ends the median of a set is taken of: its first */
	KEYS = 16,           /* times at which many queues are compared roughly */
	ORDERS = 4,          /* of them: those by which they are sorted */
	NEAR = 2,            /* places on either side where a queue's closest ones are looked for */
	CLOSEST = 2,         /* of these: how many it is compared with */
};

/* How much better than the two together each of two sets agrees, so that it is one of its own. */
static const double closer = 3;

/* Queues that belong together so far; their operations lie on one axis. By its first queue. */
struct party {
	int64_t lo, hi; /* what all of them have, up to where they get out of step */
	uint64_t code;  /* of its members */
	uint32_t n, tail, n_undecided;
	bool is_cut;
	double r1;              /* of its last two parts */
	struct wl_end_row *row; /* its samples of lo to hi; NULL: it has one queue */
};

/* Two queues that may belong together. */
struct candidate {
	double r1;
	enum wl_end_verdict verdict;
	uint32_t a, b;
	int64_t shift, cut;
};

/* Queues in the order of ranks. */
struct joining {
	struct wl_matching *m;
	const uint32_t *queue;
	size_t n;
	bool is_one_clock;     /* else pairs alone decide */
	uint32_t *root, *next; /* union-find; the next queue of the party */
	int64_t *at;           /* of its first operation on the axis of its party */
	struct party *party;   /* by root */
	uint32_t *seen;        /* by member: the last attempt that came across it */
	uint32_t n_attempts;
	struct candidate *found;
	size_t n_found;
	wl_ns *end; /* by sample and member: for medians */
	struct wl_end_row *row[2];
	struct wl_arena *scratch;
};

static const struct wl_comm_queue *queue_at(const struct joining *j, uint32_t i)
{
	return &j->m->to->queues.queue[j->queue[i]];
}

static struct wl_op_run run_at(const struct joining *j, uint32_t i)
{
	const struct wl_comm_queue *q = queue_at(j, i);

	return (struct wl_op_run){ j->m->op + q->lo, q->hi - q->lo };
}

static uint32_t root_of(const struct joining *j, uint32_t i)
{
	while (j->root[i] != i) {
		j->root[i] = j->root[j->root[i]];
		i = j->root[i];
	}
	return i;
}

/* The ends of a party's first members at instances of [lo, hi); returns how many members. */
static size_t gather_ends(const struct joining *j, uint32_t of, int64_t lo, int64_t hi)
{
	size_t n = wl_end_samples(lo, hi), k = 0;

	for (uint32_t i = of; k < MOST_IN_MIDDLE; i = j->next[i]) {
		const struct wl_comm_op *op = run_at(j, i).at;

		for (size_t x = 0; x < n; x++)
			j->end[x * MOST_IN_MIDDLE + k] =
				wl_comm_end(&op[wl_end_sample(lo, hi, x, n) - j->at[i]]);
		k++;
		if (i == j->party[of].tail)
			break;
	}
	return k;
}

static void put_medians(const struct joining *j, uint32_t of, int64_t lo, int64_t hi,
			struct wl_end_row *row)
{
	size_t n = wl_end_samples(lo, hi), k = gather_ends(j, of, lo, hi);

	for (size_t x = 0; x < n; x++)
		row[x].end = wl_end_median(&j->end[x * MOST_IN_MIDDLE], k);
}

static void widen(struct wl_end_row *row, const struct wl_end_row *by)
{
	row->first_end = by->first_end < row->first_end ? by->first_end : row->first_end;
	row->arrival = by->arrival > row->arrival ? by->arrival : row->arrival;
	row->shortest = by->shortest < row->shortest ? by->shortest : row->shortest;
}

/* A party's instances of [lo, hi). */
static void fill_rows(const struct joining *j, uint32_t of, int64_t lo, int64_t hi,
		      struct wl_end_row *row)
{
	size_t n = wl_end_samples(lo, hi);

	for (uint32_t i = of;; i = j->next[i]) {
		const struct wl_comm_op *op = run_at(j, i).at;

		for (size_t x = 0; x < n; x++) {
			const struct wl_comm_op *at = &op[wl_end_sample(lo, hi, x, n) - j->at[i]];
			const struct wl_end_row own = { wl_comm_end(at), wl_comm_end(at), at->start,
							at->dur };

			if (i == of)
				row[x] = own;
			else
				widen(&row[x], &own);
		}
		if (i == j->party[of].tail)
			break;
	}
	if (j->party[of].n > 1)
		put_medians(j, of, lo, hi, row);
}

/* The same, which the party may have already. */
static const struct wl_end_row *rows_of(const struct joining *j, uint32_t of, int64_t lo,
					int64_t hi, struct wl_end_row *room)
{
	const struct party *p = &j->party[of];

	if (p->row && p->lo == lo && p->hi == hi)
		return p->row;
	fill_rows(j, of, lo, hi, room);
	return room;
}

static bool shares_member(struct joining *j, uint32_t a, uint32_t b)
{
	const uint32_t of[] = { a, b };

	j->n_attempts++;
	for (size_t k = 0; k < 2; k++) {
		for (uint32_t i = of[k];; i = j->next[i]) {
			uint32_t *seen = &j->seen[j->m->to->member_of[j->queue[i]]];

			if (*seen == j->n_attempts)
				return true;
			*seen = j->n_attempts;
			if (i == j->party[of[k]].tail)
				break;
		}
	}
	return false;
}

/*
 * Two sets that may be one or run in step stay apart where they did so in another kind or role,
 * and where the ends within each agree much better than those of both.
 */
static bool stay_apart(const struct joining *j, const struct party *a, const struct party *b,
		       double r1)
{
	const struct wl_known_group *known = j->m->known.data;

	if (a->n < 2 || b->n < 2)
		return false;
	if (r1 > closer * (a->r1 > b->r1 ? a->r1 : b->r1))
		return true;
	for (size_t i = 0; i < j->m->known.n; i++) {
		if (known[i].code != a->code || known[i].n != a->n)
			continue;
		for (size_t k = 0; k < j->m->known.n; k++) {
			if (known[k].role == known[i].role && known[k].code == b->code &&
			    known[k].n == b->n)
				return true;
		}
	}
	return false;
}

/* Make one party of two. */
static void unite(struct joining *j, uint32_t a, uint32_t b, int64_t offset, int64_t lo, int64_t hi,
		  const struct wl_end_judgement *found)
{
	struct party *pa = &j->party[a], *pb = &j->party[b];

	for (uint32_t i = b;; i = j->next[i]) {
		j->at[i] += offset;
		if (i == pb->tail)
			break;
	}
	j->next[pa->tail] = b;
	j->root[b] = a;
	pa->tail = pb->tail;
	pa->n += pb->n;
	pa->code += pb->code;
	pa->n_undecided += pb->n_undecided + (found->verdict == WL_END_UNDECIDED);
	pa->is_cut |= pb->is_cut;
	pa->r1 = found->r1;
	pa->lo = lo;
	pa->hi = hi;
}

/* The instances of two parties become those of one. */
static bool merge_rows(struct joining *j, uint32_t a, int64_t lo, int64_t hi, uint32_t n_before,
		       const struct wl_end_row *const row[2])
{
	struct party *p = &j->party[a];
	size_t n = wl_end_samples(lo, hi);

	if (!p->row && !(p->row = WL_NEW(j->scratch, struct wl_end_row, WL_END_SAMPLES)))
		return false;
	for (size_t x = 0; x < n; x++) {
		p->row[x] = row[0][x];
		widen(&p->row[x], &row[1][x]);
	}
	/* Of more members the median is that of the first ones, which it is already. */
	if (n_before < MOST_IN_MIDDLE)
		put_medians(j, a, lo, hi, p->row);
	return true;
}

/* Join the parties of two queues if they belong together as sets. False: no memory. */
static bool join(struct joining *j, const struct candidate *c)
{
	uint32_t a = root_of(j, c->a), b = root_of(j, c->b);
	const struct party *pa = &j->party[a], *pb = &j->party[b];
	/* Where the axis of the second begins on that of the first. */
	int64_t offset = j->at[c->a] - c->shift - j->at[c->b];
	int64_t lo = pa->lo > pb->lo + offset ? pa->lo : pb->lo + offset;
	int64_t hi = pa->hi < pb->hi + offset ? pa->hi : pb->hi + offset;
	const struct wl_end_row *row[2];
	struct wl_end_judgement found = { c->verdict, true, c->r1, 0 };
	uint32_t n_before = pa->n;

	if (a == b || shares_member(j, a, b))
		return true;
	if (c->cut != WL_END_WHOLE && j->at[c->a] + c->cut < hi)
		hi = j->at[c->a] + c->cut;
	if (hi <= lo)
		return true;
	if (!j->is_one_clock) {
		/* What pairs leave undecided no set can decide. */
		if (c->verdict == WL_END_UNDECIDED && (pa->n > 1 || pb->n > 1))
			return true;
		unite(j, a, b, offset, lo, hi, &found);
		return true;
	}
	row[0] = rows_of(j, a, lo, hi, j->row[0]);
	row[1] = rows_of(j, b, lo - offset, hi - offset, j->row[1]);
	wl_end_judge(row[0], row[1], wl_end_samples(lo, hi), &found);
	if (found.verdict == WL_END_APART ||
	    (found.verdict == WL_END_UNDECIDED && stay_apart(j, pa, pb, found.r1)))
		return true;
	j->party[a].is_cut |= c->cut != WL_END_WHOLE;
	unite(j, a, b, offset, lo, hi, &found);
	return merge_rows(j, a, lo, hi, n_before, row);
}

/* Compare two queues. False: no memory. */
static bool consider(struct joining *j, uint32_t a, uint32_t b)
{
	const struct wl_op_run ra = run_at(j, a), rb = run_at(j, b);
	struct wl_end_pairing p;
	bool ok = true;

	if (j->m->to->member_of[j->queue[a]] != j->m->to->member_of[j->queue[b]] &&
	    wl_end_together(&ra, &rb,
			    wl_matching_clock(j->m, j->queue[a]) ==
				    wl_matching_clock(j->m, j->queue[b]),
			    j->scratch, &p, &ok))
		j->found[j->n_found++] =
			(struct candidate){ p.found.r1, p.found.verdict, a, b, p.shift, p.cut };
	return ok;
}

static int closest_first(const void *va, const void *vb)
{
	const struct candidate *a = va, *b = vb;

	if (a->r1 != b->r1)
		return a->r1 < b->r1 ? -1 : 1;
	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return (a->b > b->b) - (a->b < b->b);
}

static bool join_all(struct joining *j)
{
	bool ok = true;

	qsort(j->found, j->n_found, sizeof(*j->found), closest_first);
	for (size_t i = 0; ok && i < j->n_found; i++)
		ok = join(j, &j->found[i]);
	j->n_found = 0;
	return ok;
}

/* The first queue of each party. */
static size_t list_parties(const struct joining *j, uint32_t *list)
{
	size_t n = 0;

	for (uint32_t i = 0; i < j->n; i++) {
		if (root_of(j, i) == i)
			list[n++] = i;
	}
	return n;
}

/* By queue: the ends nearest to some times. */
struct key {
	wl_ns at[KEYS];
};

struct keys {
	const struct key *of;
	unsigned by;
};

static bool key_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct keys *k = ctx;

	return k->of[a].at[k->by] < k->of[b].at[k->by];
}

struct wanted {
	const struct wl_comm_op *op;
	wl_ns end;
};

static bool ends_earlier(const void *ctx, size_t i)
{
	const struct wanted *w = ctx;

	return wl_comm_end(&w->op[i]) < w->end;
}

static wl_ns nearest_end(const struct wl_op_run *run, wl_ns end)
{
	size_t i = wl_lower_bound(run->n, ends_earlier, &(struct wanted){ run->at, end });
	wl_ns after = i < run->n ? wl_comm_end(&run->at[i]) : INT64_MAX;
	wl_ns before = i > 0 ? wl_comm_end(&run->at[i - 1]) : INT64_MIN / 2;

	return end - before <= after - end ? before : after;
}

static void put_keys(const struct joining *j, const uint32_t *list, size_t n, struct key *to)
{
	struct wl_op_run longest = run_at(j, list[0]);

	for (size_t i = 1; i < n; i++) {
		const struct wl_op_run run = run_at(j, list[i]);

		longest = run.n > longest.n ? run : longest;
	}
	for (size_t i = 0; i < n; i++) {
		const struct wl_op_run run = run_at(j, list[i]);

		for (size_t k = 0; k < KEYS; k++)
			to[list[i]].at[k] = nearest_end(
				&run,
				wl_comm_end(
					&longest.at[(2 * k + 1) * longest.n / ((size_t)2 * KEYS)]));
	}
}

static double distance(const struct key *a, const struct key *b)
{
	double sum = 0;

	for (size_t k = 0; k < KEYS; k++)
		sum += (double)llabs(a->at[k] - b->at[k]);
	return sum;
}

/* A queue's closest ones. */
struct closest {
	uint32_t other[CLOSEST];
	double distance[CLOSEST];
	size_t n;
};

static void put_close(struct closest *c, uint32_t other, double away)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		if (c->other[i] == other)
			return;
	}
	if (c->n == CLOSEST && away >= c->distance[CLOSEST - 1])
		return;
	i = c->n < CLOSEST ? c->n++ : CLOSEST - 1;
	for (; i > 0 && c->distance[i - 1] > away; i--) {
		c->other[i] = c->other[i - 1];
		c->distance[i] = c->distance[i - 1];
	}
	c->other[i] = other;
	c->distance[i] = away;
}

/* Queues that end near each other at one time are compared by all of them. */
static bool find_closest(const struct joining *j, uint32_t *list, size_t n, struct closest *to)
{
	struct key *key = WL_NEW(j->scratch, struct key, j->n);
	uint32_t *tmp = WL_NEW(j->scratch, uint32_t, n);

	if (!key || !tmp)
		return false;
	put_keys(j, list, n, key);
	for (unsigned by = 0; by < ORDERS; by++) {
		wl_sort_index(list, n, tmp, key_less,
			      &(struct keys){ key, (2 * by + 1) * KEYS / (2 * ORDERS) });
		for (size_t i = 0; i < n; i++) {
			for (size_t k = i + 1; k < n && k <= i + NEAR; k++) {
				double away = distance(&key[list[i]], &key[list[k]]);

				put_close(&to[list[i]], list[k], away);
				put_close(&to[list[k]], list[i], away);
			}
		}
	}
	return true;
}

/* A round of comparisons of one queue of each party with those that end nearest to it. */
static bool join_nearest(struct joining *j, uint32_t *list, size_t n)
{
	struct closest *closest = WL_NEW(j->scratch, struct closest, j->n);
	bool ok = closest && find_closest(j, list, n, closest);

	for (size_t i = 0; ok && i < n; i++) {
		const struct closest *c = &closest[list[i]];

		for (size_t k = 0; ok && k < c->n; k++) {
			const struct closest *other = &closest[c->other[k]];
			bool is_mutual = false;

			for (size_t l = 0; l < other->n; l++)
				is_mutual |= other->other[l] == list[i];
			/* Once each. */
			if (is_mutual && c->other[k] < list[i])
				continue;
			ok = list[i] < c->other[k] ? consider(j, list[i], c->other[k])
						   : consider(j, c->other[k], list[i]);
		}
	}
	return ok && join_all(j);
}

static bool join_parties(struct joining *j)
{
	uint32_t *list = WL_NEW(j->scratch, uint32_t, j->n);
	size_t n, before = 0;
	bool ok = list != NULL;

	if (!ok)
		return false;
	for (n = list_parties(j, list); ok && n > MOST_PAIRED && n != before;
	     n = list_parties(j, list)) {
		before = n;
		ok = join_nearest(j, list, n);
	}
	for (size_t i = 0; ok && n <= MOST_PAIRED && i < n; i++) {
		for (size_t k = i + 1; ok && k < n; k++)
			ok = consider(j, list[i], list[k]);
	}
	return ok && join_all(j);
}

static bool begin(struct joining *j)
{
	size_t n_found = j->n < MOST_PAIRED ? j->n * j->n / 2 : (size_t)CLOSEST * j->n;

	if (n_found < (size_t)MOST_PAIRED * MOST_PAIRED / 2 && j->n >= MOST_PAIRED)
		n_found = (size_t)MOST_PAIRED * MOST_PAIRED / 2;
	j->root = WL_NEW(j->scratch, uint32_t, 2 * j->n);
	j->at = WL_NEW(j->scratch, int64_t, j->n);
	j->party = WL_NEW(j->scratch, struct party, j->n);
	j->seen = WL_NEW(j->scratch, uint32_t, j->m->to->n_members);
	j->found = WL_NEW(j->scratch, struct candidate, n_found);
	j->end = WL_NEW(j->scratch, wl_ns, (size_t)WL_END_SAMPLES * MOST_IN_MIDDLE);
	j->row[0] = WL_NEW(j->scratch, struct wl_end_row, 2 * (size_t)WL_END_SAMPLES);
	if (!j->root || !j->at || !j->party || !j->seen || !j->found || !j->end || !j->row[0])
		return false;
	j->row[1] = j->row[0] + WL_END_SAMPLES;
	j->next = j->root + j->n;
	for (uint32_t i = 0; i < j->n; i++) {
		const struct wl_comm_queue *q = queue_at(j, i);

		j->root[i] = i;
		j->party[i] = (struct party){ .hi = (int64_t)(q->hi - q->lo),
					      .code = wl_matching_code(j->m, j->queue[i]),
					      .n = 1,
					      .tail = i };
	}
	return true;
}

/* Of a party: the longest queue, of several the first in memory. */
static uint32_t longest_of(const struct joining *j, uint32_t of)
{
	uint32_t best = of;

	for (uint32_t i = of; i != j->party[of].tail;) {
		size_t n, most = run_at(j, best).n;

		i = j->next[i];
		n = run_at(j, i).n;
		if (n > most || (n == most && j->queue[i] < j->queue[best]))
			best = i;
	}
	return best;
}

/* How the operations of a queue lie to those of the longest one. */
static bool put_pairing(const struct joining *j, uint32_t longest, uint32_t i)
{
	const struct wl_op_run first = run_at(j, longest), run = run_at(j, i);
	struct wl_end_pairing *to = &j->m->pairing[j->queue[i]];
	int64_t shift = j->at[longest] - j->at[i];

	*to = (struct wl_end_pairing){ .shift = shift, .cut = WL_END_WHOLE };
	return wl_matching_clock(j->m, j->queue[i]) == wl_matching_clock(j->m, j->queue[longest]) ||
	       wl_end_fit(&first, &run, shift, j->scratch, to);
}

static bool put_party(const struct joining *j, uint32_t of)
{
	const struct party *p = &j->party[of];
	uint32_t longest = longest_of(j, of), first = j->queue[longest];

	for (uint32_t i = of;; i = j->next[i]) {
		j->m->first[j->queue[i]] = first;
		if (!put_pairing(j, longest, i))
			return false;
		if (i == p->tail)
			break;
	}
	j->m->is_cut[first] = p->is_cut;
	j->m->n_undecided[first] = p->n_undecided;
	j->m->r1[first] = p->r1;
	wl_matching_know(j->m, p->code, p->n);
	return true;
}

bool wl_matching_join(struct wl_matching *m, const uint32_t *queue, size_t n)
{
	struct wl_arena scratch;
	struct joining j = { .m = m,
			     .queue = queue,
			     .n = n,
			     .is_one_clock = wl_matching_is_one_clock(m, queue, n),
			     .scratch = &scratch };
	bool ok;

	wl_arena_init_child(&scratch, m->scratch);
	ok = begin(&j) && join_parties(&j);
	for (uint32_t i = 0; ok && i < n; i++) {
		if (j.root[i] == i)
			ok = put_party(&j, i);
	}
	wl_arena_release(&scratch);
	return ok;
}
