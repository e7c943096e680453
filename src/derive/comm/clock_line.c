/* SPDX-License-Identifier: MIT */
#include "derive/comm/clock_line.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

static const wl_ns drift_span = 1000000000;

/*
 * No clock drifts by more, and offsets of a hostile trace must not overflow what they move.
 * Quartz clocks differ by some 100 ppm at most.
 */
static const double most_drift = 0.001;
static const wl_ns most_offset = (wl_ns)1 << 60;

wl_ns wl_clock_aligned(const struct wl_clock_line *line, wl_ns t)
{
	return t - line->offset - (wl_ns)(line->slope * (double)(t - line->at));
}

struct events {
	const wl_ns *first, *second;
	size_t n;
	struct wl_arena *scratch;
};

/* A number that orders as the slope does, and back: below 0 the larger bits come first. */
static int64_t key_of_slope(double slope)
{
	int64_t bits;

	memcpy(&bits, &slope, sizeof(bits));
	return bits < 0 ? bits ^ INT64_MAX : bits;
}

static double slope_of_key(int64_t key)
{
	int64_t bits = key < 0 ? key ^ INT64_MAX : key;
	double slope;

	memcpy(&slope, &bits, sizeof(slope));
	return slope;
}

/* The median of the slopes between any two samples. */
static bool find_slope(const struct events *e, double *ret)
{
	size_t m = e->n < WL_LINE_SAMPLES ? e->n : WL_LINE_SAMPLES, n = 0;
	int64_t *slope = WL_NEW(e->scratch, int64_t, m * (m - 1) / 2);

	*ret = 0;
	for (size_t x = 0; slope && x < m; x++) {
		size_t i = x * e->n / m;

		for (size_t y = x + 1; y < m; y++) {
			size_t k = y * e->n / m;
			wl_ns dt = e->second[k] - e->second[i];

			if (dt > 0)
				slope[n++] = key_of_slope(
					(double)(dt - (e->first[k] - e->first[i])) / (double)dt);
		}
	}
	if (slope && n) {
		*ret = slope_of_key(wl_select_i64(slope, n, wl_rank(n, 50)));
		*ret = *ret < -most_drift || *ret > most_drift ? 0 : *ret;
	}
	return slope != NULL;
}

/* The median of what the slope leaves. */
static void find_offset(const struct events *e, struct wl_clock_line *line, wl_ns *left)
{
	line->offset = 0;
	for (size_t i = 0; i < e->n; i++)
		left[i] = wl_clock_aligned(line, e->second[i]) - e->first[i];
	line->offset = wl_select_i64(left, e->n, wl_rank(e->n, 50));
	/* With |t| <= 2^61 and this bound wl_clock_aligned() stays within 64 bits. */
	if (line->offset < -most_offset || line->offset > most_offset)
		line->offset = 0;
}

/* Whether the slope is more than noise over a short span. */
static bool is_visible(const struct events *e, const struct wl_clock_line *line, wl_ns *left)
{
	double moved = line->slope * (double)(e->second[e->n - 1] - e->second[0]);

	for (size_t i = 0; i < e->n; i++)
		left[i] = llabs(wl_clock_aligned(line, e->second[i]) - e->first[i]);
	return (moved < 0 ? -moved : moved) >
	       3 * (double)wl_select_i64(left, e->n, wl_rank(e->n, 99));
}

static bool fit(const struct events *e, struct wl_clock_line *ret)
{
	wl_ns *left = WL_NEW(e->scratch, wl_ns, e->n);

	*ret = (struct wl_clock_line){ .at = e->second[0] };
	if (!left || (e->n >= WL_DRIFT_EVENTS && !find_slope(e, &ret->slope)))
		return false;
	find_offset(e, ret, left);
	if (ret->slope != 0 && e->second[e->n - 1] - e->second[0] < drift_span &&
	    !is_visible(e, ret, left)) {
		ret->slope = 0;
		find_offset(e, ret, left);
	}
	return true;
}

bool wl_clock_line_fit(const wl_ns *first, const wl_ns *second, size_t n, struct wl_arena *arena,
		       struct wl_clock_line *ret)
{
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	ok = fit(&(struct events){ first, second, n, &scratch }, ret);
	wl_arena_release(&scratch);
	return ok;
}
