/* SPDX-License-Identifier: MIT */
/*
 * payload_ops.h - the communicator and bytes of NCCL kernels, from NCCL's own list of operations.
 *
 * Rows of the list name no process. A row belongs to the kernel that starts at the same time; if
 * several do, to the first that also ends at the same time.
 */
#ifndef WL_DERIVE_PAYLOAD_OPS_H
#define WL_DERIVE_PAYLOAD_OPS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_nccl_op {
	uint64_t comm;
	int64_t bytes; /* -1 if the type is not known */
};

/*
 * Returns, for each kernel of the list, its row or WL_NONE. Sorts both by start. The arena owns the
 * result; NULL when it is exhausted.
 */
const uint32_t *wl_nccl_ops_of(const struct wl_trace *trace, const uint32_t *kernel, size_t n,
			       struct wl_arena *arena) WL_MUST_CHECK;

struct wl_nccl_op wl_nccl_op_at(const struct wl_trace *trace, size_t row);

#endif
