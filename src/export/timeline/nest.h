/* SPDX-License-Identifier: MIT */
/*
 * nest.h - distributes events over rows so that they nest, or do not overlap at all.
 *
 * Events come in order of start; if they start together, the longer comes first. Each goes to the
 * first row in which it fits. An event nests if it lies inside the innermost open event of the row,
 * or no event is open. An event of zero length occupies nothing; on rows without overlap it still
 * needs a row without an open event.
 *
 * Events that have ended take no memory. Putting an event costs O(log rows), or O(1) if it fits
 * into the first row.
 */
#ifndef WL_EXPORT_NEST_H
#define WL_EXPORT_NEST_H

#include "base/memory/vec.h"
#include "model/trace.h"

struct wl_nest { /* private */
	bool flat;
	struct wl_vec open; /* struct open: open events, and free slots */
	uint32_t free;      /* the first free one, or WL_NONE */
	struct wl_vec top;  /* uint32_t, by row: the innermost open event, or WL_NONE */
	struct wl_vec tree; /* struct node, over all rows but the first */
	bool failed;
};

/* flat: events must not overlap. The budget must outlive the nest. */
void wl_nest_init(struct wl_nest *nest, bool flat, struct wl_budget *budget);
void wl_nest_release(struct wl_nest *nest);

/* The number of the event's row, from 0; WL_NONE when memory is exhausted, and from then on. */
uint32_t wl_nest_put(struct wl_nest *nest, wl_ns start, wl_ns end);

#endif
