/* SPDX-License-Identifier: MIT */
/* stack_rows.h - the rows of stacks: a tree of callers, whole stacks, functions, modules or
 * threads. */
#ifndef WL_ANALYSIS_STACK_ROWS_H
#define WL_ANALYSIS_STACK_ROWS_H

#include "analysis/analysis.h"
#include "derive/use/stack_sums.h"

enum wl_stacks_col {
	WL_STACKS_STACK,
	WL_STACKS_FUNCTION,
	WL_STACKS_MODULE,
	WL_STACKS_PID,
	WL_STACKS_TID,
	WL_STACKS_THREAD,
	WL_STACKS_TOTAL,
	WL_STACKS_SELF,
	WL_STACKS_SHARE,
	WL_STACKS_OFF,
	WL_STACKS_NONE,
};

enum wl_stacks_by {
	WL_STACKS_BY_STACK,
	WL_STACKS_BY_FUNCTION,
	WL_STACKS_BY_MODULE,
	WL_STACKS_BY_THREAD,
	WL_STACKS_BY_FOLDED
};

struct wl_stack_rows {
	const struct wl_run *run;
	struct wl_stack_sums sums;
	double min; /* rows with a smaller share are left out */
	struct wl_table *out;
};

/* Largest total first; ties by name. False if memory runs out. */
bool wl_stack_rows_put(const struct wl_stack_rows *rows, enum wl_stacks_by by) WL_MUST_CHECK;

#endif
