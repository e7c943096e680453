/* SPDX-License-Identifier: MIT */
/* ranks.c - a line per rank: where its time went, how late it is, and why. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/axes.h"
#include "analysis/time/lateness.h"
#include "analysis/time/rank_suspects.h"
#include "base/units.h"
#include "derive/comm/host_clocks.h"
#include "derive/graph/late_suspects.h"
#include "derive/graph/straggler.h"
#include "derive/iters/iters.h"
#include "derive/kinds/named.h"
#include "derive/nvtx/ranks.h"
#include "derive/use/rank_use.h"
#include "model/ranks.h"

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
			"Of it: host code, CUDA calls and OS calls (host, api, os)." },
	[IDLE_LAUNCH] = { "idle_launch", "Idle: launch", WL_T_NS, WL_SUM | WL_MINOR,
			  "Of it: launch calls and their latency (launch, latency)." },
	[IDLE_SYNC] = { "idle_sync", "Idle: sync", WL_T_NS, WL_SUM | WL_MINOR,
			"Of it: blocking calls (sync)." },
	[IDLE_QUEUED] = { "idle_queued", "Idle: queued", WL_T_NS, WL_SUM | WL_MINOR,
			  "Of it: between queued operations (dispatch, dependency)." },
	[IDLE_OTHER] = { "idle_other", "Idle: other", WL_T_NS, WL_SUM | WL_MINOR,
			 "Of it: allocation, loading, the profiler, unknown, and before the first "
			 "or after the last operation." },
	[LATENESS] = { "lateness", "Lateness", WL_T_NS, WL_SUM,
		       "Sum over matched collectives of how much later it arrived than the median "
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
		     "its group; empty where it is not named." },
	[SAVING_SHARE] = { "saving_share", "Saves", WL_T_RATIO, WL_PLAIN,
			   "The same over the run." },
	[WHY] = { "why", "Why", WL_T_STR, WL_PROSE,
		  "Why it is late, or which rank it waits for most." },
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
	return BIT(WAIT_SHARE) | BIT(SAVING) | BIT(SAVING_SHARE) | BIT(WHY) | BIT(AXES + WL_N_AXES);
}

struct telling {
	const struct wl_run *run;
	const struct wl_matches *matches;
	const struct wl_ranks *ranks;
	const struct wl_stragglers *stragglers;
	struct wl_rank_uses uses;
};

enum { TEXT = 320 };

/* "gemm 301.4 us vs 265.1 us". */
static const char *say_kernel(const struct telling *t, const struct wl_late_kernel *k,
			      char to[TEXT])
{
	char own[WL_UNITS_BUF], others[WL_UNITS_BUF];

	to[0] = '\0';
	if (k->name != WL_NONE)
		(void)snprintf(to, TEXT, "%.120s %s vs %s", t->run->derived->named->label[k->name],
			       wl_fmt_ns(own, k->own, WL_UNIT_AUTO),
			       wl_fmt_ns(others, k->others, WL_UNIT_AUTO));
	return to;
}

/* The time of a share on both sides, per step where there are steps. */
static void say_both(const struct telling *t, const struct wl_straggler *s,
		     enum wl_late_share share, char to[TEXT])
{
	uint32_t process = t->matches->member[s->member].process;
	size_t n = t->run->derived->iterations->process[process].n;
	char own[WL_UNITS_BUF], others[WL_UNITS_BUF];

	(void)snprintf(to, TEXT, "%s vs %s%s",
		       wl_fmt_ns(own, s->own[share] / (wl_ns)(n ? n : 1), WL_UNIT_AUTO),
		       wl_fmt_ns(others, s->others[share] / (wl_ns)(n ? n : 1), WL_UNIT_AUTO),
		       n ? " per step" : "");
}

