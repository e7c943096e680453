/* SPDX-License-Identifier: MIT */
/* call_costs.h - what a CUDA call spends time on besides its own work (call_costs.def). */
#ifndef WL_KNOWN_CALL_COSTS_H
#define WL_KNOWN_CALL_COSTS_H

#include <stdint.h>

enum wl_call_cost {
	WL_COST_QUEUE,    /* waits for room in a full launch queue: the host is ahead of the GPU */
	WL_COST_LOADING,  /* loads a module or a function, or compiles one */
	WL_COST_PROFILER, /* the profiler's own work, or of no known kind */
	WL_N_CALL_COSTS
};

/* By the words of a row, which may be NULL; by its code where no line has them. */
enum wl_call_cost wl_call_cost_of(const char *name, uint8_t code);

/* What the driver's compiler did, by the codes of CUPTI: "JIT compile (PTX)". */
const char *wl_jit_name(uint8_t operation, uint8_t entry);

#endif
