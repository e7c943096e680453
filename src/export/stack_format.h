/* SPDX-License-Identifier: MIT */
/*
 * stack_format.h - the interface of a format that holds the time of call stacks.
 *
 * What counts is that of the verb stacks (docs/definitions/stacks.md): all weights of a file add up
 * to the time that the verb counts for the same scope and choice.
 */
#ifndef WL_EXPORT_STACK_FORMAT_H
#define WL_EXPORT_STACK_FORMAT_H

#include <stdatomic.h>
#include <stdio.h>

#include "derive/use/stack_sums.h"

/* What is written. Borrowed. */
struct wl_stack_source {
	const struct wl_derived *derived; /* with thread_stacks, and idle for gaps */
	const struct wl_scope *scope;
	const struct wl_stack_choice *choice;
	struct wl_arena *arena;
	const atomic_int *stop; /* becomes non-zero: stop; NULL for none */
};

struct wl_stacks_done {
	uint64_t n_stacks; /* lines or samples */
	wl_ns time;        /* the sum of their weights */
};

/* WL_E_NOMEM and WL_E_CANCELED, which the caller puts into words. Errors of the stream stay in it.
 */
typedef int wl_stack_writer(const struct wl_stack_source *source, FILE *out,
			    struct wl_stacks_done *ret);

#endif
