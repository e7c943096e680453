/* SPDX-License-Identifier: MIT */
#include "ncu/roof.h"

#include <math.h>

#include "known/gpus/gpus.h"

/* A type of operation, the metric with its peak, and its column in the table of GPUs. */
struct unit {
	const char *name;
	enum wl_ncu_meaning peak;
	double per_count; /* operations per unit that the metric counts: an fma is two */
	int listed;       /* enum wl_dtype; -1: the table has the peak of tensor cores instead */
};

static const struct unit units[WL_NCU_TENSOR_INT8] = {
	[WL_NCU_FP64] = { "fp64", WL_NCU_PEAK_DFMA, 2, -1 },
	[WL_NCU_FP32] = { "fp32", WL_NCU_PEAK_FFMA, 2, WL_DTYPE_FP32 },
	[WL_NCU_FP16] = { "fp16", WL_NCU_PEAK_HFMA, 2, -1 },
	[WL_NCU_TENSOR_FP64] = { "tensor fp64", WL_NCU_PEAK_FP64, 1, WL_DTYPE_FP64 },
	[WL_NCU_TENSOR_TF32] = { "tensor tf32", WL_NCU_PEAK_TF32, 1, WL_DTYPE_TF32 },
	[WL_NCU_TENSOR_FP16] = { "tensor fp16", WL_NCU_PEAK_FP16, 1, WL_DTYPE_FP16 },
	[WL_NCU_TENSOR_FP8] = { "tensor fp8", WL_NCU_PEAK_FP8, 1, WL_DTYPE_FP8 },
	[WL_NCU_TENSOR_FP4] = { "tensor fp4", WL_NCU_PEAK_FP4, 1, WL_DTYPE_FP4 },
};

/* The peak in FLOP per second; NAN if neither the report nor the table has it. */
static double peak_of(const struct wl_ncu_row *row, const struct wl_gpu_peaks *listed, size_t type,
		      bool *ret_measured)
{
	const double *of = row->mean.of;
	double measured = units[type].per_count * of[units[type].peak] * of[WL_NCU_SM_CLOCK];

	*ret_measured = measured > 0;
	if (measured > 0)
		return measured;
	if (listed && units[type].listed >= 0 && listed->peak[units[type].listed] > 0)
		return listed->peak[units[type].listed] * 1e12;
	return (double)NAN;
}

void wl_ncu_roof_of(const struct wl_ncu_row *row, struct wl_ncu_roof *ret)
{
	const struct wl_gpu_peaks *listed = row->gpu ? wl_gpu_peaks_find(row->gpu) : NULL;
	double nearest = 0, unknown = 0;

	*ret = (struct wl_ncu_roof){ .compute = (double)NAN,
				     .dram = row->work.dram_roof,
				     .dram_measured = row->work.dram_roof > 0 };
	if (!ret->dram_measured)
		ret->dram = listed ? listed->bandwidth * 1e9 : (double)NAN;
	for (size_t i = 0; i < WL_COUNT(units); i++) {
		double flop = row->work.flop[i], peak;
		bool measured;

		if (!(flop > 0))
			continue;
		peak = peak_of(row, listed, i, &measured);
		if (isnan(peak))
			unknown += flop;
		if (!(flop / peak > nearest))
			continue;
		nearest = flop / peak;
		ret->dtype = units[i].name;
		ret->flop = flop;
		ret->compute = peak;
		ret->compute_measured = measured;
	}
	/* This would be the wrong roof for a kernel that does most of its work in other units. */
	if (isnan(row->work.total_flop) || unknown > row->work.total_flop / 2) {
		ret->compute = (double)NAN;
		ret->dtype = NULL;
	}
}
