/* SPDX-License-Identifier: MIT */
/*
 * stack_groups.h - sums by call stack over many short periods, in groups.
 *
 * Time with a stack, in calls or off the CPU, is exact. The rest is represented by the samples
 * taken in it: a sample before a short period says nothing about it (docs/definitions/stacks.md).
 */
#ifndef WL_DERIVE_STACK_GROUPS_H
#define WL_DERIVE_STACK_GROUPS_H

#include "base/memory/intern.h"
#include "derive/use/stack_names.h"
#include "derive/use/thread_stacks.h"

struct wl_group_stack {
	uint32_t group;
	uint32_t stack; /* index in the trace; WL_NONE: the rest, and samples without a stack */
	uint32_t n;     /* samples */
	wl_ns ns;       /* exact time; for WL_NONE: what samples stand for */
	wl_ns account;  /* time of the account, including that within reach of samples; for WL_NONE:
			   time without a stack */
};

struct wl_stack_groups {
	const struct wl_trace *trace;
	const struct wl_thread_stacks *stacks; /* NULL: nothing is summed */
	uint32_t group, thread;                /* the group and thread being visited */
	struct wl_intern pairs;                /* group and stack */
	struct wl_vec sums;                    /* by pair */
};

/* Release it even after a failure. */
void wl_stack_groups_init(struct wl_stack_groups *g, const struct wl_trace *trace,
			  const struct wl_thread_stacks *stacks, struct wl_budget *budget);
void wl_stack_groups_release(struct wl_stack_groups *g);

/* Add [begin, end) of a thread. wl_stack_groups_keep() fails if this ran out of memory. */
void wl_stack_groups_add(struct wl_stack_groups *g, uint32_t group, uint32_t thread, wl_ns begin,
			 wl_ns end);

struct wl_group_stacks {
	const struct wl_group_stack *at; /* by group, then stack */
	size_t n;
};

/* Owned by the arena; false when that, or the budget, is exhausted. */
bool wl_stack_groups_keep(const struct wl_stack_groups *g, struct wl_arena *arena,
			  struct wl_group_stacks *ret) WL_MUST_CHECK;

/* The rows of a group. Logarithmic, plus linear in these rows. */
struct wl_slice wl_group_stacks_of(const struct wl_group_stacks *stacks, size_t group);

#endif
