/* SPDX-License-Identifier: MIT */
/*
 * endings.h - activities that have begun, by end: a heap.
 *
 * A sweep by start puts each activity when it begins and takes those that have ended. As many
 * are in the heap as run at once, so that this costs less than a sort of all by end.
 */
#ifndef WL_DERIVE_ENDINGS_H
#define WL_DERIVE_ENDINGS_H

#include "base/vec.h"
#include "model/trace.h"

struct wl_ending {
	wl_ns end, start;
	uint32_t number;
};

/* By end, then start, then number: no two are equal. */
static inline bool wl_ends_before(const struct wl_ending *a, const struct wl_ending *b)
{
	if (a->end != b->end)
		return a->end < b->end;
	return a->start != b->start ? a->start < b->start : a->number < b->number;
}

/* Logarithmic in what runs. Without memory the vector has failed. */
void wl_endings_put(struct wl_vec *heap, const struct wl_ending *ending);

/* Take the first ending; there is one. */
struct wl_ending wl_endings_take(struct wl_vec *heap);

/* Whether one has ended at that time. */
static inline bool wl_endings_any(const struct wl_vec *heap, wl_ns at)
{
	return heap->n && ((const struct wl_ending *)heap->data)->end <= at;
}

#endif
