/* SPDX-License-Identifier: MIT */
#include "findings/docket.h"

#include <string.h>

#include "base/units.h"
#include "derive/derived.h"
#include "derive/iters/iters.h"
#include "derive/nvtx/range_names.h"

wl_ns wl_docket_step(const struct wl_docket_gpu *gpu)
{
	return gpu->n_steps ? gpu->length / (wl_ns)gpu->n_steps : 0;
}

/* The first step warms up, and the last one, which has no period, is not whole. */
static bool choose_sample(struct wl_docket_gpu *t, struct wl_arena *arena)
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

static bool init_gpu(struct wl_docket_gpu *t, const struct wl_ledger_lane *lane,
		     struct wl_arena *arena)
{
	*t = (struct wl_docket_gpu){ .lane = lane,
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
 * The range only begins the step: others of its thread make up the rest. Of a cycle of ranges of
 * one label the next one begins within the step.
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

/* Its name says no more about a loss than that it is in the step. */
static const char *find_marker(const struct wl_run *run, const struct wl_docket_gpu *t)
{
	const struct wl_iterations *all = t->by_step ? run->derived->iterations : NULL;
	const struct wl_process_iters *p = all ? &all->process[t->lane->process] : NULL;
	const struct wl_range_names *names = p && p->by_marker ? run->derived->range_names : NULL;

	return names && p->n && p->at[0].marker != WL_NONE && !is_part_of_step(run, p)
		       ? wl_range_name_of(names, p->at[0].marker)->label_text
		       : NULL;
}

bool wl_atom_is_in_step_alone(const struct wl_docket_gpu *gpu, const struct wl_atom *atom)
{
	return atom->loss == WL_CAUSE_HOST && atom->detail && gpu->marker &&
	       strcmp(atom->detail, gpu->marker) == 0;
}

bool wl_docket_init(struct wl_docket *d, const struct wl_run *run)
{
	const struct wl_ledger *ledger = run->derived->ledger;

	*d = (struct wl_docket){ .run = run,
				 .ledger = ledger,
				 .has_reads = wl_trace_has_reads(run->trace) };
	wl_vec_init(&d->findings, sizeof(struct wl_finding), wl_arena_budget(run->arena));
	wl_vec_init(&d->taken, sizeof(struct wl_taken), wl_arena_budget(run->arena));
	wl_vec_init(&d->stacked, sizeof(struct wl_taken), wl_arena_budget(run->arena));
	d->gpu = WL_NEW(run->arena, struct wl_docket_gpu, ledger->n);
	if (!wl_function_tally_init(&d->tally, run->trace, run->derived->stack_names, run->arena) ||
	    !d->gpu)
		return false;
	if (run->derived->lost_stacks && run->trace->n_stacks) {
		d->stack = WL_NEW(run->arena, struct wl_claim_stack, run->trace->n_stacks);
		if (!d->stack)
			return false;
	}
	for (size_t i = 0; i < ledger->n; i++) {
		struct wl_docket_gpu *gpu = &d->gpu[d->n_gpus];

		if (!ledger->lane[i].of_device)
			continue;
		if (!init_gpu(gpu, &ledger->lane[i], run->arena))
			return false;
		gpu->marker = find_marker(run, gpu);
		/* budget makes no findings, and does not want them. */
		if (d->stack)
			gpu->stacks = &run->derived->lost_stacks->lane[i];
		d->n_gpus++;
	}
	return true;
}

void wl_docket_release(struct wl_docket *d)
{
	wl_function_tally_release(&d->tally);
	wl_vec_release(&d->taken);
	wl_vec_release(&d->stacked);
	wl_vec_release(&d->findings);
}

void wl_docket_cover(const struct wl_docket *d, struct wl_table *out)
{
	wl_ns idle = 0, unknown = 0;

	for (size_t t = 0; t < d->n_gpus; t++) {
		const struct wl_docket_gpu *gpu = &d->gpu[t];

		for (size_t i = 0; i < gpu->lane->n_tiles; i++) {
			const wl_ns *loss = gpu->lane->tile[i].loss;

			for (size_t c = 0; gpu->in_sample[i] && c < WL_CAUSE_UNUSED; c++)
				idle += loss[c];
			unknown += gpu->in_sample[i] ? loss[WL_CAUSE_UNKNOWN] : 0;
		}
	}
	wl_table_cover_ns(out, "idle_with_known_cause", idle - unknown, idle);
}

uint32_t wl_docket_skewed(const struct wl_docket *d)
{
	/* Facts hold idle time without what it was found from. */
	for (uint32_t p = 0; d->ledger->idle && p < d->run->trace->n_processes; p++) {
		if (d->run->scope->process_on[p] && wl_idle_is_skewed(d->ledger->idle, p))
			return p;
	}
	return WL_NONE;
}

/* Where clocks are skewed, no rule can claim idle time, and no replay is trusted. */
static void note_skew(const struct wl_docket *d, struct wl_table *out)
{
	const uint32_t p = wl_docket_skewed(d);
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

/* An answer per step says what a step is. */
static void note_steps(const struct wl_docket *d, struct wl_table *out)
{
	const struct wl_run *r = d->run;
	const char *const *note = wl_iterations_notes(r->trace, r->derived->iterations,
						      r->scope->process_on, r->arena);

	/* As a put that fails: the table is not whole without it. */
	out->failed = out->failed || !note;
	wl_table_say_steps(out, true, note);
}

/* The mean, and the limits of what it is of where these are far apart. */
static void note_mean(const struct wl_docket_gpu *t, struct wl_table *out)
{
	char mean[WL_UNITS_BUF], least[WL_UNITS_BUF], most[WL_UNITS_BUF];
	wl_ns limits[2] = { WL_TIME_MAX, 0 };

	(void)wl_fmt_ns(mean, wl_docket_step(t), WL_UNIT_AUTO);
	for (size_t i = 0; i < t->lane->n_tiles; i++) {
		wl_ns length = t->in_sample[i] ? t->lane->tile[i].length : 0;

		if (length > 0 && length < limits[0])
			limits[0] = length;
		limits[1] = length > limits[1] ? length : limits[1];
	}
	if (limits[1] / 2 < limits[0])
		wl_table_remark(out, "averages over steps %u-%u (mean %s)", t->first, t->last,
				mean);
	else
		wl_table_remark(out, "averages over steps %u-%u (mean %s, of %s to %s)", t->first,
				t->last, mean, wl_fmt_ns(least, limits[0], WL_UNIT_AUTO),
				wl_fmt_ns(most, limits[1], WL_UNIT_AUTO));
}

void wl_docket_note(const struct wl_docket *d, struct wl_table *out)
{
	const struct wl_docket_gpu *longest = &d->gpu[0];
	bool found = d->run->derived->iterations->n_found > 0;

	for (size_t i = 1; i < d->n_gpus; i++) {
		const struct wl_docket_gpu *t = &d->gpu[i];

		if (t->by_step &&
		    (!longest->by_step || wl_docket_step(t) > wl_docket_step(longest)))
			longest = t;
	}
	note_skew(d, out);
	if (longest->by_step)
		note_steps(d, out);
	if (longest->by_step)
		note_mean(longest, out);
	else
		wl_table_remark(out, "%s: times are totals of the window",
				found ? "no step lies wholly in the window"
				      : "no steps were found");
}
