/* SPDX-License-Identifier: MIT */
/*
 * no_straggler.h - the scenario in which changed cells take as long as other members' cells.
 *
 * A cell is responsible for its kernels, its copies, its calls that do not block, and the host gaps
 * before all calls; communication and host waits for the GPU are consequences. In a changed cell
 * (late_suspects.h) each activity gets the median time, at its position (positions.h), of the
 * members that the member meets and whose cell in that step is unchanged; if these are all changed,
 * of those that it meets through others. An activity that none of these has takes no time. If all
 * cells of a step are changed, they stay.
 *
 * For MPI calls and calls that wait for the GPU, only the gap counts, because the length is a wait:
 * if what they wait for is already over, the gap is the only delay. A call that waits for the GPU
 * where no other member has one takes no time and no longer waits.
 */
#ifndef WL_DERIVE_NO_STRAGGLER_H
#define WL_DERIVE_NO_STRAGGLER_H

#include "derive/graph/late/late.h"
#include "derive/graph/late/late_suspects.h"
#include "derive/graph/late/positions.h"

/* The members of a part, and the positions of their activities. */
struct wl_late_peers {
	struct wl_compared_by by;
	struct wl_peers who;
	struct wl_positions ops, calls;
};

bool wl_late_peers_find(const struct wl_compared_by *by, const struct wl_peers *who,
			struct wl_arena *arena, struct wl_late_peers *ret) WL_MUST_CHECK;

/* The share of a saving that an operation belongs to. */
enum wl_late_share wl_late_share_of(const struct wl_late_peers *all, uint32_t op);

/* Whether a call, or the gap before it, is the member's own time and not a wait. */
bool wl_call_has_own_length(const struct wl_graph *graph, uint32_t call);
bool wl_call_has_own_gap(const struct wl_graph *graph, uint32_t call);

/* The members that a member is compared with in a step. */
struct wl_references {
	uint32_t member[WL_MOST_COMPARED];
	size_t n;
};

/* By step; if there are many members, evenly spaced ones are chosen. The arena owns the result;
 * NULL when it is exhausted. */
const struct wl_references *wl_references_find(const struct wl_late_peers *all, uint32_t member,
					       struct wl_arena *arena) WL_MUST_CHECK;

/* The lengths and gaps of the references at a position. */
struct wl_counterpart {
	int64_t length[WL_MOST_COMPARED], gap[WL_MOST_COMPARED];
	size_t n, n_gaps;
};

/*
 * The k-th of a member's n activities with a key. If a pipeline stage has more activities of a kind
 * than others, the surplus is spread evenly, because stages process one microbatch after another;
 * some activities then have no counterpart.
 */
struct wl_own_position {
	size_t key, k, n;
};

void wl_counterpart_find(const struct wl_late_peers *all, const struct wl_positions *p,
			 const struct wl_references *of, const struct wl_own_position *at,
			 struct wl_counterpart *ret);

/* How much longer a member's step takes than that of the references, and both times by share. */
struct wl_excess {
	wl_ns all, kernels;
	wl_ns own[WL_N_LATE_SHARES], others[WL_N_LATE_SHARES];
	wl_ns first;               /* start of its first call; INT64_MAX if it has none */
	wl_ns own_gap, others_gap; /* gaps before that call; part of the host share */
	bool is_any;               /* kernels were compared */
};

/* A suspect changed to match the others. */
struct wl_evened_member {
	uint32_t member;
	struct wl_vec change[WL_N_LATE_SHARES]; /* struct wl_evened */
	bool is_other[WL_N_LATE_SHARES]; /* some change of the share alters a length or gap */
	struct wl_excess *excess; /* by step, changed or not; the gap before its first call may
				   * belong to the previous step (late_evidence.h) */
	bool is_comparable;       /* it has most of the others' work */
};

/* False when memory is exhausted. Release ret even after a failure. */
bool wl_even_out(const struct wl_late_peers *all, uint32_t member, struct wl_arena *arena,
		 struct wl_evened_member *ret) WL_MUST_CHECK;
void wl_evened_release(struct wl_evened_member *evened);

#endif