static void say_reason(const struct telling *t, const struct wl_straggler *s, char to[TEXT])
{
	char first[TEXT], second[TEXT];

	switch (s->reason) {
	case WL_LATE_SLOW_GPU:
		(void)say_kernel(t, &s->kernel[0], first);
		(void)say_kernel(t, &s->kernel[1], second);
		(void)snprintf(to, TEXT,
			       "slow GPU: kernels take %.3f times as long (%.120s%s%.120s)",
			       s->factor, first, *second ? ", " : "", second);
		break;
	case WL_LATE_SLOW_KERNEL:
		(void)snprintf(to, TEXT, "slow kernel: %.3f times as long (%.200s)", s->factor,
			       say_kernel(t, &s->kernel[0], first));
		break;
	case WL_LATE_MORE_WORK:
		(void)snprintf(to, TEXT,
			       "more work: %.3f times the kernel time, %" PRIu64 " vs %" PRIu64
			       " kernels",
			       s->factor, s->n_own, s->n_others);
		break;
	case WL_LATE_HOST:
		say_both(t, s, WL_LATE_BY_HOST, first);
		(void)snprintf(to, TEXT, "late host: calls and the time between them %.100s",
			       first);
		break;
	case WL_LATE_COPIES:
		say_both(t, s, WL_LATE_BY_COPIES, first);
		(void)snprintf(to, TEXT, "slow copies: %.100s", first);
		break;
	}
}

