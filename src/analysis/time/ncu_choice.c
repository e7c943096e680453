/* SPDX-License-Identifier: MIT */
/*
 * ncu_choice.c - the launches that ncu should measure: those of the kernels with the largest sums,
 * in a step from the middle of the run. The command plan shows them.
 */
#include "analysis/time/ncu_choice.h"

#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/memory/intern.h"
#include "base/memory/texts.h"
#include "derive/iters/iters.h"
#include "derive/kinds/classes.h"
#include "derive/rows/stats.h"

WL_DECLARE_ANALYSIS(ncu_choice);

/* ncu replays a launch many times: a few launches of one step tell as much as all. */
enum { MOST_LAUNCHES = 5 };

static const struct wl_col cols[] = {
	[WL_CHOICE_KERNEL] = { "kernel", "Kernel", WL_T_STR, WL_KEY,
			       "Name of the function, which ncu matches." },
	[WL_CHOICE_LAUNCHES] = { "launches", "Launches", WL_T_COUNT, WL_SUM,
				 "Launches of functions of this name in the process." },
	[WL_CHOICE_SUM] = { "sum", "Sum", WL_T_NS, WL_SUM, "Their durations, summed." },
	[WL_CHOICE_SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN,
			      "Share of the compute kernels of the process." },
	[WL_CHOICE_SKIP] = { "skip", "Skip", WL_T_COUNT, WL_PLAIN,
			     "Launches of this name before those to measure." },
	[WL_CHOICE_COUNT] = { "count", "Count", WL_T_COUNT, WL_PLAIN, "Launches to measure." },
	[WL_CHOICE_STEP] = { "step", "Step", WL_T_COUNT, WL_PLAIN,
			     "Step that they are of; empty where steps are not known, and the "
			     "middle launch begins." },
};

static const struct wl_param params[] = {
	[WL_CHOICE_TOP] = { .key = "top",
			    .type = WL_P_COUNT,
			    .def = "3",
			    .help = "How many kernels." },
};

static const enum wl_column_id needs[] = { WL_KERNELS_START, WL_KERNELS_DUR, WL_KERNELS_PLACE,
					   WL_KERNELS_NAME, WL_N_COLUMNS };

/* A function, identified by name. */
struct function {
	uint32_t label; /* index of the first kernel name of this function */
	size_t n, before, within;
	wl_ns sum;
};

struct choosing {
	const struct wl_run *run;
	struct wl_ops ops;
	const uint32_t *label; /* by kernel name */
	uint32_t process;
	wl_ns total;                     /* time of its compute kernels */
	const struct wl_iteration *step; /* NULL if there is none */
	size_t step_number;
	struct function *of; /* by label */
};

/* The process of a selected compute kernel; WL_NONE for other kernels. */
static uint32_t process_of(const struct choosing *c, size_t row)
{
	const struct wl_trace *t = c->run->trace;
	uint32_t place = c->ops.place[row];

	if (!c->run->scope->place_on[place] ||
	    wl_class_of(t, c->run->derived->classes, WL_F_KERNELS, row) != WL_COMPUTE)
		return WL_NONE;
	return t->places[place].process;
}

/* Chooses the process with the most compute: ranks do the same work, and one is enough. */
static bool choose_process(struct choosing *c)
{
	size_t n = c->run->trace->n_processes;
	wl_ns *sum = WL_NEW(c->run->arena, wl_ns, n + 1);

	c->process = WL_NONE;
	for (size_t i = 0; sum && i < c->ops.n; i++) {
		uint32_t p = process_of(c, i);

		if (p < n)
			sum[p] = wl_add_up(sum[p], wl_dur(c->ops.family, c->ops.dur, i));
	}
	for (uint32_t p = 0; sum && p < n; p++) {
		if (sum[p] > c->total) {
			c->process = p;
			c->total = sum[p];
		}
	}
	return sum != NULL;
}

