/* SPDX-License-Identifier: MIT */
#include "analysis/time/iters_notes.h"

#include <inttypes.h>
#include <stdio.h>

#include "analysis/words/step_words.h"
#include "base/memory/sort.h"
#include "base/text/marks.h"
#include "base/text/units.h"
#include "derive/iters/step_change.h"

/* How many times longer one is, rounded; 0 if that is not within 5% of a whole number of at least
 * 2. */
static int64_t times_longer(wl_ns one, wl_ns other)
{
	int64_t times = other > 0 ? (one + other / 2) / other : 0;
	wl_ns rest = one - times * other;

	return times >= 2 && (rest < 0 ? -rest : rest) <= one / 20 ? times : 0;
}

/* Compare with what the program printed, if one of its outputs says how long a step takes. */
static void note_log(const struct wl_trace *t, wl_ns median, struct wl_table *out)
{
	const uint64_t *step = wl_outputs_step(t), *lines = wl_outputs_lines(t);
	char log[WL_UNITS_BUF], measured[WL_UNITS_BUF];
	size_t n = 0, at = 0;
	wl_ns logged;

	for (size_t i = 0; step && lines && i < t->family[WL_F_OUTPUTS].n; i++) {
		/*
		 * A program may print any number, and times_longer() adds half of the other time to
		 * it.
		 */
		if (step[i] == 0 || step[i] > INT64_MAX / 2)
			continue;
		at = i;
		n++;
	}
	/* With several outputs, it is unknown which one is about these steps. */
	if (n != 1 || median <= 0)
		return;
	logged = (wl_ns)step[at];
	(void)wl_fmt_ns(log, logged, WL_UNIT_AUTO);
	(void)wl_fmt_ns(measured, median, WL_UNIT_AUTO);
	if (times_longer(logged, median))
		wl_table_note(out,
			      "the log says %s per step (%" PRIu64
			      " lines), the trace %s: about %" PRId64
			      " trace steps per logged step",
			      log, lines[at], measured, times_longer(logged, median));
	else if (logged > median + median / 10 || median > logged + logged / 10)
		wl_table_note_command(
			out, &wl_cmdline_marker,
			"the log says %s per step (%" PRIu64
			" lines), the trace %s: the log has other steps, or " WL_COMMAND_MARK
			" must name them",
			log, lines[at], measured);
	else
		wl_table_note(out, "the log says %s per step (%" PRIu64 " lines), the trace %s",
			      log, lines[at], measured);
}

/*
 * Whether the process is selected; facts of several traces may have an entry per GPU for a process,
 * of which the first counts.
 */
static bool is_on(const struct wl_iters_told *l, size_t process)
{
	return l->run->scope->process_on[process] && l->run->trace->processes[process].on_gpu;
}

static bool is_in_window(const struct wl_iters_told *l, size_t process,
			 const struct wl_interval *tile)
{
	const struct wl_scope *scope = l->run->scope;

	return scope->whole || (tile->begin >= scope->process[process].begin &&
				tile->end <= scope->process[process].end);
}

/* Mean and percentiles of the periods of all selected processes; a last step has no period. */
static bool note_periods(const struct wl_iters_told *l, struct wl_table *out)
{
	const struct wl_trace *t = l->run->trace;
	char mean[WL_UNITS_BUF], p50[WL_UNITS_BUF], p99[WL_UNITS_BUF], min[WL_UNITS_BUF],
		max[WL_UNITS_BUF];
	size_t n = 0, n_all = 0, n_processes = 0;
	char of[64] = "";
	double sum = 0;
	wl_ns *period;

	for (size_t i = 0; i < t->n_processes; i++)
		n_all += is_on(l, i) ? l->all->process[i].n : 0;
	period = WL_NEW(l->run->arena, wl_ns, n_all);
	if (!period)
		return false;
	for (size_t i = 0; i < t->n_processes; i++) {
		const struct wl_process_iters *p = &l->all->process[i];

		n_processes += is_on(l, i) && p->n > 1;
		for (size_t k = 0; is_on(l, i) && k + 1 < p->n; k++) {
			if (!is_in_window(l, i, &p->at[k].tile))
				continue;
			period[n] = p->at[k].tile.end - p->at[k].tile.begin;
			sum += (double)period[n++];
		}
	}
	if (n == 0)
		return true;
	wl_sort_i64(period, n);
	if (n_processes > 1)
		(void)snprintf(of, sizeof(of), "of %zu processes, ", n_processes);
	wl_table_note(out, "%zu period%s (%s%s): mean %s, p50 %s, p99 %s, min %s, max %s", n,
		      n == 1 ? "" : "s", of,
		      l->run->scope->whole ? "all steps but the last"
					   : "steps inside the window, but for the last of the run",
		      wl_fmt_ns(mean, (wl_ns)(sum / (double)n), WL_UNIT_AUTO),
		      wl_fmt_ns(p50, period[wl_rank(n, 50)], WL_UNIT_AUTO),
		      wl_fmt_ns(p99, period[wl_rank(n, 99)], WL_UNIT_AUTO),
		      wl_fmt_ns(min, period[0], WL_UNIT_AUTO),
		      wl_fmt_ns(max, period[n - 1], WL_UNIT_AUTO));
	note_log(t, period[wl_rank(n, 50)], out);
	return true;
}

