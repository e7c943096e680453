/* SPDX-License-Identifier: MIT */
/*
 * nest.h - distributes events over rows on which they nest, or do not overlap at all.
 *
 * Events come in order of start, of those that start together the longer first. Each
 * goes to the first row in which it fits. To nest means: it lies inside the event that is
 * under way there, or nothing is. An event of no length occupies nothing; on rows without
 * overlap it still wants a row on which nothing is under way.
 *
 * Nothing is kept of events that have ended. A logarithm of the rows per event, and a
 * constant for those that fit into the first row.
 */
#ifndef WL_EXPORT_NEST_H
#define WL_EXPORT_NEST_H

#include "base/memory/vec.h"
#include "model/trace.h"

struct wl_nest { /* private */
	bool flat;
	struct wl_vec open; /* struct open: events under way, and free ones */
	uint32_t free;      /* the first free one; WL_NONE */
	struct wl_vec top;  /* uint32_t, by row: the innermost under way; WL_NONE */
	struct wl_vec tree; /* struct node, over all rows but the first */
	bool failed;
};

/* flat: without overlap. The budget must outlive it. */
void wl_nest_init(struct wl_nest *nest, bool flat, struct wl_budget *budget);
void wl_nest_release(struct wl_nest *nest);

/* The number of the event's row, from 0; WL_NONE without memory, also ever after. */
uint32_t wl_nest_put(struct wl_nest *nest, wl_ns start, wl_ns end);

#endif
