/* SPDX-License-Identifier: MIT */
/* step_kernels.h - which kernels take longer where steps of the job take longer. */
#ifndef WL_FINDINGS_STEP_KERNELS_H
#define WL_FINDINGS_STEP_KERNELS_H

#include "findings/rules/step_cause.h"

/* A kernel name: its time per step of a GPU, the mean of reference steps and of changed ones. */
struct wl_step_kernel {
	uint32_t name; /* WL_NONE: there is none */
	wl_ns like, now;
};

struct wl_step_kernels {
	/* Median over names, weighted by time, of how many times as long they take. */
	double factor;
	bool are_alike; /* names with 80% of the time are within a fifth of factor - 1 */
	struct wl_step_kernel most[2]; /* that take longer by most */
	bool is_first_half;            /* the first of these is half of what all take longer */
};

/* Of kernels that do not communicate. Linear in kernels. False when the arena is exhausted. */
bool wl_step_kernels_find(struct wl_rule_state *d, const struct wl_step_cause *cause,
			  struct wl_step_kernels *ret) WL_MUST_CHECK;

#endif
