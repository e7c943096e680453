/* SPDX-License-Identifier: MIT */
#include "derive/idle/idle_before.h"

#include "derive/rows/ops.h"

const wl_ns *wl_idle_before_find(const struct wl_trace *trace, const struct wl_process_iters *iters,
				 uint32_t device, struct wl_arena *arena)
{
	wl_ns *idle = WL_NEW(arena, wl_ns, iters->n), until = INT64_MIN;
	struct wl_op_cursor cursor;
	struct wl_op op;
	bool more;

	if (!idle)
		return NULL;
	wl_ops_begin(trace, device, &cursor);
	more = wl_ops_next(&cursor, &op);
	for (size_t i = 0; i < iters->n; i++) {
		wl_ns begin = iters->at[i].tile.begin, from;

		for (; more && op.start < begin; more = wl_ops_next(&cursor, &op))
			until = op.end > until ? op.end : until;
		if (until == INT64_MIN) { /* before the device's first operation: delays no step */
			idle[i] = WL_NO_TIME;
			continue;
		}
		/*
		 * Go back at most to the start of the previous iteration: earlier idle time delayed
		 * that one.
		 */
		from = i > 0 && iters->at[i - 1].tile.begin > until ? iters->at[i - 1].tile.begin
								    : until;
		idle[i] = begin > from ? begin - from : 0;
	}
	return idle;
}

struct wl_delayed wl_delayed_by(const struct wl_process_iters *iters, const wl_ns *idle_before,
				uint32_t i)
{
	wl_ns period = iters->at[i].tile.end - iters->at[i].tile.begin;
	wl_ns more = period - wl_usual_period(iters, i);
	/*
	 * A tile ends at the first operation of the next one. If most of the excess is idle time
	 * right before that, the next iteration began late and this one is normal.
	 */
	bool is_before = i + 1 < iters->n && more > 0 && idle_before[i + 1] > more / 2;

	return (struct wl_delayed){ .iter = is_before ? i + 1 : i,
				    .is_before = is_before,
				    .idle = is_before ? idle_before[i + 1] : 0 };
}
