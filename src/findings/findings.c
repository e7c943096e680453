/* SPDX-License-Identifier: MIT */
/*
 * findings.c - the verb: what to do next. The rules are one file each; see rule.h.
 */
#include <string.h>

#include "base/sort.h"
#include "base/units.h"
#include "findings/replayed.h"
#include "findings/rule.h"
#include "findings/severity.h"

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
		   .def = "0.7",
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

/*
 * Few traces tell when threads slept or have call stacks, and few findings need them: their
 * absence is worth no note.
 * Without calls there are fewer replays.
 */
static void want(const union wl_arg *arg, struct wl_wanted *wanted)
{
	if (arg && arg[NCU].doc)
		wl_want(wanted, WL_FROM(CLASSES), wl_launch_group_columns);
	wl_want(wanted,
		WL_FROM(SLEEP) | WL_FROM(WHATIF) | WL_FROM(STACK_NAMES) | WL_FROM(LOST_STACKS),
		NULL);
	for (size_t i = 0; i < wl_n_rules; i++)
		wl_want(wanted, wl_rules[i]->from, wl_rules[i]->columns);
}

/* A rule, and on which GPUs it has enough to speak of. */
struct wanted {
	const struct wl_docket *docket;
	const struct wl_rule *rule;
	const bool *is_enough;
};

static bool wanted_anywhere(const void *ctx, const struct wl_docket_gpu *gpu,
			    const struct wl_atom *atom)
{
	const struct wl_rule *rule = ctx;

	(void)gpu;
	return rule->wants(atom);
}

static bool wanted_by(const void *ctx, const struct wl_docket_gpu *gpu, const struct wl_atom *atom)
{
	const struct wanted *w = ctx;

	return w->is_enough[gpu - w->docket->gpu] && w->rule->wants(atom);
}

static const char *detail_of(const struct wl_atom *atom)
{
	return atom->detail;
}

static bool apply(const struct wl_rule *rule, struct wl_docket *d)
{
	bool *is_enough = WL_NEW(d->run->arena, bool, d->n_gpus);
	const struct wanted wanted = { d, rule, is_enough };
	struct wl_claim claim;

	if (rule->apply)
		return rule->apply(rule, d);
	if (!is_enough)
		return false;
	for (size_t t = 0; t < d->n_gpus; t++)
		is_enough[t] = d->gpu[t].by_step || wl_docket_count(d, t, wanted_anywhere, rule) >=
							    rule->min_without_steps;
	return wl_docket_claim_by(d, wanted_by, &wanted, rule->name ? rule->name : detail_of,
				  &claim) &&
	       wl_docket_put(d, rule, &claim, NULL, rule->tell(d, &claim), rule->evidence);
}

static bool is_of_steps(const struct wl_docket *d, const struct wl_finding *f)
{
	return f->kind == WL_FINDING_SAVING && d->gpu[f->gpu].by_step && !f->of_window;
}

/*
 * Per step and per window savings are not to be compared, so what orders them is the share of
 * the window that is lost to each. Only what happens once shrinks as the run grows: it comes
 * after what takes a larger share of each step than it takes of the window.
 */
static double rank_of(const struct wl_docket *d, const struct wl_finding *f)
{
	const struct wl_finding *all = d->findings.data;
	double rank = f->replayed.is_known ? f->replayed.share : f->window_share;

	for (size_t i = 0; f->is_once && i < d->findings.n; i++) {
		double other =
			all[i].replayed.is_known ? all[i].replayed.share : all[i].window_share;

		if (is_of_steps(d, &all[i]) && wl_finding_weight(&all[i]) > wl_finding_weight(f) &&
		    other < rank)
			rank = other;
	}
	return rank;
}

struct ordering {
	const struct wl_finding *all;
	const double *rank;
};

