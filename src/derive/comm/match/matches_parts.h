/* SPDX-License-Identifier: MIT */
/* matches_parts.h - the state that the steps of matches.h share: queues to sets, sets to groups. */
#ifndef WL_DERIVE_MATCHES_PARTS_H
#define WL_DERIVE_MATCHES_PARTS_H

#include "base/memory/vec.h"
#include "derive/comm/hosts.h"
#include "derive/comm/match/end_together.h"
#include "derive/comm/match/matches.h"
#include "derive/comm/payloads.h"

/* A set with members of one role, whose order does not matter. */
struct wl_known_group {
	uint64_t code; /* of its members */
	uint32_t n, role;
};

/* Operations of two queues that exchange: op[0][i] with op[1][i]. */
struct wl_exchange {
	uint32_t queue[2];
	const uint32_t *op[2];
	size_t n;
	double r1;
	bool is_undecided;
};

struct wl_matching {
	const struct wl_trace *trace;
	const struct wl_hosts *hosts;
	const struct wl_ranks *ranks;
	const struct wl_payloads *payloads;
	struct wl_matches *to;
	struct wl_comm_op *op;
	uint32_t *first;                     /* by queue: the longest one of its set */
	struct wl_end_pairing *pairing;      /* by queue: with that one */
	bool *is_cut;                        /* by first queue: some of its set gets out of step */
	uint32_t *n_undecided;               /* by first queue: joins that are */
	double *r1;                          /* by first queue */
	struct wl_vec exchanges;             /* of SendRecv: struct wl_exchange */
	struct wl_vec known;                 /* groups of the roles so far: struct wl_known_group */
	uint32_t role;                       /* that is being grouped */
	const struct wl_exchange **exchange; /* by set: what its matches are; or NULL */
	uint32_t *line; /* by set: the sets of one group and communicator stay in step */
	wl_ns *stop;    /* by line: when its members got out of step */
	size_t n_lines;
	struct wl_match_set *set;
	uint32_t *set_of; /* by queue */
	uint32_t *called; /* by queue: calls whose messages are known */
	struct wl_arena *arena, *scratch;
};

static inline const struct wl_exchange *wl_exchange_at(const struct wl_matching *m, size_t i)
{
	return (const struct wl_exchange *)m->exchanges.data + i;
}

/* The clock that the times of a queue are on. */
static inline uint32_t wl_matching_clock(const struct wl_matching *m, uint32_t queue)
{
	return m->hosts->clock[m->to->queues.queue[queue].process];
}

/* List the members, and group the queues that end together into sets. False: no memory. */
bool wl_matching_sets(struct wl_matching *m) WL_MUST_CHECK;

/* Whether all queues are on one clock. */
bool wl_matching_is_one_clock(const struct wl_matching *m, const uint32_t *queue, size_t n);

/*
 * < 0 when a's kind and role come first. Members of a communicator meet on any stream, MPI calls on
 * none.
 */
int wl_matching_compare_roles(const struct wl_matching *m, uint32_t a, uint32_t b);

/* How many queues each set has, by its first one. NULL: no memory. */
uint32_t *wl_matching_count(const struct wl_matching *m) WL_MUST_CHECK;

/*
 * Let queues that belong to none of their role, in the order of roles, join what they end together
 * with on streams of other roles. False: no memory.
 */
bool wl_matching_rest(struct wl_matching *m, const uint32_t *order) WL_MUST_CHECK;

/*
 * Group queues of one role, in the order of ranks: the closest first, on one clock if the groups so
 * far belong together as sets (end_together.h). Of more than 64 queues each is compared with those
 * that end nearest to it, round by round with those of each group. False: no memory.
 */
bool wl_matching_join(struct wl_matching *m, const uint32_t *queue, size_t n) WL_MUST_CHECK;

/*
 * The pairs of ranks that exchange in SendRecv: an operation and that of another member with the
 * nearest end, if each is the other's nearest and no second is nearly as near. *ret_done: these
 * explain the role; else they are dropped. False: no memory.
 */
bool wl_matching_exchange(struct wl_matching *m, const uint32_t *queue, size_t n,
			  bool *ret_done) WL_MUST_CHECK;

/* A number of a queue's member; the sum of those of several tells them from others. */
uint64_t wl_matching_code(const struct wl_matching *m, uint32_t queue);

/* Remember a group of n members of the role that is being grouped. */
void wl_matching_know(struct wl_matching *m, uint64_t code, uint32_t n);

/* A set for each queue of MPI calls with messages whose other ends are known. False: no memory. */
bool wl_matching_messages(struct wl_matching *m) WL_MUST_CHECK;

/* The matches of such a set, behind those that are there. */
void wl_matching_calls(struct wl_matching *m, struct wl_match_set *set, struct wl_match *match);

/* Sets with the same members become one group. False: no memory. */
bool wl_matching_groups(struct wl_matching *m) WL_MUST_CHECK;

#endif
