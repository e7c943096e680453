/* SPDX-License-Identifier: MIT */
#include "session/select/extent.h"

#include "base/memory/sort.h"

/* Rows of a family up to the last of a device. */
struct device_end {
	const struct wl_trace *trace;
	const struct wl_ops *ops;
	uint32_t device;
};

static bool up_to_device(const void *ctx, size_t row)
{
	const struct device_end *e = ctx;

	return e->trace->places[e->ops->place[row]].device <= e->device;
}

/*
 * The last end of rows [lo, hi) of one device. They are in the order of their starts, so
 * what began so early that only a long row could reach further need not be looked at.
 * next_long counts long rows that lie behind.
 */
static wl_ns last_end(const struct wl_ops *ops, size_t lo, size_t hi, size_t *next_long)
{
	const struct wl_family *f = ops->family;
	wl_ns last = ops->start[hi - 1];

	for (size_t i = hi; i > lo && ops->start[i - 1] + (wl_ns)WL_LONG > last; i--) {
		wl_ns end = ops->start[i - 1] + ops->dur[i - 1];

		last = ops->dur[i - 1] != WL_LONG && end > last ? end : last;
	}
	for (; *next_long < f->n_long && f->long_row[*next_long] < hi; ++*next_long) {
		size_t row = f->long_row[*next_long];
		wl_ns end = row >= lo ? ops->start[row] + f->long_dur[*next_long] : last;

		last = end > last ? end : last;
	}
	return last;
}

bool wl_extent_find(const struct wl_trace *t, const struct wl_scope *scope, struct wl_interval *ret)
{
	bool any = false;

	/*
	 * Rows are ordered by device, then start. The begin of a device is its first row, and only
	 * rows of the last WL_LONG nanoseconds, four seconds, are looked at for its end.
	 */
	for (size_t f = 0; f < WL_N_OP_FAMILIES; f++) {
		struct wl_ops ops = wl_trace_ops(t, wl_op_families[f]);
		size_t hi, next_long = 0;

		for (size_t lo = 0; ops.start && lo < ops.n; lo = hi) {
			uint32_t device = t->places[ops.place[lo]].device;
			wl_ns end;

			hi = wl_lower_bound(ops.n, up_to_device,
					    &(struct device_end){ t, &ops, device });
			if (scope && !scope->device_on[device])
				continue;
			end = last_end(&ops, lo, hi, &next_long);
			if (!any || ops.start[lo] < ret->begin)
				ret->begin = ops.start[lo];
			if (!any || end > ret->end)
				ret->end = end;
			any = true;
		}
	}
	return any;
}

static void widen(struct wl_interval *hull, bool *any, wl_ns begin, wl_ns end)
{
	if (!*any || begin < hull->begin)
		hull->begin = begin;
	if (!*any || end > hull->end)
		hull->end = end;
	*any = true;
}

static void widen_by_rows(const struct wl_family *f, const wl_ns *start, const uint32_t *dur,
			  struct wl_interval *hull, bool *any)
{
	for (size_t i = 0; start && i < f->n; i++)
		widen(hull, any, start[i], start[i] + (dur ? wl_dur(f, dur, i) : 0));
}

static bool contains(struct wl_interval hull, wl_ns t)
{
	return hull.begin <= t && t <= hull.end;
}

/* Ends may be given in either order: "..-5ns" ends before the trace begins. */
bool wl_is_within(struct wl_interval hull, struct wl_interval asked)
{
	return contains(hull, asked.begin) && contains(hull, asked.end);
}

bool wl_recorded_find(const struct wl_trace *t, struct wl_interval asked, struct wl_interval *ret)
{
	bool any = wl_extent_find(t, NULL, ret);

	if (t->duration != WL_NO_TIME)
		widen(ret, &any, 0, t->duration);
	/*
	 * Walking all host rows is the expensive part, and only a window that reaches beyond the
	 * GPU work and the capture needs it.
	 */
	if (any && wl_is_within(*ret, asked))
		return true;
	widen_by_rows(&t->family[WL_F_API], wl_api_start(t), wl_api_dur(t), ret, &any);
	widen_by_rows(&t->family[WL_F_NVTX], wl_nvtx_start(t), wl_nvtx_dur(t), ret, &any);
	widen_by_rows(&t->family[WL_F_OSRT], wl_osrt_start(t), wl_osrt_dur(t), ret, &any);
	return any;
}
