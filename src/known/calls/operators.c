/* SPDX-License-Identifier: MIT */
#include "known/calls/operators.h"

#include <string.h>

#include "base/attr.h"

/* As torch.autograd.profiler.emit_nvtx and torch.profiler name them; extensions by namespace. */
static const char *const begins[] = {
	"aten::",          "autograd::",
	"c10d::",          "prims::",
	"torch::",         "FSDP::",
	"nn.Module",       "torch.nn.",
	"flash_attn::",    "xformers::",
	"torchvision::",   "DistributedDataParallel.forward",
	"Optimizer.step#", "Optimizer.zero_grad#",
};

bool wl_range_is_operator(const char *name)
{
	for (size_t i = 0; i < WL_COUNT(begins); i++) {
		if (strncmp(name, begins[i], strlen(begins[i])) == 0)
			return true;
	}
	return strstr(name, ", seq = ") != NULL;
}
