#include "derive/scope.h"

/* First row whose device is at least the given one. Rows are ordered by device. */
static size_t lower_bound(const struct wl_trace *t, const struct wl_ops *ops, uint32_t device)
{
	size_t lo = 0, hi = ops->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->places[ops->place[mid]].device < device)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void wl_ops_on_device(const struct wl_trace *trace, const struct wl_ops *ops, uint32_t device,
		      size_t *ret_lo, size_t *ret_hi)
{
	*ret_lo = lower_bound(trace, ops, device);
	*ret_hi = lower_bound(trace, ops, device + 1);
}
