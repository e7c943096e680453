/* SPDX-License-Identifier: MIT */
#include "compare/stats/series.h"

#include "base/memory/compare.h"
#include "base/memory/sort.h"

WL_LESS(value_less, int64_t)

/* The rank of each value less the mean rank; equal values share theirs. */
static void center_ranks(const int64_t *values, const uint32_t *order, size_t n, double *ret)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && values[order[end]] == values[order[i]];)
			end++;
		for (size_t k = i; k < end; k++)
			ret[order[k]] = ((double)(i + end - 1) - (double)(n - 1)) / 2;
	}
}

/*
 * The effective sample size of an autoregressive process of order one: n (1 - r) / (1 + r).
 * Ranks instead of values, so that a single long step does not decide.
 */
static size_t find_worth(const double *rank, size_t n)
{
	/*
	 * Beyond this, n would be worth less than a hundredth, and a trend looks the same as
	 * correlation.
	 */
	static const double most = 0.98;
	double products = 0, squares = 0, r, worth;

	for (size_t i = 0; i < n; i++) {
		squares += rank[i] * rank[i];
		products += i ? rank[i] * rank[i - 1] : 0;
	}
	if (!(squares > 0))
		return n; /* all are equal */
	/* The estimate is biased by about -1/n, also of independent values. */
	r = products / squares + 1 / (double)n;
	r = r < 0 ? 0 : r > most ? most : r;
	worth = (double)n * (1 - r) / (1 + r) + 0.5;
	return worth < 1 ? 1 : (size_t)worth;
}

bool wl_sorted_make(const int64_t *values, size_t n, struct wl_arena *arena, struct wl_sorted *ret)
{
	int64_t *at = WL_NEW(arena, int64_t, n);
	uint32_t *order;
	double *rank;
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	order = WL_NEW(&scratch, uint32_t, 2 * n);
	rank = WL_NEW(&scratch, double, n);
	ok = at && order && rank;
	if (ok) {
		wl_sort_all(order, n, value_less, values);
		for (size_t i = 0; i < n; i++)
			at[i] = values[order[i]];
		center_ranks(values, order, n, rank);
		*ret = (struct wl_sorted){ at, n, n ? find_worth(rank, n) : 0 };
	}
	wl_arena_release(&scratch);
	return ok;
}

/* Where the k-th of the kept values stands among n. Rounded down, so that the middle one is the
 * nearest-rank median. */
static size_t kept_rank(size_t k, size_t n_kept, size_t n)
{
	return n_kept < 2 ? 0 : k * (n - 1) / (n_kept - 1);
}

bool wl_series_make(const int64_t *values, size_t n, struct wl_arena *arena, struct wl_series *ret)
{
	size_t n_kept = n < WL_SERIES_KEPT ? n : WL_SERIES_KEPT;
	int64_t *at = WL_NEW(arena, int64_t, n_kept);
	struct wl_sorted all;
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	ok = at && wl_sorted_make(values, n, &scratch, &all);
	for (size_t k = 0; ok && k < n_kept; k++)
		at[k] = all.at[kept_rank(k, n_kept, n)];
	if (ok)
		*ret = (struct wl_series){ n, all.draws, n_kept, at };
	wl_arena_release(&scratch);
	return ok;
}

bool wl_series_expand(const struct wl_series *s, struct wl_arena *arena, struct wl_sorted *ret)
{
	int64_t *at = WL_NEW(arena, int64_t, s->n);

	if (!at)
		return false;
	for (size_t k = 0; k < s->n_kept; k++) {
		size_t from = kept_rank(k, s->n_kept, s->n);
		size_t to = k + 1 < s->n_kept ? kept_rank(k + 1, s->n_kept, s->n) : from + 1;
		double step = k + 1 < s->n_kept ? (double)(s->at[k + 1] - s->at[k]) : 0;

		for (size_t i = from; i < to; i++)
			at[i] = s->at[k] +
				(int64_t)(step * (double)(i - from) / (double)(to - from));
	}
	*ret = (struct wl_sorted){ at, s->n, s->worth };
	return true;
}
