/* SPDX-License-Identifier: MIT */
/*
 * findings.c - the verb findings: what to do next. Each rule has its own file; see rule.h.
 */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/comm/comm_rows.h"
#include "analysis/words/late_words.h"
#include "base/text/units.h"
#include "derive/graph/late/late_suspects.h"
#include "derive/graph/late/straggler.h"
#include "findings/ordered.h"

WL_DECLARE_ANALYSIS(findings);

enum {
	CODE,
	SUBJECT,
	SEVERITY,
	SAVING,
	SHARE,
	DEVICE,
	PER,
	FINDING,
	ACTION,
	ADVICE,
	IN, /* first of one column per framework */
	LIMITS = IN + WL_N_FRAMEWORKS,
	EVIDENCE,
	GPU_TIME,
	LOOK_AT,
	WINDOW_SHARE,
	REPLAYED,
	REPLAYED_ERROR,
	SCENARIO,
	FIXING,
	AT,
	SAVES,
	SAVES_SHARE,
	SAVES_KIND,
	SAVES_ERROR,
	SAVES_ALONE,
	PART,
	PART_TIME,
};

static const struct wl_col cols[] = {
	[CODE] = { "code", "Code", WL_T_ENUM, WL_KEY, "Kind of finding." },
	[SUBJECT] = { "subject", "Of", WL_T_STR, WL_KEY | WL_MINOR,
		      "The kernel, stage or rank that it is about; empty if it is about none." },
	[SEVERITY] = { "severity", "Severity", WL_T_ENUM, WL_PLAIN,
		       "By what it saves of the run (saves_share): high from 10%, medium from 3%, "
		       "low from 1%; minor if it saves or claims less than 1%; at most low where "
		       "it may save nothing. info "
		       "without a saving, where counters contradict that its GPU is idle, and "
		       "where it claims 10% of the run or more and a replay saves less than 1%." },
	[SAVING] = { "saving", "Saving", WL_T_NS, WL_PLAIN,
		     "Time of a step, or of the window, that it claims, and no other finding "
		     "does." },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN,
		    "Share of the mean step of that GPU, or of its window." },
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_PLAIN, "Where the saving is largest." },
	[PER] = { "per", "Per", WL_T_ENUM, WL_MINOR,
		  "step; window where there are no steps, or the cause is not in most of them." },
	[FINDING] = { "finding", "Finding", WL_T_STR, WL_PROSE, "In a sentence." },
	[ACTION] = { "action", "What to do", WL_T_STR, WL_PROSE, "In a few words." },
	[ADVICE] = { "advice", "How", WL_T_STR, WL_PROSE | WL_MINOR, "The usual remedies." },
	[IN + WL_CUDA] = { "cuda", "CUDA", WL_T_STR, WL_PROSE | WL_MINOR,
			   "The call or option of CUDA C++ that does it; empty where the trace "
			   "proves another framework." },
	[IN + WL_PYTORCH] = { "pytorch", "PyTorch", WL_T_STR, WL_PROSE | WL_MINOR,
			      "The same of PyTorch." },
	[IN + WL_JAX] = { "jax", "JAX", WL_T_STR, WL_PROSE | WL_MINOR, "The same of JAX." },
	[IN + WL_SERVING] = { "vllm_sglang", "vLLM and SGLang", WL_T_STR, WL_PROSE | WL_MINOR,
			      "The same of these engines." },
	[LIMITS] = { "limits", "Caveat", WL_T_STR, WL_PROSE | WL_MINOR,
		     "Why the saving is only a bound." },
	[EVIDENCE] = { "evidence", "Evidence", WL_T_STR, WL_PROSE | WL_MINOR | WL_SHELL,
		       "A command that shows the rows." },
	[GPU_TIME] = { "gpu_time", "GPU time", WL_T_NS, WL_MINOR,
		       "The time it claims on all GPUs, over all steps that count." },
	[LOOK_AT] = { "look_at", "Look at", WL_T_COUNT, WL_MINOR,
		      "GPU that shows the cause, which need not be the one that loses the time; "
		      "empty where it is not selected." },
	[WINDOW_SHARE] = { "window_share", "Of window", WL_T_RATIO, WL_MINOR,
			   "All that it claims, as a share of that GPU's window." },
	[REPLAYED] = { "replayed", "Replayed", WL_T_NS, WL_MINOR,
		       "What a replay of the scenario saves, of a step or of the window, never "
		       "more than saving. Empty where it was not replayed." },
	[REPLAYED_ERROR] = { "replayed_error", "Error", WL_T_NS, WL_MINOR,
			     "Error of that: 90th percentile over steps that were replayed with "
			     "the times of other steps; empty where replays are not validated." },
	[SCENARIO] = { "scenario", "Scenario", WL_T_STR, WL_MINOR,
		       "What-if scenario of the finding, for whatif --with." },
	[FIXING] = { "fixing", "Fixing it", WL_T_STR, WL_MINOR,
		     "What fixing it saves, in words: saves, and how it is known." },
	[AT] = { "at", "At", WL_T_TIME, WL_MINOR,
		 "When the gap or the step begins that the finding names; empty where it names "
		 "none." },
	[SAVES] = { "saves", "Saves", WL_T_NS, WL_MINOR,
		    "What fixing it takes off the run besides the findings before it: by replay, "
		    "else at most what it claims. Of a finding per step in its steps." },
	[SAVES_SHARE] = { "saves_share", "Of the run", WL_T_RATIO, WL_PLAIN,
			  "saves over the run: the number that lists and headlines print. The "
			  "largest comes first, then each time what saves most besides; a bound "
			  "counts two thirds." },
	[SAVES_KIND] = { "saves_kind", "Kind", WL_T_ENUM, WL_MINOR,
			 "prediction; at most: an upper bound; at least: a lower bound; no bound: "
			 "an upper bound but for calls that another thread or a full launch queue "
			 "holds." },
	[SAVES_ERROR] = { "saves_error", "Error of saves", WL_T_NS, WL_MINOR,
			  "Error of a prediction: that of replaying unchanged steps. Contention, "
			  "clocks and how good the fix is are not in it. Empty for bounds, and "
			  "where replays are not validated." },
	[SAVES_ALONE] = { "saves_alone", "Saves alone", WL_T_NS, WL_MINOR,
			  "What it saves if nothing else is fixed." },
	[PART] = { "part", "Part", WL_T_ENUM, WL_MINOR,
		   "Part of the budget that most of its time is of: exposed_comm, exposed_copy, or "
		   "a cause of idle time; empty for compute." },
	[PART_TIME] = { "part_time", "Of the part", WL_T_NS, WL_MINOR,
			"Time of that part that it claims on all GPUs, in the steps that count or "
			"in "
			"the window; 0 where all of it lies outside of these steps." },
};

