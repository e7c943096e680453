/* SPDX-License-Identifier: MIT */
/* on_cpu.h - when threads run on a CPU, from their scheduling rows. */
#ifndef WL_DERIVE_ON_CPU_H
#define WL_DERIVE_ON_CPU_H

#include "derive/rows/scope.h"
#include "derive/rows/slices.h"
#include "model/trace.h"

/*
 * When the trace ends: at its duration, or at the last end of an operation, CUDA call or NVTX range
 * if that is later. Families that were not loaded count as empty. Linear.
 */
wl_ns wl_on_cpu_until(const struct wl_trace *trace);

/*
 * Get the next stretch in which a thread runs, from its slice of scheduling rows. Starts at row *at
 * and sets it to the row to continue from; false past the last. A stretch lasts until the thread's
 * next row, or after the last row until the trace ends. Of rows at the same time, those that switch
 * the thread out come first.
 */
bool wl_on_cpu_next(const struct wl_trace *trace, struct wl_slice rows, wl_ns until, size_t *at,
		    struct wl_interval *ret);

#endif
