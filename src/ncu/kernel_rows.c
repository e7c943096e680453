/* SPDX-License-Identifier: MIT */
#include "ncu/kernel_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/intern.h"

/* A launch to be assigned to a row. */
struct item {
	const struct wl_ncu_launch *launch;
	const char *gpu; /* "" if unknown */
};

static int compare_dims(const uint32_t a[3], const uint32_t b[3])
{
	for (size_t i = 0; i < 3; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

static int compare_keys(const struct item *a, const struct item *b)
{
	int by = strcmp(a->launch->kernel, b->launch->kernel);

	by = by ? by : compare_dims(a->launch->grid, b->launch->grid);
	by = by ? by : compare_dims(a->launch->block, b->launch->block);
	by = by ? by
		: (a->launch->shared > b->launch->shared) - (a->launch->shared < b->launch->shared);
	return by ? by : strcmp(a->gpu, b->gpu);
}

/* Launches are elements of one array, so their addresses give their order. */
static int compare_items(const void *x, const void *y)
{
	const struct item *a = x, *b = y;
	int by = compare_keys(a, b);

	return by ? by : (a->launch > b->launch) - (a->launch < b->launch);
}

static int compare_rows(const void *x, const void *y)
{
	const struct wl_ncu_row *a = x, *b = y;
	double p = isnan(a->work.ns) ? -1 : a->work.ns, q = isnan(b->work.ns) ? -1 : b->work.ns;

	if (p != q)
		return p > q ? -1 : 1;
	return (a->launch > b->launch) - (a->launch < b->launch);
}

static const char *gpu_of(const struct wl_ncu *ncu, const struct wl_ncu_launch *l, uint32_t metric)
{
	const struct wl_ncu_value *v = wl_ncu_values(ncu, l);

	for (size_t i = 0; metric != WL_NONE && i < l->n; i++) {
		if (v[i].metric == metric && v[i].text)
			return v[i].text;
	}
	return "";
}

static void add_work(struct wl_ncu_work *sum, const struct wl_ncu_work *w)
{
	sum->ns += w->ns;
	sum->total_flop += w->total_flop;
	sum->dram_bytes += w->dram_bytes;
	for (size_t i = 0; i < WL_NCU_N_DTYPES; i++)
		sum->flop[i] += w->flop[i];
}

/* Adds one launch to the mean of n launches with total weight *sum. */
static void add_mean(struct wl_ncu_measures *mean, const struct wl_ncu_measures *m, double sum,
		     double weight)
{
	for (size_t i = 0; i < WL_NCU_LIMIT_REGISTERS; i++)
		mean->of[i] += (m->of[i] - mean->of[i]) * (weight / (sum + weight));
}

/* A launch with an unknown or zero duration has the weight of one nanosecond. */
static double weight_of(const struct wl_ncu_measures *m)
{
	double ns = m->of[WL_NCU_DURATION];

	return ns > 1 ? ns : 1;
}

static void make_row(const struct wl_ncu *ncu, const struct wl_ncu_terms *terms,
		     const struct item *item, size_t n, struct wl_ncu_row *ret)
{
	double sum = 0;

	*ret = (struct wl_ncu_row){ .launch = item->launch,
				    .gpu = *item->gpu ? item->gpu : NULL,
				    .n_launches = n };
	for (size_t i = 0; i < n; i++) {
		struct wl_ncu_measures m;
		struct wl_ncu_work w;

		wl_ncu_measure(ncu, terms, item[i].launch, &m);
		wl_ncu_work_of(&m, &w);
		if (i == 0) {
			ret->mean = m;
			ret->work = w;
		} else {
			add_mean(&ret->mean, &m, sum, weight_of(&m));
			add_work(&ret->work, &w);
		}
		sum += weight_of(&m);
	}
}

static size_t run_length(const struct item *item, size_t n, bool by_launch)
{
	size_t k = 1;

	while (!by_launch && k < n && compare_keys(&item[k], item) == 0)
		k++;
	return k;
}

bool wl_ncu_rows_find(const struct wl_ncu *ncu, bool by_launch, struct wl_arena *arena,
		      struct wl_ncu_rows *ret)
{
	size_t n = ncu->launches.n, step;
	struct item *item = WL_NEW(arena, struct item, n + 1);
	uint32_t gpu = wl_ncu_find(ncu, "device__attribute_display_name");
	struct wl_ncu_terms terms;

	*ret = (struct wl_ncu_rows){ .row = WL_NEW(arena, struct wl_ncu_row, n + 1) };
	if (!item || !ret->row || !wl_ncu_terms_find(ncu, arena, &terms))
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct wl_ncu_launch *l = wl_ncu_launch(ncu, i);

		item[i] = (struct item){ l, gpu_of(ncu, l, gpu) };
	}
	if (!by_launch)
		qsort(item, n, sizeof(*item), compare_items);
	for (size_t i = 0; i < n; i += step) {
		struct wl_ncu_row *row = &ret->row[ret->n++];

		step = run_length(&item[i], n - i, by_launch);
		make_row(ncu, &terms, &item[i], step, row);
		ret->total_ns += isnan(row->work.ns) ? 0 : row->work.ns;
	}
	if (!by_launch)
		qsort(ret->row, ret->n, sizeof(*ret->row), compare_rows);
	return true;
}
