/* SPDX-License-Identifier: MIT */
/* links.h - what the links of a device carry, where its model is known. */
#ifndef WL_ANALYSIS_LINKS_H
#define WL_ANALYSIS_LINKS_H

#include "model/trace.h"

/*
 * Bytes per second of all NVLink links of a device in one direction, by the name of its model; 0
 * where the trace does not name it, or the model does not decide it (known/gpus/gpus.def).
 */
double wl_device_nvlink(const struct wl_trace *trace, uint32_t device);

/* Bytes per second of its memory, as the trace has it; 0 where it does not. */
double wl_device_dram(const struct wl_trace *trace, uint32_t device);

#endif
