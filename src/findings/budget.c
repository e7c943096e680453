/* SPDX-License-Identifier: MIT */
/* budget.c - divides the mean step into compute, exposed time, and idle time by cause. */
#include "base/text/apportion.h"
#include "base/text/units.h"
#include "derive/calls/call_costs.h"
#include "derive/derived.h"
#include "derive/rows/scope.h"
#include "findings/rule_state.h"

WL_DECLARE_ANALYSIS(budget);

enum { PART, TIME, SHARE, LEAST, MOST, STEPS, FIRST, SECOND, GPUS };

static const struct wl_col cols[] = {
	[PART] = { "part", "Part", WL_T_ENUM, WL_KEY,
		   "compute, exposed_comm, exposed_copy, or the cause of idle time." },
	[TIME] = { "time", "Time", WL_T_NS, WL_PLAIN,
		   "Mean over steps and GPUs; parts add up to the mean step." },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN, "Of the step." },
	[LEAST] = { "least", "Least", WL_T_NS, WL_PLAIN, "Mean step of the GPU that has least." },
	[MOST] = { "most", "Most", WL_T_NS, WL_PLAIN, "Mean step of the GPU that has most." },
	[STEPS] = { "steps", "Steps", WL_T_COUNT, WL_NUMBER | WL_MINOR,
		    "Steps of a GPU that the means are over; empty where times are totals of the "
		    "window." },
	[FIRST] = { "first", "First kind", WL_T_NS, WL_MINOR,
		    "Mean over the steps of the most frequent kind, or of the shorter length; "
		    "empty where steps are of one kind and length." },
	[SECOND] = { "second", "Second kind", WL_T_NS, WL_MINOR,
		     "The same of the next kind, or of the longer length." },
	[GPUS] = { "gpus", "GPUs", WL_T_COUNT, WL_NUMBER | WL_MINOR,
		   "GPUs that the means are over." },
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

enum { N_PARTS = WL_N_LOSSES + 1 }; /* compute comes first */

/* The time of a part of a step: compute, exposed time, then idle causes. */
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

enum { N_SORTS = 2 };

struct adding {
	wl_ns sum[N_PARTS], least[N_PARTS], most[N_PARTS];
	wl_ns n_steps;
	size_t n_gpus, most_steps; /* of a GPU */
	/* For steps of two kinds or lengths: the sums and the number of each. */
	wl_ns of[N_SORTS][N_PARTS];
	wl_ns n_of[N_SORTS];
};

/*
 * Which of two sorts an iteration is: the two most frequent kinds, or shorter and longer, by the
 * nearer median. N_SORTS for neither.
 */
static unsigned sort_of(const struct wl_process_iters *p, const struct wl_tile *tile)
{
	const struct wl_two_lengths *l = &p->lengths;
	enum wl_step_kind kind[WL_N_STEP_KINDS];
	unsigned at = N_SORTS;

	if (p->has_kinds) {
		size_t n = wl_step_kinds_by_count(p, kind);

		for (unsigned i = 0; i < n && i < N_SORTS; i++)
			at = kind[i] == p->at[tile->iter].kind ? i : at;
		return at;
	}
	if (l->n[0] == 0)
		return N_SORTS;
	return tile->length - l->median[0] > l->median[1] - tile->length;
}

static void add_sort(struct adding *a, const struct wl_rule_state *d, const struct wl_rule_gpu *t,
		     const struct wl_tile *tile)
{
	unsigned sort =
		t->by_step && tile->iter != WL_NONE
			? sort_of(&d->run->derived->iterations->process[t->lane->process], tile)
			: N_SORTS;

	if (sort == N_SORTS)
		return;
	for (unsigned p = 0; p < N_PARTS; p++)
		a->of[sort][p] += part_of(tile, p);
	a->n_of[sort]++;
}

