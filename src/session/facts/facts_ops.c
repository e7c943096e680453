/* SPDX-License-Identifier: MIT */
#include "session/facts/facts_ops.h"

#include "base/memory/sort.h"

static bool starts_before(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_comm_op *op = ctx;

	return op[a].place != op[b].place ? op[a].place < op[b].place : op[a].start < op[b].start;
}

static bool sort_ops(struct wl_facts_ops *ops, size_t n_ranks, struct wl_arena *arena)
{
	const struct wl_comm_queues *q = &ops->matches->queues;
	uint32_t *by_start = WL_NEW(arena, uint32_t, 2 * q->n_ops);
	size_t *first = WL_NEW(arena, size_t, n_ranks + 1);

	if (!first || !by_start)
		return false;
	for (uint32_t i = 0; i < q->n_ops; i++) {
		by_start[i] = i;
		first[q->op[i].place + 1]++;
	}
	for (size_t i = 0; i < n_ranks; i++)
		first[i + 1] += first[i];
	wl_sort_index(by_start, q->n_ops, by_start + q->n_ops, starts_before, q->op);
	ops->first = first;
	ops->by_start = by_start;
	return true;
}

/* A counting sort. */
static bool deal_ops(struct wl_facts_ops *ops, struct wl_arena *arena)
{
	const struct wl_matches *m = ops->matches;
	size_t *first = WL_NEW(arena, size_t, m->n + 3);
	uint32_t *by_match = WL_NEW(arena, uint32_t, m->queues.n_ops);

	if (!first || !by_match)
		return false;
	/* Begins are two places on, and one place on once they were used. */
	for (size_t i = 0; i < m->queues.n_ops; i++) {
		if (m->queues.op[i].match != WL_NONE)
			first[m->queues.op[i].match + 2]++;
	}
	for (size_t i = 2; i < m->n + 3; i++)
		first[i] += first[i - 1];
	for (uint32_t i = 0; i < m->queues.n_ops; i++) {
		if (m->queues.op[i].match != WL_NONE)
			by_match[first[m->queues.op[i].match + 1]++] = i;
	}
	ops->match_first = first;
	ops->by_match = by_match;
	return true;
}

bool wl_facts_ops_make(const struct wl_matches *matches, size_t n_ranks, struct wl_arena *arena,
		       struct wl_facts_ops *ret)
{
	*ret = (struct wl_facts_ops){ .matches = matches };
	return sort_ops(ret, n_ranks, arena) && deal_ops(ret, arena);
}

struct sought {
	const struct wl_comm_op *op;
	const uint32_t *by_start;
	wl_ns start;
};

static bool is_before(const void *ctx, size_t i)
{
	const struct sought *s = ctx;

	return s->op[s->by_start[i]].start < s->start;
}

uint32_t wl_facts_ops_find(const struct wl_facts_ops *ops, uint32_t rank,
			   const struct wl_comm_op *op)
{
	const struct wl_comm_op *all = ops->matches->queues.op;
	const uint32_t *by_start = ops->by_start + ops->first[rank];
	size_t n = ops->first[rank + 1] - ops->first[rank];
	const struct sought sought = { all, by_start, op->start };

	for (size_t i = wl_lower_bound(n, is_before, &sought);
	     i < n && all[by_start[i]].start == op->start; i++) {
		const struct wl_comm_op *found = &all[by_start[i]];

		if (found->type == op->type && found->family == op->family && found->dur == op->dur)
			return by_start[i];
	}
	return WL_NONE;
}

/* Ranks are in the order of their numbers: of several the first. */
static const struct wl_comm_op *later_of(const struct wl_comm_op *last, const struct wl_comm_op *op,
					 wl_ns end)
{
	if (op->start > end || (last && op->start < last->start))
		return last;
	return !last || op->start > last->start || op->place < last->place ? op : last;
}

const struct wl_comm_op *wl_facts_ops_last(const struct wl_facts_ops *ops, uint32_t match,
					   wl_ns end)
{
	const struct wl_matches *m = ops->matches;
	const struct wl_comm_op *all = m->queues.op, *last = NULL;
	bool by_message = m->set[m->at[match].set].by_message;

	for (size_t i = ops->match_first[match]; i < ops->match_first[match + 1]; i++) {
		const struct wl_partners p = wl_partners_of(&m->messages, ops->by_match[i]);

		last = later_of(last, &all[ops->by_match[i]], end);
		if (by_message && p.from != WL_NONE)
			last = later_of(last, &all[p.from], end);
		if (by_message && p.to != WL_NONE)
			last = later_of(last, &all[p.to], end);
	}
	return last;
}

static uint32_t in_trace(const uint32_t *of_trace, uint32_t op)
{
	return op == WL_NONE ? WL_NONE : of_trace[op];
}

bool wl_facts_ops_messages(const struct wl_facts_ops *ops, const uint32_t *of_trace, size_t n,
			   struct wl_arena *arena, struct wl_messages *ret)
{
	const struct wl_messages *m = &ops->matches->messages;
	struct wl_partners *of = WL_NEW(arena, struct wl_partners, n);

	*ret = (struct wl_messages){ .of = of, .n = n };
	if (!of)
		return false;
	for (size_t i = 0; i < n; i++)
		of[i] = (struct wl_partners){ WL_NONE, WL_NONE, false };
	for (size_t i = m->first; i < m->first + m->n; i++) {
		const struct wl_partners p = wl_partners_of(m, i);

		if (of_trace[i] != WL_NONE)
			of[of_trace[i]] =
				(struct wl_partners){ in_trace(of_trace, p.from),
						      in_trace(of_trace, p.to), p.is_all };
	}
	return true;
}
