/* SPDX-License-Identifier: MIT */
/*
 * matches.h - collectives matched across members, and the wait for the last one.
 *
 * A member is a (process, device) pair. Its queues (comm_queues.h) are compared with those
 * of other members that have the same kind and stream role. Queues whose ends agree better than
 * their durations (end_together.h) form a set, and the operations of a set at equal index are one
 * match. Neighbours of a pipeline exchange in SendRecv, each with several others: there a set is
 * two queues, and its matches are operations of both with the nearest ends.
 * A queue that belongs to no other is not matched, and no more is said of it.
 * Sets with the same members belong to one group: a communicator, as far as the trace
 * shows. This is inferred where rows carry no communicator. Where payloads name it
 * (payloads.h), only queues of one communicator are compared, on any stream; those that begin
 * together belong together even where later ends do not agree.
 *
 * MPI calls between two ranks are matched by their messages (messages.h). A set is one queue of
 * them with a queue of each member at the other ends; a match is one call of that queue with the
 * calls at the other ends, each of which has a match of its own. Lateness there is that call's.
 *
 * Each member of a match starts when it arrives and leaves when the last one has arrived
 * and the transfer is over. So the shortest operation is about the transfer, what another
 * one lasts longer is its wait, and the member that arrives last makes the others wait.
 * Ranks that run in step may be one communicator or several: they are one group then, and its sets
 * count the joins that are undecided.
 */
#ifndef WL_DERIVE_MATCHES_H
#define WL_DERIVE_MATCHES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/comm/match/comm_queues.h"
#include "derive/comm/match/messages.h"
#include "derive/nvtx/ranks.h"

struct wl_derived;

struct wl_member {
	uint32_t process, device;
};

struct wl_match {
	wl_ns shortest; /* duration of its operations: about the transfer */
	wl_ns caused;   /* sum over members of how long they were there before the last */
	wl_ns alone;    /* the last arrival after the one before it */
	uint32_t set;
	uint32_t last; /* of the set's queues and the group's members: the one that arrived last;
			  of several at once the lowest rank, then the first */
};

/* Queues that belong together, or of which one sends to the others or receives from them. */
struct wl_match_set {
	const uint32_t *queue; /* one of each member, in the order of members */
	size_t n;              /* of the queues: as many as the group has members */
	uint32_t group;
	size_t lo, hi;    /* matches */
	uint32_t first;   /* index of the operation of its longest queue, of several the first, that
			     is the first match */
	uint32_t stopped; /* index there of the operation at which its group got out of step,
			     where that began in this set; else WL_NONE */
	uint32_t odd; /* the only queue that differs from the others there; WL_NONE: several do */
	bool by_message; /* operations of one queue, with what is at the other ends of messages */
	uint32_t own;    /* then: which of the queues */
	double r1; /* mean distance of end differences from their median (end_together.h), ns */
	uint32_t n_undecided; /* joins that are: its ranks may be several communicators in step */
};

struct wl_comm_group {
	const uint32_t *member; /* ascending */
	size_t n;               /* >= 2 */
	bool no_clock;          /* over hosts whose clocks contradict each other: arrivals cannot be
				   compared, and late, caused and alone of its matches are 0 */
	bool is_in_step;        /* some join of a set is undecided: it may be several groups */
};

struct wl_matches {
	struct wl_comm_queues queues;
	const uint32_t *set_of;         /* by queue; WL_NONE: not matched */
	const struct wl_member *member; /* that communicate, by device, then process */
	const uint32_t *member_of;      /* by queue */
	size_t n_members;
	const struct wl_match_set *set;
	size_t n_sets;
	const struct wl_comm_group *group;
	size_t n_groups;
	const struct wl_match *at; /* by set, in order of time */
	size_t n;
	struct wl_messages messages;
};

/*
 * On the whole trace. Linear in what communicates, and for each queue a comparison of samples with
 * each set of its kind and role. Owned by the arena; false when that is exhausted.
 */
bool wl_matches_find(const struct wl_derived *derived, struct wl_arena *arena,
		     struct wl_matches *ret) WL_MUST_CHECK;

/*
 * The same of the queues that *ret has, which must be in the order of members; the rest of it is
 * zero. Needs hosts, ranks and payloads, and reads no columns but of MPI calls between two ranks.
 */
bool wl_matches_among(const struct wl_derived *derived, struct wl_arena *arena,
		      struct wl_matches *ret) WL_MUST_CHECK;

/* How much longer than the transfer an operation took. 0 for one that is not matched. */
wl_ns wl_match_wait(const struct wl_matches *matches, const struct wl_comm_op *op);

/* Which of two members that arrive at once counts as the last: the one with the lower rank. */
bool wl_member_is_before(const struct wl_matches *matches, const struct wl_ranks *ranks, uint32_t a,
			 uint32_t b);

/* How many groups have joins that are undecided: their ranks run in step. */
size_t wl_matches_in_step(const struct wl_matches *matches);

/* "0-3", "0,2,4-6": the devices of a group. NULL when the arena is exhausted. */
const char *wl_comm_group_name(const struct wl_matches *matches, uint32_t group,
			       struct wl_arena *arena) WL_MUST_CHECK;

#endif
