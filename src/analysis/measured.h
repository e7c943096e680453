/* SPDX-License-Identifier: MIT */
/*
 * measured.h - kernels measured by Nsight Compute, as analyses receive them: a document that the
 * front-end made from a report, for an option of type DOC with is_ncu.
 *
 *     {"kernels": [{"kernel": "gemm(int)", "grid": [64, 1, 1], "block": [128, 1, 1], "shared": 0,
 *       "gpu": "NVIDIA H100 80GB HBM3", "launches": 2, "ns": 2000, "flop": 4e9, "dram_bytes": 1e6,
 *       "dtype": "tensor fp16", "dtype_flop": 4e9, "compute_roof": 9e14, "compute_measured": true,
 *       "dram_roof": 3e12, "dram_measured": true, "bound": "DRAM"}], "left_out": 0}
 *
 * A member that is null or absent is unknown.
 */
#ifndef WL_ANALYSIS_MEASURED_H
#define WL_ANALYSIS_MEASURED_H

#include "analysis/analysis.h"

/* The option that names a report. */
#define WL_PARAM_NCU                                                                               \
	{                                                                                          \
		.key = "ncu", .type = WL_P_DOC, .is_ncu = true,                                    \
		.help = "A report of Nsight Compute (.ncu-rep), or its raw page as CSV."           \
	}

/* Launches of a kernel with one configuration. Unknown numbers are NAN. */
struct wl_measured {
	const char *kernel;
	const char *gpu; /* NULL if unknown */
	uint32_t grid[3], block[3];
	int64_t shared;   /* bytes per block; -1 if unknown */
	int64_t launches; /* launches that ncu measured */
	double ns;        /* mean per launch, at the clocks that ncu set; so are the next two */
	double flop, dram_bytes;
	const char *dtype;                    /* type of the compute roof; NULL if unknown */
	double dtype_flop;                    /* operations of this type per launch */
	double compute_roof, dram_roof;       /* FLOP and bytes per second */
	bool compute_measured, dram_measured; /* from the report, not from a datasheet */
	const char *bound;                    /* NULL if unknown */
};

struct wl_measured_list {
	const struct wl_measured *kernel;
	size_t n;
	size_t left_out; /* kernels that did not fit in the document */
};

/* Read the document; strings are borrowed from it. WL_E_USAGE for any other document, or
 * WL_E_NOMEM. */
int wl_measured_read(const struct wl_json *doc, struct wl_arena *arena,
		     struct wl_measured_list *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* A launch on the roofline; a share is NAN if one of its inputs is. */
struct wl_on_roof {
	double flops;         /* FLOP per second, under ncu */
	double intensity;     /* FLOP per byte of DRAM traffic */
	double compute_share; /* share of the peak of the type that comes nearest to its peak */
	double dram_share;    /* share of the bandwidth */
	double share;         /* the larger of the two shares */
	const char *roof;     /* which share: "compute" or "DRAM"; NULL if none is known */
	bool is_dram;         /* the larger share is DRAM's */
};

void wl_measured_place(const struct wl_measured *m, struct wl_on_roof *ret);

#endif
