/* SPDX-License-Identifier: MIT */
#include "derive/graph/endings.h"

void wl_endings_put(struct wl_vec *heap, const struct wl_ending *ending)
{
	struct wl_ending *at = NULL;
	size_t i = heap->n;

	if (!wl_vec_extend(heap, 1))
		return;
	for (at = heap->data; i > 0 && wl_ends_before(ending, &at[(i - 1) / 2]); i = (i - 1) / 2)
		at[i] = at[(i - 1) / 2];
	at[i] = *ending;
}

struct wl_ending wl_endings_take(struct wl_vec *heap)
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
