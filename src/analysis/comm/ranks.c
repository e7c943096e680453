/* SPDX-License-Identifier: MIT */
/* ranks.c - a row per rank: where its time went, how late it is, and why. */
#include <stdio.h>

#include "analysis/axes.h"
#include "analysis/clock_note.h"
#include "analysis/comm/comm_rows.h"
#include "analysis/comm/late_say.h"
#include "analysis/comm/lateness.h"
#include "analysis/comm/rank_suspects.h"
#include "analysis/words/late_words.h"
#include "analysis/words/step_words.h"
#include "base/text/marks.h"
#include "base/text/units.h"
#include "derive/comm/clocks/host_clocks.h"
#include "derive/comm/match/leaving.h"
#include "derive/graph/late/late_suspects.h"
#include "derive/graph/late/straggler.h"
#include "derive/nvtx/ranks.h"
#include "derive/use/rank_use.h"
#include "model/ranks.h"

WL_DECLARE_ANALYSIS(ranks);

enum {
	RANK,
	DEVICE,
	PID,
	STEP,
	WINDOW,
	COMPUTE,
	WAIT,
	TRANSFER,
	MPI_WAIT,
	EXPOSED_COPY,
	IDLE,
	IDLE_HOST,
	IDLE_LAUNCH,
	IDLE_SYNC,
	IDLE_QUEUED,
	IDLE_OTHER,
	LATENESS,
	CAUSED,
	ALONE,
	WAIT_SHARE,
	SAVING,
	SAVING_SHARE,
	WHY,
	REASON,
	SLOW_STEPS,
	FACTOR,
	SAVING_WITH,
	LEAVES,
	AXES
};

