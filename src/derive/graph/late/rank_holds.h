/* SPDX-License-Identifier: MIT */
/*
 * rank_holds.h - the share of the run for which a rank's operations are held for an unknown reason.
 *
 * An operation that starts more than WL_UNEXPLAINED_NS after its last candidate is done waits for
 * something that the graph lacks. A replay keeps this lag, regardless of what gets shorter. The
 * critical path does not show it, because it runs through the rank that others wait for, which is
 * never held. If the full lags of a member add up to more than 2% of the run, results that cross
 * ranks are lower bounds.
 *
 * Members are processes that take part in a matched collective; if there are none, nothing crosses
 * ranks. Traces of single ranks contain holds for other reasons, such as managed memory.
 */
#ifndef WL_DERIVE_RANK_HOLDS_H
#define WL_DERIVE_RANK_HOLDS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_derived;

enum { WL_MOST_HOLD_PERCENT = 2 };

struct wl_rank_holds {
	const bool *is_member; /* by process */
	const wl_ns *time;     /* by process: unexplained time of all its operations */
	wl_ns run;             /* from the first start to the last end of members' operations */
	uint32_t worst; /* the member held longest, the first in a tie; WL_NONE if there are no
			   members */
};

/*
 * Needs graph and matches. Linear in operations; the holds are computed with the graph, at 0.1 us
 * per operation that starts late. The arena owns the result; false when it is exhausted.
 */
bool wl_rank_holds_find(const struct wl_derived *given, struct wl_arena *arena,
			struct wl_rank_holds *ret) WL_MUST_CHECK;

/* The held share of the run. */
static inline double wl_rank_hold_of(const struct wl_rank_holds *h, uint32_t process)
{
	return h->run > 0 ? (double)h->time[process] / (double)h->run : 0;
}

/* Whether any member has more than WL_MOST_HOLD_PERCENT of the run unexplained. */
static inline bool wl_rank_holds_are_long(const struct wl_rank_holds *h)
{
	return h->worst != WL_NONE && 100 * h->time[h->worst] > WL_MOST_HOLD_PERCENT * h->run;
}

#endif
