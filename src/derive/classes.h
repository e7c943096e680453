/*
 * classes.h - what kind of work a GPU operation is.
 *
 * Kernels are compute or communication by their name. The user's conventions may
 * name more that communicate; those found by names in the trace may not, because a
 * kernel must not change its class with what else was loaded. Memory sets and opaque
 * graph replays count with compute. Copies are copies, but for copies between
 * devices (DtoD, PtoP) that were launched inside an NCCL range: copy-engine
 * collectives, which are communication.
 */
#ifndef WL_DERIVE_CLASSES_H
#define WL_DERIVE_CLASSES_H

#include "base/arena.h"
#include "base/attr.h"
#include "model/trace.h"

struct wl_derived;

#define WL_CLASS_COLUMNS                                                                           \
	WL_KERNELS_NAME, WL_MEMCPYS_KIND, WL_MEMCPYS_CORR, WL_API_START, WL_API_DUR,               \
		WL_API_THREAD, WL_API_CORR, WL_API_NAME, WL_NVTX_START, WL_NVTX_DUR,               \
		WL_NVTX_THREAD, WL_NVTX_KIND, WL_NVTX_NAME, WL_NVTX_DOMAIN

enum wl_class { WL_COMPUTE, WL_COMM, WL_COPY, WL_N_CLASSES };

const char *wl_class_name(enum wl_class class); /* "compute", "comm", "copy" */

struct wl_classes {
	const uint8_t *kernel_name; /* by kernel name: WL_COMPUTE or WL_COMM */
	const bool *copy_is_comm;   /* by memcpy row; NULL when none can be */
};

/*
 * Needs kernels name; without the other columns of WL_CLASS_COLUMNS no copy is
 * communication. False when the arena is exhausted.
 */
bool wl_classes_find(struct wl_derived *derived, struct wl_arena *arena,
		     struct wl_classes *ret) WL_MUST_CHECK;

static inline enum wl_class wl_class_of(const struct wl_trace *trace, const struct wl_classes *c,
					enum wl_family_id family, size_t row)
{
	if (family == WL_F_KERNELS)
		return (enum wl_class)c->kernel_name[wl_kernels_name(trace)[row]];
	if (family == WL_F_MEMCPYS)
		return c->copy_is_comm && c->copy_is_comm[row] ? WL_COMM : WL_COPY;
	return WL_COMPUTE;
}

#endif
