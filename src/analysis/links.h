/* SPDX-License-Identifier: MIT */
/* links.h - the bandwidth of a device's links and memory, if its model is known. */
#ifndef WL_ANALYSIS_LINKS_H
#define WL_ANALYSIS_LINKS_H

#include "model/trace.h"

/*
 * Bytes per second of all NVLink links of a device in one direction, by model name; 0 if the trace
 * does not name the model, or the model does not determine it (known/gpus/gpus.def).
 */
double wl_device_nvlink(const struct wl_trace *trace, uint32_t device);

/* Memory bandwidth in bytes per second, as recorded in the trace; 0 if it is not. */
double wl_device_dram(const struct wl_trace *trace, uint32_t device);

#endif