/* Savings first. Then shares; what is about the trace last. */
static bool comes_before(const void *ctx, uint32_t ia, uint32_t ib)
{
	const struct ordering *o = ctx;
	const struct wl_finding *a = &o->all[ia], *b = &o->all[ib];

	if (a->kind != b->kind)
		return a->kind < b->kind;
	if (a->kind != WL_FINDING_SAVING)
		return a->share > b->share;
	if (o->rank[ia] < o->rank[ib] || o->rank[ia] > o->rank[ib])
		return o->rank[ia] > o->rank[ib];
	if (a->is_once != b->is_once)
		return b->is_once;
	return a->window_share > b->window_share;
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

/* Rules can claim idle time only where its cause is known. */
static void cover(const struct wl_docket *d, struct wl_table *out)
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
		wl_table_remark(out, "compute takes %s of the time",
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

static bool put_all(const struct wl_run *r, const struct wl_docket *d, struct wl_table *out)
{
	const struct wl_finding *f = d->findings.data;
	size_t n = d->findings.n, n_minor = 0;
	bool has_saving = false;
	uint32_t *order = WL_NEW(r->arena, uint32_t, 2 * n);
	double *rank = WL_NEW(r->arena, double, n);

	if (!order || !rank)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		order[i] = i;
		rank[i] = rank_of(d, &f[i]);
	}
	wl_sort_index(order, n, order + n, comes_before, &(struct ordering){ f, rank });
	for (size_t i = 0; i < n; i++) {
		const struct wl_finding *at = &f[order[i]];
		bool is_minor =
			at->kind != WL_FINDING_TRACE && wl_finding_weight(at) < WL_LISTED_SHARE;

		n_minor += is_minor;
		has_saving = has_saving || (!is_minor && at->kind == WL_FINDING_SAVING &&
					    !(at->is_once && d->gpu[at->gpu].by_step));
		if (!is_minor || r->arg[ALL].flag)
			put_row(d, at, out);
	}
	cover(d, out);
	if (!has_saving)
		note_healthy(d, out);
	note_left_out(r, out);
	wl_docket_note(d, out);
	if (n_minor && !r->arg[ALL].flag)
		wl_table_remark(
			out, "%zu finding%s below 1%% (warplens findings TRACE --all lists %s)",
			n_minor, n_minor == 1 ? " is" : "s are", n_minor == 1 ? "it" : "them");
	return true;
}

/* A rule sees what it has declared, and what the docket is made of. */
static bool apply_alone(const struct wl_rule *rule, struct wl_docket *d)
{
	const struct wl_run *all = d->run;
	const struct wl_derived seen =
		wl_derived_only(all->derived, rule->from | wl_analysis_findings.from);
	struct wl_run run = *all;
	bool ok;

	run.derived = &seen;
	d->run = &run;
	ok = apply(rule, d);
	d->run = all;
	return ok;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct wl_docket docket;
	struct wl_ncu_join join;
	int joined = r->arg[NCU].doc ? wl_ncu_join_find(r, r->arg[NCU].doc, &join, reterr) : WL_OK;
	bool ok;

	if (joined < 0 && joined != WL_E_NOMEM)
		return joined;
	ok = wl_docket_init(&docket, r) && joined == WL_OK;
	docket.join = r->arg[NCU].doc ? &join : NULL;
	docket.frameworks = wl_frameworks_find(r);
	docket.min_coverage = r->arg[WARN].f64;
	for (size_t i = 0; ok && docket.n_gpus && i < wl_n_rules; i++)
		ok = apply_alone(wl_rules[i], &docket);
	if (ok && docket.n_gpus)
		ok = wl_findings_replay(&docket, r->arg[ALL].flag ? 0 : WL_LISTED_SHARE, out);
	if (ok && docket.n_gpus)
		ok = put_all(r, &docket, out);
	if (ok && docket.join)
		wl_ncu_join_note(r, docket.join, out);
	wl_docket_release(&docket);
	return ok ? WL_OK : wl_no_memory(&wl_analysis_findings, reterr);
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
	.from = WL_FROM(LEDGER),
	.want = want,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
