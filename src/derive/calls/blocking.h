/* SPDX-License-Identifier: MIT */
/*
 * blocking.h - the API calls in which the host waits for the GPU.
 *
 * Calls that synchronise, and copy calls that block: those whose name lacks Async,
 * and asynchronous ones that copy to pageable host memory, which CUDA does while
 * the caller waits.
 */
#ifndef WL_DERIVE_BLOCKING_H
#define WL_DERIVE_BLOCKING_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/calls/launch.h"
#include "model/trace.h"

enum wl_blocks {
	WL_BLOCKS_NOT,
	WL_BLOCKS_BY_COPY, /* a copy call that blocks */
	WL_BLOCKS_BY_SYNC, /* a call that synchronises */
};

struct wl_blocking {
	const uint8_t *call; /* by API row: enum wl_blocks */
};

/*
 * Without the names of calls nothing blocks; without links or kinds of memory an
 * asynchronous copy does not. False when the arena is exhausted. Linear.
 */
bool wl_blocking_find(const struct wl_derived *derived, struct wl_arena *arena,
		      struct wl_blocking *ret) WL_MUST_CHECK;

#endif
