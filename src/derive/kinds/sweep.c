/* SPDX-License-Identifier: MIT */
#include "derive/kinds/sweep.h"

#include "base/memory/bound.h"
#include "derive/rows/ops.h"

void wl_sweep_times(const struct wl_activity *a, const struct wl_interval *tiles, size_t n,
		    struct wl_usage *ret)
{
	size_t at = n ? wl_activity_after(a, tiles[0].begin) : 0;

	for (size_t i = 0; i < n; i++) {
		wl_ns rest = tiles[i].end - tiles[i].begin;

		while (at < a->n && a->begin[at + 1] <= tiles[i].begin)
			at++;
		/* The last segment may reach into the next tile. */
		for (size_t k = at; k < a->n && a->begin[k] < tiles[i].end; at = k++) {
			wl_ns begin = a->begin[k] > tiles[i].begin ? a->begin[k] : tiles[i].begin;
			wl_ns end = a->begin[k + 1] < tiles[i].end ? a->begin[k + 1] : tiles[i].end;

			ret[i].ns[a->mask[k]] += end - begin;
			rest -= end - begin;
		}
		ret[i].ns[0] += rest;
	}
}

/* The first tile from lo on that begins at t or later. Most operations are in one tile. */
static size_t tile_from(const struct wl_interval *tiles, size_t lo, size_t n, wl_ns t)
{
	if (lo == n || tiles[lo].begin >= t)
		return lo;
	if (lo + 1 == n || tiles[lo + 1].begin >= t)
		return lo + 1;
	return lo + WL_BELOW_BY(wl_interval, begin, tiles + lo, n - lo, t);
}

/* Add an operation to the counts where it begins, or take it back after its end. */
static void count(struct wl_usage *u, enum wl_family_id family, enum wl_class class, size_t by)
{
	u->n_ops += by;
	u->n_graphs += family == WL_F_GRAPHS ? by : 0;
	u->n_comm += class == WL_COMM && family == WL_F_KERNELS ? by : 0;
}

/*
 * The tiles that an operation touches are adjacent: add one at its first tile and subtract one
 * after its last; prefix sums give the counts.
 */
static void count_ops(const struct wl_trace *t, const struct wl_scope *scope,
		      const struct wl_classes *classes, const struct wl_activity *activity,
		      const struct wl_interval *tiles, size_t n, struct wl_usage *ret)
{
	uint32_t device = activity->device;
	struct wl_op_cursor cursor;
	struct wl_op op;
	size_t lo = 0;

	wl_ops_begin(t, device, &cursor);
	if (!scope->whole)
		wl_ops_skip(&cursor, wl_activity_resumed(activity, scope->device[device].begin));
	while (wl_ops_next(&cursor, &op) && op.start < tiles[n - 1].end) {
		enum wl_class class;
		size_t hi;

		if (!scope->place_on[op.place] ||
		    !wl_clip(scope, scope->device[device], &op.start, &op.end))
			continue;
		while (lo < n && tiles[lo].end <= op.start)
			lo++;
		hi = tile_from(tiles, lo, n, op.end > op.start ? op.end : op.end + 1);
		if (hi == lo)
			continue;
		class = wl_class_of(t, classes, op.family, op.row);
		count(&ret[lo], op.family, class, 1);
		/* Unsigned arithmetic wraps, so adding SIZE_MAX subtracts one. */
		if (hi < n)
			count(&ret[hi], op.family, class, SIZE_MAX);
	}
	for (size_t i = 1; i < n; i++) {
		ret[i].n_ops += ret[i - 1].n_ops;
		ret[i].n_graphs += ret[i - 1].n_graphs;
		ret[i].n_comm += ret[i - 1].n_comm;
	}
}

void wl_sweep_tiles(const struct wl_trace *trace, const struct wl_scope *scope,
		    const struct wl_classes *classes, const struct wl_activity *activity,
		    const struct wl_interval *tiles, size_t n, struct wl_usage *ret)
{
	for (size_t i = 0; i < n; i++)
		ret[i] = (struct wl_usage){ .n_ops = 0 };
	if (n == 0)
		return;
	wl_sweep_times(activity, tiles, n, ret);
	count_ops(trace, scope, classes, activity, tiles, n, ret);
}

void wl_sweep_usage(const struct wl_trace *trace, const struct wl_scope *scope,
		    const struct wl_classes *classes, const struct wl_activity *activity,
		    struct wl_usage *ret)
{
	const struct wl_interval window = scope->device[activity->device];
	/* In a whole scope everything counts, including operations that start at its end. */
	const struct wl_interval all = { INT64_MIN, INT64_MAX };

	*ret = (struct wl_usage){ .n_ops = 0 };
	wl_sweep_times(activity, &window, 1, ret);
	count_ops(trace, scope, classes, activity, scope->whole ? &all : &window, 1, ret);
}

/* The part of [begin, end) that the segment covers with wanted bits. */
static wl_ns covered_by(const struct wl_activity *a, size_t i, unsigned wanted, wl_ns begin,
			wl_ns end)
{
	begin = a->begin[i] > begin ? a->begin[i] : begin;
	end = a->begin[i + 1] < end ? a->begin[i + 1] : end;
	return a->mask[i] & wanted && begin < end ? end - begin : 0;
}

void wl_sweep_covered(const struct wl_activity *a, struct wl_interval window, unsigned wanted,
		      const wl_ns *times, size_t n, wl_ns *ret_covered)
{
	wl_ns covered = 0; /* before the current segment */
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		wl_ns upto = times[i] < window.end ? times[i] : window.end;

		for (; at < a->n && a->begin[at + 1] <= upto; at++)
			covered += covered_by(a, at, wanted, window.begin, upto);
		ret_covered[i] = covered;
		if (at < a->n)
			ret_covered[i] += covered_by(a, at, wanted, window.begin, upto);
	}
}

wl_ns wl_usage_any(const struct wl_usage *usage, unsigned wanted)
{
	return wl_usage_without(usage, wanted, 0);
}

wl_ns wl_usage_without(const struct wl_usage *usage, unsigned wanted, unsigned without)
{
	wl_ns sum = 0;

	for (unsigned mask = 0; mask < WL_N_MASKS; mask++) {
		if ((mask & wanted) && !(mask & without))
			sum += usage->ns[mask];
	}
	return sum;
}