/* Caches are warm and libraries loaded in the middle of the run. */
static void choose_step(struct choosing *c)
{
	const struct wl_process_iters *iters;

	if (c->process == WL_NONE)
		return;
	iters = &c->run->derived->iterations->process[c->process];
	/* With one or two steps, the middle one is the last, which the end of the capture may
	 * cut. */
	if (iters->n < 3)
		return;
	c->step_number = iters->n / 2;
	c->step = &iters->at[c->step_number];
}

static bool count(struct choosing *c)
{
	const struct wl_trace *t = c->run->trace;
	const char **text = WL_NEW(c->run->arena, const char *, t->n_kernel_names + 1);

	c->of = WL_NEW(c->run->arena, struct function, t->n_kernel_names + 1);
	for (size_t i = 0; text && i < t->n_kernel_names; i++)
		text[i] = wl_str(t, t->kernel_names[i].brief);
	c->label = text ? wl_texts_merge(text, t->n_kernel_names, c->run->arena) : NULL;
	if (!c->of || !c->label)
		return false;
	for (size_t i = 0; c->process != WL_NONE && i < c->ops.n; i++) {
		struct function *f = &c->of[c->label[wl_kernels_name(t)[i]]];

		if (process_of(c, i) != c->process)
			continue;
		f->label = c->label[wl_kernels_name(t)[i]];
		f->n++;
		f->sum = wl_add_up(f->sum, wl_dur(c->ops.family, c->ops.dur, i));
		if (!c->step)
			continue;
		/*
		 * ncu counts the launches of a name in the process: those before the step are
		 * skipped.
		 */
		f->before += c->ops.start[i] < c->step->tile.begin;
		f->within += c->ops.start[i] >= c->step->tile.begin &&
			     c->ops.start[i] < c->step->tile.end;
	}
	return true;
}

static int compare(const void *x, const void *y)
{
	const struct function *a = x, *b = y;

	if (a->sum != b->sum)
		return a->sum > b->sum ? -1 : 1;
	return (a->label > b->label) - (a->label < b->label);
}

static void add_row(const struct choosing *c, const struct function *f, struct wl_table *out)
{
	const struct wl_trace *t = c->run->trace;
	size_t skip = f->within ? f->before : f->n / 2;
	size_t n = f->within ? f->within : f->n - skip;

	wl_table_row(out);
	wl_put_str(out, WL_CHOICE_KERNEL, wl_str(t, t->kernel_names[f->label].brief));
	wl_put_i64(out, WL_CHOICE_LAUNCHES, (int64_t)f->n);
	wl_put_i64(out, WL_CHOICE_SUM, f->sum);
	wl_put_ratio(out, WL_CHOICE_SHARE, f->sum, c->total);
	wl_put_i64(out, WL_CHOICE_SKIP, (int64_t)skip);
	wl_put_i64(out, WL_CHOICE_COUNT, (int64_t)(n < MOST_LAUNCHES ? n : MOST_LAUNCHES));
	if (f->within)
		wl_put_i64(out, WL_CHOICE_STEP, (int64_t)c->step_number);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct choosing c = { .run = r, .ops = wl_trace_ops(r->trace, WL_F_KERNELS) };
	size_t top = (size_t)r->arg[WL_CHOICE_TOP].i64, n = r->trace->n_kernel_names;

	if (!choose_process(&c))
		return wl_no_memory(&wl_analysis_ncu_choice, reterr);
	choose_step(&c);
	if (!count(&c))
		return wl_no_memory(&wl_analysis_ncu_choice, reterr);
	if (n)
		qsort(c.of, n, sizeof(*c.of), compare);
	for (size_t i = 0; i < n && i < top && c.of[i].n > 0; i++)
		add_row(&c, &c.of[i], out);
	return WL_OK;
}

const struct wl_analysis wl_analysis_ncu_choice = {
	.name = "ncu-choice",
	.help = "Choose the launches that ncu is to measure",
	.about = "The compute kernels with the largest sums, by the name of their function, in the "
		 "process that computes most; and the launches of each in a step from the middle "
		 "of the run, at most five.",
	.needs = needs,
	.from = WL_FROM(CLASSES) | WL_FROM(ITERATIONS),
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.run = run,
};
