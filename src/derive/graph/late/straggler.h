/* SPDX-License-Identifier: MIT */
/*
 * straggler.h - the members that others wait for, and why: by a replay in which their
 * activities take as long as those of the others.
 *
 * Suspects are found by arrivals (late_suspects.h): by the latest of a step, and if no replay names
 * one of these, by the sum of a step. In the scenario no-straggler their changed
 * cells become like those of the others (no_straggler.h). Suspects are replayed together, the
 * latest first: one of two that are slow at once saves nothing alone. The smallest set that saves
 * nine tenths of what any of them save, and a hundredth of the run, are the stragglers. A member
 * that is late because it waits for another rank itself has activities like the others', so that
 * nothing is saved by it.
 *
 * Shares of the saving follow from changing kernels, then copies, then host calls and gaps;
 * they add up to the saving of all.
 */
#ifndef WL_DERIVE_STRAGGLER_H
#define WL_DERIVE_STRAGGLER_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/graph/late/late.h"
#include "derive/graph/refusal.h"

struct wl_derived;
struct wl_fidelity;
struct wl_late_suspects;

/* Why no rank is named, although one is late. */
enum wl_late_verdict {
	WL_LATE_NOBODY,     /* no rank is late, or one is named */
	WL_LATE_OTHERWISE,  /* the run would take as long without that */
	WL_LATE_BY_CHANCE,  /* the run would be shorter, but lengths of kernels vary so much */
	WL_LATE_OTHER_WORK, /* the latest one does not do what the others do: nothing to compare */
	WL_LATE_STAGES,     /* stages of a pipeline wait by design, and none has more to do */
	WL_LATE_UNREPLAYED, /* what it costs is unknown: waits between streams are not explained, or
			       no replay of the trace is to be trusted */
};

struct wl_stragglers {
	bool is_refused;     /* more than a fifth of all communication time is unmatched */
	bool no_events;      /* of facts: there is nothing to replay; suspects are known */
	bool no_mpi;         /* of facts: a rank's MPI calls, where it may be late, were not kept */
	bool no_clock;       /* the clocks of the hosts contradict each other */
	size_t n_activities; /* of the graph; 0 without suspects */
	size_t n_moved;      /* that a replay without changes gives other times: no rank is named */
	/* How far replays of the trace can be trusted; NULL without suspects. */
	const struct wl_fidelity *fidelity;
	enum wl_refusal refused;      /* why none can, as fidelity has it: no rank is named */
	size_t n_tried, n_sets_tried; /* then: who would be named, with what is measured of them */
	wl_ns error; /* of what the scenario saves, if that is a prediction; else -1 */
	enum wl_late_verdict verdict;
	double by_chance; /* of WL_LATE_BY_CHANCE: what the run would be shorter by, as a share of
			     it */
	double hold; /* of the worst member, where it is long (rank_holds.h): a replay does not show
			what lateness costs; else 0 */
	const struct wl_straggler *at; /* by set, then by how late they are */
	size_t n;
	const struct wl_late_set *set; /* by saving */
	size_t n_sets;
	const struct wl_evened *change; /* the scenario: that of all sets */
	size_t n_changes;
	const struct wl_late_suspects *suspects; /* NULL where nothing could be asked */
};

/*
 * Of the whole trace: a replay for each of the first eight suspects, then for twice as many each
 * time, and two more for each set. Whether replays are to be trusted is not asked here
 * (late_verdict.h). Owned by the arena; false when that is exhausted.
 */
bool wl_stragglers_try(const struct wl_derived *given, struct wl_arena *arena,
		       struct wl_stragglers *ret) WL_MUST_CHECK;

/* The straggler that a member is; NULL. */
const struct wl_straggler *wl_straggler_of(const struct wl_stragglers *all, uint32_t member);

/* The set of a straggler. */
static inline const struct wl_late_set *wl_late_set_of(const struct wl_stragglers *all,
						       const struct wl_straggler *s)
{
	return &all->set[s->set];
}

#endif
