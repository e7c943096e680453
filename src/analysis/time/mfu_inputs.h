/* SPDX-License-Identifier: MIT */
/* mfu_inputs.h - what a user specifies about the work and the GPUs, for mfu. */
#ifndef WL_ANALYSIS_MFU_INPUTS_H
#define WL_ANALYSIS_MFU_INPUTS_H

#include "analysis/analysis.h"
#include "known/gpus/gpus.h"
#include "known/llm.h"

/* The arguments of mfu, in the order of its parameters. */
enum wl_mfu_param {
	WL_MFU_FLOPS,
	WL_MFU_MODEL,
	WL_MFU_SHAPE,
	WL_MFU_TOKENS,
	WL_MFU_SEQ,
	WL_MFU_PASS,
	WL_MFU_ATTENTION,
	WL_MFU_RECOMPUTE,
	WL_MFU_DTYPE,
	WL_MFU_PEAK,
	WL_MFU_GPUS,
	WL_MFU_RANGE,
	WL_MFU_NCU,
	WL_MFU_BY,
	WL_MFU_PHASE_MAP,
	WL_N_MFU_PARAMS
};

/* The kinds of rows, in the order of the choices of --by. */
enum wl_mfu_by { WL_MFU_BY_STEP, WL_MFU_BY_RANGE, WL_MFU_BY_STAGE, WL_MFU_BY_PHASE };

enum { WL_MFU_MOST_REGIONS = 32, WL_MFU_TEXT = 1024 };

/* FLOPs of one step, one range, or one range of a phase, over all GPUs of the job. */
struct wl_mfu_region {
	const char *range;      /* pattern of range names, or a phase; NULL: steps */
	double flops, hardware; /* hardware includes recomputation; 0: not given */
};

struct wl_mfu_inputs {
	struct wl_mfu_region region[WL_MFU_MOST_REGIONS];
	size_t n;       /* at least 1 */
	bool has_flops; /* all regions have FLOPs; otherwise none has */
	enum wl_mfu_by by;
	bool has_model;
	struct wl_llm llm; /* of a model */
	struct wl_llm_work work;
	struct wl_llm_cost cost;
	int64_t tokens;
	double peak; /* TFLOP/s of a GPU, as given by the user; 0: not given */
	char text[WL_MFU_TEXT];
};

/* Read the arguments; WL_E_USAGE names the option that is wrong or missing. */
int wl_mfu_inputs_read(const union wl_arg *arg, struct wl_mfu_inputs *ret,
		       struct wl_err *reterr) WL_MUST_CHECK;

/* The peak that all selected GPUs have in common. */
struct wl_mfu_peak {
	double tflops;      /* peak of a GPU; 0: unknown */
	const char *gpu;    /* its name; NULL if the trace does not name it */
	const char *source; /* NULL: as given */
	bool is_open;       /* no public copy of the source confirms it */
};

/* WL_E_USAGE if the peak is unknown or differs; the message names the GPU and the remedy. */
int wl_mfu_peak_find(const struct wl_run *run, const struct wl_mfu_inputs *in,
		     struct wl_mfu_peak *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
