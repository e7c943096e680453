/* SPDX-License-Identifier: MIT */
#include "derive/comm/match/leaving.h"

#include <stdlib.h>

#include "base/memory/sort.h"
#include "derive/comm/match/arrivals.h"

static const wl_ns least = 5000;
static const double above_spread = 3;

/* Of an even number the mean of the two in the middle, rounded down. Sorts them. */
static wl_ns take_median(int64_t *at, size_t n)
{
	wl_ns upper, lower;

	wl_sort_i64(at, n);
	upper = at[n / 2];
	lower = n % 2 ? upper : at[n / 2 - 1];
	return lower + (upper - lower) / 2;
}

static bool counts(const struct wl_matches *m, const struct wl_match *match)
{
	const struct wl_match_set *set = &m->set[match->set];

	return !set->by_message && !m->group[set->group].no_clock;
}

static bool find_middles(const struct wl_matches *m, wl_ns *middle, struct wl_arena *scratch)
{
	int64_t *end = WL_NEW(scratch, int64_t, m->queues.n_ops);
	struct wl_arrivals of;

	if (!end || !wl_arrivals_find(m, scratch, &of))
		return false;
	for (size_t i = 0; i < m->n; i++) {
		size_t lo = of.first[i], n = of.first[i + 1] - lo;

		if (!counts(m, &m->at[i]))
			continue;
		for (size_t k = 0; k < n; k++)
			end[k] = wl_comm_end(&m->queues.op[of.op[lo + k]]);
		middle[i] = take_median(end, n);
	}
	return true;
}

static struct wl_leaving judge(const wl_ns *after, size_t n, int64_t *room)
{
	struct wl_leaving ret = { .n = n };
	double spread = 0;

	if (n == 0)
		return ret;
	for (size_t i = 0; i < n; i++)
		room[i] = after[i];
	ret.after = take_median(room, n);
	for (size_t i = 0; i < n; i++)
		spread += (double)llabs(after[i] - ret.after) / (double)n;
	ret.is_late = ret.after > least && (double)ret.after > above_spread * spread;
	return ret;
}

/* Queues are in the order of members. */
static bool find(const struct wl_matches *m, struct wl_leaving *ret, struct wl_arena *scratch)
{
	const struct wl_comm_queues *q = &m->queues;
	wl_ns *middle = WL_NEW(scratch, wl_ns, m->n), *after = WL_NEW(scratch, wl_ns, q->n_ops);
	int64_t *room = WL_NEW(scratch, int64_t, q->n_ops);
	size_t n = 0;

	if (!middle || !after || !room || !find_middles(m, middle, scratch))
		return false;
	for (size_t i = 0; i < q->n; i++) {
		for (size_t k = q->queue[i].lo; k < q->queue[i].hi; k++) {
			const struct wl_comm_op *op = &q->op[k];

			if (op->match != WL_NONE && counts(m, &m->at[op->match]))
				after[n++] = wl_comm_end(op) - middle[op->match];
		}
		if (i + 1 < q->n && m->member_of[i + 1] == m->member_of[i])
			continue;
		ret[m->member_of[i]] = judge(after, n, room);
		n = 0;
	}
	return true;
}

const struct wl_leaving *wl_leaving_find(const struct wl_matches *m, struct wl_arena *arena)
{
	struct wl_leaving *ret = WL_NEW(arena, struct wl_leaving, m->n_members);
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	ok = ret && find(m, ret, &scratch);
	wl_arena_release(&scratch);
	return ok ? ret : NULL;
}