static const struct wl_col cols[] = {
	[RANK] = { "rank", "Rank", WL_T_COUNT, WL_KEY, "Its rank; empty if unknown." },
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY | WL_MINOR, "Process id." },
	[STEP] = { "step", "Step", WL_T_COUNT, WL_KEY,
		   "Step of the process, counted from 0; empty for the rest of the window." },
	[WINDOW] = { "window", "Window", WL_T_NS, WL_SUM | WL_MINOR,
		     "Length of its window, or of the step in it." },
	[COMPUTE] = { "compute", "Compute", WL_T_NS, WL_SUM,
		      "Time with a compute kernel, memory set, copy within the GPU or graph "
		      "replay under way." },
	[WAIT] = { "wait", "Wait", WL_T_NS, WL_SUM,
		   "Exposed communication in which it waited for others; empty where only MPI "
		   "calls communicate, or nothing is matched." },
	[TRANSFER] = { "transfer", "Transfer", WL_T_NS, WL_SUM,
		       "The rest of its exposed communication, with all unmatched operations; "
		       "empty where only MPI calls communicate." },
	[MPI_WAIT] = { "mpi_wait", "MPI wait", WL_T_NS, WL_SUM,
		       "Host time in which its matched MPI calls waited for others; what its GPU "
		       "idles meanwhile is in idle. Empty without MPI." },
	[EXPOSED_COPY] = { "exposed_copy", "Exposed copy", WL_T_NS, WL_SUM | WL_MINOR,
			   "Time with a copy under way and neither compute nor communication." },
	[IDLE] = { "idle", "Idle", WL_T_NS, WL_SUM, "Time with nothing under way." },
	[IDLE_HOST] = { "idle_host", "Idle: host", WL_T_NS, WL_SUM | WL_MINOR,
			"Of it: host code, CUDA, MPI and OS calls (host, api, mpi, os)." },
	[IDLE_LAUNCH] = { "idle_launch", "Idle: launch", WL_T_NS, WL_SUM | WL_MINOR,
			  "Of it: launch calls and their latency (launch, latency)." },
	[IDLE_SYNC] = { "idle_sync", "Idle: sync", WL_T_NS, WL_SUM | WL_MINOR,
			"Of it: blocking calls (sync)." },
	[IDLE_QUEUED] = { "idle_queued", "Idle: queued", WL_T_NS, WL_SUM | WL_MINOR,
			  "Of it: between queued operations (dispatch, dependency)." },
	[IDLE_OTHER] = { "idle_other", "Idle: other", WL_T_NS, WL_SUM | WL_MINOR,
			 "Of it: allocation, loading, pages of managed memory, the profiler, "
			 "unknown, and before the first or after the last operation." },
	[LATENESS] = { "lateness", "Lateness", WL_T_NS, WL_SUM,
		       "Sum over all matched collectives of how much later it arrived than the "
		       "median "
		       "member: large for the rank that others wait for (late of nccl is the "
		       "opposite); empty where nothing is matched." },
	[CAUSED] = { "caused", "Caused", WL_T_NS, WL_SUM | WL_MINOR,
		     "Waiting of all members at collectives at which it arrived last." },
	[ALONE] = { "alone", "Alone", WL_T_NS, WL_SUM | WL_MINOR,
		    "How much later than the last but one it arrived at these." },
	[WAIT_SHARE] = { "wait_share", "Of all waiting", WL_T_RATIO, WL_PLAIN,
			 "What it causes, over that of all selected ranks; who arrives last within "
			 "the error of the clocks shares it." },
	[SAVING] = { "saving", "Saving", WL_T_NS, WL_MINOR,
		     "How much shorter the run is in a replay in which it is like the others of "
		     "its group; empty where it is not named. It is of the whole run, also with a window." },
	[SAVING_SHARE] = { "saving_share", "Saves", WL_T_RATIO, WL_ANSWER,
			   "The same over the run." },
	[WHY] = { "why", "Why", WL_T_STR, WL_PROSE | WL_ANSWER,
		  "Why it is late, or which rank it waits for most." },
	[REASON] = { "reason", "Reason", WL_T_STR, WL_MINOR,
		     "Of a straggler: slow GPU, shared GPU, slow kernel, more work, late host or "
		     "slow copies." },
	[SLOW_STEPS] = { "slow_steps", "Slow steps", WL_T_STR, WL_MINOR,
			 "Of a straggler: the steps in which it takes longer than the others." },
	[FACTOR] = { "factor", "Factor", WL_T_REAL, WL_MINOR,
		     "Of a straggler: how many times as long its kernels take there as those of "
		     "the "
		     "others, the median by time over kernel names." },
	[SAVING_WITH] = { "saving_with", "Saving with", WL_T_NS, WL_MINOR,
			  "What the latest stragglers of its set up to this one save together." },
	[LEAVES] = { "leaves", "Leaves", WL_T_NS, WL_MINOR,
		     "How much later than the median member it leaves collectives, the median "
		     "over them; negative where it leaves before. Empty where nothing is "
		     "matched." },
	WL_AXIS_COLS(AXES),
	WL_AXIS_COUNT(AXES),
};

enum { BY };

enum facet { BY_RANK, BY_STEP, BY_AXIS };
static const char *const facets[] = { "rank", "step", WL_AXIS_CHOICES, NULL };

static const struct wl_param params[] = {
	[BY] = { .key = "by",
		 .type = WL_P_ENUM,
		 .def = "rank",
		 .choices = facets,
		 .help = "A line per rank, per rank and step, or per coordinate or host of "
			 "ranks." },
};

#define BIT(col) (UINT64_C(1) << (col))

