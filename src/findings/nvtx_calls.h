/* SPDX-License-Identifier: MIT */
/* nvtx_calls.h - the calls that name host code, by framework, for advice that asks for ranges. */
#ifndef WL_FINDINGS_NVTX_CALLS_H
#define WL_FINDINGS_NVTX_CALLS_H

#include "findings/advice.h"

/* The member in of struct wl_advice. Engines that serve models use PyTorch. */
#define WL_NVTX_CALLS                                                                              \
	{                                                                                          \
		[WL_CUDA] = "nvtxRangePushA(\"forward\") and nvtxRangePop(), or "                  \
			    "nvtx3::scoped_range",                                                 \
		[WL_PYTORCH] = "torch.cuda.nvtx.range(\"forward\"), also around backward(); "      \
			       "torch.autograd.profiler.emit_nvtx() names operators",              \
		[WL_JAX] = "nvtx.annotate(\"step\") of the package nvtx around the step",          \
	}

#endif