static void add_gpu(struct adding *a, const struct wl_rule_state *d, const struct wl_rule_gpu *t)
{
	wl_ns sum[N_PARTS] = { 0 };

	for (size_t i = 0; i < t->lane->n_tiles; i++) {
		if (!t->in_sample[i])
			continue;
		for (unsigned p = 0; p < N_PARTS; p++)
			sum[p] += part_of(&t->lane->tile[i], p);
		add_sort(a, d, t, &t->lane->tile[i]);
	}
	for (unsigned p = 0; p < N_PARTS; p++) {
		wl_ns mean = sum[p] / (wl_ns)t->n_steps;

		a->sum[p] += sum[p];
		a->least[p] = a->n_gpus && a->least[p] < mean ? a->least[p] : mean;
		a->most[p] = a->most[p] > mean ? a->most[p] : mean;
	}
	a->n_steps += (wl_ns)t->n_steps;
	a->most_steps = t->by_step && t->n_steps > a->most_steps ? t->n_steps : a->most_steps;
	a->n_gpus++;
}

/* Put the number of steps averaged, and the means of the two sorts. */
static void put_steps(const struct adding *a, unsigned part, struct wl_table *out)
{
	if (a->most_steps)
		wl_put_i64(out, STEPS, (int64_t)a->most_steps);
	wl_put_i64(out, GPUS, (int64_t)a->n_gpus);
	for (unsigned i = 0; a->n_of[0] && a->n_of[1] && i < N_SORTS; i++)
		wl_put_i64(out, FIRST + i, wl_rounded_mean(a->of[i][part], a->n_of[i]));
}

/* Put the means of the parts, rounded so that they add up to the mean step. False without
 * memory. */
static bool put_rows(const struct wl_rule_state *d, struct wl_table *out)
{
	struct adding a = { .n_steps = 0 };
	wl_ns mean[N_PARTS], all = 0;
	bool by_step = false;

	for (size_t i = 0; i < d->n_gpus; i++)
		by_step = by_step || d->gpu[i].by_step;
	for (size_t i = 0; i < d->n_gpus; i++) {
		if (d->gpu[i].by_step == by_step)
			add_gpu(&a, d, &d->gpu[i]);
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
		put_steps(&a, p, out);
	}
	wl_rule_state_note(d, out);
	return true;
}

/* The length of the longest device window. */
static wl_ns longest_window(const struct wl_run *r)
{
	wl_ns longest = 0;

	for (size_t d = 0; d < r->trace->n_devices; d++) {
		struct wl_interval w = r->scope->device[d];

		if (r->scope->device_on[d] && w.end - w.begin > longest)
			longest = w.end - w.begin;
	}
	return longest;
}

/*
 * A host that waits for space in the launch queue launches faster than the GPU works. The note is
 * on the thread that waits most, since threads wait at the same time.
 */
static void note_lead(const struct wl_run *r, struct wl_table *out)
{
	const struct wl_call_costs *costs = r->derived->call_costs;
	char waited[WL_UNITS_BUF];
	wl_ns most = 0;

	for (uint32_t i = 0; costs && costs->n && i < r->trace->n_threads; i++) {
		wl_ns cost[WL_N_CALL_COSTS] = { 0 }, begin = -WL_TIME_MAX, end = WL_TIME_MAX;

		if (wl_host_clip(r->trace, r->scope, i, &begin, &end))
			wl_call_costs_add(costs, i, begin, end, cost);
		most = cost[WL_COST_QUEUE] > most ? cost[WL_COST_QUEUE] : most;
	}
	if (most && most >= longest_window(r) / 100)
		wl_table_note(out,
			      "the host is ahead of the GPU: a thread waits %s on a full queue",
			      wl_fmt_ns(waited, most, WL_UNIT_AUTO));
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct wl_rule_state state;
	bool ok = wl_rule_state_init(&state, r);

	ok = ok && put_rows(&state, out);
	wl_rule_state_release(&state);
	note_lead(r, out);
	return ok ? WL_OK : wl_no_memory(&wl_analysis_budget, reterr);
}

const struct wl_analysis wl_analysis_budget = {
	.name = "budget",
	.look = WL_LOOK_BAR,
	.help = "Divide the mean step into compute, exposed time and idle causes",
	.needs_any = needs_any,
	.from = WL_FROM(LEDGER) | WL_FROM(CALL_COSTS),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.facts = WL_FACTS_RUN,
	.run = run,
};
