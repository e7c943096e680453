/* SPDX-License-Identifier: MIT */
/* stack_sums.h - sums of time by call stack, over idle gaps or whole threads. */
#ifndef WL_ANALYSIS_STACK_SUMS_H
#define WL_ANALYSIS_STACK_SUMS_H

#include "analysis/analysis.h"
#include "derive/idle/idle.h"
#include "derive/use/thread_stacks.h"

/* Time of a thread: all that was counted, and what of it has no stack. */
struct wl_stack_time {
	wl_ns all;
	wl_ns without[WL_N_STACK_STATES]; /* by state; 0 of those that always have a stack */
};

struct wl_stack_sums {
	wl_ns *self;                  /* by stack */
	struct wl_stack_time *thread; /* by thread */
	struct wl_stack_time total;   /* the sum of self and of total.without is total.all */
};

/* Which time counts. */
struct wl_stack_choice {
	unsigned causes; /* bits of enum wl_cause, of gaps; 0: threads from first to last piece */
	int64_t tid;     /* of this thread only; -1: of all */
};

/* The causes of the account: docs/definitions/stacks.md. */
#define WL_STACK_CAUSES                                                                            \
	(1u << WL_CAUSE_HOST | 1u << WL_CAUSE_OS | 1u << WL_CAUSE_API | 1u << WL_CAUSE_SYNC |      \
	 1u << WL_CAUSE_ALLOC | 1u << WL_CAUSE_LOAD)

/*
 * Inside the scope of the run. Needs thread_stacks, and idle for gaps. Owned by the arena of the
 * run; false when that is exhausted. Linear in operations, host rows and pieces.
 */
bool wl_stack_sums_find(const struct wl_run *run, const struct wl_stack_choice *choice,
			struct wl_stack_sums *ret) WL_MUST_CHECK;

/* The file name of a module, or the module as it is. */
const char *wl_module_name(const struct wl_trace *trace, uint32_t module);

/* "cudaMalloc", "(libcuda.so.1)" of unresolved addresses; the latter is made in the arena. */
const char *wl_frame_name(const struct wl_trace *trace, const struct wl_stack_frame *frame,
			  struct wl_arena *arena);

#endif
