/* SPDX-License-Identifier: MIT */
#include "derive/comm/matches.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/sort.h"
#include "derive/comm/end_together.h"
#include "derive/comm/hosts.h"
#include "derive/derived.h"
#include "derive/nvtx/ranks.h"
#include "derive/rows/slices.h"
#include "derive/rows/stats.h"

struct matching {
	const struct wl_trace *trace;
	const struct wl_hosts *hosts;
	const struct wl_ranks *ranks;
	struct wl_matches *to;
	struct wl_comm_op *op;
	uint32_t *first;                /* by queue: the longest one of its set */
	struct wl_end_pairing *pairing; /* by queue: with that one */
	wl_ns *residual;                /* by member: the least of its sets so far */
	uint32_t *line; /* by set: the sets of one group and communicator stay in step */
	wl_ns *stop;    /* by line: when its members got out of step */
	size_t n_lines;
	struct wl_match_set *set;
	struct wl_arena *arena, *scratch;
};

/* Queues are in the order of members. */
static bool list_members(struct matching *m)
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
static int compare_roles(const struct wl_comm_queue *a, const struct wl_comm_queue *b)
{
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (a->function != b->function) /* MPI calls come first */
		return a->function < b->function ? -1 : 1;
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
	const struct wl_comm_queues *q = ctx;

	return compare_roles(&q->queue[a], &q->queue[b]) < 0;
}

static uint32_t clock_of(const struct matching *m, uint32_t queue)
{
	return m->hosts->clock[m->to->queues.queue[queue].process];
}

/* Whether the first operations that two queues have in common may be one collective. */
static bool begin_together(const struct wl_end_pairing *p, const struct wl_op_run *a,
			   const struct wl_op_run *b)
{
	int64_t i = p->shift < 0 ? -p->shift : 0, k = i + p->shift;

	return i < (int64_t)a->n && k < (int64_t)b->n &&
	       wl_end_compare(p, &a->at[i], &b->at[k]) != WL_END_MISMATCH;
}

static bool test(struct matching *m, uint32_t a, uint32_t b, bool *ret_ok)
{
	const struct wl_comm_queue *qa = &m->to->queues.queue[a], *qb = &m->to->queues.queue[b];
	const struct wl_op_run ra = { m->op + qa->lo, qa->hi - qa->lo };
	const struct wl_op_run rb = { m->op + qb->lo, qb->hi - qb->lo };
	wl_ns known_a = m->residual[m->to->member_of[a]],
	      known_b = m->residual[m->to->member_of[b]];
	/* The larger residual: a set can be no better than the worse of its two clocks. */
	const struct wl_clocks clocks = { clock_of(m, a) == clock_of(m, b),
					  known_a > known_b ? known_a : known_b };

	if (wl_end_together(&ra, &rb, &clocks, m->scratch, &m->pairing[b], ret_ok))
		return true;
	/*
	 * The payloads say that it is one communicator: then the order of calls is enough. Sends
	 * and receives meet in pairs, which it does not name.
	 */
	return *ret_ok && !wl_comm_is_mpi(qa) && qa->comm != WL_NO_U64 &&
	       qa->type != WL_SEND_RECV && begin_together(&m->pairing[b], &ra, &rb);
}

static void learn(struct matching *m, uint32_t queue, wl_ns residual)
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

static bool begin_role(struct matching *m, struct role *r)
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
static void see_member(const struct matching *m, struct role *r, uint32_t i)
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
static bool narrow(const struct matching *m, uint32_t queue, struct wl_slice *common)
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
static bool group_queues(struct matching *m, const uint32_t *queue, size_t n)
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

static uint32_t *order_queues(struct matching *m)
{
	const struct wl_comm_queues *q = &m->to->queues;
	uint32_t *order = WL_NEW(m->scratch, uint32_t, 2 * q->n);

	for (uint32_t i = 0; order && i < q->n; i++)
		order[i] = i;
	if (order)
		wl_sort_index(order, q->n, order + q->n, role_less, q);
	return order;
}

static bool group_all(struct matching *m, const uint32_t *order)
{
	const struct wl_comm_queues *q = &m->to->queues;

	for (size_t lo = 0, hi; lo < q->n; lo = hi) {
		for (hi = lo + 1;
		     hi < q->n && compare_roles(&q->queue[order[lo]], &q->queue[order[hi]]) == 0;)
			hi++;
		if (!group_queues(m, order + lo, hi - lo))
			return false;
	}
	return true;
}

