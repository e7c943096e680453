/* SPDX-License-Identifier: MIT */
#include "derive/graph/build/graph_pairs.h"

#include "base/memory/sort.h"

enum {
	MOST_LEAST_NS = 20000, /* longer lags are not used for learning */
	FEWEST = 10,           /* fewest operations to learn from */
	MOST_CHANCE = 3,       /* at most one in this many close starts may be by chance */
	LEAST_GAIN = 10,       /* and at least one in this many of all must not be */
	NEARLY = 100,          /* 1/NEARLY of all counts as no difference */
};

wl_ns wl_hold_moment(uint32_t k, wl_ns ready, wl_ns start)
{
	wl_ns f = (618 * (wl_ns)k + 309) % 1000, hold = start - ready, part = 1000 + 8 * f;

	return ready + hold / 10000 * part + hold % 10000 * part / 10000;
}

/* The lags of a pair and those of its chance moments, sorted. */
struct lags {
	int64_t *lag, *chance;
	size_t n;
};

static size_t count_within(const int64_t *at, size_t n, wl_ns within)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (at[mid] <= within)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* How many more operations than chance moments are at least as close as operation i. */
static int64_t gain_at(const struct lags *l, size_t i)
{
	return (int64_t)count_within(l->lag, l->n, l->lag[i]) -
	       (int64_t)count_within(l->chance, l->n, l->lag[i]);
}

/* Index of the least lag at which the gain is nearly the largest; n if no lag is short enough. */
static size_t find_least(const struct lags *l)
{
	size_t n = count_within(l->lag, l->n, MOST_LEAST_NS);
	int64_t best = INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		int64_t gain = gain_at(l, i);

		best = gain > best ? gain : best;
	}
	for (size_t i = 0; i < n; i++) {
		if (NEARLY * (best - gain_at(l, i)) <= (int64_t)l->n)
			return i;
	}
	return l->n;
}

static wl_ns learn(const struct lags *l)
{
	size_t least = find_least(l), n_close, n_chance;
	wl_ns within;

	if (least == l->n)
		return WL_INFER_NS;
	n_close = count_within(l->lag, l->n, l->lag[least]);
	n_chance = count_within(l->chance, l->n, l->lag[least]);
	if (n_close < FEWEST)
		return WL_INFER_NS;
	if (LEAST_GAIN * n_close < LEAST_GAIN * n_chance + l->n || MOST_CHANCE * n_chance > n_close)
		return -1;
	within = l->lag[least] * 5 / 4;
	return within > WL_INFER_NS ? within : WL_INFER_NS;
}

bool wl_stream_pairs_learn(const struct wl_held_op *op, size_t n, struct wl_arena *scratch,
			   struct wl_stream_pair *pair, size_t n_pairs)
{
	size_t *first = WL_NEW(scratch, size_t, n_pairs + 2);
	int64_t *lag = WL_NEW(scratch, int64_t, n), *chance = WL_NEW(scratch, int64_t, n);

	if (!first || !lag || !chance)
		return false;
	for (size_t i = 0; i < n; i++)
		first[op[i].pair + 2]++;
	for (size_t i = 0; i < n_pairs; i++)
		first[i + 2] += first[i + 1];
	for (size_t i = 0; i < n; i++) {
		size_t at = first[op[i].pair + 1]++;

		lag[at] = op[i].lag;
		chance[at] = op[i].chance;
	}
	for (size_t i = 0; i < n_pairs; i++) {
		const struct lags l = { lag + first[i], chance + first[i],
					first[i + 1] - first[i] };

		wl_sort_i64(l.lag, l.n);
		wl_sort_i64(l.chance, l.n);
		pair[i].within = learn(&l);
		pair[i].n_held = (uint32_t)l.n;
		pair[i].n_chance = (uint32_t)count_within(l.chance, l.n, pair[i].within);
	}
	return true;
}
