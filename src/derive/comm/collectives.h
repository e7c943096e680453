/* SPDX-License-Identifier: MIT */
/*
 * collectives.h - the kind of collective of each operation of the class communication.
 *
 * A kernel's name says it (derive/kinds/named.h). A copy that is communication takes it from the
 * name of the innermost NCCL range around the call that launched it.
 */
#ifndef WL_DERIVE_COLLECTIVES_H
#define WL_DERIVE_COLLECTIVES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/kinds/classes.h"
#include "known/kernels/collectives.h"
#include "model/trace.h"

struct wl_derived;

struct wl_collectives {
	const uint8_t *kernel_name; /* by kernel name: enum wl_collective, whatever its class */
	const uint8_t *copy;        /* by memcpy row, of copies that are communication; else NULL */
};

/* False when the arena is exhausted. */
bool wl_collectives_find(const struct wl_derived *derived, struct wl_arena *arena,
			 struct wl_collectives *ret) WL_MUST_CHECK;

/* Of an operation whose class is communication. */
static inline enum wl_collective wl_collective_of(const struct wl_trace *trace,
						  const struct wl_collectives *c,
						  enum wl_family_id family, size_t row)
{
	if (family == WL_F_KERNELS)
		return (enum wl_collective)c->kernel_name[wl_kernels_name(trace)[row]];
	return c->copy ? (enum wl_collective)c->copy[row] : WL_OTHER;
}

#endif
