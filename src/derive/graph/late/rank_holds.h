/* SPDX-License-Identifier: MIT */
/*
 * rank_holds.h - how much of the run the operations of a rank are held by nothing that is known.
 *
 * An operation that starts more than WL_UNEXPLAINED_NS after its last candidate is done waits for
 * something that the graph lacks: a replay keeps that lag, whatever becomes shorter. The path does
 * not show it, because it runs through the rank that others wait for, which is never held. Where
 * the whole lags of a member add up to more than 2% of the run, what crosses ranks is a lower
 * bound.
 *
 * Members are processes that take part in a matched collective; without any nothing crosses ranks.
 * Traces of single ranks have holds for other reasons, such as managed memory.
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
	const wl_ns *time;     /* by process: unexplained, of all its operations */
	wl_ns run;             /* from the first start to the last end of members' operations */
	uint32_t worst;        /* the member held longest, the first of several; WL_NONE: there are
				  no members */
};

/*
 * Given graph and matches. Linear in operations; the holds themselves come with the graph, for
 * 0.1 us per operation that starts late. Owned by the arena; false when that is exhausted.
 */
bool wl_rank_holds_find(const struct wl_derived *given, struct wl_arena *arena,
			struct wl_rank_holds *ret) WL_MUST_CHECK;

/* The part of the run. */
static inline double wl_rank_hold_of(const struct wl_rank_holds *h, uint32_t process)
{
	return h->run > 0 ? (double)h->time[process] / (double)h->run : 0;
}

/* Whether more than WL_MOST_HOLD_PERCENT of the run is unexplained on any member. */
static inline bool wl_rank_holds_are_long(const struct wl_rank_holds *h)
{
	return h->worst != WL_NONE && 100 * h->time[h->worst] > WL_MOST_HOLD_PERCENT * h->run;
}

#endif
