/* SPDX-License-Identifier: MIT */
/*
 * diff.h - the comparison of two fingerprints: a verdict, the origin of the change, and
 * the gates that hold.
 *
 * Figures are per step: means over the sample and over processes, but for the verdict,
 * which is about medians. Without steps on both sides they are per window and GPU, and
 * there is no verdict. Parts add up to the mean step on both sides, so their changes add
 * up to its change, to the nanosecond.
 */
#ifndef WL_COMPARE_DIFF_H
#define WL_COMPARE_DIFF_H

#include "compare/diff/gate.h"
#include "compare/diff/match.h"
#include "compare/fingerprint/fingerprint.h"

enum wl_side { WL_BEFORE, WL_AFTER, WL_N_SIDES };

struct wl_wait_change {
	enum wl_cause cause;
	const char *detail; /* NULL for none */
	wl_ns ns[WL_N_SIDES];
};

/* Idle time of a function that the launching threads ran. */
struct wl_function_change {
	const char *name; /* NULL: no stack */
	wl_ns ns[WL_N_SIDES];
	wl_ns error; /* what chance may have of the change: two standard deviations of samples */
};

struct wl_rank_change {
	int64_t rank, pid[WL_N_SIDES]; /* rank is -1 where it is not known: matched by order */
	int64_t device;                /* of the second side */
	wl_ns compute[WL_N_SIDES], exposed_comm[WL_N_SIDES]; /* per step, rounded */
	struct wl_judgement j;
	const struct wl_fp_rank *of[WL_N_SIDES];
};

/* A kernel on one rank that both sides know. */
struct wl_rank_kernel {
	const char *name;     /* of the second side */
	const char *label;    /* what sentences call it */
	wl_ns ns[WL_N_SIDES]; /* per step, rounded */
};

enum { WL_CULPRIT_KERNELS = 3 };

/* One rank's compute changed, and the others wait for it longer, or less long. */
struct wl_culprit {
	const struct wl_rank_change *rank; /* NULL: there is none */
	wl_ns change;                      /* of its compute per step */
	/* Its kernels that changed most in that direction; none where nothing is known. */
	struct wl_rank_kernel kernel[WL_CULPRIT_KERNELS];
	size_t n_kernels;
};

/* The standard what-if scenario that brings the step of the slower side nearest to the other's. */
struct wl_diff_nearest {
	const char *scenario; /* NULL: nothing was replayed, or no side is slower */
	enum wl_side side;    /* the slower one */
	wl_ns replayed;       /* its step in that scenario */
	wl_ns residual;       /* that minus the other side's step */
	bool is_near;         /* at most half of the change is left */
};

struct wl_gated {
	const struct wl_gate *gate;
	const char *name; /* of the row that is meant; NULL for a metric without one */
	struct wl_gate_result result;
};

/* Two sides do the same work if at least this share of time is in kernels that both have. */
#define WL_SAME_WORK 0.5

#define WL_DIFF_THRESHOLD "1%" /* for wl_parse_ratio(), by default */

struct wl_diff_opts {
	double threshold; /* ratio of the old median; changes below it count as same */
	const struct wl_gate *gate;
	size_t n_gates;
	bool allow_different; /* judge other work and other numbers of GPUs, too */
};

struct wl_diff {
	const struct wl_fingerprint *side[WL_N_SIDES];
	double threshold;
	enum wl_extent extent;
	/*
	 * Other work, of which a longer step is no regression: the verdict is WL_INCOMPARABLE,
	 * unless the options allow it. Gates are skipped then, and where the numbers of GPUs or
	 * processes differ.
	 */
	bool is_incomparable, skips_gates;
	int64_t by[WL_N_SIDES]; /* divisors, > 0 */
	struct wl_judgement step;
	size_t worth[WL_N_SIDES]; /* of the steps: fewer than there are where they depend on each
				     other */
	wl_ns mean[WL_N_SIDES];   /* step, or window, rounded */
	wl_ns part[WL_N_SIDES][WL_N_PARTS];
	struct wl_row_pairs kernels, ranges, categories;
	struct wl_row_pairs copies;        /* none unless both sides have them */
	const char *const *kernel_label;   /* by pair of kernels: what sentences call it */
	const struct wl_wait_change *wait; /* the largest change first */
	size_t n_waits;
	/* The largest change first; none unless both sides have call stacks. */
	const struct wl_function_change *function;
	size_t n_functions;
	const struct wl_rank_change *rank; /* where both sides have two ranks or more */
	size_t n_ranks;
	wl_ns compute_skew[WL_N_SIDES]; /* compute of the rank with most, above the mean */
	struct wl_culprit culprit;
	struct wl_diff_nearest nearest;
	const struct wl_gated *gated; /* as the options have them */
	size_t n_gated;
};

/*
 * Compare. WL_E_USAGE for a gate about a kernel, range or category that neither side
 * has, or that could mean several. Everything given must outlive the result.
 */
int wl_diff_make(const struct wl_fingerprint *before, const struct wl_fingerprint *after,
		 const struct wl_diff_opts *opts, struct wl_arena *arena, struct wl_diff *ret,
		 struct wl_err *reterr) WL_MUST_CHECK;

/* Whether one side is slower: then its scenarios are asked which one explains that. */
bool wl_diff_has_slower(const struct wl_diff *d);

/* Given the verdict: also again, where the slower side was replayed after the comparison. */
struct wl_diff_nearest wl_diff_find_nearest(const struct wl_diff *d);

/* All gates together: that with the most weight. */
enum wl_outcome wl_diff_outcome(const struct wl_diff *d);

#endif
