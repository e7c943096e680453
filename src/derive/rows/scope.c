/* SPDX-License-Identifier: MIT */
#include "derive/rows/scope.h"

#include "base/memory/sort.h"

size_t wl_ops_admitted(const struct wl_trace *trace, const struct wl_scope *scope,
		       enum wl_family_id family)
{
	struct wl_ops ops = wl_trace_ops(trace, family);
	size_t n = 0;

	for (size_t i = 0; i < ops.n; i++) {
		wl_ns start, end;

		n += wl_op_clip(trace, scope, &ops, i, &start, &end);
	}
	return n;
}

struct wanted {
	const struct wl_trace *trace;
	const struct wl_ops *ops;
	uint32_t device;
};

/* Rows are ordered by device. */
static bool row_before(const void *ctx, size_t i)
{
	const struct wanted *w = ctx;

	return w->trace->places[w->ops->place[i]].device < w->device;
}

void wl_ops_on_device(const struct wl_trace *trace, const struct wl_ops *ops, uint32_t device,
		      size_t *ret_lo, size_t *ret_hi)
{
	struct wanted w = { trace, ops, device };

	*ret_lo = wl_lower_bound(ops->n, row_before, &w);
	/*
	 * A device ends where the next one begins. Devices are indexes, so this does not wrap.
	 */
	w.device++;
	*ret_hi = wl_lower_bound(ops->n, row_before, &w);
}
