/* SPDX-License-Identifier: MIT */
/*
 * no_straggler.h - the scenario in which changed cells take as long as those of the other members.
 *
 * What a cell answers for are its kernels, copies and calls that do not block, with the host gaps
 * before all calls; what communicates, and waits of the host for the GPU, are results. In a changed
 * cell (late_suspects.h) each becomes the median, at its position (positions.h), of the members
 * that the member meets and whose cell in that step is not changed, or where all of these are, of
 * those that it meets by others; what none of these has takes no time. Where all cells of a step
 * are changed they stay.
 *
 * Of a call that waits for the GPU and of an MPI call only the gap counts, because its length is a
 * wait: where what it waits for is over before it, that gap is all that it delays. A call
 * that waits for the GPU where no other member has one takes no time, and waits no more.
 */
#ifndef WL_DERIVE_NO_STRAGGLER_H
#define WL_DERIVE_NO_STRAGGLER_H

#include "derive/graph/late/late.h"
#include "derive/graph/late/late_suspects.h"
#include "derive/graph/late/positions.h"

/* The members of a part, and the positions of what they do. */
struct wl_late_peers {
	struct wl_compared_by by;
	struct wl_peers who;
	struct wl_positions ops, calls;
};

bool wl_late_peers_find(const struct wl_compared_by *by, const struct wl_peers *who,
			struct wl_arena *arena, struct wl_late_peers *ret) WL_MUST_CHECK;

/* Which share of a saving an operation is of. */
enum wl_late_share wl_late_share_of(const struct wl_late_peers *all, uint32_t op);

/* Whether a call, and the gap before it, is a member's own doing, and no wait. */
bool wl_call_has_own_length(const struct wl_graph *graph, uint32_t call);
bool wl_call_has_own_gap(const struct wl_graph *graph, uint32_t call);

/* Of a step: the members that a member is compared with. */
struct wl_references {
	uint32_t member[WL_MOST_COMPARED];
	size_t n;
};

/* By step; of many members evenly spaced ones. Owned by the arena; NULL when that is exhausted. */
const struct wl_references *wl_references_find(const struct wl_late_peers *all, uint32_t member,
					       struct wl_arena *arena) WL_MUST_CHECK;

/* What the references have at a position. */
struct wl_counterpart {
	int64_t length[WL_MOST_COMPARED], gap[WL_MOST_COMPARED];
	size_t n, n_gaps;
};

/*
 * The k-th of a member's n activities with a key. Stages of a pipeline with more of a kind than
 * others have the surplus evenly among them, as they work on one microbatch after the other: some
 * have no counterpart then.
 */
struct wl_own_position {
	size_t key, k, n;
};

void wl_counterpart_find(const struct wl_late_peers *all, const struct wl_positions *p,
			 const struct wl_references *of, const struct wl_own_position *at,
			 struct wl_counterpart *ret);

/* By what a member's step takes longer than the references, and the time of both by share. */
struct wl_excess {
	wl_ns all, kernels;
	wl_ns own[WL_N_LATE_SHARES], others[WL_N_LATE_SHARES];
	wl_ns first;               /* where its first call starts; INT64_MAX: it has none */
	wl_ns own_gap, others_gap; /* before that call; part of the host's */
	bool is_any;               /* kernels were compared */
};

/* A suspect as the others are. */
struct wl_evened_member {
	uint32_t member;
	struct wl_vec change[WL_N_LATE_SHARES]; /* struct wl_evened */
	bool is_other[WL_N_LATE_SHARES];        /* some change of the share is one */
	struct wl_excess *excess; /* by step, changed or not; the gap before its first call may be
				   * of the step before (late_evidence.h) */
	bool is_comparable;       /* it has most of what the others do */
};

/* Release also after a failure, which is a lack of memory. */
bool wl_even_out(const struct wl_late_peers *all, uint32_t member, struct wl_arena *arena,
		 struct wl_evened_member *ret) WL_MUST_CHECK;
void wl_evened_release(struct wl_evened_member *evened);

#endif
