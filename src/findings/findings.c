/* SPDX-License-Identifier: MIT */
/*
 * findings.c - the verb: what to do next. The rules are one file each; see rule.h.
 */
#include <string.h>

#include "base/units.h"
#include "findings/ordered.h"
#include "findings/rule.h"

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
	IN, /* one column for each framework */
	LIMITS = IN + WL_N_FRAMEWORKS,
	EVIDENCE,
	GPU_TIME,
	LOOK_AT,
	WINDOW_SHARE,
	REPLAYED,
	REPLAYED_ERROR,
	SCENARIO,
	FIXING,
};

static const struct wl_col cols[] = {
	[CODE] = { "code", "Code", WL_T_ENUM, WL_KEY, "Kind of finding." },
	[SUBJECT] = { "subject", "Of", WL_T_STR, WL_KEY | WL_MINOR,
		      "The kernel, stage or rank that it is about; empty if it is about none." },
	[SEVERITY] = { "severity", "Severity", WL_T_ENUM, WL_PLAIN,
		       "By what a replay saves, else by the bound: high from 10% of the step, "
		       "medium "
		       "from 3%, low below; at most low where the replay may save nothing; minor "
		       "where the bound is below 1%; info without a saving." },
	[SAVING] = { "saving", "Saving", WL_T_NS, WL_PLAIN,
		     "At most this much of a step, or of the window, comes back if it is fixed." },
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
			   "Share of that GPU's window; the list is sorted by this where nothing "
			   "was replayed." },
	[REPLAYED] = { "replayed", "Replayed", WL_T_NS, WL_MINOR,
		       "What a replay of the scenario saves, of a step or of the window; the list "
		       "is sorted by it. Empty where it was not replayed." },
	[REPLAYED_ERROR] = { "replayed_error", "Error", WL_T_NS, WL_MINOR,
			     "Error of that: 90th percentile over steps that were replayed with "
			     "the times of other steps; empty where replays are not validated." },
	[SCENARIO] = { "scenario", "Scenario", WL_T_STR, WL_MINOR,
		       "What-if scenario of the finding, for whatif --with." },
	[FIXING] = { "fixing", "Fixing it", WL_T_STR, WL_MINOR,
		     "What fixing it saves, in words: by replay, else at most." },
};

enum { ALL, WARN, NCU };

