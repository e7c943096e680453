/* SPDX-License-Identifier: MIT */
#include "findings/rule_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/words/step_words.h"
#include "base/text/apportion.h"
#include "base/text/units.h"
#include "derive/derived.h"
#include "derive/iters/iters.h"
#include "derive/nvtx/range_names.h"

wl_ns wl_rule_state_step(const struct wl_rule_gpu *gpu)
{
	return gpu->n_steps ? gpu->length / (wl_ns)gpu->n_steps : 0;
}

/* The first step is a warm-up; the last one has no period and is not whole. */
static bool choose_sample(struct wl_rule_gpu *t, struct wl_arena *arena)
{
	const struct wl_ledger_lane *lane = t->lane;
	bool *in = WL_NEW(arena, bool, lane->n_tiles);
	size_t n_whole = 0;

	if (!in)
		return false;
	for (size_t i = 0; i < lane->n_tiles; i++)
		n_whole += lane->tile[i].is_whole;
	t->in_sample = in;
	t->by_step = n_whole > 0;
	t->n_steps = t->by_step ? 0 : 1;
	t->first = WL_NONE;
	for (size_t i = 0; i < lane->n_tiles; i++) {
		const struct wl_tile *tile = &lane->tile[i];

		t->window += tile->length;
		if (t->by_step && (!tile->is_whole || (tile->iter == 0 && n_whole > 1)))
			continue;
		in[i] = true;
		t->begin = t->length ? t->begin : tile->begin;
		t->end = tile->end;
		t->length += tile->length;
		t->busy += tile->length;
		for (unsigned c = 0; c < WL_N_CAUSES; c++)
			t->busy -= tile->loss[c];
		t->n_steps += t->by_step;
		t->first = t->first == WL_NONE ? tile->iter : t->first;
		t->last = tile->iter;
	}
	return true;
}

static bool init_gpu(struct wl_rule_gpu *t, const struct wl_ledger_lane *lane,
		     struct wl_arena *arena)
{
	*t = (struct wl_rule_gpu){ .lane = lane,
				   .left = WL_NEW(arena, wl_ns, lane->n_atoms),
				   .compute = WL_NEW(arena, wl_ns, lane->n_tiles) };
	if (!t->left || !t->compute || !choose_sample(t, arena))
		return false;
	for (size_t i = 0; i < lane->n_tiles; i++)
		t->compute[i] = t->in_sample[i] ? lane->tile[i].compute : 0;
	for (size_t i = 0; i < lane->n_atoms; i++)
		t->left[i] = t->in_sample[lane->atom[i].tile] ? lane->atom[i].ns : 0;
	return true;
}

/*
 * Whether the range only begins the step, and other ranges of its thread make up the rest. In a
 * cycle of ranges with one label, the next range begins within the step.
 */
static bool is_part_of_step(const struct wl_run *run, const struct wl_process_iters *p)
{
	const struct wl_trace *t = run->trace;
	const struct wl_range_names *names = run->derived->range_names;
	const struct wl_iteration *step = &p->at[0];
	const uint32_t thread = wl_nvtx_thread(t)[step->marker], name = names->of[step->marker];

	if (!p->is_joined)
		return false;
	for (size_t i = 0; i < t->family[WL_F_NVTX].n; i++) {
		wl_ns start = wl_nvtx_start(t)[i];

		if (i != step->marker && names->of[i] == name && wl_nvtx_thread(t)[i] == thread &&
		    start >= step->host.begin && start < step->host.end)
			return false;
	}
	return true;
}

/* The marker's name says no more about a loss than that it is in the step. */
static const char *find_marker(const struct wl_run *run, const struct wl_rule_gpu *t)
{
	const struct wl_iterations *all = t->by_step ? run->derived->iterations : NULL;
	const struct wl_process_iters *p = all ? &all->process[t->lane->process] : NULL;
	const struct wl_range_names *names = p && p->by_marker ? run->derived->range_names : NULL;

	return names && p->n && p->at[0].marker != WL_NONE && !is_part_of_step(run, p)
		       ? wl_range_name_of(names, p->at[0].marker)->label_text
		       : NULL;
}

