/* SPDX-License-Identifier: MIT */
/*
 * streams.h - the streams of a trace, numbered in the order that tables list them.
 *
 * A stream is a place as users see it: device, process, context and stream number. Places that
 * differ only in the process's ordinal for the device are one stream.
 */
#ifndef WL_DERIVE_STREAMS_H
#define WL_DERIVE_STREAMS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_streams {
	size_t n;
	const uint32_t *of_place; /* by place: its stream */
	const uint32_t *place; /* by stream: one of its places; ordered by device, process, context
				  and number */
};

/* Sorts the places. Owned by the arena; false when that is exhausted. */
bool wl_streams_find(const struct wl_trace *trace, struct wl_arena *arena,
		     struct wl_streams *ret) WL_MUST_CHECK;

/* The first stream of a device, or the place where it would be. Logarithmic. */
size_t wl_streams_from_device(const struct wl_trace *trace, const struct wl_streams *streams,
			      uint32_t device);

#endif