static void note_steady(const struct wl_iters_told *l, struct wl_table *out)
{
	const struct wl_run *r = l->run;
	bool few = false;

	for (size_t i = 0; i < r->trace->n_processes; i++)
		few = few || (r->scope->process_on[i] && l->all->process[i].n > 1 &&
			      l->all->process[i].n < 5);
	if (few)
		wl_table_note(
			out,
			"fewer than 5 steps: \"steady\" is the median of all steps with a period");
	if (l->all->n_uneven)
		wl_table_note(out, WL_STEADY_UNEVEN, l->all->n_uneven);
}

/* Whether a process shown has steps that change over time. */
static bool changes(const struct wl_iters_told *l, const struct wl_step_change *c)
{
	for (size_t i = 0; c->kind != WL_CHANGE_NONE && i < l->run->trace->n_processes; i++) {
		if (is_on(l, i) && c->takes_part[i])
			return true;
	}
	return false;
}

static bool note_change(const struct wl_iters_told *l, struct wl_table *out)
{
	const struct wl_step_change *c = l->run->derived->step_change;
	const char *said = changes(l, c) ? wl_step_change_say(c, false, l->run->arena) : "";

	if (said && *said)
		wl_table_note(out, "%s (column changed)", said);
	return said != NULL;
}

static const struct wl_cmdline kernel_marker = { .option = { { "marker", "kernel:NAME" } } };

/* Another program on the job's GPUs has steps only if it is given its own marker. */
static void note_tenants(const struct wl_iters_told *l, struct wl_table *out)
{
	const struct wl_trace *t = l->run->trace;
	size_t n = 0, first = 0;

	for (size_t i = t->n_processes; i-- > 0;) {
		if (l->all->process[i].method != WL_ITER_TENANT || !is_on(l, i))
			continue;
		first = i;
		n++;
	}
	if (n == 1)
		wl_table_note_command(out, &kernel_marker,
				      "process %u shares a GPU with the job and is in none of its "
				      "collectives: its kernels are no steps (" WL_COMMAND_MARK " "
				      "makes them steps)",
				      t->processes[first].pid);
	else if (n > 1)
		wl_table_note_command(
			out, &kernel_marker,
			"%zu processes (%u, ...) share a GPU with the job and are in none "
			"of its collectives: their kernels are no steps (" WL_COMMAND_MARK " "
			"makes them steps)",
			n, t->processes[first].pid);
}

bool wl_iters_put_notes(const struct wl_iters_told *l, struct wl_table *out)
{
	const struct wl_run *r = l->run;
	const char *const *note =
		wl_iterations_notes(r->trace, l->all, r->scope->process_on, r->arena);
	const char *named = r->derived->followed ? wl_conventions_note(r->derived, r->arena) : "";
	char idle[WL_UNITS_BUF];

	if (!note || !named)
		return false;
	if (!note_periods(l, out))
		return false;
	wl_table_say_steps(out, false, note);
	if (l->delayed.is_before)
		wl_table_note(out,
			      "the longest stall is before step %u: %s idle, counted in step %u",
			      l->delayed.iter, wl_fmt_ns(idle, l->delayed.idle, WL_UNIT_AUTO),
			      l->delayed.iter - 1);
	if (!note_change(l, out))
		return false;
	if (r->trace->family[WL_F_NVTX].n && *named)
		wl_table_note(out, "%s", named);
	note_tenants(l, out);
	if (l->is_steady)
		note_steady(l, out);
	if (l->n_graphs)
		wl_table_note(out, "CUDA graph replays count as compute: communication and idle "
				   "time are lower bounds");
	return true;
}
