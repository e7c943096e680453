/* SPDX-License-Identifier: MIT */
/* match_sets.c - queues that end together: the sets of a match. */
#include "base/memory/sort.h"
#include "derive/comm/match/matches_parts.h"
#include "derive/rows/slices.h"

enum { MOST_FITTED = 16 }; /* queues on several clocks that are all compared with each other */

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
	return member && of;
}

static bool role_less(const void *ctx, uint32_t a, uint32_t b)
{
	return wl_matching_compare_roles(ctx, a, b) < 0;
}

/* Whether the first operations that two queues have in common may be one collective. */
static bool begin_together(const struct wl_end_pairing *p, const struct wl_op_run *a,
			   const struct wl_op_run *b)
{
	int64_t i = p->shift < 0 ? -p->shift : 0, k = i + p->shift;

	return i < (int64_t)a->n && k < (int64_t)b->n && wl_end_overlap(p, &a->at[i], &b->at[k]);
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

/* The trace says which communicator a queue is of. */
static bool is_named(const struct wl_comm_queue *q)
{
	return !wl_comm_is_mpi(q) && q->comm != WL_NO_U64;
}

static bool test(struct wl_matching *m, uint32_t a, uint32_t b, bool *ret_ok)
{
	const struct wl_comm_queue *qa = &m->to->queues.queue[a], *qb = &m->to->queues.queue[b];
	const struct wl_op_run ra = { m->op + qa->lo, qa->hi - qa->lo };
	const struct wl_op_run rb = { m->op + qb->lo, qb->hi - qb->lo };

	if (wl_end_together(&ra, &rb, wl_matching_clock(m, a) == wl_matching_clock(m, b),
			    m->scratch, &m->pairing[b], ret_ok))
		return true;
	/* The payloads say that it is one communicator: then the order of calls is enough. */
	return *ret_ok && is_named(qa) && begin_together(&m->pairing[b], &ra, &rb);
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

/* The set that a queue belongs to, as far as it is compared. */
struct chosen {
	uint32_t set;
	struct wl_end_pairing pairing;
	struct wl_slice common;
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

/* Compare a queue with the first one of a set. False: no memory. */
static bool try_set(struct wl_matching *m, const struct role *r, uint32_t s, uint32_t q,
		    struct chosen *best)
{
	struct wl_slice common = r->common[s];
	const struct wl_end_judgement *found = &m->pairing[q].found;
	bool ok = true;

	if (!test(m, r->first[s], q, &ok) || !narrow(m, q, &common))
		return ok;
	/* Of a communicator that the trace names the first will do. */
	if (best->set == WL_NONE || found->verdict > best->pairing.found.verdict ||
	    (found->verdict == best->pairing.found.verdict && found->r1 < best->pairing.found.r1))
		*best = (struct chosen){ s, m->pairing[q], common };
	return true;
}

static void put_in_set(struct wl_matching *m, struct role *r, uint32_t i, struct chosen *best)
{
	uint32_t q = r->queue[i];

	if (best->set == WL_NONE) {
		const struct wl_comm_queue *queue = &m->to->queues.queue[q];

		*best = (struct chosen){ (uint32_t)r->n_sets,
					 { .cut = WL_END_WHOLE },
					 { 0, queue->hi - queue->lo } };
		r->first[r->n_sets++] = q;
	}
	r->set_of[i] = best->set;
	r->common[best->set] = best->common;
	m->pairing[q] = best->pairing;
	m->first[q] = r->first[best->set];
	m->is_cut[m->first[q]] |= best->pairing.cut != WL_END_WHOLE;
	m->n_undecided[m->first[q]] += best->pairing.found.verdict == WL_END_UNDECIDED &&
				       !is_named(&m->to->queues.queue[q]);
	if (best->pairing.found.r1 > m->r1[m->first[q]])
		m->r1[m->first[q]] = best->pairing.found.r1;
}

/*
 * Each queue is compared with the first one of each set, the longest: captures that are cut may
 * have little in common with each other, but have it with that one. It joins the set that it agrees
 * with best. So are the queues of a communicator that the trace names, and those on clocks that are
 * not fitted yet.
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
		struct chosen best = { .set = WL_NONE };
		uint32_t i = r.order[k];

		see_member(m, &r, i);
		for (uint32_t s = 0; ok && s < r.n_sets; s++) {
			if (r.seen[s] == i + 1)
				continue;
			ok = try_set(m, &r, s, queue[i], &best);
			if (best.set != WL_NONE && is_named(&m->to->queues.queue[queue[i]]))
				break;
		}
		if (ok)
			put_in_set(m, &r, i, &best);
	}
	for (uint32_t s = 0; ok && s < r.n_sets; s++) {
		uint64_t code = 0;
		uint32_t n_queues = 0;

		for (size_t i = 0; i < n; i++) {
			if (r.set_of[i] != s)
				continue;
			code += wl_matching_code(m, queue[i]);
			n_queues++;
		}
		wl_matching_know(m, code, n_queues);
	}
	return ok;
}

static bool rank_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_matching *m = ctx;

	return wl_member_is_before(m->to, m->ranks, m->to->member_of[a], m->to->member_of[b]);
}

/* The payloads say with how many an operation exchanges: not with all others. */
static bool names_peers(const struct wl_matching *m, const struct wl_comm_queue *q)
{
	const struct wl_comm_op *op = &m->op[q->lo];

	return is_named(q) && !op->is_copy && wl_payload_of(m->payloads, op->row).n_peers > 0;
}

/* No payloads say who belongs together. */
static bool group_by_ends(struct wl_matching *m, const uint32_t *queue, size_t n)
{
	uint32_t *ranked = WL_NEW(m->scratch, uint32_t, 2 * n);
	bool done = false;

	for (size_t i = 0; ranked && i < n; i++)
		ranked[i] = m->first[queue[i]] = queue[i];
	if (!ranked)
		return false;
	if (n > 1 && m->to->queues.queue[queue[0]].type == WL_SEND_RECV &&
	    wl_matching_is_one_clock(m, queue, n) && !wl_matching_exchange(m, queue, n, &done))
		return false;
	wl_sort_index(ranked, n, ranked + n, rank_less, m);
	return done || names_peers(m, &m->to->queues.queue[queue[0]]) ||
	       wl_matching_join(m, ranked, n);
}

/* Sends and receives meet in pairs, unless they are with all others of the communicator. */
static bool group_role(struct wl_matching *m, const uint32_t *queue, size_t n)
{
	const struct wl_comm_queue *q = &m->to->queues.queue[queue[0]];
	bool is_known = is_named(q);

	for (size_t i = 0; is_known && q->type == WL_SEND_RECV && i < n; i++)
		is_known = is_with_all(m, queue[i]);
	if (wl_comm_is_message(q)) {
		for (size_t i = 0; i < n; i++)
			m->first[queue[i]] = queue[i];
		return true;
	}
	/* Lines of clocks cost more than a comparison: of many queues one per group is compared. */
	return is_known || (n > MOST_FITTED && !wl_matching_is_one_clock(m, queue, n))
		       ? group_queues(m, queue, n)
		       : group_by_ends(m, queue, n);
}

static uint32_t *order_queues(struct wl_matching *m)
{
	const struct wl_comm_queues *q = &m->to->queues;
	uint32_t *order = WL_NEW(m->scratch, uint32_t, 2 * q->n);

	if (order)
		wl_sort_all(order, q->n, role_less, m);
	return order;
}

/* The queues of a role, in the order of roles. */
struct role_range {
	size_t lo, hi;
	wl_ns dur; /* median of its operations */
};

static bool is_longer_role(const void *ctx, uint32_t a, uint32_t b)
{
	const struct role_range *role = ctx;

	return role[a].dur > role[b].dur;
}

static bool find_duration(const struct wl_matching *m, const uint32_t *order,
			  struct role_range *role)
{
	const struct wl_comm_queue *q = m->to->queues.queue;
	struct wl_arena scratch;
	wl_ns *dur;
	size_t n = 0;

	for (size_t i = role->lo; i < role->hi; i++)
		n += q[order[i]].hi - q[order[i]].lo;
	wl_arena_init_child(&scratch, m->scratch);
	dur = WL_NEW(&scratch, wl_ns, n);
	n = 0;
	for (size_t i = role->lo; dur && i < role->hi; i++) {
		for (size_t k = q[order[i]].lo; k < q[order[i]].hi; k++)
			dur[n++] = m->op[k].dur;
	}
	if (n)
		role->dur = wl_select_i64(dur, n, n / 2);
	wl_arena_release(&scratch);
	return dur != NULL;
}

/*
 * Roles with the longest operations come first: what they show of groups tells those of shorter
 * ones apart.
 */
static bool group_all(struct wl_matching *m, const uint32_t *order)
{
	size_t n_queues = m->to->queues.n, n = 0;
	struct role_range *role = WL_NEW(m->scratch, struct role_range, n_queues);
	uint32_t *by_length = WL_NEW(m->scratch, uint32_t, 2 * n_queues);
	bool ok = role && by_length;

	for (size_t lo = 0, hi; ok && lo < n_queues; lo = hi) {
		for (hi = lo + 1;
		     hi < n_queues && wl_matching_compare_roles(m, order[lo], order[hi]) == 0;)
			hi++;
		role[n] = (struct role_range){ lo, hi, 0 };
		ok = find_duration(m, order, &role[n]);
		by_length[n] = (uint32_t)n;
		n++;
	}
	if (ok)
		wl_sort_index(by_length, n, by_length + n, is_longer_role, role);
	for (size_t i = 0; ok && i < n; i++) {
		const struct role_range *r = &role[by_length[i]];

		m->role = by_length[i];
		ok = group_role(m, order + r->lo, r->hi - r->lo);
	}
	return ok && !m->known.failed;
}

/* Queues come in order, but for one of another role. */
static void put_in_order(uint32_t *list, size_t n, uint32_t queue)
{
	for (; n > 0 && list[n - 1] > queue; n--)
		list[n] = list[n - 1];
	list[n] = queue;
}

/* A set for each, behind the others. A queue that exchanges with several is of the largest. */
static bool number_exchanges(struct wl_matching *m)
{
	for (size_t i = 0; i < m->exchanges.n; i++) {
		const struct wl_exchange *x = wl_exchange_at(m, i);
		uint32_t *queue = WL_NEW(m->arena, uint32_t, 2);

		if (!queue)
			return false;
		for (size_t k = 0; k < 2; k++) {
			uint32_t *set = &m->set_of[x->queue[k]];

			queue[k] = x->queue[k];
			if (*set == WL_NONE || m->exchange[*set]->n < x->n)
				*set = (uint32_t)m->to->n_sets;
		}
		m->exchange[m->to->n_sets] = x;
		m->set[m->to->n_sets++] = (struct wl_match_set){ .queue = queue,
								 .n = 2,
								 .stopped = WL_NONE,
								 .odd = WL_NONE,
								 .r1 = x->r1,
								 .n_undecided = x->is_undecided };
	}
	return true;
}

/* Sets of two queues and more, in the order of their earliest ones. */
static bool number_sets(struct wl_matching *m, const uint32_t *order)
{
	const struct wl_comm_queues *q = &m->to->queues;
	uint32_t *n = wl_matching_count(m), *list = WL_NEW(m->arena, uint32_t, q->n);
	uint32_t *number = WL_NEW(m->scratch, uint32_t, q->n); /* by first queue: plus 1 */
	uint32_t *set_of = WL_NEW(m->arena, uint32_t, q->n);
	size_t at = 0;

	/* Of two queues and more, of two that exchange, or of one queue and its messages. */
	m->set = WL_NEW(m->arena, struct wl_match_set, q->n + m->exchanges.n);
	m->exchange = WL_NEW(m->scratch, const struct wl_exchange *, q->n + m->exchanges.n);
	if (!n || !list || !number || !set_of || !m->set || !m->exchange)
		return false;
	for (size_t i = 0; i < q->n; i++) {
		uint32_t queue = order[i], first = m->first[queue];
		struct wl_match_set *set;

		set_of[queue] = WL_NONE;
		if (n[first] < 2)
			continue;
		if (number[first] == 0) {
			m->set[m->to->n_sets] =
				(struct wl_match_set){ .queue = list + at,
						       .stopped = WL_NONE,
						       .odd = WL_NONE,
						       .r1 = m->r1[first],
						       .n_undecided = m->n_undecided[first] };
			at += n[first];
			number[first] = (uint32_t)++m->to->n_sets;
		}
		set_of[queue] = number[first] - 1;
		set = &m->set[set_of[queue]];
		put_in_order(list + (set->queue - list), set->n++, queue);
	}
	m->to->set_of = m->set_of = set_of;
	m->to->set = m->set;
	return number_exchanges(m);
}

bool wl_matching_sets(struct wl_matching *m)
{
	size_t n = m->to->queues.n;
	uint32_t *order;

	m->first = WL_NEW(m->scratch, uint32_t, n);
	m->pairing = WL_NEW(m->scratch, struct wl_end_pairing, n);
	m->is_cut = WL_NEW(m->scratch, bool, n);
	m->n_undecided = WL_NEW(m->scratch, uint32_t, n);
	m->r1 = WL_NEW(m->scratch, double, n);
	order = order_queues(m);
	return m->first && m->pairing && m->is_cut && m->n_undecided && m->r1 && order &&
	       list_members(m) && group_all(m, order) && wl_matching_rest(m, order) &&
	       number_sets(m, order);
}
