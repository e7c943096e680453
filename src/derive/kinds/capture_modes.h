/* SPDX-License-Identifier: MIT */
/* capture_modes.h - how a trace was captured, as far as it says; modes affect the numbers. */
#ifndef WL_DERIVE_CAPTURE_MODES_H
#define WL_DERIVE_CAPTURE_MODES_H

#include "model/trace.h"

/*
 * Whether replays of CUDA graphs were recorded by kernel or as a whole, decided by the rows if
 * there are any, else by the capture option. Returns "each kernel", "whole graphs", "both", or NULL
 * if neither tells. Uses the columns KERNELS_NODE and GRAPHS_START; linear in kernels.
 */
const char *wl_capture_graphs(const struct wl_trace *trace);

/*
 * Whether CUDA was traced by instrumentation: "software", or NULL if the trace does not say. No
 * column says it; a message does if hardware tracing was requested but unavailable. Uses the column
 * DIAGNOSTICS_TEXT.
 */
const char *wl_capture_tracing(const struct wl_trace *trace);

#endif