/* How many queues each set has, by its first one. */
static uint32_t *count_queues(const struct matching *m)
{
	const struct wl_comm_queues *q = &m->to->queues;
	uint32_t *n = WL_NEW(m->scratch, uint32_t, q->n);

	for (size_t i = 0; n && i < q->n; i++)
		n[m->first[i]]++;
	return n;
}

/* Whether a set, known by its first queue, has a queue of a member. */
static bool has_member(const struct matching *m, const uint32_t *queue, size_t n, uint32_t first,
		       uint32_t member)
{
	for (size_t i = 0; i < n; i++) {
		if (m->first[queue[i]] == first && m->to->member_of[queue[i]] == member)
			return true;
	}
	return false;
}

/* Let a queue that is alone join the first set that it ends together with. */
static bool join_one(struct matching *m, const uint32_t *queue, size_t n, uint32_t q)
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
static bool join_roles(struct matching *m, const uint32_t *order)
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
static bool number_sets(struct matching *m, const uint32_t *order)
{
	const struct wl_comm_queues *q = &m->to->queues;
	uint32_t *n = count_queues(m), *list = WL_NEW(m->arena, uint32_t, q->n);
	uint32_t *number = WL_NEW(m->scratch, uint32_t, q->n); /* by first queue: plus 1 */
	uint32_t *set_of = WL_NEW(m->arena, uint32_t, q->n);
	size_t at = 0;

	m->set = WL_NEW(m->arena, struct wl_match_set, q->n / 2);
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
	m->to->set_of = set_of;
	m->to->set = m->set;
	return true;
}

/* Sets as lists of members. */
static int compare_sets(const struct wl_matches *m, const struct wl_match_set *a,
			const struct wl_match_set *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (size_t i = 0; i < a->n; i++) {
		uint32_t ma = m->member_of[a->queue[i]], mb = m->member_of[b->queue[i]];

		if (ma != mb)
			return ma < mb ? -1 : 1;
	}
	return 0;
}

/* The communicator of a set, as far as it means the same in all processes. */
static uint64_t comm_of(const struct wl_matches *m, const struct wl_match_set *set)
{
	const struct wl_comm_queue *q = &m->queues.queue[set->queue[0]];

	return wl_comm_is_mpi(q) ? WL_NO_U64 : q->comm;
}

static bool set_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_matches *m = ctx;
	int order = compare_sets(m, &m->set[a], &m->set[b]);

	return order != 0 ? order < 0 : comm_of(m, &m->set[a]) < comm_of(m, &m->set[b]);
}

/* The members are on different hosts, and the fit of their clocks was refused. */
static bool has_no_clock(const struct matching *m, const struct wl_match_set *set)
{
	const struct wl_trace *t = m->trace;
	bool is_refused = false, is_one = true;

	for (size_t i = 0; t->n_files && i < set->n; i++) {
		uint32_t process = m->to->queues.queue[set->queue[i]].process;

		is_refused |= t->files[t->processes[process].file].clock_state == WL_CLOCK_REFUSED;
		is_one &= clock_of(m, set->queue[i]) == clock_of(m, set->queue[0]);
	}
	return is_refused && !is_one;
}

static bool put_group(struct matching *m, struct wl_comm_group *group,
		      const struct wl_match_set *set)
{
	uint32_t *member = WL_NEW(m->arena, uint32_t, set->n);

	for (size_t i = 0; member && i < set->n; i++)
		member[i] = m->to->member_of[set->queue[i]];
	*group = (struct wl_comm_group){ member, set->n, has_no_clock(m, set) };
	return member != NULL;
}

