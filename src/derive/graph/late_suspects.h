/* SPDX-License-Identifier: MIT */
/*
 * late_suspects.h - the members that may be stragglers: by arrivals alone, before any replay.
 *
 * A suspect is late alone (matches.h) for at least a hundredth of the makespan of all that it
 * meets, directly or by others, and for more than the error of the clocks explains. Groups that
 * share no rank do not delay each other, so each part of the job has a makespan of its own.
 */
#ifndef WL_DERIVE_LATE_SUSPECTS_H
#define WL_DERIVE_LATE_SUSPECTS_H

#include "base/arena.h"
#include "base/attr.h"
#include "derive/rows/scope.h"

struct wl_derived;

enum { WL_MOST_SUSPECTS = 4 };

/* An operation that takes longer on a suspect: its median there, and that of the others' medians.
 */
struct wl_late_op {
	const char *name; /* NULL: there is none */
	wl_ns own, others;
};

/* A member in one of its groups (matches.h). */
struct wl_late_suspect {
	uint32_t member, group;
	wl_ns alone;
	wl_ns makespan;          /* of its part, as measured */
	struct wl_late_op op[2]; /* of facts: those with most time more than the others' median */
};

struct wl_late_suspects {
	bool is_refused;      /* more than a fifth of all communication time is unmatched */
	bool no_clock;        /* the clocks of the hosts contradict each other */
	const uint32_t *part; /* by process: the same number for those that meet */
	struct wl_late_suspect at[WL_MOST_SUSPECTS]; /* by how late they are */
	size_t n;
};

/*
 * extent: by process, from its first operation to the end of its last; begin > end where it has
 * none. Needs matches and host_clocks. Linear in matches and processes. The part is owned by the
 * arena; false when that is exhausted.
 */
bool wl_late_suspects_find(const struct wl_derived *given, const struct wl_interval *extent,
			   struct wl_arena *arena, struct wl_late_suspects *ret) WL_MUST_CHECK;

#endif
