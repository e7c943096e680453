/* SPDX-License-Identifier: MIT */
/* capture_modes.h - how a trace was taken, as far as it says: two ways give other numbers. */
#ifndef WL_DERIVE_CAPTURE_MODES_H
#define WL_DERIVE_CAPTURE_MODES_H

#include "model/trace.h"

/*
 * Whether replays of CUDA graphs were recorded by kernel or as a whole: by the rows, where there
 * are some, else by the option of the capture. "each kernel", "whole graphs", "both", or NULL where
 * neither tells. Rows by the columns KERNELS_NODE and GRAPHS_START; linear in kernels.
 */
const char *wl_capture_graphs(const struct wl_trace *trace);

/*
 * Whether CUDA was traced by instrumentation: "software", or NULL where
 * the trace does not say. No column does: only a message says that hardware tracing was asked for
 * and not there. By the column DIAGNOSTICS_TEXT.
 */
const char *wl_capture_tracing(const struct wl_trace *trace);

#endif