/* Sets with the same members are one group; groups are in the order of their members. */
static bool find_groups(struct matching *m)
{
	size_t n = m->to->n_sets;
	uint32_t *order = WL_NEW(m->scratch, uint32_t, 2 * n);
	struct wl_comm_group *group = WL_NEW(m->arena, struct wl_comm_group, n);

	m->line = WL_NEW(m->scratch, uint32_t, n);
	if (!order || !group || !m->line)
		return false;
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	wl_sort_index(order, n, order + n, set_less, m->to);
	for (size_t i = 0; i < n; i++) {
		struct wl_match_set *set = &m->set[order[i]],
				    *before = &m->set[order[i ? i - 1 : 0]];
		bool is_new = i == 0 || compare_sets(m->to, before, set) != 0;

		if (is_new && !put_group(m, &group[m->to->n_groups++], set))
			return false;
		set->group = (uint32_t)(m->to->n_groups - 1);
		m->n_lines += is_new || comm_of(m->to, before) != comm_of(m->to, set);
		m->line[order[i]] = (uint32_t)(m->n_lines - 1);
	}
	m->to->group = group;
	return true;
}

/* Operations i of the longest queue that all queues of the set have. */
static struct wl_slice common_range(const struct matching *m, const struct wl_match_set *set)
{
	int64_t lo = 0, hi = INT64_MAX;

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

static struct wl_comm_op *op_at(const struct matching *m, uint32_t queue, size_t i)
{
	int64_t at = (int64_t)i + m->pairing[queue].shift;

	return &m->op[m->to->queues.queue[queue].lo + (size_t)at];
}

/* Collectives whose members all have a message of the same size; MPI has some with sizes each. */
static bool has_equal_bytes(const struct wl_comm_queue *q)
{
	return q->type == WL_ALL_REDUCE ||
	       (!wl_comm_is_mpi(q) && (q->type == WL_ALL_GATHER || q->type == WL_REDUCE_SCATTER ||
				       q->type == WL_BROADCAST || q->type == WL_REDUCE));
}

/* How many queues do not call there what the longest one calls; *ret_odd: the last of them. */
static size_t count_mismatches(const struct matching *m, const struct wl_match_set *set, size_t i,
			       uint32_t *ret_odd)
{
	uint32_t longest = m->first[set->queue[0]];
	const struct wl_comm_op *first = op_at(m, longest, i);
	bool same_bytes = has_equal_bytes(&m->to->queues.queue[longest]) && first->bytes >= 0;
	size_t n = 0;

	*ret_odd = WL_NONE;
	for (size_t k = 0; k < set->n; k++) {
		uint32_t queue = set->queue[k];
		const struct wl_comm_op *op = op_at(m, queue, i);

		if (wl_end_compare(&m->pairing[queue], first, op) == WL_END_MISMATCH ||
		    (same_bytes && op->bytes >= 0 && op->bytes != first->bytes)) {
			*ret_odd = queue;
			n++;
		}
	}
	/* Where all others differ from the longest, it is that one. */
	if (n > 1)
		*ret_odd = n == set->n - 1 ? longest : WL_NONE;
	else if (set->n == 2)
		*ret_odd = WL_NONE;
	return n;
}

bool wl_member_is_before(const struct wl_matches *m, const struct wl_ranks *ranks, uint32_t a,
			 uint32_t b)
{
	int64_t ra = ranks->of[m->member[a].process], rb = ranks->of[m->member[b].process];

	return ra != rb && ra >= 0 && (rb < 0 || ra < rb);
}

static bool is_before(const struct matching *m, uint32_t queue_a, uint32_t queue_b)
{
	return wl_member_is_before(m->to, m->ranks, m->to->member_of[queue_a],
				   m->to->member_of[queue_b]);
}

static void put_match(struct matching *m, const struct wl_match_set *set, size_t i,
		      struct wl_match *match)
{
	const uint32_t number = (uint32_t)(match - m->to->at);
	bool no_clock = m->to->group[set->group].no_clock;
	wl_ns last = INT64_MIN, before = INT64_MIN;

