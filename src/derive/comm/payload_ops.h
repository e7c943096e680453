/* SPDX-License-Identifier: MIT */
/*
 * payload_ops.h - the communicator and the bytes of NCCL kernels, by NCCL's own list of operations.
 *
 * A row of it names no process: it belongs to the kernel that starts when it starts; of several,
 * to the first that ends with it.
 */
#ifndef WL_DERIVE_PAYLOAD_OPS_H
#define WL_DERIVE_PAYLOAD_OPS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_nccl_op {
	uint64_t comm;
	int64_t bytes; /* -1: the type is not known */
};

/*
 * By kernel of the list: its row, or WL_NONE. Sorts both by start. Owned by the arena; NULL when
 * that is exhausted.
 */
const uint32_t *wl_nccl_ops_of(const struct wl_trace *trace, const uint32_t *kernel, size_t n,
			       struct wl_arena *arena) WL_MUST_CHECK;

struct wl_nccl_op wl_nccl_op_at(const struct wl_trace *trace, size_t row);

#endif
