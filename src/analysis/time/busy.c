/* SPDX-License-Identifier: MIT */
/* busy.c - how busy the GPUs are over time, in parts of equal length. */
#include "analysis/analysis.h"
#include "derive/derived.h"
#include "derive/kinds/activity.h"

WL_DECLARE_ANALYSIS(busy);

enum { START, WINDOW, BUSY, BUSY_SHARE, COMPUTE_SHARE };

static const struct wl_col cols[] = {
	[START] = { "start", "Start", WL_T_TIME, WL_KEY | WL_ANCHOR, "Where the part begins." },
	[WINDOW] = { "window", "Window", WL_T_NS, WL_SUM,
		     "Length of the part, as far as it is in a GPU's window, of all GPUs." },
	[BUSY] = { "busy", "Busy time", WL_T_NS, WL_SUM,
		   "Time with anything under way, of all GPUs." },
	[BUSY_SHARE] = { "busy_share", "Busy share", WL_T_RATIO, WL_PLAIN,
			 "Busy time over the window." },
	[COMPUTE_SHARE] = { "compute_share", "Compute", WL_T_RATIO, WL_PLAIN,
			    "Time with compute under way, over the window." },
};

enum { PARTS };

static const struct wl_param params[] = {
	[PARTS] = { .key = "parts",
		    .type = WL_P_COUNT,
		    .def = "60",
		    .help = "How many parts of equal length." },
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

/* One part of the hull, summed over all GPUs. */
struct part {
	wl_ns begin, end;
	wl_ns window, busy, compute;
};

/* From the earliest begin of the selected windows to the latest end; false if there is none. */
static bool find_hull(const struct wl_run *r, struct wl_interval *ret)
{
	*ret = (struct wl_interval){ INT64_MAX, INT64_MIN };
	for (uint32_t d = 0; d < r->trace->n_devices; d++) {
		const struct wl_interval *w = &r->scope->device[d];

		if (!r->scope->device_on[d] || w->end <= w->begin)
			continue;
		ret->begin = w->begin < ret->begin ? w->begin : ret->begin;
		ret->end = w->end > ret->end ? w->end : ret->end;
	}
	return ret->end > ret->begin;
}

/* The parts cover the hull, and their lengths differ by at most a nanosecond. */
static struct part *cut(const struct wl_interval *hull, size_t *n, struct wl_arena *arena)
{
	wl_ns length = hull->end - hull->begin, at = hull->begin;
	struct part *parts;

	/* No part is empty: a window with fewer nanoseconds than parts gets fewer parts. */
	*n = length < (wl_ns)*n ? (size_t)length : *n;
	parts = WL_NEW(arena, struct part, *n);
	for (size_t i = 0; parts && i < *n; i++) {
		wl_ns left = (wl_ns)(*n - i);

		parts[i].begin = at;
		/*
		 * Dividing the rest by the number of parts left keeps rounding errors from adding
		 * up.
		 */
		at += (hull->end - at) / left;
		parts[i].end = at;
	}
	return parts;
}

/* Add the time of a segment to each part from *at on; sets *at to the part in which it ends. */
static void add_segment(wl_ns begin, wl_ns end, uint8_t mask, struct part *parts, size_t n,
			size_t *at)
{
	for (size_t i = *at; i < n && parts[i].begin < end; i++) {
		wl_ns from = begin > parts[i].begin ? begin : parts[i].begin;
		wl_ns to = end < parts[i].end ? end : parts[i].end;

		*at = i;
		if (from >= to)
			continue;
		if (mask & (WL_ON_COMPUTE | WL_ON_COMM | WL_ON_COPY))
			parts[i].busy += to - from;
		if (mask & WL_ON_COMPUTE)
			parts[i].compute += to - from;
	}
}

/* Linear in segments and parts: both are in ascending order. */
static void add_device(const struct wl_run *r, uint32_t d, struct part *parts, size_t n)
{
	const struct wl_activity *activity = &r->derived->activity->device[d];
	const struct wl_interval *w = &r->scope->device[d];
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		wl_ns begin = parts[i].begin > w->begin ? parts[i].begin : w->begin;
		wl_ns end = parts[i].end < w->end ? parts[i].end : w->end;

		parts[i].window += begin < end ? end - begin : 0;
	}
	for (size_t i = 0; i < activity->n; i++) {
		wl_ns begin = activity->begin[i] > w->begin ? activity->begin[i] : w->begin;
		wl_ns end = activity->begin[i + 1] < w->end ? activity->begin[i + 1] : w->end;

		if (begin < end && activity->mask[i])
			add_segment(begin, end, activity->mask[i], parts, n, &at);
	}
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	size_t n = (size_t)r->arg[PARTS].i64;
	struct wl_interval hull;
	struct part *parts;

	if (n == 0 || !find_hull(r, &hull))
		return WL_OK;
	parts = cut(&hull, &n, r->arena);
	if (!parts)
		return wl_no_memory(&wl_analysis_busy, reterr);
	for (uint32_t d = 0; d < r->trace->n_devices; d++) {
		if (r->scope->device_on[d])
			add_device(r, d, parts, n);
	}
	for (size_t i = 0; i < n; i++) {
		wl_table_row(out);
		wl_put_i64(out, START, parts[i].begin);
		wl_put_i64(out, WINDOW, parts[i].window);
		wl_put_i64(out, BUSY, parts[i].busy);
		wl_put_ratio(out, BUSY_SHARE, parts[i].busy, parts[i].window);
		wl_put_ratio(out, COMPUTE_SHARE, parts[i].compute, parts[i].window);
	}
	return WL_OK;
}

const struct wl_analysis wl_analysis_busy = {
	.name = "busy",
	.look = WL_LOOK_STRIP,
	.help = "Show how busy the GPUs are over time",
	.about = "The time from the first to the last operation in parts of equal length. Shares "
		 "are of the time that the GPUs' windows have in the part, of all GPUs together.",
	.needs_any = needs_any,
	.from = WL_FROM(CLASSES) | WL_FROM(ACTIVITY),
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.run = run,
};
