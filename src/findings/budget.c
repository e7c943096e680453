/* SPDX-License-Identifier: MIT */
/* budget.c - the mean step by parts: compute, exposed time, and idle time by cause. */
#include "base/apportion.h"
#include "findings/docket.h"

enum { PART, TIME, SHARE, LEAST, MOST };

static const struct wl_col cols[] = {
	[PART] = { "part", "Part", WL_T_ENUM, WL_KEY,
		   "compute, exposed_comm, exposed_copy, or the cause of idle time." },
	[TIME] = { "time", "Time", WL_T_NS, WL_PLAIN,
		   "Mean over steps and GPUs; parts add up to the mean step." },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN, "Of the step." },
	[LEAST] = { "least", "Least", WL_T_NS, WL_PLAIN, "Mean step of the GPU that has least." },
	[MOST] = { "most", "Most", WL_T_NS, WL_PLAIN, "Mean step of the GPU that has most." },
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

enum { N_PARTS = WL_N_LOSSES + 1 }; /* compute comes first */

/* A part of a step: compute, what is exposed, then causes. */
static wl_ns part_of(const struct wl_tile *tile, unsigned part)
{
	static const enum wl_loss exposed[] = { WL_LOSS_EXPOSED_COMM, WL_LOSS_EXPOSED_COPY };

	if (part == 0)
		return tile->compute;
	return tile->loss[part <= WL_COUNT(exposed) ? exposed[part - 1]
						    : part - 1 - WL_COUNT(exposed)];
}

static const char *part_name(unsigned part)
{
	if (part == 0)
		return "compute";
	if (part <= 2)
		return wl_loss_name(part == 1 ? WL_LOSS_EXPOSED_COMM : WL_LOSS_EXPOSED_COPY);
	return wl_cause_name((enum wl_cause)(part - 3));
}

struct adding {
	wl_ns sum[N_PARTS], least[N_PARTS], most[N_PARTS];
	wl_ns n_steps;
	size_t n_gpus;
};

static void add_gpu(struct adding *a, const struct wl_docket_gpu *t)
{
	wl_ns sum[N_PARTS] = { 0 };

	for (size_t i = 0; i < t->lane->n_tiles; i++) {
		for (unsigned p = 0; t->in_sample[i] && p < N_PARTS; p++)
			sum[p] += part_of(&t->lane->tile[i], p);
	}
	for (unsigned p = 0; p < N_PARTS; p++) {
		wl_ns mean = sum[p] / (wl_ns)t->n_steps;

		a->sum[p] += sum[p];
		a->least[p] = a->n_gpus && a->least[p] < mean ? a->least[p] : mean;
		a->most[p] = a->most[p] > mean ? a->most[p] : mean;
	}
	a->n_steps += (wl_ns)t->n_steps;
	a->n_gpus++;
}

/* Means that add up to the mean of the whole. False without memory. */
static bool put_rows(const struct wl_docket *d, struct wl_table *out)
{
	struct adding a = { .n_steps = 0 };
	wl_ns mean[N_PARTS], all = 0;
	bool by_step = false;

	for (size_t i = 0; i < d->n_gpus; i++)
		by_step = by_step || d->gpu[i].by_step;
	for (size_t i = 0; i < d->n_gpus; i++) {
		if (d->gpu[i].by_step == by_step)
			add_gpu(&a, &d->gpu[i]);
	}
	if (a.n_steps == 0)
		return true;
	for (unsigned p = 0; p < N_PARTS; p++)
		all += a.sum[p];
	all = wl_rounded_mean(all, a.n_steps);
	if (!wl_apportion(a.sum, N_PARTS, a.n_steps, all, d->run->arena, mean))
		return false;
	for (unsigned p = 0; p < N_PARTS; p++) {
		if (a.most[p] == 0)
			continue;
		wl_table_row(out);
		wl_put_str(out, PART, part_name(p));
		wl_put_i64(out, TIME, mean[p]);
		wl_put_ratio(out, SHARE, mean[p], all);
		wl_put_i64(out, LEAST, a.least[p]);
		wl_put_i64(out, MOST, a.most[p]);
	}
	wl_docket_note(d, out);
	return true;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct wl_docket docket;
	bool ok = wl_docket_init(&docket, r);

	ok = ok && put_rows(&docket, out);
	wl_docket_release(&docket);
	return ok ? WL_OK : wl_no_memory(&wl_analysis_budget, reterr);
}

const struct wl_analysis wl_analysis_budget = {
	.name = "budget",
	.look = WL_LOOK_BAR,
	.help = "Divide the mean step into compute, exposed time and idle causes",
	.needs_any = needs_any,
	.from = WL_FROM(LEDGER),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.run = run,
};
