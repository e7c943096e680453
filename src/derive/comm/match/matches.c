/* SPDX-License-Identifier: MIT */
#include "derive/comm/match/matches.h"

#include <inttypes.h>
#include <stdio.h>

#include "derive/comm/match/matches_parts.h"
#include "derive/derived.h"
#include "derive/rows/slices.h"
#include "derive/rows/stats.h"

/* Operations i of the longest queue that all queues of the set have. */
static struct wl_slice common_range(const struct wl_matching *m, const struct wl_match_set *set)
{
	const struct wl_exchange *exchange = m->exchange[set - m->set];
	int64_t lo = 0, hi = INT64_MAX;

	if (exchange)
		return (struct wl_slice){ 0, exchange->n };
	for (size_t i = 0; i < set->n; i++) {
		const struct wl_comm_queue *q = &m->to->queues.queue[set->queue[i]];
		int64_t shift = m->pairing[set->queue[i]].shift;
		int64_t n = (int64_t)(q->hi - q->lo);

		/*
		 * Of a queue that is shifted by s the operation i + s must exist: 0 <= i + s < n.
		 */
		lo = -shift > lo ? -shift : lo;
		hi = n - shift < hi ? n - shift : hi;
	}
	hi = hi > lo ? hi : lo;
	return (struct wl_slice){ (size_t)lo, (size_t)hi };
}

static struct wl_comm_op *op_of(const struct wl_matching *m, uint32_t queue, size_t i)
{
	int64_t at = (int64_t)i + m->pairing[queue].shift;

	return &m->op[m->to->queues.queue[queue].lo + (size_t)at];
}

/* Of the set's k-th queue. */
static struct wl_comm_op *op_at(const struct wl_matching *m, const struct wl_match_set *set,
				size_t k, size_t i)
{
	const struct wl_exchange *exchange = m->exchange[set - m->set];

	return exchange ? &m->op[exchange->op[k][i]] : op_of(m, set->queue[k], i);
}

/* Collectives whose members all have a message of the same size; MPI has some with sizes each. */
static bool has_equal_bytes(const struct wl_comm_queue *q)
{
	return q->type == WL_ALL_REDUCE ||
	       (!wl_comm_is_mpi(q) && (q->type == WL_ALL_GATHER || q->type == WL_REDUCE_SCATTER ||
				       q->type == WL_BROADCAST || q->type == WL_REDUCE));
}

/* What the operations of a set are compared with: those of its longest queue. */
struct wanted {
	uint32_t queue;
	bool has_equal_bytes;
	bool is_cut; /* some do not overlap from somewhere on */
};

static struct wanted wanted_of(const struct wl_matching *m, const struct wl_match_set *set)
{
	uint32_t longest = m->first[set->queue[0]];

	return (struct wanted){ longest, has_equal_bytes(&m->to->queues.queue[longest]),
				m->is_cut[longest] };
}

/* Whether a queue does not call there what the longest one calls. */
static bool is_mismatch(const struct wl_matching *m, const struct wanted *w, uint32_t queue,
			size_t i)
{
	const struct wl_comm_op *first = op_of(m, w->queue, i), *op = op_of(m, queue, i);

	return (w->is_cut && queue != w->queue && !wl_end_overlap(&m->pairing[queue], first, op)) ||
	       (w->has_equal_bytes && first->bytes >= 0 && op->bytes >= 0 &&
		op->bytes != first->bytes);
}

/* The one queue that differs from the others there; WL_NONE: several do, or of two either. */
static uint32_t find_odd(const struct wl_matching *m, const struct wl_match_set *set, size_t i)
{
	const struct wanted w = wanted_of(m, set);
	uint32_t odd = WL_NONE;
	size_t n = 0;

	for (size_t k = 0; k < set->n; k++) {
		if (!is_mismatch(m, &w, set->queue[k], i))
			continue;
		odd = set->queue[k];
		n++;
	}
	/* Where all others differ from the longest, it is that one. */
	if (n > 1)
		return n == set->n - 1 ? w.queue : WL_NONE;
	return set->n == 2 ? WL_NONE : odd;
}

/* Where a queue first differs from the longest; the end without. In memory queues are in order. */
static size_t find_mismatch(const struct wl_matching *m, const struct wl_match_set *set,
			    struct wl_slice range)
{
	const struct wanted w = wanted_of(m, set);
	size_t end = range.hi;

