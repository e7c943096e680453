/* SPDX-License-Identifier: MIT */
/*
 * rank_use.h - what each rank does with its time, step by step: compute, waiting for others,
 * transfer, idle time by cause, and how late it arrives at collectives.
 *
 * Exposed communication is divided: a matched operation first waits, for as much time as it takes
 * beyond the shortest of its match, and then transfers. Time in which any transfer is exposed is
 * transfer; the rest is wait. Unmatched operations count as transfer. MPI calls run on the host:
 * their waits are counted separately, and the time a GPU waits for them is idle time. Lateness at a
 * match is how much later a member arrives than the median member; with an even number of members,
 * than the earlier of the middle two. Members that arrive within the clock error (host_clocks.h) of
 * the last may each be the last: they share what the last causes.
 */
#ifndef WL_DERIVE_RANK_USE_H
#define WL_DERIVE_RANK_USE_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/comm/match/matches.h"
#include "derive/ledger/ledger.h"

struct wl_derived;

struct wl_rank_sum {
	wl_ns window, compute, wait, transfer, copy;
	wl_ns mpi_wait; /* of matched MPI calls that begin in it; not part of window */
	wl_ns idle[WL_N_CAUSES];
	wl_ns lateness; /* at all matches that begin in it */
	wl_ns caused;   /* at matches where it is the last: waiting of all members */
	wl_ns alone;    /* and how much later it is than the last but one */
	wl_ns shared;   /* its share of what is caused if it may be the last */
	wl_ns tied;     /* of shared: if others may be the last as well */
};

/* The use of a device by one process. */
struct wl_rank_use {
	const struct wl_ledger_lane *lane;
	uint32_t process;         /* WL_NONE: several use the device, and none has steps */
	uint32_t member;          /* index in the matches; WL_NONE: does not communicate */
	bool has_gpu_comm;        /* an operation of its GPU communicates */
	bool has_mpi;             /* an MPI call communicates */
	uint32_t blocker;         /* the member it waits for most; WL_NONE for none */
	wl_ns waited;             /* time waited for the blocker, by arrivals */
	struct wl_rank_sum *tile; /* by tile of the lane */
	struct wl_rank_sum all;
};

struct wl_rank_uses {
	struct wl_rank_use *at; /* by device: the selected ones */
	size_t n;
	wl_ns caused;  /* by all members */
	wl_ns tied;    /* of caused: if several may be the last */
	wl_ns matched; /* communication time */
	wl_ns comm;    /* all of it */
};

/*
 * Needs the ledger, all activity, classes, matches and host clocks. Matches count if they begin in
 * the window. Linear in communication operations except for a sort by match, and logarithmic in
 * steps for each. Owned by the arena; false when that is exhausted.
 */
bool wl_rank_use_find(const struct wl_derived *derived, const struct wl_scope *scope,
		      struct wl_arena *arena, struct wl_rank_uses *ret) WL_MUST_CHECK;

#endif
