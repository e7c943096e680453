/* SPDX-License-Identifier: MIT */
/* match_members.c - what is asked of members of queues: their rank, clock, and the groups known. */
#include "derive/comm/matches_parts.h"

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