	for (size_t k = 0; k < set->n; k++) {
		for (size_t i = range.lo; i < end; i++) {
			if (is_mismatch(m, &w, set->queue[k], i))
				end = i;
		}
	}
	return end;
}

static bool is_before(const struct wl_matching *m, uint32_t queue_a, uint32_t queue_b)
{
	return wl_member_is_before(m->to, m->ranks, m->to->member_of[queue_a],
				   m->to->member_of[queue_b]);
}

/*
 * Matches of a set that are found together. In memory the operations of a queue are neighbours, and
 * those of a match are not: with ten thousand ranks, looking at one match after the other missed
 * the cache at each of them.
 */
enum { BLOCK = 64 };

struct block {
	size_t first, n;
	struct wl_match *match;           /* of the first */
	wl_ns last[BLOCK], before[BLOCK]; /* the two latest arrivals so far */
};

static void begin_block(struct block *b, uint32_t set)
{
	for (size_t x = 0; x < b->n; x++) {
		b->match[x].set = set;
		b->match[x].shortest = INT64_MAX;
		b->last[x] = b->before[x] = INT64_MIN;
	}
}

static void put_arrivals(const struct wl_matching *m, const struct wl_match_set *set, uint32_t k,
			 struct block *b)
{
	const uint32_t queue = set->queue[k], number = (uint32_t)(b->match - m->to->at);
	const struct wl_clock_line *line =
		m->to->group[set->group].no_clock ? NULL : &m->pairing[queue].line;

	for (size_t x = 0; x < b->n; x++) {
		struct wl_comm_op *op = op_at(m, set, k, b->first + x);
		struct wl_match *match = &b->match[x];
		wl_ns at = line ? wl_clock_aligned(line, op->start) : 0;

		op->match = number + (uint32_t)x;
		op->late = at; /* for now */
		match->shortest = op->dur < match->shortest ? op->dur : match->shortest;
		if (at > b->last[x] ||
		    (at == b->last[x] && is_before(m, queue, set->queue[match->last])))
			match->last = k;
		/* Equal ones leave the last alone by 0. */
		b->before[x] = at >= b->last[x]    ? b->last[x]
			       : at > b->before[x] ? at
						   : b->before[x];
		b->last[x] = at > b->last[x] ? at : b->last[x];
	}
}

static void put_block(const struct wl_matching *m, const struct wl_match_set *set, struct block *b)
{
	for (uint32_t k = 0; k < set->n; k++)
		put_arrivals(m, set, k, b);
	for (size_t x = 0; x < b->n; x++)
		b->match[x].alone = b->last[x] - b->before[x];
	for (size_t k = 0; k < set->n; k++) {
		for (size_t x = 0; x < b->n; x++) {
			struct wl_comm_op *op = op_at(m, set, k, b->first + x);

			op->late = b->last[x] - op->late;
			b->match[x].caused = wl_add_up(b->match[x].caused, op->late);
		}
	}
}

/* Matches of a set, in order, until its group is out of step. */
static void match_set(struct wl_matching *m, struct wl_match_set *set, struct wl_match *match)
{
	struct wl_slice range = common_range(m, set);
	wl_ns stop = m->stop[m->line[set - m->set]];
	struct block b;

	set->lo = m->to->n;
	set->first = (uint32_t)range.lo;
	/*
	 * After a mismatch the indexes do not mean the same collective, so nothing behind it is
	 * matched.
	 */
	for (size_t i = range.lo; i < range.hi; i++) {
		if (op_at(m, set, 0, i)->start >= stop)
			range.hi = i;
	}
	for (b.first = range.lo; b.first < range.hi; b.first += b.n) {
		b.n = range.hi - b.first < BLOCK ? range.hi - b.first : BLOCK;
		b.match = &match[m->to->n];
		begin_block(&b, (uint32_t)(set - m->set));
		put_block(m, set, &b);
		m->to->n += b.n;
	}
	set->hi = m->to->n;
}

