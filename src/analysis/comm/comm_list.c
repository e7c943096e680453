/* SPDX-License-Identifier: MIT */
/* comm_list.c - individual matches, with a row per member. */
#include "analysis/comm/comm_rows.h"
#include "base/memory/sort.h"

struct listing {
	const struct wl_comm_rows *rows;
	const uint32_t *begin; /* by match, plus one at the end: where its operations start in op */
	uint32_t *op;          /* indices of operations, by match, then member */
	wl_ns *last;           /* by match: its last arrival */
};

/* Group the operations by match. Queues of a set are in the order of members. */
static bool deal(struct listing *l)
{
	const struct wl_matches *m = l->rows->matches;
	struct wl_arena *arena = l->rows->run->arena;
	uint32_t *begin = WL_NEW(arena, uint32_t, m->n + 1), *next = WL_NEW(arena, uint32_t, m->n);
	uint32_t n = 0;

	l->last = WL_NEW(arena, wl_ns, m->n);
	if (!begin || !next || !l->last)
		return false;
	for (size_t i = 0; i < m->n; i++) {
		const struct wl_match_set *set = &m->set[m->at[i].set];

		begin[i] = next[i] = n;
		n += set->by_message ? 1 : (uint32_t)set->n;
	}
	begin[m->n] = n;
	l->begin = begin;
	l->op = WL_NEW(arena, uint32_t, n);
	for (uint32_t i = 0; l->op && i < m->queues.n_ops; i++) {
		const struct wl_comm_op *op = &m->queues.op[i];

		if (op->match == WL_NONE)
			continue;
		/* Times are on the clock of the set's first member, whose operation comes first. */
		if (next[op->match] == begin[op->match])
			l->last[op->match] = op->start + op->late;
		l->op[next[op->match]++] = i;
	}
	return l->op != NULL;
}

static bool match_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct listing *l = ctx;

	return l->last[a] != l->last[b] ? l->last[a] < l->last[b] : a < b;
}

static void put_op(struct wl_table *out, const struct wl_comm_rows *r, size_t number,
		   const struct wl_comm_op *op)
{
	const struct wl_matches *m = r->matches;
	const struct wl_match *match = &m->at[op->match];
	const struct wl_match_set *set = &m->set[match->set];
	bool is_last = set->queue[match->last] == op->queue;

	wl_comm_put_queue(out, r, op->queue);
	wl_comm_put_group(out, r, op->queue, set->group);
	wl_put_i64(out, WL_COMM_MATCH, (int64_t)number);
	wl_put_i64(out, WL_COMM_INSTANCE, (int64_t)(set->first + (op->match - set->lo)));
	wl_put_i64(out, WL_COMM_ARRIVAL, op->start);
	wl_put_i64(out, WL_COMM_DUR, op->dur);
	wl_put_i64(out, WL_COMM_TRANSFER, match->shortest);
	wl_put_i64(out, WL_COMM_WAIT_ALL, wl_match_wait(m, op));
	if (op->bytes >= 0)
		wl_comm_put_bytes(out, r, op->queue, op->bytes, match->shortest);
	/*
	 * If the clocks of hosts contradict each other, late and caused are 0, which would read as
	 * on time.
	 */
	if (!wl_comm_has_clock(r, op->queue))
		return;
	wl_put_i64(out, WL_COMM_LAST, is_last);
	wl_put_i64(out, WL_COMM_LATE, op->late);
	/* A message has only one row, that of the waiting member. */
	wl_put_i64(out, WL_COMM_CAUSED, is_last || set->by_message ? match->caused : 0);
	wl_put_i64(out, WL_COMM_ALONE, is_last || set->by_message ? match->alone : 0);
	wl_put_str(out, WL_COMM_LAST_ARRIVER, r->member[m->member_of[set->queue[match->last]]]);
}

bool wl_comm_list(struct wl_table *out, const struct wl_comm_rows *r)
{
	const struct wl_matches *m = r->matches;
	struct listing l = { .rows = r };
	uint32_t *order = WL_NEW(r->run->arena, uint32_t, 2 * m->n);

	if (!order || !deal(&l))
		return false;
	wl_sort_all(order, m->n, match_less, &l);
	for (size_t i = 0; i < m->n; i++) {
		/*
		 * Matches are numbered over the whole trace: a window or selection does not
		 * renumber them.
		 */
		for (uint32_t k = l.begin[order[i]]; k < l.begin[order[i] + 1]; k++) {
			const struct wl_comm_op *op = &m->queues.op[l.op[k]];
			wl_ns start, end;

			if (wl_comm_admits(r, op, &start, &end))
				put_op(out, r, i, op);
		}
	}
	return true;
}
