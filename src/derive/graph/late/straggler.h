/* SPDX-License-Identifier: MIT */
/*
 * straggler.h - finds the members that others wait for, and why, with a replay in which their
 * activities take as long as those of the others.
 *
 * Suspects are found by arrivals (late_suspects.h): first by the largest lateness in a step and, if
 * no replay names one of these, by the sum in a step. In the scenario no-straggler their changed
 * cells become like those of the others (no_straggler.h). Suspects are replayed together, latest
 * first, because fixing one of two that are slow at once saves nothing. The stragglers are the
 * smallest set that saves nine tenths of the largest saving and at least a hundredth of the run. A
 * member that is late because it waits for another rank has activities like the others', so
 * changing it saves nothing.
 *
 * The shares of the saving come from changing kernels, then copies, then host calls and gaps; they
 * add up to the total saving.
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

/* Why no rank is named although one is late. */
enum wl_late_verdict {
	WL_LATE_NOBODY,     /* no rank is late, or a late one is named */
	WL_LATE_OTHERWISE,  /* the run would take as long without the lateness */
	WL_LATE_BY_CHANCE,  /* the run would be shorter, but within the variation of kernel lengths
			     */
	WL_LATE_OTHER_WORK, /* the latest member does other work than the others and cannot be
			       compared */
	WL_LATE_STAGES,     /* stages of a pipeline wait by design, and none has more work */
	WL_LATE_UNREPLAYED, /* its cost is unknown: waits between streams are not explained, or no
			       replay of the trace can be trusted */
};

struct wl_stragglers {
	bool is_refused; /* more than a fifth of all communication time is unmatched */
	bool no_events;  /* in facts: nothing can be replayed; suspects are known */
	bool no_mpi;     /* in facts: a rank's MPI calls, in which it may be late, were not kept */
	bool no_clock;   /* the clocks of the hosts contradict each other */
	size_t n_activities; /* activities of the graph; 0 without suspects */
	size_t n_moved; /* activities with other times in a replay without changes; if any, no rank
			   is named */
	/* How far replays of the trace can be trusted; NULL without suspects. */
	const struct wl_fidelity *fidelity;
	enum wl_refusal
		refused; /* why no replay can be trusted, from fidelity; no rank is then named */
	size_t n_tried, n_sets_tried; /* then, the stragglers that would be named, with their
					 measurements */
	wl_ns error;                  /* error of the saving if it is a prediction; else -1 */
	enum wl_late_verdict verdict;
	double by_chance; /* for WL_LATE_BY_CHANCE: the share by which the run would be shorter */
	double hold; /* hold of the worst member if it is long (rank_holds.h), when a replay does
			not show the cost of lateness; else 0 */
	const struct wl_straggler *at; /* by set, then by lateness */
	size_t n;
	const struct wl_late_set *set; /* by saving */
	size_t n_sets;
	const struct wl_evened *change; /* the scenario of all sets together */
	size_t n_changes;
	const struct wl_late_suspects *suspects; /* NULL if there was nothing to examine */
};

/*
 * Examines the whole trace: one replay for each number of suspects up to eight, or for 1, 2, 4, ...
 * of them if there are more, and two more for each set. It does not check whether replays can be
 * trusted (late_verdict.h does). The arena owns the result; false when it is exhausted.
 */
bool wl_stragglers_try(const struct wl_derived *given, struct wl_arena *arena,
		       struct wl_stragglers *ret) WL_MUST_CHECK;

/* The straggler for a member; NULL if it is not a straggler. */
const struct wl_straggler *wl_straggler_of(const struct wl_stragglers *all, uint32_t member);

/* The set of a straggler. */
static inline const struct wl_late_set *wl_late_set_of(const struct wl_stragglers *all,
						       const struct wl_straggler *s)
{
	return &all->set[s->set];
}

#endif
