/* SPDX-License-Identifier: MIT */
/*
 * classes.h - the class of each GPU operation, that is, its kind of work.
 *
 * Kernels are compute or communication by their name (derive/kinds/named.h). Memory sets and opaque
 * graph replays count as compute.
 *
 * A copy within one device (DtoD and copies of arrays) is device work and counts as compute. Copies
 * between host and device or between devices, and migrations of managed memory, are copies. DtoD
 * and PtoP copies that were launched inside an NCCL range are copy-engine collectives:
 * communication.
 */
#ifndef WL_DERIVE_CLASSES_H
#define WL_DERIVE_CLASSES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_derived;

enum wl_class { WL_COMPUTE, WL_COMM, WL_COPY, WL_N_CLASSES };

const char *wl_class_name(enum wl_class class); /* "compute", "comm", "copy" */

struct wl_classes {
	const uint8_t *kernel_name; /* by kernel name: WL_COMPUTE or WL_COMM */
	const bool *copy_is_comm;   /* by memcpy row; NULL if no copy can be */
	const bool *copy_is_local;  /* the copy is within one device; NULL in the same case */
	const uint32_t *copy_call;  /* its API row or WL_NONE; NULL if copy_is_comm is */
};

/*
 * Needs the column kernels name. Without the columns of calls and ranges no copy is communication,
 * without memcpys kind every copy is WL_COPY, and without memcpys across DtoD is within a device.
 * False when the arena is exhausted.
 */
bool wl_classes_find(const struct wl_derived *derived, struct wl_arena *arena,
		     struct wl_classes *ret) WL_MUST_CHECK;

/* By memcpy row: the API row that launched it, or WL_NONE; NULL without copies or their ids. */
struct wl_copy_calls {
	const uint32_t *of;
};

bool wl_copy_calls_find(const struct wl_derived *derived, struct wl_arena *arena,
			struct wl_copy_calls *ret) WL_MUST_CHECK;

/* Whether a row of memcpys stays on its device; false if kinds are not loaded. */
bool wl_copy_is_local(const struct wl_trace *trace, size_t row);

static inline enum wl_class wl_class_of_copy(const struct wl_classes *c, size_t row)
{
	if (c->copy_is_comm && c->copy_is_comm[row])
		return WL_COMM;
	return c->copy_is_local && c->copy_is_local[row] ? WL_COMPUTE : WL_COPY;
}

static inline enum wl_class wl_class_of(const struct wl_trace *trace, const struct wl_classes *c,
					enum wl_family_id family, size_t row)
{
	if (family == WL_F_KERNELS)
		return (enum wl_class)c->kernel_name[wl_kernels_name(trace)[row]];
	if (family == WL_F_MEMCPYS)
		return wl_class_of_copy(c, row);
	return WL_COMPUTE;
}

#endif
