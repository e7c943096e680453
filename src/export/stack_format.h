/* SPDX-License-Identifier: MIT */
/*
 * stack_format.h - the interface of formats that hold time by call stack.
 *
 * Time counts as in the verb stacks (docs/definitions/stacks.md): the weights of a file add up to
 * the time that the verb counts for the same scope and choice.
 */
#ifndef WL_EXPORT_STACK_FORMAT_H
#define WL_EXPORT_STACK_FORMAT_H

#include <stdatomic.h>
#include <stdio.h>

#include "derive/use/stack_sums.h"

/* The input of a writer. Borrowed. */
struct wl_stack_source {
	const struct wl_derived *derived; /* with thread_stacks, and with idle for gaps */
	const struct wl_scope *scope;
	const struct wl_stack_choice *choice;
	struct wl_arena *arena;
	const atomic_int *stop; /* non-zero requests a stop; may be NULL */
};

struct wl_stacks_done {
	uint64_t n_stacks; /* lines or samples */
	wl_ns time;        /* the sum of their weights */
};

/* Returns WL_E_NOMEM or WL_E_CANCELED, which the caller reports. Stream errors stay in the stream.

 */
typedef int wl_stack_writer(const struct wl_stack_source *source, FILE *out,
			    struct wl_stacks_done *ret);

#endif
