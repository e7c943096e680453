/* SPDX-License-Identifier: MIT */
/*
 * endings.h - a heap of activities that have begun, ordered by end.
 *
 * A sweep by start adds each activity when it begins and removes those that have ended. The heap
 * holds only as many as run at once, which costs less than sorting all activities by end.
 */
#ifndef WL_DERIVE_ENDINGS_H
#define WL_DERIVE_ENDINGS_H

#include "base/memory/vec.h"
#include "model/trace.h"

struct wl_ending {
	wl_ns end, start;
	uint32_t number;
	uint32_t of; /* any number that the owner wants back */
};

/* By end, then start, then number: no two are equal. */
static inline bool wl_ends_before(const struct wl_ending *a, const struct wl_ending *b)
{
	if (a->end != b->end)
		return a->end < b->end;
	return a->start != b->start ? a->start < b->start : a->number < b->number;
}

/* Logarithmic in the running activities. Marks the vector failed when memory is exhausted. */
static inline void wl_endings_put(struct wl_vec *heap, const struct wl_ending *ending)
{
	struct wl_ending *at;
	size_t i = heap->n;

	if (i < heap->cap)
		heap->n++;
	else if (!wl_vec_extend(heap, 1))
		return;
	for (at = heap->data; i > 0 && wl_ends_before(ending, &at[(i - 1) / 2]); i = (i - 1) / 2)
		at[i] = at[(i - 1) / 2];
	at[i] = *ending;
}

/* Remove the first ending; the heap must not be empty. */
static inline struct wl_ending wl_endings_take(struct wl_vec *heap)
{
	struct wl_ending *at = heap->data, first = at[0], last = at[--heap->n];
	size_t n = heap->n, i = 0;

	for (size_t child = 1; child < n; child = 2 * i + 1) {
		if (child + 1 < n && wl_ends_before(&at[child + 1], &at[child]))
			child++;
		if (!wl_ends_before(&at[child], &last))
			break;
		at[i] = at[child];
		i = child;
	}
	at[i] = last;
	return first;
}

/* Whether an activity has ended by that time. */
static inline bool wl_endings_any(const struct wl_vec *heap, wl_ns at)
{
	return heap->n && ((const struct wl_ending *)heap->data)->end <= at;
}

#endif
