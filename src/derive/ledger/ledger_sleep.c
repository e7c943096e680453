/* SPDX-License-Identifier: MIT */
/* ledger_sleep.c - decides whether the thread that feeds the GPU slept in a part of a gap. */
#include "base/memory/bound.h"
#include "derive/ledger/ledger_parts.h"
#include "known/calls/os_calls.h"

/* The first of the rows [lo, hi) at or after a time. */
static size_t first_from(const struct wl_trace *t, struct wl_slice rows, wl_ns time)
{
	return rows.lo + WL_BELOW(wl_sched_start(t) + rows.lo, rows.hi - rows.lo, time);
}

/*
 * How long a thread ran. The state that a row switches to lasts until the next row; before the
 * first row the thread was in the opposite state. [lo, hi) is not empty: if no row is before the
 * time, the row at i exists.
 */
static wl_ns on_cpu(const struct wl_trace *t, struct wl_slice rows, wl_ns begin, wl_ns end)
{
	const wl_ns *at = wl_sched_start(t);
	const uint8_t *in = wl_sched_in(t);
	size_t i = first_from(t, rows, begin);
	bool runs = i > rows.lo ? in[i - 1] == 1 : in[i] != 1;
	wl_ns all = 0;

	for (; i < rows.hi && at[i] < end; i++) {
		all += runs ? at[i] - begin : 0;
		begin = at[i];
		runs = in[i] == 1;
	}
	return all + (runs ? end - begin : 0);
}

static bool waits(const char *function)
{
	enum wl_os_class class = function ? wl_os_class_of(function) : WL_OS_OTHER;

	return class == WL_OS_WAITS || class == WL_OS_LOCKS || class == WL_OS_SLEEPS;
}

bool wl_is_asleep(const struct wl_ledger_sources *from, const struct wl_gap *gap,
		  const struct wl_gap_part *p)
{
	struct wl_slice rows;

	if (p->cause != WL_CAUSE_HOST && p->cause != WL_CAUSE_OS)
		return false;
	if (p->cause == WL_CAUSE_OS && waits(p->detail))
		return true;
	if (!from->basis.sched || gap->call == WL_NONE)
		return false;
	rows = from->basis.sched[wl_api_thread(from->trace)[gap->call]];
	return rows.lo < rows.hi &&
	       2 * on_cpu(from->trace, rows, p->begin, p->end) < p->end - p->begin;
}
