/* SPDX-License-Identifier: MIT */
/* match_groups.c - sets with the same members: the groups that communicate. */
#include "base/memory/sort.h"
#include "derive/comm/match/matches_parts.h"

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
static bool has_no_clock(const struct wl_matching *m, const struct wl_match_set *set)
{
	const struct wl_trace *t = m->trace;
	bool is_refused = false, is_one = true;

	for (size_t i = 0; t->n_files && i < set->n; i++) {
		uint32_t process = m->to->queues.queue[set->queue[i]].process;

		is_refused |= t->files[t->processes[process].file].clock_state == WL_CLOCK_REFUSED;
		is_one &=
			wl_matching_clock(m, set->queue[i]) == wl_matching_clock(m, set->queue[0]);
	}
	return is_refused && !is_one;
}

static bool put_group(struct wl_matching *m, struct wl_comm_group *group,
		      const struct wl_match_set *set)
{
	uint32_t *member = WL_NEW(m->arena, uint32_t, set->n);

	for (size_t i = 0; member && i < set->n; i++)
		member[i] = m->to->member_of[set->queue[i]];
	*group = (struct wl_comm_group){ .member = member,
					 .n = set->n,
					 .no_clock = has_no_clock(m, set) };
	return member != NULL;
}

/* Sets with the same members are one group; groups are in the order of their members. */
bool wl_matching_groups(struct wl_matching *m)
{
	size_t n = m->to->n_sets;
	uint32_t *order = WL_NEW(m->scratch, uint32_t, 2 * n);
	struct wl_comm_group *group = WL_NEW(m->arena, struct wl_comm_group, n);

	m->line = WL_NEW(m->scratch, uint32_t, n);
	if (!order || !group || !m->line)
		return false;
	wl_sort_all(order, n, set_less, m->to);
	for (size_t i = 0; i < n; i++) {
		struct wl_match_set *set = &m->set[order[i]],
				    *before = &m->set[order[i ? i - 1 : 0]];
		bool is_new = i == 0 || compare_sets(m->to, before, set) != 0;

		if (is_new && !put_group(m, &group[m->to->n_groups++], set))
			return false;
		set->group = (uint32_t)(m->to->n_groups - 1);
		group[set->group].is_in_step |= set->n_undecided > 0;
		m->n_lines += is_new || comm_of(m->to, before) != comm_of(m->to, set);
		m->line[order[i]] = (uint32_t)(m->n_lines - 1);
	}
	m->to->group = group;
	return true;
}
