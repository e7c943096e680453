/* SPDX-License-Identifier: MIT */
/* diff_gates.c - finds the values of a gate on both sides, and judges it. */
#include <string.h>

#include "base/text/nearest.h"
#include "compare/diff/diff_parts.h"
#include "known/kernels/names.h"

typedef bool fits_fn(const struct wl_pair *pair, const char *name);

static bool has_name(const struct wl_pair *p, const char *name)
{
	return strcmp(p->name, name) == 0 ||
	       (p->before.row && strcmp(p->before.row->name, name) == 0);
}

static bool has_base(const struct wl_pair *p, const char *name)
{
	char base[WL_FP_NAME + 1];

	(void)wl_name_base(p->name, base, sizeof(base));
	return strcmp(base, name) == 0;
}

/* The last part of a path: "step > forward" is also called forward. */
static bool has_end(const struct wl_pair *p, const char *name)
{
	static const char glue[] = " > ";
	size_t all = strlen(p->name), n = strlen(name), g = strlen(glue);

	return all > n + g && strcmp(p->name + all - n, name) == 0 &&
	       strncmp(p->name + all - n - g, glue, g) == 0;
}

static bool has_part(const struct wl_pair *p, const char *name)
{
	return strstr(p->name, name) != NULL;
}

static const struct wl_row_pairs *pairs_of(const struct wl_diff *d, enum wl_metric metric)
{
	if (metric == WL_METRIC_KERNEL)
		return &d->kernels;
	return metric == WL_METRIC_RANGE ? &d->ranges : &d->categories;
}

static int refuse(const struct wl_gate *g, const struct wl_row_pairs *all, struct wl_err *reterr)
{
	struct wl_nearest nearest;
	const char *best;

	wl_nearest_init(&nearest, g->name);
	for (size_t i = 0; i < all->n; i++) {
		if (!all->pair[i].is_others)
			wl_nearest_offer(&nearest, all->pair[i].name);
	}
	best = wl_nearest_get(&nearest);
	/* Where none comes near, one of them shows at least how they look. */
	if (!best && all->n && !all->pair[0].is_others)
		best = all->pair[0].name;
	return wl_fail(reterr, WL_E_USAGE, "--gate '%.100s': neither side has such a %s%s%.200s",
		       g->text, wl_metric_name(g->metric), best ? "; there is " : "",
		       best ? best : "");
}

/* The one row that is meant: by its name, then by a shorter form of it, then by a part. */
static int find_row(const struct wl_gate *g, const struct wl_row_pairs *all,
		    const struct wl_pair **ret, struct wl_err *reterr)
{
	fits_fn *const ways[] = { has_name, g->metric == WL_METRIC_KERNEL ? has_base : has_end,
				  has_part };

	for (size_t way = 0; way < WL_COUNT(ways); way++) {
		const struct wl_pair *found = NULL;

		for (size_t i = 0; i < all->n; i++) {
			const struct wl_pair *p = &all->pair[i];

			if (p->is_others || !ways[way](p, g->name))
				continue;
			if (found)
				return wl_fail(reterr, WL_E_USAGE,
					       "--gate '%.100s': could mean %.120s or %.120s; give "
					       "more of the name",
					       g->text, found->name, p->name);
			found = p;
		}
		/*
		 * The exact name wins over a shorter form even if that fits several rows, so that a
		 * full name is never ambiguous.
		 */
		*ret = found;
		if (found)
			return WL_OK;
	}
	return refuse(g, all, reterr);
}

static const struct wl_series *series_of(const struct wl_fingerprint *f, enum wl_metric metric)
{
	if (metric == WL_METRIC_BUSY)
		return &f->busy;
	if (metric == WL_METRIC_IDLE)
		return &f->idle;
	return metric == WL_METRIC_EXPOSED_COMM ? &f->exposed_comm : &f->launch_series;
}

/* The sample of the metric on one side; a row that the side lacks is 0 in every step. */
static bool get_sample(const struct wl_diff *d, enum wl_side side, enum wl_metric metric,
		       const struct wl_pair *pair, struct wl_arena *arena, struct wl_sorted *ret)
{
	const struct wl_fingerprint *f = d->side[side];
	const struct wl_fp_row *row = NULL;

	*ret = (struct wl_sorted){ .n = 0 };
	if (d->extent == WL_OF_WINDOW)
		return true;
	if (metric == WL_METRIC_STEP)
		return wl_sorted_make(f->step, f->n_steps, arena, ret);
	if (metric < WL_METRIC_KERNEL)
		return wl_series_expand(series_of(f, metric), arena, ret);
	row = side == WL_BEFORE ? pair->before.row : pair->after.row;
	if (row)
		return wl_series_expand(&row->series, arena, ret);
	*ret = (struct wl_sorted){ WL_NEW(arena, int64_t, f->n_steps), f->n_steps, f->n_steps };
	return ret->at != NULL;
}

static int judge(struct wl_diff *d, const struct wl_gate *g, struct wl_arena *arena,
		 struct wl_gated *ret, struct wl_err *reterr)
{
	const struct wl_pair *pair = NULL;
	struct wl_sorted before, after;
	int r = WL_OK;

	/* Nothing would ever be more than what is not known. */
	if (g->metric >= WL_METRIC_LAUNCHES && d->side[WL_AFTER]->is_of_sums)
		return wl_fail(
			reterr, WL_E_USAGE,
			"--gate '%.100s': facts of several traces hold no launches, kernels, "
			"ranges and categories; gate step, busy, idle or exposed_comm, or "
			"compare the traces",
			g->text);
	if (g->metric >= WL_METRIC_KERNEL)
		r = find_row(g, pairs_of(d, g->metric), &pair, reterr);
	if (r < 0)
		return r;
	*ret = (struct wl_gated){ .gate = g, .name = pair ? pair->name : NULL };
	if (!get_sample(d, WL_BEFORE, g->metric, pair, arena, &before) ||
	    !get_sample(d, WL_AFTER, g->metric, pair, arena, &after) ||
	    !wl_gate_judge(g, before, after, arena, &ret->result))
		return wl_fail(reterr, WL_E_NOMEM, "diff: no memory for the gates");
	if (d->skips_gates)
		ret->result.outcome = WL_GATE_SKIPPED;
	return WL_OK;
}

int wl_diff_gates(struct wl_diff *d, const struct wl_diff_opts *opts, struct wl_arena *arena,
		  struct wl_err *reterr)
{
	struct wl_gated *gated = WL_NEW(arena, struct wl_gated, opts->n_gates);
	int r = WL_OK;

	if (!gated)
		return wl_fail(reterr, WL_E_NOMEM, "diff: no memory for the gates");
	for (size_t i = 0; r == WL_OK && i < opts->n_gates; i++)
		r = judge(d, &opts->gate[i], arena, &gated[i], reterr);
	d->gated = gated;
	d->n_gated = opts->n_gates;
	return r;
}
