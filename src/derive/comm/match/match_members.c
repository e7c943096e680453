/* SPDX-License-Identifier: MIT */
/* match_members.c - what is asked of queues and members: rank, clock, role, and groups known. */
#include <string.h>

#include "derive/comm/match/matches_parts.h"

bool wl_member_is_before(const struct wl_matches *m, const struct wl_ranks *ranks, uint32_t a,
			 uint32_t b)
{
	int64_t ra = ranks->of[m->member[a].process], rb = ranks->of[m->member[b].process];

	return ra != rb && ra >= 0 && (rb < 0 || ra < rb);
}

bool wl_matching_is_one_clock(const struct wl_matching *m, const uint32_t *queue, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (wl_matching_clock(m, queue[i]) != wl_matching_clock(m, queue[0]))
			return false;
	}
	return true;
}

uint64_t wl_matching_code(const struct wl_matching *m, uint32_t queue)
{
	/* Calls of MPI have members of their own. */
	uint64_t code = m->to->member_of[queue] + 1;

	code |= (uint64_t)wl_comm_is_mpi(&m->to->queues.queue[queue]) << 32;
	code *= UINT64_C(0x9e3779b97f4a7c15);
	code = (code ^ code >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	return code ^ code >> 27;
}

void wl_matching_know(struct wl_matching *m, uint64_t code, uint32_t n)
{
	if (n > 1)
		wl_vec_push(&m->known, &(struct wl_known_group){ code, n, m->role });
}

uint32_t *wl_matching_count(const struct wl_matching *m)
{
	const struct wl_comm_queues *q = &m->to->queues;
	uint32_t *n = WL_NEW(m->scratch, uint32_t, q->n);

	for (size_t i = 0; n && i < q->n; i++)
		n[m->first[i]]++;
	return n;
}

int wl_matching_compare_roles(const struct wl_matching *m, uint32_t queue_a, uint32_t queue_b)
{
	const struct wl_comm_queue *a = &m->to->queues.queue[queue_a];
	const struct wl_comm_queue *b = &m->to->queues.queue[queue_b];

	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (wl_comm_is_mpi(a) != wl_comm_is_mpi(b)) /* MPI calls come first */
		return wl_comm_is_mpi(a) ? -1 : 1;
	/* By name: numbers of names depend on what else a trace has. */
	if (a->function != b->function)
		return strcmp(wl_str(m->trace, a->function), wl_str(m->trace, b->function));
	/* Handles of MPI are numbers of a process: ends decide. */
	if (wl_comm_is_mpi(a))
		return 0;
	if (a->comm != b->comm)
		return a->comm < b->comm ? -1 : 1;
	if (a->comm != WL_NO_U64)
		return 0;
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return a->order == b->order ? 0 : a->order < b->order ? -1 : 1;
}
