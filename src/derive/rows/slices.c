/* SPDX-License-Identifier: MIT */
#include "derive/rows/slices.h"

const struct wl_slice *wl_slices_find(const struct wl_trace *trace, enum wl_family_id family,
				      struct wl_arena *arena)
{
	struct wl_slice *slice = WL_NEW(arena, struct wl_slice, trace->n_threads);
	const uint32_t *thread = trace->column[wl_family_keys(family).owner];
	size_t n = trace->family[family].n;

	/*
	 * The rows of a thread are contiguous. A thread without rows keeps the empty slice of a
	 * zeroed array.
	 */
	for (size_t i = 0; slice && i < n;) {
		size_t hi = i + 1;

		while (hi < n && thread[hi] == thread[i])
			hi++;
		slice[thread[i]] = (struct wl_slice){ i, hi };
		i = hi;
	}
	return slice;
}
