/* SPDX-License-Identifier: MIT */
/*
 * straggler.h - the members that others wait for, and why: by a replay in which their
 * activities take as long as those of the others.
 *
 * Suspects are found by arrivals (late_suspects.h). In the scenario no-straggler a suspect's
 * kernels, copies, calls and host gaps become the median of the other members of its group at the
 * same position (positions.h); calls that an operation holds up keep their rules. It is a
 * straggler if this shortens the makespan by at least a hundredth. A member that is late because
 * it waits for another rank itself has activities like the others', so nothing is saved and it is
 * not named. The member it waits for is a suspect of its own.
 *
 * Shares of the saving follow from changing kernels, then copies, then host calls and gaps;
 * they add up to the saving of all.
 */
#ifndef WL_DERIVE_STRAGGLER_H
#define WL_DERIVE_STRAGGLER_H

#include "base/arena.h"
#include "base/attr.h"
#include "derive/graph/late.h"

struct wl_derived;
struct wl_late_suspects;

struct wl_stragglers {
	bool is_refused;     /* more than a fifth of all communication time is unmatched */
	bool no_events;      /* of facts: there is nothing to replay; suspects are known */
	bool no_mpi;         /* of facts: a rank's MPI calls, where it may be late, were not kept */
	bool no_clock;       /* the clocks of the hosts contradict each other */
	size_t n_activities; /* of the graph; 0 where nobody was suspected */
	size_t n_moved;      /* that a replay without changes gives other times: nobody is named */
	const struct wl_straggler *at; /* by saving */
	size_t n;
	const struct wl_late_suspects *suspects; /* of facts, else NULL */
};

/* What is said then. */
extern const char wl_no_mpi_in_facts[];

/*
 * Of the whole trace: at most four suspects, each with one replay, and two more for each that
 * is named. Owned by the arena; false when that is exhausted.
 */
bool wl_stragglers_find(const struct wl_derived *given, struct wl_arena *arena,
			struct wl_stragglers *ret) WL_MUST_CHECK;

/* The straggler that a member is; NULL. */
const struct wl_straggler *wl_straggler_of(const struct wl_stragglers *all, uint32_t member);

#endif
