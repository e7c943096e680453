/* SPDX-License-Identifier: MIT */
/* diff_notes.c - what makes two sides hard to compare, and how they were made, as notes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text/units.h"
#include "compare/diff/diff_words.h"

static const char *direction(wl_ns change)
{
	return change > 0 ? "longer" : "shorter";
}

static bool same_gpus(const struct wl_fingerprint *a, const struct wl_fingerprint *b)
{
	if (a->n_gpus != b->n_gpus)
		return false;
	for (size_t i = 0; i < a->n_gpus; i++) {
		if (strcmp(a->gpu[i], b->gpu[i]) != 0)
			return false;
	}
	return true;
}

static bool differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

/* Traces of one program that were taken in two ways differ in what they show, and in its cost. */
static void note_modes(const struct wl_fingerprint *a, const struct wl_fingerprint *b,
		       struct wl_table *out)
{
	if (differ(a->graphs, b->graphs))
		wl_table_note_verdict(
			out,
			"traces of two kinds: CUDA graphs as %.60s and as %.60s; kernels, "
			"idle time and overhead differ with it: record both with one "
			"--cuda-graph-trace",
			a->graphs, b->graphs);
	if (differ(a->tracing, b->tracing))
		wl_table_note_verdict(out,
				      "traces of two kinds: CUDA traced by %.60s and by %.60s; the "
				      "overhead differs with it",
				      a->tracing, b->tracing);
}

static void note_differences(const struct wl_fingerprint *a, const struct wl_fingerprint *b,
			     struct wl_table *out)
{
	note_modes(a, b, out);
	if (!same_gpus(a, b))
		wl_table_note(out, "the GPUs differ: %.100s and %.100s",
			      a->n_gpus ? a->gpu[0] : "unknown", b->n_gpus ? b->gpu[0] : "unknown");
	if (a->n_processes != b->n_processes && a->n_steps && b->n_steps)
		wl_table_note(out, "the numbers of processes differ: %zu and %zu", a->n_processes,
			      b->n_processes);
	if (a->n_devices != b->n_devices)
		wl_table_note(out, "the numbers of GPUs differ: %zu and %zu", a->n_devices,
			      b->n_devices);
	if (strcmp(a->method, b->method) != 0)
		wl_table_note(out, "steps were found in different ways: %s and %s", a->method,
			      b->method);
	if (strcmp(a->window, b->window) != 0 || strcmp(a->selection, b->selection) != 0)
		wl_table_note(out,
			      "different parts of the traces: window %.60s%s%.60s and %.60s%s%.60s",
			      a->window, a->selection[0] ? ", " : "", a->selection, b->window,
			      b->selection[0] ? ", " : "", b->selection);
}

/* The first word of a command is the program. */
static bool same_program(const char *a, const char *b)
{
	size_t n = strcspn(a, " ");

	return n == strcspn(b, " ") && strncmp(a, b, n) == 0;
}

/* Runs of kernels per GPU. */
static double kernel_runs(const struct wl_diff *d, enum wl_side side)
{
	const struct wl_fp_list *kernels = &d->side[side]->kernels;
	int64_t calls = kernels->others.of[WL_OF_WINDOW].calls;

	for (size_t i = 0; i < kernels->n; i++)
		calls += kernels->row[i].of[WL_OF_WINDOW].calls;
	return (double)calls / (double)d->by[side];
}

/*
 * Totals depend on how much was done: what shows that it was not as much. Kernels and not all
 * launches, because copies that went away are a change and no other work.
 */
static void note_other_work(const struct wl_diff *d, struct wl_table *out)
{
	const struct wl_fingerprint *a = d->side[WL_BEFORE], *b = d->side[WL_AFTER];
	double before = kernel_runs(d, WL_BEFORE), more = kernel_runs(d, WL_AFTER) - before;
	/* Unknown where it was not recorded. */
	bool is_other = a->command[0] && b->command[0] && strcmp(a->command, b->command) != 0;
	char ratio[WL_UNITS_BUF], runs[64] = "";

	if (d->extent != WL_OF_WINDOW)
		return;
	if (before > 0 && 10 * fabs(more) > before)
		(void)snprintf(runs, sizeof(runs), "%s %s kernel runs",
			       wl_fmt_ratio(ratio, fabs(more) / before),
			       more > 0 ? "more" : "fewer");
	if (*runs || is_other)
		wl_table_note(out, "the second run may do different work: %s%s%s", runs,
			      *runs && is_other ? ", " : "",
			      !is_other                              ? ""
			      : same_program(a->command, b->command) ? "other arguments"
								     : "another command");
}

/* Correlated steps carry less information than their number. */
static void note_dependence(const struct wl_diff *d, enum wl_side side, const char *name,
			    struct wl_table *out)
{
	size_t n = d->side[side]->n_steps;

	if (d->extent == WL_OF_STEPS && n >= WL_ENOUGH_STEPS && 2 * d->worth[side] < n)
		wl_table_note(out,
			      "%s: consecutive steps are correlated; %zu steps carry the "
			      "information of %zu, so the interval is wider",
			      name, n, d->worth[side]);
}

void wl_diff_notes(const struct wl_diff *d, struct wl_table *out)
{
	static const char *const names[] = { "before", "after" };
	wl_ns mean = d->mean[WL_AFTER] - d->mean[WL_BEFORE];
	wl_ns median = d->step.after - d->step.before;
	char buf[WL_UNITS_BUF];

	note_differences(d->side[WL_BEFORE], d->side[WL_AFTER], out);
	note_other_work(d, out);
	if (d->kernels.matched < WL_SAME_WORK)
		wl_table_note(out,
			      "only %s of the kernel time of a run is in kernels that both runs "
			      "have",
			      wl_fmt_ratio(buf, d->kernels.matched));
	if ((mean > 0 && median < 0) || (mean < 0 && median > 0))
		wl_table_note(
			out,
			"the mean step got %s but the median got %s: a few steps changed a lot",
			direction(mean), direction(median));
	if (d->side[WL_AFTER]->is_of_sums)
		wl_table_note(out,
			      "comparing facts of several traces: steps, time budget and ranks "
			      "only; open the traces to compare kernels, ranges, categories, "
			      "copies, launches and idle causes");
	for (size_t s = 0; s < WL_N_SIDES; s++) {
		const struct wl_fingerprint *f = d->side[s];

		if (d->extent == WL_OF_WINDOW && f->n_steps)
			wl_table_remark(out, "%s: step = %.150s (%zu steps, not compared)",
					names[s], f->what, f->n_steps);
		else if (f->n_steps)
			wl_table_remark(out, "%s: step = %.150s (%zu steps compared, median %s%s)",
					names[s], f->what, f->n_steps,
					wl_fmt_ns(buf,
						  s == WL_BEFORE ? d->step.before : d->step.after,
						  WL_UNIT_AUTO),
					f->n_processes > 1 ? " of the slowest process" : "");
		note_dependence(d, (enum wl_side)s, names[s], out);
		for (size_t i = 0; i < f->n_notes; i++)
			wl_table_note(out, "%s: %.200s", names[s], f->note[i]);
	}
	if (d->extent == WL_OF_STEPS)
		wl_table_note(
			out, "the interval covers variation between steps, not between runs" WL_STOP
			     "; record each side more than once to see that");
}