static const struct wl_param params[] = {
	[ALL] = { .key = "all",
		  .type = WL_P_BOOL,
		  .help = "Also list findings below 1% of the step." },
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

/* What the rules below declare and the ledger does not. */
static const enum wl_column_id uses[] = { WL_DIAGNOSTICS_SEVERITY, WL_DIAGNOSTICS_TEXT,
					  WL_N_COLUMNS };

static const struct wl_alias aliases[] = {
	{ .name = "root_cause_matcher" },
	{ .name = "speedup_estimator" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens findings run.sqlite", "What to do next, the largest saving first." },
	{ "warplens findings run.sqlite --all --columns code,saving,share",
	  "Also lists findings below 1% of a step." },
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

static void put_row(const struct wl_docket *d, const struct wl_finding *f, struct wl_table *out)
{
	wl_table_row(out);
	wl_put_str(out, CODE, f->code);
	wl_put_str(out, SUBJECT, f->subject);
	wl_put_str(out, SEVERITY, wl_finding_severity(f));
	wl_put_str(out, FINDING, f->sentence);
	wl_put_str(out, ACTION, f->fix.action);
	wl_put_str(out, ADVICE, f->fix.advice);
	for (size_t i = 0; i < WL_N_FRAMEWORKS; i++)
		wl_put_str(out, IN + i, f->fix.in[i]);
	wl_put_str(out, LIMITS, f->limits);
	wl_put_str(out, EVIDENCE, f->evidence);
	if (f->kind == WL_FINDING_TRACE)
		return;
	wl_put_f64(out, SHARE, f->share);
	wl_put_i64(out, DEVICE, d->gpu[f->gpu].lane->device);
	if (!f->is_elsewhere || d->run->scope->device_on[f->look_at])
		wl_put_i64(out, LOOK_AT,
			   f->is_elsewhere ? f->look_at : d->gpu[f->gpu].lane->device);
	wl_put_str(out, PER, d->gpu[f->gpu].by_step && !f->of_window ? "step" : "window");
	if (f->kind != WL_FINDING_SAVING)
		return;
	wl_put_i64(out, SAVING, f->saving);
	wl_put_i64(out, GPU_TIME, f->gpu_time);
	wl_put_f64(out, WINDOW_SHARE, f->window_share);
	wl_put_str(out, SCENARIO, f->scenario);
	wl_put_str(out, FIXING, f->replayed.words);
	if (f->replayed.is_known)
		wl_put_i64(out, REPLAYED, f->replayed.saving);
	if (f->replayed.is_known && f->replayed.error >= 0)
		wl_put_i64(out, REPLAYED_ERROR, f->replayed.error);
}

/* Where there is nothing to save, how much of the time is compute. */
static void note_healthy(const struct wl_docket *d, struct wl_table *out)
{
	double compute = 0, all = 0;
	char share[WL_UNITS_BUF];

	for (size_t t = 0; t < d->n_gpus; t++) {
		const struct wl_docket_gpu *gpu = &d->gpu[t];

		for (size_t i = 0; i < gpu->lane->n_tiles; i++)
			compute += gpu->in_sample[i] ? (double)gpu->lane->tile[i].compute : 0;
		all += (double)gpu->length;
	}
	if (all > 0)
		wl_table_remark(out, "compute takes %s of GPU time",
				wl_fmt_ratio(share, compute / all));
}

/* A GPU that waits for another one shows the wait; the reason is on the other. */
static void note_left_out(const struct wl_run *r, struct wl_table *out)
{
	size_t n = r->trace->n_devices, n_on = 0;

	for (size_t i = 0; i < n; i++)
		n_on += r->scope->device_on[i];
	if (n_on && n_on < n)
		wl_table_note(out,
			      "%zu of %zu GPUs %s selected: causes on the others are not listed "
			      "(warplens findings TRACE --gpu 0..%zu looks at all)",
			      n_on, n, n_on == 1 ? "is" : "are", n - 1);
}

static void put_all(const struct wl_run *r, const struct wl_ordered *list, struct wl_table *out)
{
	const struct wl_docket *d = &list->docket;
	bool has_saving = false;

	for (size_t i = 0; i < list->n; i++) {
		const struct wl_finding *at = wl_ordered_at(list, i);

		has_saving =
			has_saving || (!wl_finding_is_minor(at) && at->kind == WL_FINDING_SAVING &&
				       !(at->is_once && d->gpu[at->gpu].by_step));
		put_row(d, at, out);
	}
	wl_docket_cover(d, out);
	if (!has_saving)
		note_healthy(d, out);
	note_left_out(r, out);
	wl_docket_note(d, out);
	if (list->n_minor && !r->arg[ALL].flag)
		wl_table_remark(out,
				"%zu finding%s below 1%% (warplens findings TRACE --all lists %s)",
				list->n_minor, list->n_minor == 1 ? " is" : "s are",
				list->n_minor == 1 ? "it" : "them");
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_ordered_ask ask = { .has_minor = r->arg[ALL].flag,
					    .min_coverage = r->arg[WARN].f64,
					    .ncu = r->arg[NCU].doc };
	struct wl_ordered list;
	int status = wl_ordered_init(&list, r, &wl_analysis_findings, &ask, out, reterr);

	if (status == WL_OK && list.docket.n_gpus)
		put_all(r, &list, out);
	if (status == WL_OK && list.docket.join)
		wl_ncu_join_note(r, list.docket.join, out);
	wl_ordered_release(&list);
	return status;
}

const struct wl_analysis wl_analysis_findings = {
	.name = "findings",
	.topic = WL_TOPIC_START,
	.across_ranks = true,
	.look = WL_LOOK_LIST,
	.help = "Say what to do next, the largest saving first",
	.about =
		"Each finding comes from a rule over the times of overlap and idle, step by step. "
		"The saving is an upper bound of the step time that fixing it saves, on the GPU "
		"where that is largest. Every idle or exposed nanosecond belongs to at most one "
		"finding: savings can be added. Three findings also count compute: slow-iterations "
		"counts the excess of a slow step, managed-memory the time of kernels during which "
		"pages migrate by faults, layout-change kernels that only change layouts. The "
		"first and the last step are left out. Causes that "
		"are not in most steps, and all causes in a trace without steps, are given for the "
		"window. List and severity follow what a replay saves, else the bound, but "
		"start-up follows "
		"findings that take a larger share of each step. Findings about compute have a "
		"share and no saving, findings about the trace have neither. Findings below 1% of "
		"the step are listed with --all; \"warplens explain CODE\" explains a finding.",
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
	.run = run,
};
