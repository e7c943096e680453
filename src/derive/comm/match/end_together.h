/* SPDX-License-Identifier: MIT */
/*
 * end_together.h - a test whether queues of collectives belong to one communicator: their ends
 * agree better than their durations.
 *
 * The members of a collective leave it together, whenever they arrived. So between two members of
 * one communicator ends agree better than durations, and between two communicators that run the
 * same program durations agree better than ends. No tolerance is needed: of at most WL_END_SAMPLES
 * instances at equal index, evenly spaced, let d be the difference of ends and a that of last
 * arrivals; R1 is the mean distance of d from its median, and R2 that of d - a. Two sets of queues
 * belong together if
 *
 *     at least 95% of the instances overlap, each member with each other,
 *     R1 <= R2, and
 *     |median of d| <= half the median of the shortest durations.
 *
 * Between 0.8 R2 and 1.25 R2 R1 proves nothing: the ranks run in step.
 *
 * Processes of hosts whose clocks are not fitted yet are compared pair by pair: d is what the end
 * differences leave of their own line (clock_line.h), which is the fit of the two clocks, and its
 * median is not tested. Where no line fits, but ends agree better than durations on both sides of
 * one instance, a clock has jumped.
 */
#ifndef WL_DERIVE_END_TOGETHER_H
#define WL_DERIVE_END_TOGETHER_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/comm/clock_line.h"
#include "derive/comm/match/comm_queues.h"

enum {
	WL_END_SAMPLES = WL_LINE_SAMPLES,
	WL_END_FEWEST = 8, /* instances before a mismatch, or of clocks that differ and queues at a
			      shift or of different lengths, that are worth something */
};

/* A cut that does not exist. */
#define WL_END_WHOLE INT64_MAX

enum wl_end_verdict { WL_END_APART, WL_END_UNDECIDED, WL_END_TOGETHER };

struct wl_end_judgement {
	enum wl_end_verdict verdict;
	bool overlaps; /* enough of them: else R1 and R2 are not known */
	double r1, r2;
};

/* One instance of a set of queues. */
struct wl_end_row {
	wl_ns end;       /* median of its ends */
	wl_ns first_end; /* the earliest */
	wl_ns arrival;   /* the last start */
	wl_ns shortest;  /* duration */
};

/* By R1 and R2 alone. */
enum wl_end_verdict wl_end_law(double r1, double r2);

/* The median; of an even number the mean of the two in the middle, rounded down. n > 0. */
wl_ns wl_end_median(const wl_ns *at, size_t n);

/* The mean distance from the median. n > 0. */
double wl_end_spread(const wl_ns *at, size_t n);

/* The same of the distances of ends, R1; 0 for ends that agree but for rounding. */
double wl_end_agreement(const wl_ns *at, size_t n);

/* Instance j of n evenly spaced ones of [lo, hi). */
static inline int64_t wl_end_sample(int64_t lo, int64_t hi, size_t j, size_t n)
{
	return lo + (int64_t)(j * (size_t)(hi - lo) / n);
}

/* How many samples a range has. */
static inline size_t wl_end_samples(int64_t lo, int64_t hi)
{
	return hi <= lo ? 0 : hi - lo < WL_END_SAMPLES ? (size_t)(hi - lo) : WL_END_SAMPLES;
}

/* Two sets of queues on one clock, at n <= WL_END_SAMPLES instances. */
void wl_end_judge(const struct wl_end_row *a, const struct wl_end_row *b, size_t n,
		  struct wl_end_judgement *ret);

/* Operations in order of end, not empty. */
struct wl_op_run {
	const struct wl_comm_op *at;
	size_t n;
};

struct wl_end_pairing {
	int64_t shift; /* operation i of the first belongs to operation i + shift of the second */
	int64_t cut;   /* the operation of the first at which they get out of step; WL_END_WHOLE */
	struct wl_clock_line line;
	struct wl_end_judgement found;
	bool has_jumped; /* the ends lie on no line, but on two */
};

/* Whether two operations of a pairing are under way at the same time. */
bool wl_end_overlap(const struct wl_end_pairing *pairing, const struct wl_comm_op *a,
		    const struct wl_comm_op *b);

/*
 * Two queues on clocks that differ, at a shift: their line and what it leaves. False when memory is
 * exhausted.
 */
bool wl_end_fit(const struct wl_op_run *a, const struct wl_op_run *b, int64_t shift,
		struct wl_arena *scratch, struct wl_end_pairing *ret) WL_MUST_CHECK;

/*
 * Compare two queues; false: apart. The shift is 0 for queues of one length that overlap so; else
 * the one with most operations that overlap, at least half of the shorter queue in common; of
 * clocks that differ the one whose times from end to end agree best. Queues that overlap up to an
 * instance and not from there on are cut there, if what is before it is decided and has
 * WL_END_FEWEST instances. Costs three selections of the samples, and where clocks differ the
 * slopes of their pairs. *ret_ok is false when memory is exhausted.
 */
bool wl_end_together(const struct wl_op_run *a, const struct wl_op_run *b, bool is_one_clock,
		     struct wl_arena *scratch, struct wl_end_pairing *ret,
		     bool *ret_ok) WL_MUST_CHECK;

#endif
