/* SPDX-License-Identifier: MIT */
/* step_kernels.h - finds the kernels that take longer when steps of the job take longer. */
#ifndef WL_FINDINGS_STEP_KERNELS_H
#define WL_FINDINGS_STEP_KERNELS_H

#include "findings/rules/step_cause.h"

/* A kernel name with its mean time per step of a GPU, in reference and in changed steps. */
struct wl_step_kernel {
	uint32_t name; /* WL_NONE for none */
	wl_ns like, now;
};

struct wl_step_kernels {
	/* Median of the factors by which names take longer, weighted by time. */
	double factor;
	bool are_alike; /* names with 80% of the time are within (factor - 1) / 5 of it */
	struct wl_step_kernel most[2]; /* with the largest increase */
	bool is_first_half;            /* the first has half of the total increase */
};

/* Only compute kernels count. Linear in kernels. False when the arena is exhausted. */
bool wl_step_kernels_find(struct wl_rule_state *d, const struct wl_step_cause *cause,
			  struct wl_step_kernels *ret) WL_MUST_CHECK;

#endif
