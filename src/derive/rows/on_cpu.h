/* SPDX-License-Identifier: MIT */
/* on_cpu.h - when threads run on a CPU, by their scheduling rows. */
#ifndef WL_DERIVE_ON_CPU_H
#define WL_DERIVE_ON_CPU_H

#include "derive/rows/scope.h"
#include "derive/rows/slices.h"
#include "model/trace.h"

/*
 * When the trace ends: its duration, or where an operation, CUDA call or NVTX range ends after it.
 * Families that were not loaded count as empty. Linear.
 */
wl_ns wl_on_cpu_until(const struct wl_trace *trace);

/*
 * The next stretch in which a thread runs, of its slice of scheduling rows, from row *at on, which
 * becomes the row to go on from; false past the last. A stretch lasts to the thread's next
 * row, that of the last one until the trace ends. Of rows at one time, those that switch the
 * thread out come first.
 */
bool wl_on_cpu_next(const struct wl_trace *trace, struct wl_slice rows, wl_ns until, size_t *at,
		    struct wl_interval *ret);

#endif
