/* SPDX-License-Identifier: MIT */
/* measures.h - what the metrics of a launch say, by known/gpus/ncu_metrics.def. */
#ifndef WL_NCU_MEASURES_H
#define WL_NCU_MEASURES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "known/gpus/ncu_metrics.h"
#include "ncu/ncu.h"

/* Types that work is counted by: vector instructions, then tensor cores. */
enum wl_ncu_dtype {
	WL_NCU_FP64,
	WL_NCU_FP32,
	WL_NCU_FP16,
	WL_NCU_TENSOR_FP64,
	WL_NCU_TENSOR_TF32,
	WL_NCU_TENSOR_FP16, /* and BF16 */
	WL_NCU_TENSOR_FP8,
	WL_NCU_TENSOR_FP4,
	WL_NCU_TENSOR_INT8, /* operations on integers from here on */
	WL_NCU_TENSOR_INT4,
	WL_NCU_TENSOR_INT1,
	WL_NCU_N_DTYPES
};

/* What a launch did. A value that the report does not have, or has only a part of, is NAN. */
struct wl_ncu_work {
	double ns;                    /* at the clocks that ncu set, base clocks by default */
	double flop[WL_NCU_N_DTYPES]; /* executed; vector: add + mul + 2 fma */
	double total_flop;            /* of all types but integers */
	double dram_bytes;            /* read and written */
	double dram_roof;             /* bytes per second at the clock of the measurement */
};

/* By meaning; NAN where the report has no metric that says so. Shares are of 1. */
struct wl_ncu_measures {
	double of[WL_NCU_N_MEANINGS];
};

/* Which of the metrics of a file are known; the arena's. */
struct wl_ncu_terms {
	const uint16_t *term; /* by number of the name; 0 for the others */
};

/* Look all names of a file up. False without memory. */
bool wl_ncu_terms_find(const struct wl_ncu *ncu, struct wl_arena *arena,
		       struct wl_ncu_terms *ret) WL_MUST_CHECK;

/* Linear in the values of the launch. */
void wl_ncu_measure(const struct wl_ncu *ncu, const struct wl_ncu_terms *terms,
		    const struct wl_ncu_launch *l, struct wl_ncu_measures *ret);

/*
 * Tensor cores that were idle all the time executed nothing. Where they were not, and the report
 * does not count their operations, the total is NAN: ncu counts them with
 * --metrics regex:sm__ops_path_tensor_src_.*.
 */
void wl_ncu_work_of(const struct wl_ncu_measures *m, struct wl_ncu_work *ret);

#endif
