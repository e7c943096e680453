/* SPDX-License-Identifier: MIT */
/*
 * end_together.h - a test whether two queues of collectives belong to one communicator:
 * their operations end together.
 *
 * The members of a collective leave it at the same time, so the ends of two queues of
 * one communicator differ by little at equal index, and those of different
 * communicators do not. Processes of one host share a clock, and their end differences
 * are measured from 0. Processes of different hosts need not, and their end differences
 * are measured from their own line (clock_line.h), which is the fit of the two clocks; fewer
 * than WL_END_FEWEST of them from 0, too.
 *
 * At most WL_END_SAMPLES pairs at equal index, evenly spaced, are looked at. The
 * residual is their scaled median absolute distance from the line (1.4826 times the
 * median), or what the caller knows of the two clocks where that is less. A pair of
 * operations agrees if they overlap and their ends lie within the tolerance
 *
 *     max(5 us, min(3 x residual, 50 us, a third of the shorter operation))
 *
 * and on one host, whose clock leaves no residual, 5 us. So a spread that was measured between
 * hosts is allowed for as long as it is small against the transfer: two communicators whose
 * messages differ in size never agree. Two operations that neither overlap nor end within the
 * tolerance are a mismatch: what comes after it is not compared. Where hosts differ and 95 % of the
 * times from end to end agree nevertheless, a clock has jumped, which is no mismatch.
 */
#ifndef WL_DERIVE_END_TOGETHER_H
#define WL_DERIVE_END_TOGETHER_H

#include "base/arena.h"
#include "base/attr.h"
#include "derive/comm/clock_line.h"
#include "derive/comm/comm_queues.h"

enum {
	WL_END_SAMPLES = WL_LINE_SAMPLES,
	WL_END_LEAST_NS = 5000, /* apart, that are always allowed */
	WL_END_MOST_NS = 50000,
	WL_END_FEWEST = 8, /* samples before a mismatch that are worth something */
};

/* What is known of the clocks of two queues. */
struct wl_clocks {
	bool is_one;    /* the line is 0 */
	bool is_exact;  /* they are one host's: no residual is allowed for */
	wl_ns residual; /* the residual is no more than this */
};

/* Operations in order of end, not empty. */
struct wl_op_run {
	const struct wl_comm_op *at;
	size_t n;
};

struct wl_end_pairing {
	int64_t shift; /* operation i of the first belongs to operation i + shift of the second */
	struct wl_clock_line line;
	wl_ns residual;
	bool is_exact;   /* as of the clocks */
	bool has_jumped; /* the order of ends agrees, and no line of the clocks does */
};

/* How two operations of a pairing compare. */
enum wl_end_pair { WL_END_AGREES, WL_END_DIFFERS, WL_END_MISMATCH };

enum wl_end_pair wl_end_compare(const struct wl_end_pairing *pairing, const struct wl_comm_op *a,
				const struct wl_comm_op *b);

/*
 * True if the queues end together: of the samples before the first mismatch at least 95 %
 * agree, and there is no mismatch or it comes after WL_END_FEWEST samples. The
 * shift is 0 or, where a queue is cut, that of most nearest ends (of clocks that differ: the one
 * near it whose times from end to end agree best), whichever has more samples that agree; the
 * pairs at that shift must be at least half of the shorter queue. Costs a sort of the samples, and
 * where the hosts differ one of their pairs.
 * Where they do not, *ret has the shift of most nearest ends, and no more. *ret_ok is false when
 * memory is exhausted.
 */
bool wl_end_together(const struct wl_op_run *a, const struct wl_op_run *b,
		     const struct wl_clocks *clocks, struct wl_arena *scratch,
		     struct wl_end_pairing *ret, bool *ret_ok) WL_MUST_CHECK;

#endif
