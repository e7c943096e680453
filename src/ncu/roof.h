/* SPDX-License-Identifier: MIT */
/* roof.h - the roofs of a kernel: the peak rates of its SMs and its memory. */
#ifndef WL_NCU_ROOF_H
#define WL_NCU_ROOF_H

#include "ncu/kernel_rows.h"

/*
 * Each type of operation runs on its own units, in parallel with the others: the type that is
 * nearest to its peak decides. Peaks come from the report, at the clock of its measurement, or else
 * from known/gpus/gpus.def, at the vendor's boost clock.
 */
struct wl_ncu_roof {
	const char *dtype;     /* "fp32", "tensor fp16"; NULL if compute is NAN */
	double flop;           /* operations of that type, of all launches of the row */
	double compute;        /* its peak, FLOP per second; NAN if unknown */
	double dram;           /* bytes per second; NAN if unknown */
	bool compute_measured; /* of the report */
	bool dram_measured;
};

void wl_ncu_roof_of(const struct wl_ncu_row *row, struct wl_ncu_roof *ret);

#endif
