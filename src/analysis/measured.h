/* SPDX-License-Identifier: MIT */
/*
 * measured.h - kernels that Nsight Compute measured, as analyses get them: a document that the
 * front-end made of a report, for an option of type DOC with is_ncu.
 *
 *     {"kernels": [{"kernel": "gemm(int)", "grid": [64, 1, 1], "block": [128, 1, 1], "shared": 0,
 *       "gpu": "NVIDIA H100 80GB HBM3", "launches": 2, "ns": 2000, "flop": 4e9, "dram_bytes": 1e6,
 *       "dtype": "tensor fp16", "dtype_flop": 4e9, "compute_roof": 9e14, "compute_measured": true,
 *       "dram_roof": 3e12, "dram_measured": true, "bound": "DRAM"}], "left_out": 0}
 *
 * A member that is null or absent is not known.
 */
#ifndef WL_ANALYSIS_MEASURED_H
#define WL_ANALYSIS_MEASURED_H

#include "analysis/analysis.h"

/* An option that names a report. */
#define WL_PARAM_NCU                                                                               \
	{                                                                                          \
		.key = "ncu", .type = WL_P_DOC, .is_ncu = true,                                    \
		.help = "A report of Nsight Compute (.ncu-rep), or its raw page as CSV."           \
	}

/* Launches of a kernel with one configuration. Numbers are NAN where they are not known. */
struct wl_measured {
	const char *kernel;
	const char *gpu; /* NULL where it is unknown */
	uint32_t grid[3], block[3];
	int64_t shared;   /* bytes of a block; -1 where it is unknown */
	int64_t launches; /* that ncu measured */
	double ns;        /* mean of a launch, at the clocks that ncu set; so the next two */
	double flop, dram_bytes;
	const char *dtype;                    /* of the compute roof; NULL */
	double dtype_flop;                    /* operations of this type in a launch */
	double compute_roof, dram_roof;       /* FLOP and bytes per second */
	bool compute_measured, dram_measured; /* of the report, not of a datasheet */
	const char *bound;                    /* NULL where it is not known */
};

struct wl_measured_list {
	const struct wl_measured *kernel;
	size_t n;
	size_t left_out; /* kernels that the document had no room for */
};

/* Read the document; texts are borrowed from it. WL_E_USAGE for another one, WL_E_NOMEM. */
int wl_measured_read(const struct wl_json *doc, struct wl_arena *arena,
		     struct wl_measured_list *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* A launch on the roofline; shares are NAN where one of their inputs is. */
struct wl_on_roof {
	double flops;         /* per second, under ncu */
	double intensity;     /* FLOP per byte of DRAM traffic */
	double compute_share; /* of the peak of the type that is nearest to its own */
	double dram_share;    /* of the bandwidth */
	double share;         /* the larger of them */
	const char *roof;     /* which one: "compute" or "DRAM"; NULL where none is known */
	bool is_dram;         /* of the two: DRAM */
};

void wl_measured_place(const struct wl_measured *m, struct wl_on_roof *ret);

#endif