enum { ALL, WARN, NCU };

static const struct wl_param params[] = {
	[ALL] = { .key = "all",
		  .type = WL_P_BOOL,
		  .help = "Also list findings that claim or save less than 1% of the run." },
	[WARN] = { .key = "nvtx-coverage-warn",
		   .type = WL_P_RATIO,
		   .def = WL_COVERAGE_WARN,
		   .alias = "nvtx-coverage-warn-threshold",
		   .help = "Find too little in ranges when less of the kernel time is." },
	[NCU] = { .key = "ncu",
		  .type = WL_P_DOC,
		  .is_ncu = true,
		  .help = "A report of Nsight Compute: how near to its roof the dominant kernel "
			  "is." },
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

/* The columns that the verb reads beyond those that rules and the ledger declare. */
static const enum wl_column_id uses[] = { WL_DIAGNOSTICS_SEVERITY, WL_DIAGNOSTICS_TEXT,
					  WL_N_COLUMNS };

static const struct wl_alias aliases[] = {
	{ .name = "root_cause_matcher" },
	{ .name = "speedup_estimator" },
	{ .name = "analyze" },
	{ .name = "diagnose" },
	{ "evidence", { { "format", "json" } } },
	{ "evidence_build", { { "format", "json" } } },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens findings run.sqlite", "What to do next, the largest saving first." },
	{ "warplens findings run.sqlite --all --columns code,saves,saves_share",
	  "Also lists findings that claim or save less than 1% of the run." },
	{ "warplens findings run.sqlite --ncu measured.csv",
	  "Says how near to its roof the dominant kernel is." },
	{ "warplens findings run.sqlite -f json", "With evidence and limits, for programs." },
	{ NULL, NULL },
};

static void want(const union wl_arg *arg, struct wl_wanted *wanted)
{
	if (arg && arg[NCU].doc)
		wl_want(wanted, WL_FROM(CLASSES), wl_launch_group_columns);
	wl_findings_want(wanted);
}

static void put_saves(const struct wl_finding *f, struct wl_table *out)
{
	wl_put_i64(out, SAVES, f->saves.time);
	wl_put_f64(out, SAVES_SHARE, f->saves.share);
	wl_put_str(out, SAVES_KIND, wl_saves_kind_name(f->saves.kind));
	if (f->saves.error >= 0)
		wl_put_i64(out, SAVES_ERROR, f->saves.error);
}

static void put_row(const struct wl_rule_state *d, const struct wl_finding *f, struct wl_table *out)
{
	wl_table_row(out);
	wl_put_str(out, CODE, f->code);
	wl_put_str(out, SUBJECT, f->subject);
	wl_put_str(out, SEVERITY, wl_finding_severity(f));
	wl_put_stops(out, FINDING, f->sentence);
	wl_put_str(out, ACTION, f->fix.action);
	wl_put_str(out, ADVICE, f->fix.advice);
	for (size_t i = 0; i < WL_N_FRAMEWORKS; i++)
		wl_put_str(out, IN + i, f->fix.in[i]);
	wl_put_str(out, LIMITS, f->limits);
	wl_put_command(out, EVIDENCE, &f->evidence);
	if (f->kind == WL_FINDING_TRACE)
		return;
	wl_put_f64(out, SHARE, f->share);
	wl_put_i64(out, DEVICE, d->gpu[f->gpu].lane->device);
	if (!f->is_elsewhere || d->run->scope->device_on[f->look_at])
		wl_put_i64(out, LOOK_AT,
			   f->is_elsewhere ? f->look_at : d->gpu[f->gpu].lane->device);
	if (f->is_placed)
		wl_put_i64(out, AT, f->at);
	wl_put_str(out, PART, f->part);
	wl_put_str(out, PER, d->gpu[f->gpu].by_step && !f->of_window ? "step" : "window");
	if (f->kind != WL_FINDING_SAVING)
		return;
	wl_put_i64(out, SAVING, f->saving);
	wl_put_i64(out, GPU_TIME, f->gpu_time);
	wl_put_f64(out, WINDOW_SHARE, f->window_share);
	wl_put_str(out, SCENARIO, f->scenario);
	if (f->part)
		wl_put_i64(out, PART_TIME, f->part_time);
	wl_put_parts(out, FIXING, &f->fixing);
	wl_put_i64(out, SAVES_ALONE, f->alone);
	/* A finding covered by those before it has no number, and one that was only replayed alone
	 * has none that adds up. */
	if (!f->is_joint && !wl_finding_is_covered(f) && !wl_finding_is_alone(f))
		put_saves(f, out);
	if (f->replayed.is_known)
		wl_put_i64(out, REPLAYED, f->replayed.saving);
	if (f->replayed.is_known && f->replayed.error >= 0)
		wl_put_i64(out, REPLAYED_ERROR, f->replayed.error);
}

/* Whether all GPUs have the same sample of steps, which then represents the window. */
static bool has_one_sample(const struct wl_rule_state *d)
{
	for (size_t t = 0; t < d->n_gpus; t++) {
		if (!d->gpu[t].by_step || d->gpu[t].first != d->gpu[0].first ||
		    d->gpu[t].last != d->gpu[0].last)
			return false;
	}
	return d->n_gpus > 0;
}

/* If there is nothing to save, note how much of the time is compute. */
static void note_healthy(const struct wl_rule_state *d, struct wl_table *out)
{
	double compute = 0, all = 0;
	char share[WL_UNITS_BUF];

	for (size_t t = 0; t < d->n_gpus; t++) {
		const struct wl_rule_gpu *gpu = &d->gpu[t];

		for (size_t i = 0; i < gpu->lane->n_tiles; i++)
			compute += gpu->in_sample[i] ? (double)gpu->lane->tile[i].compute : 0;
		all += (double)gpu->length;
	}
	if (all > 0 && has_one_sample(d))
		wl_table_remark(out, "compute takes %s of GPU time in steps %" PRIu32 "-%" PRIu32,
				wl_fmt_ratio(share, compute / all), d->gpu[0].first,
				d->gpu[0].last);
	else if (all > 0)
		wl_table_remark(out, "compute takes %s of GPU time",
				wl_fmt_ratio(share, compute / all));
}

/* A GPU that waits for another one shows only the wait; the reason is on the other GPU. */
static void note_left_out(const struct wl_run *r, struct wl_table *out)
{
	size_t n = r->trace->n_devices, n_on = 0;
	char before[128];

	for (size_t i = 0; i < n; i++)
		n_on += r->scope->device_on[i];
	if (n_on == 0 || n_on == n)
		return;
	(void)snprintf(before, sizeof(before),
		       "%zu of %zu GPUs %s selected: causes on the others are not listed" WL_STOP
		       " (",
		       n_on, n, n_on == 1 ? "is" : "are");
	wl_table_suggest(out, false, before,
			 &(struct wl_cmdline){ .verb = "findings",
					       .gpus = WL_GPUS_RANGE,
					       .gpu = { 0, (uint32_t)(n - 1) } },
			 " looks at all)");
}

/* If too much is unmatched, the list must not look like a verdict, whether it names a straggler or
 * not. */
static void note_unmatched(const struct wl_derived *derived, struct wl_table *out)
{
	const struct wl_stragglers *s = derived->stragglers;

	if (s->is_refused && !s->no_mpi && derived->matches->n_members > 1)
		wl_table_note(out, "%s", wl_too_much_unmatched);
	/* Which ranks are late together is known only as well as the groups are. */
	if (s->suspects && s->suspects->n > 1)
		wl_comm_note_in_step(out, derived->matches);
}

static void note_minor(size_t n, struct wl_table *out)
{
	static const struct wl_cmdline all = { .verb = "findings", .option = { { "all", NULL } } };
	char before[128];

	(void)snprintf(before, sizeof(before),
		       "%zu finding%s less than 1%%, or save%s less than 1%% besides these (", n,
		       n == 1 ? " claims" : "s claim", n == 1 ? "s" : "");
	wl_table_suggest(out, true, before, &all, n == 1 ? " lists it)" : " lists them)");
}

static void put_all(const struct wl_run *r, const struct wl_ordered *list, struct wl_table *out)
{
	const struct wl_rule_state *d = &list->state;
	bool has_saving = false;

	for (size_t i = 0; i < list->n; i++) {
		const struct wl_finding *at = wl_ordered_at(list, i);

		has_saving =
			has_saving || (!wl_finding_is_minor(at) && at->kind == WL_FINDING_SAVING &&
				       !(at->is_once && d->gpu[at->gpu].by_step));
		put_row(d, at, out);
	}
	wl_rule_state_cover(d, out);
	if (!has_saving)
		note_healthy(d, out);
	note_left_out(r, out);
	note_unmatched(r->derived, out);
	wl_rule_state_note(d, out);
	if (list->n_minor && !r->arg[ALL].flag)
		note_minor(list->n_minor, out);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_ordered_ask ask = { .has_minor = r->arg[ALL].flag,
					    .min_coverage = r->arg[WARN].f64,
					    .ncu = r->arg[NCU].doc };
	struct wl_ordered list;
	int status = wl_ordered_init(&list, r, &wl_analysis_findings, &ask, out, reterr);

	if (status == WL_OK && list.state.n_gpus)
		put_all(r, &list, out);
	if (status == WL_OK && list.state.join)
		wl_ncu_join_note(r, list.state.join, out);
	wl_ordered_release(&list);
	return status;
}

const struct wl_analysis wl_analysis_findings = {
	.name = "findings",
	.topic = WL_TOPIC_FIX,
	.listed = { .level = WL_LEVEL_FIRST,
		    .line = "What to fix first, why, how, and what it saves" },
	.across_ranks = true,
	.look = WL_LOOK_LIST,
	.help = "Say what to do next, the largest saving first",
	.about =
		"Each finding comes from a rule over the times of overlap and idle, step by step. "
		"Each finding says what fixing it takes off the run: by a replay of its scenario, "
		"as a prediction or as a bound (\"at most\"), or at most what it claims. That "
		"number orders the list, a bound by two thirds of it, and gives the severity. "
		"saving is the time that it claims, per step or of the window, on the GPU where "
		"that is largest. Every idle or exposed nanosecond belongs to at most one "
		"finding: these can be added. Four findings also claim compute: slow-iterations "
		"and step-time-changed the excess of a slow step, managed-memory the time of "
		"kernels during which "
		"pages migrate by faults, layout-change kernels that only change layouts. The "
		"first and the last step are left out. Causes that "
		"are not in most steps, and all causes in a trace without steps, are given for the "
		"window. Findings about compute have a share and no saving, findings about the "
		"trace have neither. Findings that claim or save less than 1% are listed with "
		"--all, below the others; \"warplens explain CODE\" explains a finding.",
	.needs_any = needs_any,
	.uses = uses,
	.from = WL_FINDINGS_FROM,
	.want = want,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.facts = WL_FACTS_FIND,
	.run = run,
};