bool wl_atom_is_in_step_alone(const struct wl_rule_gpu *gpu, const struct wl_atom *atom)
{
	return atom->loss == WL_CAUSE_HOST && atom->detail && gpu->marker &&
	       strcmp(atom->detail, gpu->marker) == 0;
}

bool wl_rule_state_init(struct wl_rule_state *d, const struct wl_run *run)
{
	const struct wl_ledger *ledger = run->derived->ledger;

	*d = (struct wl_rule_state){ .run = run,
				     .ledger = ledger,
				     .has_reads = wl_trace_has_reads(run->trace) };
	wl_vec_init(&d->findings, sizeof(struct wl_finding), wl_arena_budget(run->arena));
	wl_vec_init(&d->taken, sizeof(struct wl_taken), wl_arena_budget(run->arena));
	wl_vec_init(&d->stacked, sizeof(struct wl_taken), wl_arena_budget(run->arena));
	d->gpu = WL_NEW(run->arena, struct wl_rule_gpu, ledger->n);
	if (!wl_function_tally_init(&d->tally, run->trace, run->derived->stack_names, run->arena) ||
	    !d->gpu)
		return false;
	if (run->derived->lost_stacks && run->trace->n_stacks) {
		d->stack = WL_NEW(run->arena, struct wl_claim_stack, run->trace->n_stacks);
		if (!d->stack)
			return false;
	}
	for (size_t i = 0; i < ledger->n; i++) {
		struct wl_rule_gpu *gpu = &d->gpu[d->n_gpus];

		if (!ledger->lane[i].of_device)
			continue;
		if (!init_gpu(gpu, &ledger->lane[i], run->arena))
			return false;
		gpu->marker = find_marker(run, gpu);
		/* budget makes no findings and does not need call stacks. */
		if (d->stack)
			gpu->stacks = &run->derived->lost_stacks->lane[i];
		d->n_gpus++;
	}
	return true;
}

void wl_rule_state_release(struct wl_rule_state *d)
{
	wl_function_tally_release(&d->tally);
	wl_vec_release(&d->taken);
	wl_vec_release(&d->stacked);
	wl_vec_release(&d->findings);
}

void wl_rule_state_cover(const struct wl_rule_state *d, struct wl_table *out)
{
	wl_ns idle = 0, unknown = 0;

	for (size_t t = 0; t < d->n_gpus; t++) {
		const struct wl_rule_gpu *gpu = &d->gpu[t];

		for (size_t i = 0; i < gpu->lane->n_tiles; i++) {
			const wl_ns *loss = gpu->lane->tile[i].loss;

			for (size_t c = 0; gpu->in_sample[i] && c < WL_CAUSE_UNUSED; c++)
				idle += loss[c];
			unknown += gpu->in_sample[i] ? loss[WL_CAUSE_UNKNOWN] : 0;
		}
	}
	wl_table_cover_ns(out, "idle_with_known_cause", idle - unknown, idle);
}

uint32_t wl_rule_state_skewed(const struct wl_rule_state *d)
{
	/* Facts have idle time, but not the data it was derived from. */
	for (uint32_t p = 0; d->ledger->idle && p < d->run->trace->n_processes; p++) {
		if (d->run->scope->process_on[p] && wl_idle_is_skewed(d->ledger->idle, p))
			return p;
	}
	return WL_NONE;
}

/* If clocks are skewed, no rule can claim idle time, and no replay is trusted. */
static void note_skew(const struct wl_rule_state *d, struct wl_table *out)
{
	const uint32_t p = wl_rule_state_skewed(d);
	char apart[WL_UNITS_BUF];

	if (p != WL_NONE)
		wl_table_note(
			out,
			"causes of idle time are unknown, and savings are not replayed" WL_STOP
			": the "
			"clocks of host and GPU are apart (operations of pid %lld begin %s "
			"before their launch calls on average)",
			(long long)d->run->trace->processes[p].pid,
			wl_fmt_ns(apart, wl_idle_skew(d->ledger->idle, p), WL_UNIT_AUTO));
}

