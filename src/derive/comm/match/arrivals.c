/* SPDX-License-Identifier: MIT */
#include "derive/comm/match/arrivals.h"

#include "base/memory/sort.h"

/* A counting sort of the matched operations by match. */
static bool deal(const struct wl_matches *m, struct wl_arena *arena, struct wl_arrivals *ret)
{
	const struct wl_comm_queues *q = &m->queues;
	uint32_t *first = WL_NEW(arena, uint32_t, m->n + 2),
		 *op = WL_NEW(arena, uint32_t, q->n_ops);

	if (!first || !op)
		return false;
	for (size_t i = 0; i < q->n_ops; i++) {
		if (q->op[i].match != WL_NONE)
			first[q->op[i].match + 2]++;
	}
	for (size_t i = 0; i < m->n; i++)
		first[i + 2] += first[i + 1];
	for (uint32_t i = 0; i < q->n_ops; i++) {
		if (q->op[i].match != WL_NONE)
			op[first[q->op[i].match + 1]++] = i;
	}
	ret->first = first;
	ret->op = op;
	return true;
}

static bool find_medians(const struct wl_matches *m, struct wl_arena *arena,
			 struct wl_arrivals *ret)
{
	wl_ns *median = WL_NEW(arena, wl_ns, m->n);
	struct wl_arena scratch;
	int64_t *late;

	wl_arena_init_child(&scratch, arena);
	late = WL_NEW(&scratch, int64_t, m->queues.n_ops);
	for (size_t i = 0; median && late && i < m->n; i++) {
		size_t lo = ret->first[i], n = ret->first[i + 1] - lo;

		if (m->set[m->at[i].set].by_message)
			continue;
		for (size_t k = 0; k < n; k++)
			late[k] = m->queues.op[ret->op[lo + k]].late;
		/* From the last to the first arrival: the earlier of two in the middle. */
		median[i] = wl_select_i64(late, n, n / 2);
	}
	ret->median = median;
	wl_arena_release(&scratch);
	return median && late;
}

bool wl_arrivals_find(const struct wl_matches *m, struct wl_arena *arena, struct wl_arrivals *ret)
{
	return deal(m, arena, ret) && find_medians(m, arena, ret);
}

/* How much later than the median of the ends of its messages a call arrives. */
static wl_ns message_lateness(const struct wl_matches *m, size_t op)
{
	const struct wl_comm_op *at = m->queues.op;
	const struct wl_partners p = wl_partners_of(&m->messages, op);
	const uint32_t end[] = { p.from, p.to == p.from ? WL_NONE : p.to };
	int64_t start[3] = { at[op].start };
	size_t n = 1;

	for (size_t k = 0; k < 2; k++) {
		if (end[k] != WL_NONE && at[end[k]].start <= wl_comm_end(&at[op]))
			start[n++] = at[end[k]].start;
	}
	wl_sort_i64(start, n);
	return at[op].start > start[(n - 1) / 2] ? at[op].start - start[(n - 1) / 2] : 0;
}

wl_ns wl_arrival_lateness(const struct wl_matches *m, const struct wl_arrivals *a, size_t op)
{
	const struct wl_comm_op *at = &m->queues.op[op];
	const struct wl_match_set *set =
		at->match == WL_NONE ? NULL : &m->set[m->at[at->match].set];

	if (!set || m->group[set->group].no_clock)
		return 0;
	if (set->by_message)
		return message_lateness(m, op);
	return at->late < a->median[at->match] ? a->median[at->match] - at->late : 0;
}