/* Who waits for a hundredth of the window for one member waits for that one. */
static void put_why(struct wl_table *out, const struct telling *t, const struct wl_rank_use *use)
{
	const struct wl_straggler *s =
		use->member == WL_NONE ? NULL : wl_straggler_of(t->stragglers, use->member);
	char text[TEXT], who[WL_RANK_NAME];

	if (s) {
		say_reason(t, s, text);
		wl_put_i64(out, SAVING, s->saving);
		wl_put_ratio(out, SAVING_SHARE, s->saving, s->makespan);
		wl_put_copy(out, WHY, text);
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
		[WL_CAUSE_MANAGED] = IDLE_OTHER,   [WL_CAUSE_MPI] = IDLE_HOST,
		[WL_CAUSE_UNKNOWN] = IDLE_OTHER,   [WL_CAUSE_PROFILER] = IDLE_OTHER,
		[WL_CAUSE_DISPATCH] = IDLE_QUEUED, [WL_CAUSE_DEPENDENCY] = IDLE_QUEUED,
		[WL_CAUSE_LAUNCH] = IDLE_LAUNCH,   [WL_CAUSE_LATENCY] = IDLE_LAUNCH,
		[WL_CAUSE_SYNC] = IDLE_SYNC,       [WL_CAUSE_ALLOC] = IDLE_OTHER,
		[WL_CAUSE_LOAD] = IDLE_OTHER,      [WL_CAUSE_API] = IDLE_HOST,
		[WL_CAUSE_OS] = IDLE_HOST,         [WL_CAUSE_HOST] = IDLE_HOST,
		[WL_CAUSE_UNUSED] = IDLE_OTHER,
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
	/* Waits in collectives that are not matched are unknown, not 0. */
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

	for (; note && *note; note++)
		wl_table_note(out, "%s", *note);
	return note != NULL;
}

/* The reasons in full, which a narrow table cuts. */
static void note_named(struct wl_table *out, const struct telling *t)
{
	for (size_t i = 0; i < t->stragglers->n; i++) {
		const struct wl_straggler *s = &t->stragglers->at[i];
		char who[WL_RANK_NAME], why[TEXT], saving[WL_UNITS_BUF];

		say_reason(t, s, why);
		wl_table_remark(
			out,
			"%s is a straggler (%s): as fast as the others of its group it would make "
			"the run %s shorter",
			wl_say_rank(t->run->derived, s->member, who), why,
			wl_fmt_ns(saving, s->saving, WL_UNIT_AUTO));
	}
	wl_table_remark(out,
			"savings are replayed; without changes the replay gives all %zu activities "
			"their measured times",
			t->stragglers->n_activities);
}

/* "rank 3, rank 4": those with a tenth of it or more. False: there are none. */
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

/* Where most of the waiting has several that may be the last, none of them is to blame alone. */
static void note_tied(struct wl_table *out, const struct telling *t)
{
	char who[TEXT], share[WL_UNITS_BUF], error[WL_UNITS_BUF];

	if (t->uses.tied <= t->uses.caused / 10 || !list_tied(t, who))
		return;
	wl_table_note(out,
		      "several ranks arrive last within the error of the clocks (%s) where %s of "
		      "all waiting is caused, and share it: %s",
		      wl_fmt_ns(error, t->run->derived->host_clocks->error, WL_UNIT_AUTO),
		      wl_fmt_ratio(share, (double)t->uses.tied / (double)t->uses.caused), who);
}

static void note_mpi(struct wl_table *out, const struct telling *t)
{
	for (size_t i = 0; i < t->uses.n; i++) {
		if (t->uses.at[i].has_mpi && !t->uses.at[i].has_gpu_comm) {
			wl_table_note(out,
				      "MPI calls are host time: their waits are no part of the "
				      "window, and what GPUs idle meanwhile is in idle");
			return;
		}
	}
}

static void note_unmatched(struct wl_table *out, const struct telling *t)
{
	if (t->uses.comm > 0 && t->uses.matched == 0)
		wl_table_note(out, "no communication is matched: transfer includes what ranks wait "
				   "for each other, and how late they are is not known");
}

static bool note_suspects(struct wl_table *out, const struct telling *t)
{
	bool ok = wl_rank_suspects_note(t->run, &t->uses, out);

	wl_table_note(out, "facts hold no single events to replay: whether a rank is a straggler, "
			   "why, and what it costs is known from the traces");
	return ok;
}

static bool note_verdict(struct wl_table *out, const struct telling *t)
{
	const struct wl_stragglers *s = t->stragglers;
	bool ok = true;

	if (s->no_mpi) {
		wl_table_note(out, "%s", wl_no_mpi_in_facts);
		return true;
	}
	if (t->matches->n_members < 2)
		wl_table_note(out, "only one GPU communicates: nothing is known about waiting");
	else if (t->matches->queues.n_ops == 0)
		wl_table_note(out, "this trace has no collectives");
	else if (s->is_refused)
		wl_table_note(out, "no straggler is named: more than a fifth of all communication "
				   "time is not matched across GPUs");
	else if (s->no_clock)
		wl_table_note(out, "no straggler is named: the clocks of the hosts contradict each "
				   "other (info --section clocks)");
	else if (s->n_moved)
		wl_table_note(out,
			      "no straggler is named: a replay without changes moves %zu of %zu "
			      "activities",
			      s->n_moved, s->n_activities);
	else if (s->suspects && s->suspects->n)
		ok = note_suspects(out, t);
	else if (s->n == 0)
		wl_table_note(out, "no straggler: no rank makes the run 1%% longer");
	else
		note_named(out, t);
	note_tied(out, t);
	note_mpi(out, t);
	note_unmatched(out, t);
	if (wl_ranks_missing(t->run->trace) && t->matches->queues.n_ops)
		wl_table_note(out,
			      "ranks that are missing may be the last to arrive: others wait at "
			      "least as long as shown, and transfer at most so long");
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

	if (!wl_rank_use_find(r->derived, r->scope, r->arena, &t.uses))
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
	.topic = WL_TOPIC_COMM,
	.across_ranks = true,
	.help = "Compare the ranks: compute, waits, idle, and why one is late",
	.about = "A line per rank, with --by step per rank and step, with --by pp, dp, cp, ep, tp "
		 "or host the sums of the ranks that share it. compute, wait, transfer, "
		 "exposed_copy and idle add up to the window. wait and transfer are exposed "
		 "communication: a matched operation waits as long as it takes longer than the "
		 "shortest of its match, then it transfers. MPI calls are host time: mpi_wait is "
		 "what matched ones wait, and no part of the window. lateness is by arrivals at "
		 "matched "
		 "collectives, against the median member. A rank is named with its reason where a "
		 "replay of the whole trace, in which its kernels, copies, host calls and host "
		 "gaps take as long as the median of the others of its group, is at least 1% "
		 "shorter. A rank that is late because it waits for another one saves nothing "
		 "there, and is not named.",
	.needs_any = needs_any,
	.from = WL_FROM(RANK_USE) | WL_FROM(HOST_CLOCKS) | WL_FROM(RANKS) | WL_FROM(MESHES) |
		WL_FROM(STRAGGLERS) | WL_FROM(NAMED),
	.hidden = hidden,
	.chart = &wl_lateness_chart,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.axes = &axes,
	.examples = examples,
	.run = run,
};
