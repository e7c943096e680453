/* SPDX-License-Identifier: MIT */
/* measures.h - quantities derived from the metrics of a launch, by known/gpus/ncu_metrics.def. */
#ifndef WL_NCU_MEASURES_H
#define WL_NCU_MEASURES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "known/gpus/ncu_metrics.h"
#include "ncu/ncu.h"

/* Data types by which work is counted: vector instructions first, then tensor cores. */
enum wl_ncu_dtype {
	WL_NCU_FP64,
	WL_NCU_FP32,
	WL_NCU_FP16,
	WL_NCU_TENSOR_FP64,
	WL_NCU_TENSOR_TF32,
	WL_NCU_TENSOR_FP16, /* and BF16 */
	WL_NCU_TENSOR_FP8,
	WL_NCU_TENSOR_FP4,
	WL_NCU_TENSOR_INT8, /* integer operations from here on */
	WL_NCU_TENSOR_INT4,
	WL_NCU_TENSOR_INT1,
	WL_NCU_N_DTYPES
};

/* The work of a launch. A value that the report lacks or has only in part is NAN. */
struct wl_ncu_work {
	double ns;                    /* at the clocks that ncu set, base clocks by default */
	double flop[WL_NCU_N_DTYPES]; /* executed; vector: add + mul + 2 fma */
	double total_flop;            /* of all types but integers */
	double dram_bytes;            /* read and written */
	double dram_roof;             /* bytes per second at the clock of the measurement */
};

/* Values by meaning; NAN if the report has no metric for it. Shares are fractions of 1. */
struct wl_ncu_measures {
	double of[WL_NCU_N_MEANINGS];
};

/* Maps a file's metrics to their known meanings; belongs to the arena. */
struct wl_ncu_terms {
	const uint16_t *term; /* by number of the name; 0 if not known */
};

/* Look up all names of a file. False if out of memory. */
bool wl_ncu_terms_find(const struct wl_ncu *ncu, struct wl_arena *arena,
		       struct wl_ncu_terms *ret) WL_MUST_CHECK;

/* Time is linear in the values of the launch. */
void wl_ncu_measure(const struct wl_ncu *ncu, const struct wl_ncu_terms *terms,
		    const struct wl_ncu_launch *l, struct wl_ncu_measures *ret);

/*
 * Tensor cores that were idle throughout executed nothing. If they were busy and the report
 * does not count their operations, the total is NAN: ncu counts them with
 * --metrics regex:sm__ops_path_tensor_src_.*.
 */
void wl_ncu_work_of(const struct wl_ncu_measures *m, struct wl_ncu_work *ret);

#endif
