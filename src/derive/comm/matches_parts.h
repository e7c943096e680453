/* SPDX-License-Identifier: MIT */
/* matches_parts.h - the state that the steps of matches.h share: queues to sets, sets to groups. */
#ifndef WL_DERIVE_MATCHES_PARTS_H
#define WL_DERIVE_MATCHES_PARTS_H

#include "derive/comm/end_together.h"
#include "derive/comm/hosts.h"
#include "derive/comm/matches.h"
#include "derive/comm/payloads.h"

struct wl_matching {
	const struct wl_trace *trace;
	const struct wl_hosts *hosts;
	const struct wl_ranks *ranks;
	const struct wl_payloads *payloads;
	struct wl_matches *to;
	struct wl_comm_op *op;
	uint32_t *first;                /* by queue: the longest one of its set */
	struct wl_end_pairing *pairing; /* by queue: with that one */
	wl_ns *residual;                /* by member: the least of its sets so far */
	uint32_t *line; /* by set: the sets of one group and communicator stay in step */
	wl_ns *stop;    /* by line: when its members got out of step */
	size_t n_lines;
	struct wl_match_set *set;
	uint32_t *set_of; /* by queue */
	uint32_t *called; /* by queue: calls whose messages are known */
	struct wl_arena *arena, *scratch;
};

/* The clock that the times of a queue are on. */
static inline uint32_t wl_matching_clock(const struct wl_matching *m, uint32_t queue)
{
	return m->hosts->clock[m->to->queues.queue[queue].process];
}

/* List the members, and group the queues that end together into sets. False: no memory. */
bool wl_matching_sets(struct wl_matching *m) WL_MUST_CHECK;

/* A set for each queue of MPI calls with messages whose other ends are known. False: no memory. */
bool wl_matching_messages(struct wl_matching *m) WL_MUST_CHECK;

/* The matches of such a set, behind those that are there. */
void wl_matching_calls(struct wl_matching *m, struct wl_match_set *set, struct wl_match *match);

/* Sets with the same members become one group. False: no memory. */
bool wl_matching_groups(struct wl_matching *m) WL_MUST_CHECK;

#endif
