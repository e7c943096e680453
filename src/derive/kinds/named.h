/* SPDX-License-Identifier: MIT */
/*
 * named.h - the class, category, collective and label of each kernel name of a trace
 * (known/kernels/kernels.h).
 *
 * The class, category and kind of collective of a kernel all come from here. The user's conventions
 * may name more kernels that communicate. Conventions detected from names in the trace may not,
 * because the class of a kernel must not depend on what else was loaded.
 */
#ifndef WL_DERIVE_NAMED_H
#define WL_DERIVE_NAMED_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "known/kernels/kernels.h"

struct wl_derived;

struct wl_named {
	const struct wl_kernel_facts *kernel; /* by kernel name */
	const char *const *label; /* by kernel name: its label on screen (known/kernels/labels.h) */
};

/* Names that differ only in their short form share an answer. False without memory. */
bool wl_named_find(const struct wl_derived *derived, struct wl_arena *arena,
		   struct wl_named *ret) WL_MUST_CHECK;

#endif
