/* SPDX-License-Identifier: MIT */
/* diff_functions.c - idle time of both sides by the function that the launching threads ran. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/apportion.h"
#include "compare/diff/diff_parts.h"

static bool is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Of the sampled time per step: n samples are n more or less its root. */
static double variance_of(const struct wl_fp_function *f, enum wl_extent extent, int64_t by)
{
	double ns = (double)f->sampled[extent] / (double)by;

	return f->n[extent] ? ns * ns / (double)f->n[extent] : 0;
}

/* Rows are few: the limits of a fingerprint bound them. */
static size_t add_side(struct wl_function_change *all, double *variance, size_t n,
		       const struct wl_diff *d, enum wl_side side)
{
	const struct wl_fingerprint *f = d->side[side];

	for (size_t i = 0; i < f->n_functions; i++) {
		size_t k = 0;

		while (k < n && !is_same(all[k].name, f->function[i].name))
			k++;
		if (k == n)
			all[n++] = (struct wl_function_change){ .name = f->function[i].name };
		all[k].ns[side] += f->function[i].ns[d->extent];
		variance[k] += variance_of(&f->function[i], d->extent, d->by[side]);
	}
	return n;
}

/* Sums become times per step. */
static bool round_side(struct wl_function_change *all, size_t n, const struct wl_diff *d,
		       enum wl_side side, struct wl_arena *arena)
{
	int64_t *sum = WL_NEW(arena, int64_t, n), *mean = WL_NEW(arena, int64_t, n), whole = 0;

	if (!sum || !mean)
		return false;
	for (size_t i = 0; i < n; i++) {
		sum[i] = all[i].ns[side];
		whole += sum[i];
	}
	if (!wl_apportion(sum, n, d->by[side], wl_rounded_mean(whole, d->by[side]), arena, mean))
		return false;
	for (size_t i = 0; i < n; i++)
		all[i].ns[side] = mean[i];
	return true;
}

static int larger_first(const void *va, const void *vb)
{
	const struct wl_function_change *a = va, *b = vb;
	int order = wl_compare_changes(a->ns, b->ns);

	if (order != 0)
		return order;
	return strcmp(a->name ? a->name : "", b->name ? b->name : "");
}

bool wl_diff_functions(struct wl_diff *d, struct wl_arena *arena)
{
	const struct wl_fingerprint *a = d->side[WL_BEFORE], *b = d->side[WL_AFTER];
	size_t most = a->n_functions + b->n_functions, n;
	struct wl_function_change *all;
	double *variance;

	/* A side without call stacks says nothing, not even that a function did not run. */
	if (!a->n_functions || !b->n_functions)
		return true;
	all = WL_NEW(arena, struct wl_function_change, most);
	variance = WL_NEW(arena, double, most);
	if (!all || !variance)
		return false;
	n = add_side(all, variance, 0, d, WL_BEFORE);
	n = add_side(all, variance, n, d, WL_AFTER);
	for (size_t i = 0; i < n; i++)
		all[i].error = (wl_ns)(2 * sqrt(variance[i]));
	if (!round_side(all, n, d, WL_BEFORE, arena) || !round_side(all, n, d, WL_AFTER, arena))
		return false;
	qsort(all, n, sizeof(*all), larger_first);
	/* Rows that rounding made 0 on both sides are last. */
	while (n > 0 && !all[n - 1].ns[WL_BEFORE] && !all[n - 1].ns[WL_AFTER])
		n--;
	d->function = all;
	d->n_functions = n;
	return true;
}