/* An answer with times per step must say what a step is. */
static void note_steps(const struct wl_rule_state *d, struct wl_table *out)
{
	const struct wl_run *r = d->run;
	const char *const *note = wl_iterations_notes(r->trace, r->derived->iterations,
						      r->scope->process_on, r->arena);

	/* Treated like a failed put: without the note the table is incomplete. */
	out->failed = out->failed || !note;
	wl_table_say_steps(out, true, note);
}

/* The lengths of the steps of all GPUs. */
struct step_lengths {
	wl_ns sum, n;
	wl_ns of_gpu[2];  /* shortest and longest mean step of a GPU */
	wl_ns of_step[2]; /* shortest and longest step */
	uint32_t first, last;
};

static void widen(wl_ns limits[2], wl_ns ns)
{
	limits[0] = ns < limits[0] ? ns : limits[0];
	limits[1] = ns > limits[1] ? ns : limits[1];
}

static void add_steps(struct step_lengths *s, const struct wl_rule_gpu *t)
{
	for (size_t i = 0; i < t->lane->n_tiles; i++) {
		wl_ns length = t->in_sample[i] ? t->lane->tile[i].length : 0;

		s->sum += length;
		if (length > 0)
			widen(s->of_step, length);
	}
	widen(s->of_gpu, wl_rule_state_step(t));
	s->n += (wl_ns)t->n_steps;
	s->first = t->first < s->first ? t->first : s->first;
	s->last = t->last > s->last ? t->last : s->last;
}

/* "; by GPU 17.7 ms to 17.96 ms", "; steps of 1.014 ms to 232.3 ms"; "" where they hardly differ.
 */
static const char *say_limits(char *buf, size_t size, const char *of, const wl_ns limits[2],
			      double least)
{
	char from[WL_UNITS_BUF], to[WL_UNITS_BUF];

	buf[0] = '\0';
	if ((double)limits[1] > least * (double)limits[0])
		(void)snprintf(buf, size, "; %s %s to %s", of,
			       wl_fmt_ns(from, limits[0], WL_UNIT_AUTO),
			       wl_fmt_ns(to, limits[1], WL_UNIT_AUTO));
	return buf;
}

/*
 * Note the mean step over all GPUs, as in budget; the range over GPUs, because each finding is of
 * one GPU; and the shortest and longest step, if they are far apart. False if no GPU has steps.
 */
static bool note_mean(const struct wl_rule_state *d, struct wl_table *out)
{
	struct step_lengths s = { .of_gpu = { WL_TIME_MAX, 0 },
				  .of_step = { WL_TIME_MAX, 0 },
				  .first = UINT32_MAX };
	char mean[WL_UNITS_BUF], gpus[128], steps[128];

	for (size_t i = 0; i < d->n_gpus; i++) {
		if (d->gpu[i].by_step)
			add_steps(&s, &d->gpu[i]);
	}
	if (s.n == 0)
		return false;
	wl_table_remark(out, "averages over steps %" PRIu32 "-%" PRIu32 " (mean %s%s%s)", s.first,
			s.last, wl_fmt_ns(mean, wl_rounded_mean(s.sum, s.n), WL_UNIT_AUTO),
			say_limits(gpus, sizeof(gpus), "by GPU", s.of_gpu, 1.005),
			say_limits(steps, sizeof(steps), "steps of", s.of_step, 2));
	return true;
}

void wl_rule_state_note(const struct wl_rule_state *d, struct wl_table *out)
{
	bool by_step = false;

	note_skew(d, out);
	for (size_t i = 0; i < d->n_gpus; i++)
		by_step = by_step || d->gpu[i].by_step;
	if (by_step)
		note_steps(d, out);
	if (!by_step || !note_mean(d, out))
		wl_table_remark(out, "%s: times are totals of the window",
				d->run->derived->iterations->n_found
					? "no step lies wholly in the window"
					: "no steps were found");
}