static const struct wl_axis_rule axes = {
	.by = BY,
	.choice = BY_AXIS,
	.first = AXES,
	.rank = RANK,
	.device = DEVICE,
	.sums = BIT(WINDOW) | BIT(COMPUTE) | BIT(WAIT) | BIT(TRANSFER) | BIT(MPI_WAIT) |
		BIT(EXPOSED_COPY) | BIT(IDLE) | BIT(IDLE_HOST) | BIT(IDLE_LAUNCH) | BIT(IDLE_SYNC) |
		BIT(IDLE_QUEUED) | BIT(IDLE_OTHER) | BIT(LATENESS) | BIT(CAUSED) | BIT(ALONE) |
		BIT(WAIT_SHARE),
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

static const struct wl_example examples[] = {
	{ "warplens ranks run.sqlite", "Where each rank's time goes, and why one is late." },
	{ "warplens ranks run.sqlite --by step --sort lateness -n 10",
	  "The steps in which a rank is latest." },
	{ "warplens ranks run.sqlite --sort lateness -n 5", "The five latest ranks." },
	{ NULL, NULL },
};

static uint64_t hidden(const union wl_arg *arg)
{
	if (arg[BY].i64 == BY_RANK)
		return BIT(STEP) | BIT(AXES + WL_N_AXES);
	return BIT(WAIT_SHARE) | BIT(SAVING) | BIT(SAVING_SHARE) | BIT(WHY) | BIT(REASON) |
	       BIT(SLOW_STEPS) | BIT(FACTOR) | BIT(SAVING_WITH) | BIT(LEAVES) |
	       BIT(AXES + WL_N_AXES);
}

struct telling {
	const struct wl_run *run;
	const struct wl_matches *matches;
	const struct wl_ranks *ranks;
	const struct wl_stragglers *stragglers;
	struct wl_rank_uses uses;
	const struct wl_leaving *leaving; /* by member */
};

enum { TEXT = WL_LATE_TEXT };

static void say_reason(const struct telling *t, const struct wl_straggler *s, char to[TEXT])
{
	const struct wl_late_set *set = wl_late_set_of(t->stragglers, s);
	struct wl_late_words words;

	wl_late_say(t->run->derived, t->stragglers, s->set, &words);
	(void)snprintf(to, TEXT, "%s" WL_STOP ": %.300s%s%.80s%s%.160s",
		       set->is_mixed ? "several reasons" : wl_late_reason_name(set->reason),
		       words.why, *words.steps ? ", " : "", words.steps,
		       set->n > 1 ? "; one of " : "", set->n > 1 ? words.who : "");
}

/* "5-9", "1, 5, 9". */
static void list_steps(const struct wl_straggler *s, size_t n_steps, char to[TEXT])
{
	size_t n = 0;

	to[0] = '\0';
	for (size_t i = 0, end; i < n_steps; i = end) {
		end = i + 1;
		if (!s->slow[i])
			continue;
		while (end < n_steps && s->slow[end])
			end++;
		if (n >= TEXT - WL_RANK_NAME)
			continue;
		n += (size_t)snprintf(to + n, TEXT - n, "%s%zu", n ? ", " : "", i);
		if (end > i + 1)
			n += (size_t)snprintf(to + n, TEXT - n, "-%zu", end - 1);
	}
}

static void put_evidence(struct wl_table *out, const struct telling *t,
			 const struct wl_straggler *s)
{
	const struct wl_late_set *set = wl_late_set_of(t->stragglers, s);
	char steps[TEXT];

	list_steps(s, set->n_steps, steps);
	wl_put_str(out, REASON, wl_late_reason_name(set->is_mixed ? s->reason : set->reason));
	if (!t->stragglers->suspects->is_whole)
		wl_put_copy(out, SLOW_STEPS, steps);
	wl_put_f64(out, FACTOR, s->factor);
	if (s->saves >= 0)
		wl_put_i64(out, SAVING_WITH, s->saves);
}

/* A rank that waits a hundredth of the window for one member is said to wait for that member. */
static void put_why(struct wl_table *out, const struct telling *t, const struct wl_rank_use *use)
{
	const struct wl_straggler *s =
		use->member == WL_NONE ? NULL : wl_straggler_of(t->stragglers, use->member);
	char text[TEXT], who[WL_RANK_NAME];

	if (s) {
		const struct wl_late_set *set = wl_late_set_of(t->stragglers, s);

		say_reason(t, s, text);
		wl_put_i64(out, SAVING, set->saving);
		wl_put_ratio(out, SAVING_SHARE, set->saving, set->makespan);
		wl_put_stops(out, WHY, text);
		put_evidence(out, t, s);
	} else if (use->blocker != WL_NONE && use->waited > use->all.window / 100 &&
		   use->all.wait > use->all.window / 100) {
		(void)snprintf(text, sizeof(text), "waits for %s",
			       wl_say_rank(t->run->derived, use->blocker, who));
		wl_put_copy(out, WHY, text);
	}
}

static void put_idle(struct wl_table *out, const wl_ns idle[WL_N_CAUSES])
{
	static const unsigned char column_of[WL_N_CAUSES] = {
		[WL_CAUSE_MANAGED] = IDLE_OTHER,     [WL_CAUSE_MPI] = IDLE_HOST,
		[WL_CAUSE_CALLBACK] = IDLE_HOST,     [WL_CAUSE_UNKNOWN] = IDLE_OTHER,
		[WL_CAUSE_PROFILER] = IDLE_OTHER,    [WL_CAUSE_DISPATCH] = IDLE_QUEUED,
		[WL_CAUSE_DEPENDENCY] = IDLE_QUEUED, [WL_CAUSE_LAUNCH] = IDLE_LAUNCH,
		[WL_CAUSE_LATENCY] = IDLE_LAUNCH,    [WL_CAUSE_SYNC] = IDLE_SYNC,
		[WL_CAUSE_ALLOC] = IDLE_OTHER,       [WL_CAUSE_LOAD] = IDLE_OTHER,
		[WL_CAUSE_API] = IDLE_HOST,          [WL_CAUSE_OS] = IDLE_HOST,
		[WL_CAUSE_HOST] = IDLE_HOST,         [WL_CAUSE_UNUSED] = IDLE_OTHER,
	};
	wl_ns sum[WHY] = { 0 }, all = 0;

	for (unsigned i = 0; i < WL_N_CAUSES; i++) {
		sum[column_of[i]] += idle[i];
		all += idle[i];
	}
	wl_put_i64(out, IDLE, all);
	for (unsigned i = IDLE_HOST; i <= IDLE_OTHER; i++)
		wl_put_i64(out, i, sum[i]);
}

static void put_row(struct wl_table *out, const struct telling *t, const struct wl_rank_use *use,
		    const struct wl_rank_sum *sum)
{
	/* Waits in unmatched collectives are unknown, not 0. */
	bool is_known = t->uses.matched > 0 || t->uses.comm == 0;
	bool no_mpi = t->stragglers->no_mpi;

	wl_table_row(out);
	wl_put_i64(out, DEVICE, use->lane->device);
	if (use->process != WL_NONE) {
		wl_put_pid(out, PID, t->run, use->process);
		if (t->ranks->of[use->process] >= 0)
			wl_put_i64(out, RANK, t->ranks->of[use->process]);
		wl_put_axes(out, AXES, t->run, use->process);
	}
	wl_put_i64(out, WINDOW, sum->window);
	wl_put_i64(out, COMPUTE, sum->compute);
	/*
	 * MPI calls are host time and expose nothing on the GPU. For a rank with only MPI calls, a
	 * wait of 0 would contradict its mpi_wait.
	 */
	if (use->has_gpu_comm || (!use->has_mpi && !no_mpi)) {
		if (is_known)
			wl_put_i64(out, WAIT, sum->wait);
		wl_put_i64(out, TRANSFER, sum->transfer);
	}
	if (use->has_mpi)
		wl_put_i64(out, MPI_WAIT, sum->mpi_wait);
	wl_put_i64(out, EXPOSED_COPY, sum->copy);
	put_idle(out, sum->idle);
	if (!is_known || no_mpi)
		return;
	wl_put_i64(out, LATENESS, sum->lateness);
	wl_put_i64(out, CAUSED, sum->caused);
	wl_put_i64(out, ALONE, sum->alone);
}

static void put_rows(struct wl_table *out, const struct telling *t)
{
	for (size_t i = 0; i < t->uses.n; i++) {
		const struct wl_rank_use *use = &t->uses.at[i];

		if (t->run->arg[BY].i64 != BY_STEP) {
			put_row(out, t, use, &use->all);
			if (!t->stragglers->no_mpi)
				wl_put_ratio(out, WAIT_SHARE, use->all.shared, t->uses.caused);
			put_why(out, t, use);
			if (use->member != WL_NONE && t->leaving[use->member].n)
				wl_put_i64(out, LEAVES, t->leaving[use->member].after);
			continue;
		}
		for (size_t k = 0; k < use->lane->n_tiles; k++) {
			put_row(out, t, use, &use->tile[k]);
			if (use->lane->tile[k].iter != WL_NONE)
				wl_put_i64(out, STEP, use->lane->tile[k].iter);
		}
	}
}

static bool note_steps(struct wl_table *out, const struct wl_run *r)
{
	const char *const *note = wl_iterations_notes(r->trace, r->derived->iterations,
						      r->scope->process_on, r->arena);

	wl_table_say_steps(out, false, note);
	return note != NULL;
}

/* "would make the run 35.66 ms (16.4%) shorter", or that the saving may be zero. */
static void say_saving(const struct telling *t, const struct wl_late_set *set, char to[TEXT])
{
	const struct wl_stragglers *all = t->stragglers;
	char saving[WL_UNITS_BUF], share[WL_UNITS_BUF], error[WL_UNITS_BUF];

	(void)wl_fmt_ns(saving, set->saving, WL_UNIT_AUTO);
	(void)wl_fmt_ratio(share, (double)set->saving / (double)set->makespan);
	/* The error on held-out steps is as large as the saving: even its sign is uncertain. */
	if (all->error >= 0 && all->error >= set->saving)
		(void)snprintf(to, TEXT,
			       "would save nothing measurable: %s (%s), with an error of %s",
			       saving, share, wl_fmt_ns(error, all->error, WL_UNIT_AUTO));
	else
		(void)snprintf(to, TEXT, "would make the run %s%s (%s) shorter",
			       set->is_at_least ? "at least " : "", saving, share);
}

/* Notes the reasons in full; a narrow table cuts them. */
static void note_named(struct wl_table *out, const struct telling *t)
{
	for (size_t i = 0; i < t->stragglers->n_sets; i++) {
		const struct wl_late_set *set = &t->stragglers->set[i];
		char saving[WL_UNITS_BUF], share[WL_UNITS_BUF], saves[TEXT];
		struct wl_late_words w;

		wl_late_say(t->run->derived, t->stragglers, i, &w);
		(void)wl_fmt_ns(saving, set->saving, WL_UNIT_AUTO);
		(void)wl_fmt_ratio(share, (double)set->saving / (double)set->makespan);
		say_saving(t, set, saves);
		if (wl_late_changes(set))
			wl_table_remark(out,
					"the straggler changes from step to step (%s), reason %s: "
					"%s; without it the run is %s%s (%s) shorter",
					w.steps, wl_late_reason_name(set->reason), w.why,
					wl_late_is_uneven_work(set) ? "at most " : "", saving,
					share);
		else
			wl_table_remark(out,
					"%s %s%s%s, reason %s: %s; as fast as the others %s "
					"%s%s%s",
					w.who, w.is_many ? "are stragglers" : "is a straggler",
					*w.steps ? " " : "", w.steps,
					set->is_mixed ? "each its own"
						      : wl_late_reason_name(set->reason),
					w.why, w.is_many ? "they" : "it", saves,
					*w.alone ? "; " : "", w.alone);
	}
	wl_table_remark(
		out,
		"savings come from a replay that reproduces all %zu measured activities exactly",
		t->stragglers->n_activities);
	/* Late ranks are found over the whole run, even for a window. */
	if (!t->run->scope->whole)
		wl_table_suggest(out, false, "stragglers and their savings are of the whole run (",
				 &(struct wl_cmdline){ .verb = "findings" }, " has the window's)");
}

/* "rank 3, rank 4": ranks with a tenth of it or more. False if there are none. */
static bool list_tied(const struct telling *t, char to[TEXT])
{
	size_t n = 0;

	for (size_t i = 0; i < t->uses.n; i++) {
		const struct wl_rank_use *use = &t->uses.at[i];
		char who[WL_RANK_NAME];

		if (use->member == WL_NONE || use->all.tied < t->uses.tied / 10 ||
		    n + WL_RANK_NAME > TEXT)
			continue;
		n += (size_t)snprintf(to + n, TEXT - n, "%s%s", n ? ", " : "",
				      wl_say_rank(t->run->derived, use->member, who));
	}
	return n > 0;
}

/*
 * If several ranks may be the last, none of them is the only cause. In one trace, one of five ranks
 * seemed to cause 91% of all waiting, though another arrived 0.6 us earlier and the clocks agreed
 * only to 15 us.
 */
static void note_tied(struct wl_table *out, const struct telling *t)
{
	char who[TEXT], share[WL_UNITS_BUF], error[WL_UNITS_BUF];

	if (t->uses.tied <= t->uses.caused / 10 || !list_tied(t, who))
		return;
	wl_table_note(out,
		      "several ranks arrive last too close together to tell apart "
		      "(clock error %s) and share %s of the waiting: %s",
		      wl_fmt_ns(error, t->run->derived->host_clocks->error, WL_UNIT_AUTO),
		      wl_fmt_ratio(share, (double)t->uses.tied / (double)t->uses.caused), who);
}

static void note_mpi(struct wl_table *out, const struct telling *t)
{
	for (size_t i = 0; i < t->uses.n; i++) {
		if (t->uses.at[i].has_mpi && !t->uses.at[i].has_gpu_comm) {
			wl_table_note(
				out,
				"MPI waits are host time; GPU idle time during them is counted "
				"under Idle");
			return;
		}
	}
}

static void note_unmatched(struct wl_table *out, const struct telling *t)
{
	if (t->uses.comm > 0 && t->uses.matched == 0)
		wl_table_note(out, "no communication could be matched: transfer includes waiting, "
				   "and lateness is unknown");
}

static bool note_suspects(struct wl_table *out, const struct telling *t)
{
	bool ok = wl_rank_suspects_note(t->run, &t->uses, out);

	wl_table_note(out, "facts files contain no single events: open the traces to see "
			   "whether a rank is a straggler, why, and what it costs");
	return ok;
}

/* A rank is late, but none is named. */
static void note_unnamed(struct wl_table *out, const struct telling *t)
{
	char text[WL_LATE_TEXT];

	wl_late_say_unnamed(t->run->derived, t->stragglers, text);
	wl_table_note_verdict(out, "%s", text);
}

static bool note_verdict(struct wl_table *out, const struct telling *t)
{
	const struct wl_stragglers *s = t->stragglers;
	bool ok = true;

	/*
	 * Facts omit the MPI calls of a rank that has very many. The remaining ones would look
	 * complete.
	 */
	if (s->no_mpi) {
		wl_table_note(out, "%s", wl_no_mpi_in_facts);
		return true;
	}
	/*
	 * Each check relies on the ones before it: there are matches, they cover most of the
	 * communication, they are on one clock, and there are events to replay.
	 */
	if (t->matches->n_members == 0)
		wl_table_note(out, "no GPU communicates: none waits for another");
	else if (t->matches->n_members < 2)
		wl_table_note(out, "only one GPU communicates: waiting is unknown");
	else if (t->matches->queues.n_ops == 0)
		wl_table_note(out, "this trace has no collectives");
	else if (s->is_refused)
		wl_table_note(out, "%s", wl_too_much_unmatched);
	else if (s->no_clock)
		wl_table_note_command(out, &wl_clocks_shown,
				      "no straggler is named" WL_STOP
				      ": the clocks of the hosts contradict each "
				      "other (" WL_COMMAND_MARK ")");
	else if (s->no_events && s->suspects->n)
		ok = note_suspects(out, t);
	else if (s->n == 0 && s->suspects && s->suspects->n)
		note_unnamed(out, t);
	else if (s->n == 0)
		wl_table_note_verdict(out, "no straggler: no rank costs 1%% of the run");
	else
		note_named(out, t);
	wl_comm_note_in_step(out, t->matches);
	note_tied(out, t);
	note_mpi(out, t);
	note_unmatched(out, t);
	if (wl_ranks_missing(t->run->trace) && t->matches->queues.n_ops)
		wl_table_note(out, "a missing rank may be the slow one: waits are lower bounds, "
				   "transfers upper bounds");
	if (t->uses.comm)
		wl_table_cover_ns(out, "communication_matched", t->uses.matched, t->uses.comm);
	return ok;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct telling t = { .run = r,
			     .matches = r->derived->matches,
			     .ranks = r->derived->ranks,
			     .stragglers = r->derived->stragglers };

	t.leaving = wl_leaving_find(t.matches, r->arena);
	if (!t.leaving || !wl_rank_use_find(r->derived, r->scope, r->arena, &t.uses))
		return wl_no_memory(&wl_analysis_ranks, reterr);
	put_rows(out, &t);
	return note_verdict(out, &t) && note_steps(out, r)
		       ? WL_OK
		       : wl_no_memory(&wl_analysis_ranks, reterr);
}

const struct wl_chart wl_lateness_chart = {
	.kind = WL_CHART_HEAT,
	.title = "Lateness by rank and step",
	.shows = "A row per rank and a column per step: how much later than the median member the "
		 "rank arrived at collectives, summed over the step.",
	.label = "step",
	.group = "device",
	.named = { "rank" },
	.parts = { "lateness" },
	.also = { "window" },
	.says = "late",
	.wide = true,
};

const struct wl_analysis wl_analysis_ranks = {
	.name = "ranks",
	.topic = WL_TOPIC_TIME,
	.listed = { .level = WL_LEVEL_FIRST,
		    .line = "Ranks side by side: which one is late, and why" },
	.across_ranks = true,
	.shows_idle = true,
	.help = "Compare the ranks: compute, waits, idle, and why one is late",
	.about = "A line per rank, with --by step per rank and step, with --by pp, dp, cp, ep, tp "
		 "or host the sums of the ranks that share it. compute, wait, transfer, "
		 "exposed_copy and idle add up to the window. wait and transfer are exposed "
		 "communication: a matched operation waits as long as it takes longer than the "
		 "shortest of its match, then it transfers. MPI calls are host time: mpi_wait is "
		 "what matched ones wait, and no part of the window. lateness is by arrivals at "
		 "matched "
		 "collectives, against the median member. Late ranks are replayed together, with "
		 "kernels, copies, host calls and host gaps of their late steps as long as the "
		 "median of the others: the smallest set of ranks that makes the run at least 1% "
		 "shorter is named, with the reason and the steps. A rank that is late because it "
		 "waits for another one saves nothing there, and is not named. Where a rank is "
		 "late and none is named, a note says why.",
	.needs_any = needs_any,
	.from = WL_FROM(RANK_USE) | WL_FROM(HOST_CLOCKS) | WL_FROM(RANKS) | WL_FROM(MESHES) |
		WL_FROM(STRAGGLERS) | WL_FROM(NAMED) | WL_FROM(HOSTS) | WL_FROM(STEP_CHANGE),
	.hidden = hidden,
	.chart = &wl_lateness_chart,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.axes = &axes,
	.examples = examples,
	.facts = WL_FACTS_RUN,
	.facts_of_steps = true,
	.run = run,
};
