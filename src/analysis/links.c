/* SPDX-License-Identifier: MIT */
#include "analysis/links.h"

#include "known/gpus/gpus.h"

double wl_device_nvlink(const struct wl_trace *t, uint32_t device)
{
	uint32_t name = t->devices[device].name;
	const struct wl_gpu_peaks *p = name == WL_NONE ? NULL : wl_gpu_peaks_find(wl_str(t, name));

	return p ? p->nvlink * 1e9 : 0;
}

double wl_device_dram(const struct wl_trace *t, uint32_t device)
{
	uint32_t gpu = t->devices[device].gpu;

	return gpu == WL_NONE || t->gpus[gpu].bandwidth <= 0 ? 0 : (double)t->gpus[gpu].bandwidth;
}
