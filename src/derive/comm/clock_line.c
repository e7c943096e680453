/* SPDX-License-Identifier: MIT */
#include "derive/comm/clock_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/sort.h"

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
static int64_t key_of_bits(int64_t bits)
{
	return bits < 0 ? bits ^ INT64_MAX : bits;
}

static double slope_of_key(int64_t key)
{
	int64_t bits = key_of_bits(key);
	double slope;

	memcpy(&slope, &bits, sizeof(slope));
	return slope;
}

/* Events that the slope is taken of, from the first on: exact up to 2^53 ns, 104 days. */
struct samples {
	double at[WL_LINE_SAMPLES];    /* on the second clock */
	double ahead[WL_LINE_SAMPLES]; /* of it before the first clock */
	size_t n;
};

static void take_samples(const struct events *e, struct samples *s)
{
	s->n = e->n < WL_LINE_SAMPLES ? e->n : WL_LINE_SAMPLES;
	for (size_t x = 0; x < s->n; x++) {
		size_t i = x * e->n / s->n;
		wl_ns at = e->second[i] - e->second[0];

		s->at[x] = (double)at;
		s->ahead[x] = (double)(at - (e->first[i] - e->first[0]));
	}
}

/* Slopes in no order. */
struct slopes {
	int64_t *bits; /* of each */
	size_t n;      /* of those between two bounds */
	size_t n_from; /* of those from the lower bound on */
};

/* Slopes between samples that are by apart; NAN between two at the same time. */
static size_t compute_slopes(const struct samples *s, size_t by, double slope[WL_LINE_SAMPLES])
{
	size_t n = s->n - by;

	for (size_t x = 0; x < n; x++) {
		double dt = s->at[x + by] - s->at[x];

		/* Not the quotient is chosen, which were a branch around a slow division. */
		slope[x] = (s->ahead[x + by] - s->ahead[x]) / (dt > 0 ? dt : (double)NAN);
	}
	return n;
}

/* All slopes: of pairs of samples at two times. */
static size_t count_slopes(const struct samples *s)
{
	size_t n = 0, first = 0; /* of the samples at the same time */

	for (size_t x = 1; x < s->n; x++) {
		first = s->at[x] > s->at[first] ? x : first;
		n += first;
	}
	return n;
}

/*
 * Add the slopes from lo to hi between samples that are by apart. Each is written, and overwritten
 * by the next unless it is kept: a branch would be mispredicted half of the time. All are divided
 * before any is looked at: then the compiler divides several at once.
 */
static void add_slopes(const struct samples *s, size_t by, double lo, double hi, struct slopes *to)
{
	double slope[WL_LINE_SAMPLES];
	size_t n = to->n, n_from = to->n_from, n_slopes = compute_slopes(s, by, slope);
	int64_t *bits = to->bits;

	for (size_t x = 0; x < n_slopes; x++) {
		size_t is_from = slope[x] >= lo;

		memcpy(&bits[n], &slope[x], sizeof(slope[x]));
		n += is_from & (size_t)(slope[x] <= hi);
		n_from += is_from;
	}
	to->n = n;
	to->n_from = n_from;
}

/* The slope that would be at index k if they were sorted; the bits become undefined. */
static double select_slope(int64_t *bits, size_t n, size_t k)
{
	for (size_t i = 0; i < n; i++)
		bits[i] = key_of_bits(bits[i]);
	return slope_of_key(wl_select_i64(bits, n, k));
}

/*
 * Two slopes between which the median lies in most cases: a 16th before and behind that of some
 * pairs, of all distances.
 */
static void guess_slopes(const struct samples *s, struct slopes *some, double *ret_lo,
			 double *ret_hi)
{
	enum { EVERY = 16, MARGIN = 16 };
	size_t k;

	*ret_lo = -HUGE_VAL;
	*ret_hi = HUGE_VAL;
	for (size_t by = 1; by < s->n; by += EVERY)
		add_slopes(s, by, -HUGE_VAL, HUGE_VAL, some);
	if (some->n < WL_LINE_SAMPLES)
		return;
	k = wl_rank(some->n, 50);
	/* There is room for all pairs, and these are few of them. */
	memcpy(some->bits + some->n, some->bits, some->n * sizeof(*some->bits));
	*ret_lo = select_slope(some->bits + some->n, some->n, k - some->n / MARGIN);
	*ret_hi = select_slope(some->bits, some->n, k + some->n / MARGIN);
}

/*
 * The median of the slopes between any two samples. Most of them are only counted: the median is
 * selected of those near it.
 */
static bool find_slope(const struct events *e, double *ret)
{
	struct slopes all = { .n = 0 };
	struct samples s;
	size_t n, k;
	bool is_found = false;
	double lo, hi;

	*ret = 0;
	take_samples(e, &s);
	n = count_slopes(&s);
	if (n == 0)
		return true;
	k = wl_rank(n, 50);
	/* The one more is never kept. */
	all.bits = WL_NEW(e->scratch, int64_t, s.n * (s.n - 1) / 2 + 1);
	if (!all.bits)
		return false;
	guess_slopes(&s, &all, &lo, &hi);
	for (int round = 0; round < 2 && !is_found; round++) {
		size_t n_less;

		all.n = all.n_from = 0;
		for (size_t by = 1; by < s.n; by++)
			add_slopes(&s, by, lo, hi, &all);
		n_less = n - all.n_from;
		/* Else the guess was wrong, and the median is that of all. */
		is_found = k >= n_less && k - n_less < all.n;
		/* Clocks that agree have many slopes of 0. */
		if (is_found)
			*ret = lo < hi ? select_slope(all.bits, all.n, k - n_less) : lo;
		lo = -HUGE_VAL;
		hi = HUGE_VAL;
	}
	*ret = *ret < -most_drift || *ret > most_drift ? 0 : *ret;
	return true;
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

static bool fit(const struct events *e, struct wl_clock_line *ret)
{
	wl_ns *left = WL_NEW(e->scratch, wl_ns, e->n);

	*ret = (struct wl_clock_line){ .at = e->second[0] };
	if (!left || (e->n >= WL_DRIFT_EVENTS && !find_slope(e, &ret->slope)))
		return false;
	find_offset(e, ret, left);
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
