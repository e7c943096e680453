/* SPDX-License-Identifier: MIT */
/* diff_waits.c - idle time of both sides by cause and detail. */
#include <stdlib.h>
#include <string.h>

#include "base/text/apportion.h"
#include "compare/diff/diff_parts.h"

static bool is_same(const struct wl_wait_change *w, enum wl_cause cause, const char *detail)
{
	return w->cause == cause && (w->detail == NULL) == (detail == NULL) &&
	       (!detail || strcmp(w->detail, detail) == 0);
}

/* Rows are few: the limits of a fingerprint bound them. */
static size_t add_side(struct wl_wait_change *all, size_t n, const struct wl_diff *d,
		       enum wl_side side)
{
	const struct wl_fingerprint *f = d->side[side];

	for (size_t i = 0; i < f->n_waits; i++) {
		const struct wl_fp_wait *w = &f->wait[i];
		size_t k = 0;

		while (k < n && !is_same(&all[k], w->cause, w->detail))
			k++;
		if (k == n)
			all[n++] =
				(struct wl_wait_change){ .cause = w->cause, .detail = w->detail };
		all[k].ns[side] += w->ns[d->extent];
	}
	return n;
}

/* Sums become times per step; those of a cause add up to its part of the step. */
static bool round_side(struct wl_wait_change *all, size_t n, const struct wl_diff *d,
		       enum wl_side side, struct wl_arena *arena)
{
	int64_t *sum = WL_NEW(arena, int64_t, n), *mean = WL_NEW(arena, int64_t, n);

	if (!sum || !mean)
		return false;
	for (size_t c = 0; c < WL_N_CAUSES; c++) {
		size_t m = 0;

		for (size_t i = 0; i < n; i++) {
			if (all[i].cause == c)
				sum[m++] = all[i].ns[side];
		}
		if (!wl_apportion(sum, m, d->by[side], d->part[side][WL_PART_IDLE + c], arena,
				  mean))
			return false;
		m = 0;
		for (size_t i = 0; i < n; i++) {
			if (all[i].cause == c)
				all[i].ns[side] = mean[m++];
		}
	}
	return true;
}

static int larger_first(const void *va, const void *vb)
{
	const struct wl_wait_change *a = va, *b = vb;
	int order = wl_compare_changes(a->ns, b->ns);

	if (order != 0)
		return order;
	if (a->cause != b->cause)
		return a->cause < b->cause ? -1 : 1;
	return strcmp(a->detail ? a->detail : "", b->detail ? b->detail : "");
}

bool wl_diff_waits(struct wl_diff *d, struct wl_arena *arena)
{
	size_t most = d->side[WL_BEFORE]->n_waits + d->side[WL_AFTER]->n_waits, n;
	struct wl_wait_change *all = WL_NEW(arena, struct wl_wait_change, most);

	if (!all)
		return false;
	n = add_side(all, 0, d, WL_BEFORE);
	n = add_side(all, n, d, WL_AFTER);
	if (!round_side(all, n, d, WL_BEFORE, arena) || !round_side(all, n, d, WL_AFTER, arena))
		return false;
	qsort(all, n, sizeof(*all), larger_first);
	/*
	 * Rows that rounding made 0 on both sides have the smallest change, and of equal changes
	 * the smallest time: they are last.
	 */
	while (n > 0 && !all[n - 1].ns[WL_BEFORE] && !all[n - 1].ns[WL_AFTER])
		n--;
	d->wait = all;
	d->n_waits = n;
	return true;
}