	match->shortest = INT64_MAX;
	for (size_t k = 0; k < set->n; k++) {
		uint32_t queue = set->queue[k];
		struct wl_comm_op *op = op_at(m, queue, i);
		wl_ns at = no_clock ? 0 : wl_clock_aligned(&m->pairing[queue].line, op->start);

		op->match = number;
		op->late = at; /* for now */
		match->shortest = op->dur < match->shortest ? op->dur : match->shortest;
		if (at > last || (at == last && is_before(m, queue, set->queue[match->last])))
			match->last = (uint32_t)k;
		/* The two latest arrivals in one pass; equal ones leave the last alone by 0. */
		before = at >= last ? last : at > before ? at : before;
		last = at > last ? at : last;
	}
	match->alone = last - before;
	for (size_t k = 0; k < set->n; k++) {
		struct wl_comm_op *op = op_at(m, set->queue[k], i);

		op->late = last - op->late;
		match->caused = wl_add_up(match->caused, op->late);
	}
}

/* Matches of a set, in order, until its group is out of step. */
static void match_set(struct matching *m, struct wl_match_set *set, struct wl_match *match)
{
	struct wl_slice range = common_range(m, set);

	set->lo = m->to->n;
	set->first = (uint32_t)range.lo;
	for (size_t i = range.lo; i < range.hi; i++) {
		/*
		 * After a mismatch the indexes no longer mean the same collective, so nothing
		 * behind it is matched.
		 */
		if (op_at(m, set->queue[0], i)->start >= m->stop[m->line[set - m->set]])
			break;
		match[m->to->n].set = (uint32_t)(set - m->set);
		put_match(m, set, i, &match[m->to->n++]);
	}
	set->hi = m->to->n;
}

/* The first mismatch of each set, and by line when the earliest of them began. */
static bool find_stops(struct matching *m)
{
	m->stop = WL_NEW(m->scratch, wl_ns, m->n_lines);
	for (size_t g = 0; m->stop && g < m->n_lines; g++)
		m->stop[g] = INT64_MAX;
	for (size_t s = 0; m->stop && s < m->to->n_sets; s++) {
		struct wl_match_set *set = &m->set[s];
		struct wl_slice range = common_range(m, set);
		wl_ns *stop = &m->stop[m->line[s]];
		size_t i = range.lo;

		while (i < range.hi && count_mismatches(m, set, i, &set->odd) == 0)
			i++;
		if (i == range.hi)
			continue;
		set->stopped = (uint32_t)i;
		if (op_at(m, set->queue[0], i)->start < *stop)
			*stop = op_at(m, set->queue[0], i)->start;
	}
	/* What comes later in other sets follows from it. */
	for (size_t s = 0; m->stop && s < m->to->n_sets; s++) {
		struct wl_match_set *set = &m->set[s];

		if (set->stopped != WL_NONE &&
		    op_at(m, set->queue[0], set->stopped)->start > m->stop[m->line[s]])
			set->stopped = WL_NONE;
	}
	return m->stop != NULL;
}

static bool match_sets(struct matching *m)
{
	struct wl_match *match;
	size_t n = 0;

	if (!find_stops(m))
		return false;
	for (size_t s = 0; s < m->to->n_sets; s++) {
		struct wl_slice range = common_range(m, &m->set[s]);

		n += range.hi - range.lo;
	}
	m->to->at = match = WL_NEW(m->arena, struct wl_match, n);
	for (size_t s = 0; match && s < m->to->n_sets; s++)
		match_set(m, &m->set[s], match);
	return match != NULL;
}

static bool find(struct matching *m)
{
	size_t n = m->to->queues.n;
	uint32_t *order;

	m->first = WL_NEW(m->scratch, uint32_t, n);
	m->pairing = WL_NEW(m->scratch, struct wl_end_pairing, n);
	order = order_queues(m);
	return m->first && m->pairing && order && list_members(m) && group_all(m, order) &&
	       join_roles(m, order) && number_sets(m, order) && find_groups(m) && match_sets(m);
}

bool wl_matches_find(const struct wl_derived *derived, struct wl_arena *arena,
		     struct wl_matches *ret)
{
	struct wl_arena scratch;
	struct matching m = { .trace = derived->trace,
			      .hosts = derived->hosts,
			      .ranks = derived->ranks,
			      .to = ret,
			      .arena = arena,
			      .scratch = &scratch };
	bool ok;

	*ret = (struct wl_matches){ .n = 0 };
	if (!wl_comm_queues_find(derived, arena, &ret->queues))
		return false;
	m.op = ret->queues.op;
	wl_arena_init_child(&scratch, arena);
	ok = find(&m);
	wl_arena_release(&scratch);
	return ok;
}

wl_ns wl_match_wait(const struct wl_matches *m, const struct wl_comm_op *op)
{
	return op->match == WL_NONE ? 0 : op->dur - m->at[op->match].shortest;
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
		 * run, hence <= 1.
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
