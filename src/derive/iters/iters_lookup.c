/* SPDX-License-Identifier: MIT */
/* iters_lookup.c - finds the iteration of an operation or a time. */
#include "base/memory/bound.h"
#include "base/memory/sort.h"
#include "derive/iters/iters.h"

struct sought {
	const struct wl_process_iters *iters;
	wl_ns t;
};

static bool host_begins_upto(const void *ctx, size_t i)
{
	const struct sought *s = ctx;

	return s->iters->at[s->iters->by_marker[i]].host.begin <= s->t;
}

uint32_t wl_iteration_at(const struct wl_process_iters *iters, wl_ns time)
{
	const struct sought s = { iters, time };
	uint32_t at;
	size_t n;

	if (!iters->by_marker) {
		n = WL_UPTO_BY(wl_iteration, tile.begin, iters->at, iters->n, time);
		return n ? (uint32_t)(n - 1) : WL_NONE;
	}
	/*
	 * Markers of a process do not overlap, so only the last one that began can contain the
	 * time.
	 */
	n = wl_lower_bound(iters->n, host_begins_upto, &s);
	if (n == 0)
		return WL_NONE;
	at = iters->by_marker[n - 1];
	return time < iters->at[at].host.end ? at : WL_NONE;
}

uint32_t wl_iteration_of(const struct wl_trace *t, const struct wl_process_iters *iters,
			 wl_ns op_start, uint32_t launch_api_row)
{
	if (!iters->by_marker)
		return wl_iteration_at(iters, op_start);
	if (launch_api_row == WL_NONE)
		return WL_NONE;
	return wl_iteration_at(iters, wl_api_start(t)[launch_api_row]);
}

uint32_t wl_iteration_around(const struct wl_process_iters *iters, wl_ns op_start)
{
	size_t n = WL_UPTO_BY(wl_iteration, tile.begin, iters->at, iters->n, op_start);

	/* Tiles do not overlap, so only the last one that began can contain the time. */
	return n && op_start < iters->at[n - 1].tile.end ? (uint32_t)(n - 1) : WL_NONE;
}

uint32_t wl_iteration_since(const struct wl_process_iters *iters, wl_ns time)
{
	const struct sought s = { iters, time };
	size_t n;

	if (!iters->by_marker)
		return wl_iteration_at(iters, time);
	n = wl_lower_bound(iters->n, host_begins_upto, &s);
	return n ? iters->by_marker[n - 1] : WL_NONE;
}
