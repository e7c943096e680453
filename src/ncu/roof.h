/* SPDX-License-Identifier: MIT */
/* roof.h - the roofs above a kernel: what its SMs and its memory could do at most. */
#ifndef WL_NCU_ROOF_H
#define WL_NCU_ROOF_H

#include "ncu/kernel_rows.h"

/*
 * Types of operations run on units of their own, side by side: the one that is nearest to its peak
 * decides. Peaks are those of the report, at the clock of its measurement, and else those of
 * known/gpus/gpus.def, at the maker's boost clock.
 */
struct wl_ncu_roof {
	const char *dtype;     /* "fp32", "tensor fp16"; NULL where compute is NAN */
	double flop;           /* operations of that type, of all launches of the row */
	double compute;        /* its peak, FLOP per second; NAN where it is not known */
	double dram;           /* bytes per second; NAN where it is not known */
	bool compute_measured; /* of the report */
	bool dram_measured;
};

void wl_ncu_roof_of(const struct wl_ncu_row *row, struct wl_ncu_roof *ret);

#endif
