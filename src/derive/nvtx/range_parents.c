/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/range_parents.h"

uint32_t wl_span_parent(const struct wl_trace *trace, const struct wl_forest *forest,
			uint32_t nvtx_row)
{
	wl_ns start = wl_nvtx_start(trace)[nvtx_row];

	/* A range that ends on another thread is inside no range of either thread. */
	if (!wl_span_is_on_one_thread(trace, nvtx_row))
		return WL_NONE;
	return wl_forest_around(
		forest, wl_nvtx_thread(trace)[nvtx_row], start,
		start + wl_dur(&trace->family[WL_F_NVTX], wl_nvtx_dur(trace), nvtx_row));
}

const uint32_t *wl_range_parents_find(const struct wl_trace *trace, const struct wl_forest *forest,
				      struct wl_arena *arena)
{
	size_t n = trace->family[WL_F_NVTX].n;
	uint32_t *of = WL_NEW(arena, uint32_t, n + 1);

	for (size_t i = 0; of && i < n; i++)
		of[i] = WL_NONE;
	for (size_t i = 0; of && i < forest->n; i++) {
		uint32_t parent = forest->parent[i];

		of[forest->row[i]] = parent == WL_NONE ? WL_NONE : forest->row[parent];
	}
	for (size_t i = 0; of && i < forest->n_spans; i++) {
		uint32_t node = wl_span_parent(trace, forest, forest->span[i]);

		of[forest->span[i]] = node == WL_NONE ? WL_NONE : forest->row[node];
	}
	return of;
}