/* The first mismatch of each set, and by line when the earliest of them began. */
static bool find_stops(struct wl_matching *m)
{
	m->stop = WL_NEW(m->scratch, wl_ns, m->n_lines);
	for (size_t g = 0; m->stop && g < m->n_lines; g++)
		m->stop[g] = INT64_MAX;
	for (size_t s = 0; m->stop && s < m->to->n_sets; s++) {
		struct wl_match_set *set = &m->set[s];
		struct wl_slice range = common_range(m, set);
		wl_ns *stop = &m->stop[m->line[s]];
		size_t i =
			set->by_message || m->exchange[s] ? range.hi : find_mismatch(m, set, range);

		if (i == range.hi)
			continue;
		set->odd = find_odd(m, set, i);
		set->stopped = (uint32_t)i;
		if (op_at(m, set, 0, i)->start < *stop)
			*stop = op_at(m, set, 0, i)->start;
	}
	/* What comes later in other sets follows from it. */
	for (size_t s = 0; m->stop && s < m->to->n_sets; s++) {
		struct wl_match_set *set = &m->set[s];

		if (set->stopped != WL_NONE &&
		    op_at(m, set, 0, set->stopped)->start > m->stop[m->line[s]])
			set->stopped = WL_NONE;
	}
	return m->stop != NULL;
}

static bool match_sets(struct wl_matching *m)
{
	struct wl_match *match;
	size_t n = 0;

	if (!find_stops(m))
		return false;
	for (size_t s = 0; s < m->to->n_sets; s++) {
		struct wl_slice range = common_range(m, &m->set[s]);

		n += m->set[s].by_message ? m->called[m->set[s].queue[m->set[s].own]]
					  : range.hi - range.lo;
	}
	m->to->at = match = WL_NEW(m->arena, struct wl_match, n);
	for (size_t s = 0; match && s < m->to->n_sets; s++) {
		if (m->set[s].by_message)
			wl_matching_calls(m, &m->set[s], match);
		else
			match_set(m, &m->set[s], match);
	}
	return match != NULL;
}

bool wl_matches_among(const struct wl_derived *derived, struct wl_arena *arena,
		      struct wl_matches *ret)
{
	struct wl_arena scratch;
	struct wl_matching m = { .trace = derived->trace,
				 .hosts = derived->hosts,
				 .ranks = derived->ranks,
				 .payloads = derived->payloads,
				 .to = ret,
				 .arena = arena,
				 .scratch = &scratch };
	bool ok;

	m.op = ret->queues.op;
	wl_arena_init_child(&scratch, arena);
	wl_vec_init(&m.exchanges, sizeof(struct wl_exchange), wl_arena_budget(arena));
	wl_vec_init(&m.known, sizeof(struct wl_known_group), wl_arena_budget(arena));
	ok = wl_messages_find(derived->trace, derived->ranks, &ret->queues, arena,
			      &ret->messages) &&
	     wl_matching_sets(&m) && wl_matching_messages(&m) && wl_matching_groups(&m) &&
	     match_sets(&m);
	wl_vec_release(&m.exchanges);
	wl_vec_release(&m.known);
	wl_arena_release(&scratch);
	return ok;
}

bool wl_matches_find(const struct wl_derived *derived, struct wl_arena *arena,
		     struct wl_matches *ret)
{
	*ret = (struct wl_matches){ .n = 0 };
	return wl_comm_queues_find(derived, arena, &ret->queues) &&
	       wl_matches_among(derived, arena, ret);
}

wl_ns wl_match_wait(const struct wl_matches *m, const struct wl_comm_op *op)
{
	return op->match == WL_NONE ? 0 : op->dur - m->at[op->match].shortest;
}

size_t wl_matches_in_step(const struct wl_matches *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_groups; i++)
		n += m->group[i].is_in_step;
	return n;
}

const char *wl_comm_group_name(const struct wl_matches *m, uint32_t group, struct wl_arena *arena)
{
	enum { DIGITS = 11 }; /* of a device, with what stands before it */
	const struct wl_comm_group *g = &m->group[group];
	size_t cap = DIGITS * g->n + 1, n = 0;
	char *name = WL_NEW(arena, char, cap);

	for (size_t lo = 0, hi; name && lo < g->n; lo = hi) {
		/*
		 * Runs of neighbouring devices; several processes on one device are in the same
		 * run, therefore <= 1.
		 */
		uint32_t first = m->member[g->member[lo]].device, last = first;

		for (hi = lo + 1; hi < g->n && m->member[g->member[hi]].device - last <= 1; hi++)
			last = m->member[g->member[hi]].device;
		n += (size_t)snprintf(name + n, cap - n, "%s%" PRIu32, lo ? "," : "", first);
		if (last > first)
			n += (size_t)snprintf(name + n, cap - n, "-%" PRIu32, last);
	}
	return name;
}
