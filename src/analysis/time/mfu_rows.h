/* SPDX-License-Identifier: MIT */
/* mfu_rows.h - the rows and notes of mfu. */
#ifndef WL_ANALYSIS_MFU_ROWS_H
#define WL_ANALYSIS_MFU_ROWS_H

#include "analysis/time/mfu_groups.h"

/* The columns of mfu, in order. */
enum wl_mfu_col {
	WL_MFU_COL_ITER,
	WL_MFU_COL_RANGE,
	WL_MFU_COL_STAGE,
	WL_MFU_COL_PHASE,
	WL_MFU_COL_PIECES,
	WL_MFU_COL_WALL,
	WL_MFU_COL_BUSY,
	WL_MFU_COL_KERNEL_SUM,
	WL_MFU_COL_FLOPS,
	WL_MFU_COL_TFLOPS,
	WL_MFU_COL_PEAK,
	WL_MFU_COL_MFU,
	WL_MFU_COL_MFU_BUSY,
	WL_MFU_COL_MFU_KERNELS,
	WL_MFU_COL_HFU,
	WL_MFU_COL_HFU_BUSY,
	WL_MFU_COL_HFU_KERNELS
};

/* The inputs that rows are made from. */
struct wl_mfu_answer {
	const struct wl_run *run;
	struct wl_mfu_inputs in;
	struct wl_mfu_peak peak;
	double gpus;                    /* of the job */
	const struct wl_ncu_join *join; /* of --ncu; NULL */
	struct wl_mfu_times total;      /* total over the rows put so far */
	size_t n_rows;                  /* with pieces */
	size_t n_unmeasured;            /* rows of which too few FLOPs are known */
};

/*
 * Put rows and notes. WL_E_USAGE for a share above 1 or too few measured kernels, WL_E_NODATA;
 * WL_E_NOMEM without a message.
 */
int wl_mfu_rows_put(struct wl_mfu_answer *a, struct wl_table *out,
		    struct wl_err *reterr) WL_MUST_CHECK;

#endif
