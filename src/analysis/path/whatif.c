/* SPDX-License-Identifier: MIT */
/* whatif.c - how long the run would take if something were different, by replay. */
#include <stdio.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/path/finding_scenario.h"
#include "analysis/words/step_words.h"
#include "analysis/words/whatif_words.h"
#include "base/text/units.h"
#include "derive/graph/path.h"
#include "derive/graph/scenario/held_out.h"

WL_DECLARE_ANALYSIS(whatif);

enum {
	SCENARIO,
	PER_STEP,
	SAVING,
	SHARE,
	FORECAST,
	REPLAYED,
	MEASURED,
	CHANGED,
	NEXT,
	NEXT_SHARE,
	WHY,
	STEPS
};

static const struct wl_col cols[] = {
	[SCENARIO] = { "scenario", "Scenario", WL_T_STR, WL_KEY,
		       "The scenario, as --with takes it." },
	[PER_STEP] = { "per_step", "Per step", WL_T_NS, WL_PLAIN,
		       "How much shorter a step is on average, from the end of the first step to "
		       "that of the last; never more than saving / steps. Empty without steps." },
	[SAVING] = { "saving", "Saves", WL_T_NS, WL_ANSWER,
		     "How much shorter the run is; below 0 it is longer." },
	[SHARE] = { "share", "Of the run", WL_T_RATIO, WL_ANSWER, "The saving over the run." },
	[FORECAST] = { "forecast", "Kind", WL_T_ENUM, WL_ANSWER,
		       "prediction; at most: an upper bound, as where a whole class takes no time; "
		       "at least: a lower bound, because more than 25% of the critical path is "
		       "rigid, ranks wait for others that are missing, or calls are held by those "
		       "of other threads or by a full launch queue; no bound: an upper bound but "
		       "for such calls; refused: no answer." },
	[REPLAYED] = { "replayed", "Replayed", WL_T_NS, WL_MINOR,
		       "What the run takes then, from the first start of a GPU operation to the "
		       "last end." },
	[MEASURED] = { "measured", "Measured", WL_T_NS, WL_MINOR, "What the run took." },
	[CHANGED] = { "changed", "Changed", WL_T_COUNT, WL_MINOR,
		      "Activities whose length, lag or dependencies the scenario changes." },
	[NEXT] = { "next", "Then most", WL_T_ENUM, WL_PLAIN,
		   "What takes most of the critical path then." },
	[NEXT_SHARE] = { "next_share", "Of it", WL_T_RATIO, WL_MINOR, "How much of it." },
	[WHY] = { "why", "What changes", WL_T_STR, WL_PROSE | WL_MINOR,
		  "What the scenario changes, what it found, or why it has no answer." },
	[STEPS] = { "steps", "Steps", WL_T_COUNT, WL_MINOR,
		    "Steps that per_step is the mean of: those after the first one." },
};

enum { WITH, SWEEP, LIST };

static const struct wl_param params[] = {
	[WITH] = { .key = "with",
		   .type = WL_P_STR,
		   .many = true,
		   .help = "A scenario, such as comm-free or kernel=gemm:0.5; several times for "
			   "several at once." },
	[SWEEP] = { .key = "sweep",
		    .type = WL_P_BOOL,
		    .help = "Also each class at 0, 25, 50, 75 and 125% of its time." },
	[LIST] = { .key = "list",
		   .alias = "scenarios",
		   .type = WL_P_BOOL,
		   .help = "List the scenarios, without replays." },
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

static const struct wl_example examples[] = {
	{ "warplens whatif run.sqlite", "What each standard scenario saves, largest first." },
	{ "warplens whatif run.sqlite --with kernel=gemm:0.8 --with comm-free",
	  "Faster matrix products and free communication at once." },
	{ "warplens whatif run.sqlite --sweep",
	  "Each class faster and slower: what the run takes then." },
	{ "warplens whatif run.sqlite --list", "The scenarios there are." },
	{ NULL, NULL },
};

#define BIT(col) (UINT64_C(1) << (col))

static uint64_t hidden(const union wl_arg *arg)
{
	return arg[LIST].flag ? BIT(PER_STEP) | BIT(SAVING) | BIT(SHARE) | BIT(REPLAYED) |
					BIT(MEASURED) | BIT(FORECAST) | BIT(CHANGED) | BIT(NEXT) |
					BIT(NEXT_SHARE) | BIT(STEPS)
			      : 0;
}

static const char *forecast_name(enum wl_forecast forecast)
{
	return forecast == WL_UPPER_BOUND   ? "at most"
	       : forecast == WL_LOWER_BOUND ? "at least"
	       : forecast == WL_NO_BOUND    ? "no bound"
					    : "prediction";
}

static void list(struct wl_table *out)
{
	for (size_t i = 0; i < WL_N_SCENARIOS; i++) {
		const struct wl_scenario_kind *kind = &wl_scenario_kinds[i];

		wl_table_row(out);
		wl_put_str(out, SCENARIO, kind->form);
		wl_put_str(out, WHY, wl_scenario_changes((enum wl_scenario_id)i));
	}
}

/* One scenario or several at once, and the result. */
struct answer {
	const char *text, *changes;
	struct wl_whatif_result result;
	const char *remark; /* a remark on the result; "" for none */
};

enum { MOST_SWEPT = 20 };

struct asking {
	const struct wl_run *run;
	struct wl_whatif w;
	struct wl_fidelity fidelity;
	struct wl_asked ask[WL_MOST_ASKS];
	size_t n_asks;
	struct answer answer[WL_MOST_ASKS + WL_MORE_ASKS + MOST_SWEPT];
	size_t n_answers;
};

/* Each line of the text is a value of --with. */
static int parse_asks(struct asking *a, const char *text, struct wl_err *reterr)
{
	char *lines = wl_arena_strdup(a->run->arena, text);

	if (!lines)
		return wl_no_memory(&wl_analysis_whatif, reterr);
	for (char *line = lines, *end; line; line = end) {
		const char *scenario;
		int r;

		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		if (a->n_asks == WL_MOST_ASKS)
			return wl_fail(reterr, WL_E_USAGE, "--with: given more than %d times",
				       WL_MOST_ASKS);
		scenario = wl_finding_scenario(line);
		r = wl_ask_parse(scenario ? scenario : line, a->run->arena, &a->ask[a->n_asks++],
				 reterr);
		if (r < 0)
			return r;
	}
	return WL_OK;
}

/* "kernel=gemm:0.8 + comm-free" */
static const char *join(const struct asking *a)
{
	char buf[512];
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < a->n_asks && used < sizeof(buf); i++)
		used += (size_t)snprintf(buf + used, sizeof(buf) - used, "%s%s", i ? " + " : "",
					 a->ask[i].text);
	return wl_arena_strdup(a->run->arena, buf);
}

/* Replays the scenarios of an answer, all at once. */
static int run_answer(struct asking *a, const struct wl_asked *asks, size_t n, struct answer *to,
		      struct wl_err *reterr)
{
	int r = wl_whatif_run(&a->w, asks, n, &to->result, reterr);

	to->changes = n == 1 ? wl_scenario_changes(asks->kind->id) : NULL;
	if (r < 0)
		return r;
	to->remark = wl_whatif_say(&to->result, a->run->arena);
	return to->remark ? WL_OK : wl_no_memory(&wl_analysis_whatif, reterr);
}

static int run_asked(struct asking *a, struct wl_err *reterr)
{
	struct answer *to = &a->answer[a->n_answers++];

	to->text = join(a);
	if (!to->text)
		return wl_no_memory(&wl_analysis_whatif, reterr);
	return run_answer(a, a->ask, a->n_asks, to, reterr);
}

static int run_standard(struct asking *a, struct wl_err *reterr)
{
	int r = WL_OK;

	a->n_asks = wl_standard_asks(a->ask);
	for (size_t i = 0; r == WL_OK && i < a->n_asks; i++) {
		struct answer *to = &a->answer[a->n_answers++];

		*to = (struct answer){ .text = a->ask[i].text };
		r = run_answer(a, &a->ask[i], 1, to, reterr);
	}
	return r;
}

/* Scales classes to shares of their time; classes without activities are left out. */
static int run_sweep(struct asking *a, struct wl_err *reterr)
{
	static const char *const classes[] = { "compute", "comm", "copy", "mpi" };
	/* The stops of a page's sliders; the page never interpolates between two replays. */
	static const unsigned percents[] = { 0, 25, 50, 75, 125 };
	struct wl_asked ask;
	struct wl_err err;
	int r = WL_OK;

	_Static_assert(WL_COUNT(classes) * WL_COUNT(percents) == MOST_SWEPT,
		       "there is room for all answers");
	for (size_t i = 0; r == WL_OK && i < MOST_SWEPT; i++) {
		struct answer *to = &a->answer[a->n_answers];
		char text[40];

		(void)snprintf(text, sizeof(text), "class=%s:%u%%", classes[i / WL_COUNT(percents)],
			       percents[i % WL_COUNT(percents)]);
		*to = (struct answer){ .text = wl_arena_strdup(a->run->arena, text) };
		if (!to->text)
			return wl_no_memory(&wl_analysis_whatif, reterr);
		r = wl_ask_parse(to->text, a->run->arena, &ask, reterr);
		if (r < 0)
			return r;
		/*
		 * Uses a separate error: a class without activities leaves a message but is not a
		 * failure.
		 */
		r = run_answer(a, &ask, 1, to, &err);
		a->n_answers += r == WL_OK && to->result.n_changed > 0;
		r = r == WL_E_NOMATCH ? WL_OK : r;
	}
	if (r < 0)
		*reterr = err;
	return r;
}

/* Scenarios that findings may name: rows of those that save a hundredth of the run, the threshold
 * for listing findings. */
static int run_more(struct asking *a, struct wl_err *reterr)
{
	struct wl_asked ask[WL_MORE_ASKS];
	struct wl_err err;
	size_t n = 0;
	int r = WL_OK;

	if (!wl_more_asks(&a->w, ask, &n))
		return wl_no_memory(&wl_analysis_whatif, reterr);

	for (size_t i = 0; r == WL_OK && i < n; i++) {
		struct answer *to = &a->answer[a->n_answers];

		*to = (struct answer){ .text = ask[i].text };
		/* A name that nothing matches is not a failure. */
		r = run_answer(a, &ask[i], 1, to, &err);
		if (r == WL_OK && !to->result.refused &&
		    to->result.saving >= to->result.measured / 100 && to->result.saving > 0)
			a->n_answers++;
		r = r == WL_E_NOMATCH ? WL_OK : r;
	}
	if (r < 0)
		*reterr = err;
	return r;
}

/* Orders answers by saving; refused ones come last. */
static bool comes_before(const struct answer *a, const struct answer *b)
{
	if (!a->result.refused != !b->result.refused)
		return !a->result.refused;
	return a->result.saving > b->result.saving;
}

/* Insertion sort keeps answers with equal savings in catalogue order, and there are few. */
static void order(struct asking *a)
{
	for (size_t i = 1; i < a->n_answers; i++) {
		struct answer moved = a->answer[i];
		size_t k = i;

		for (; k > 0 && comes_before(&moved, &a->answer[k - 1]); k--)
			a->answer[k] = a->answer[k - 1];
		a->answer[k] = moved;
	}
}

static void put_next(struct wl_table *out, const struct wl_whatif_result *r)
{
	unsigned most = 0;
	wl_ns all = 0;

	for (unsigned i = 0; i < WL_N_SPENT; i++) {
		most = r->spent[i] > r->spent[most] ? i : most;
		all += r->spent[i];
	}
	if (all <= 0)
		return;
	wl_put_str(out, NEXT, wl_spent_name((enum wl_spent)most));
	wl_put_ratio(out, NEXT_SHARE, r->spent[most], all);
}

static void put_step(struct wl_table *out, const struct asking *a, wl_ns per_step)
{
	wl_put_i64(out, PER_STEP, per_step);
	wl_put_i64(out, STEPS, (int64_t)(a->w.whole.n ? a->w.whole.n : a->w.n_steps));
}

static void add_row(struct wl_table *out, const struct asking *a, const struct answer *of)
{
	const struct wl_whatif_result *r = &of->result;
	bool is_low = wl_fidelity_is_low(&a->fidelity) && r->forecast == WL_PREDICTION;
	wl_ns per_step;

	wl_table_row(out);
	wl_put_str(out, SCENARIO, of->text);
	wl_put_i64(out, MEASURED, r->measured);
	if (r->refused) {
		wl_put_str(out, FORECAST, "refused");
		wl_put_str(out, WHY, wl_refusal_say(r->refused));
		return;
	}
	if (wl_whatif_per_step(&a->w, r, &per_step))
		put_step(out, a, per_step);
	wl_put_i64(out, SAVING, r->saving);
	wl_put_ratio(out, SHARE, r->saving, r->measured);
	wl_put_str(out, FORECAST, is_low ? "at least" : forecast_name(r->forecast));
	wl_put_i64(out, REPLAYED, r->replayed);
	wl_put_i64(out, CHANGED, (int64_t)r->n_changed);
	put_next(out, r);
	wl_put_str(out, WHY, *of->remark ? of->remark : of->changes);
}

static void note_held_out(struct wl_table *out, const struct wl_held_out *h)
{
	char p50[WL_UNITS_BUF], p90[WL_UNITS_BUF], naive50[WL_UNITS_BUF], naive90[WL_UNITS_BUF];

	if (h->verdict == WL_HELD_OUT_FEW) {
		wl_table_note(out, "replay error unknown: %zu comparable steps, 3 are needed",
			      h->n_steps);
		return;
	}
	(void)snprintf(p50, sizeof(p50), "%.2f%%", 100 * h->p50);
	(void)snprintf(p90, sizeof(p90), "%.2f%%", 100 * h->p90);
	(void)snprintf(naive50, sizeof(naive50), "%.2f%%", 100 * h->naive_p50);
	(void)snprintf(naive90, sizeof(naive90), "%.2f%%", 100 * h->naive_p90);
	wl_table_note(out,
		      "replay error on unseen steps: %s median, %s p90 (without a "
		      "replay: %s, %s; %zu pairs)%s",
		      p50, p90, naive50, naive90, h->n_pairs,
		      h->verdict == WL_HELD_OUT_UNSHOWN ? "; not validated: no better than that"
		      : h->verdict == WL_HELD_OUT_POOR  ? "; above 2% savings are rough"
							: "");
}

/* Notes what path.h calls doubtful. */
static void note_doubts(struct wl_table *out, const struct wl_path *path)
{
	wl_ns all = path->window.end - path->window.begin, unknown = path->time[WL_PATH_UNKNOWN];
	char have[WL_UNITS_BUF], of[WL_UNITS_BUF];

	if (unknown > all / 100)
		wl_table_note(out, "%s of the critical path is unexplained",
			      wl_fmt_ratio(have, (double)unknown / (double)all));
	if (path->n_violations > path->n_activities / 1000)
		wl_table_note(out, "%s of %s activities start before their cause",
			      wl_fmt_count(have, (int64_t)path->n_violations),
			      wl_fmt_count(of, (int64_t)path->n_activities));
}

static void note_fidelity(struct wl_table *out, const struct asking *a)
{
	const struct wl_fidelity *f = &a->fidelity;
	char count[WL_UNITS_BUF];

	wl_table_note(out, "check: replaying the unchanged run moves %zu of %s activities",
		      f->n_moved, wl_fmt_count(count, (int64_t)f->n_activities));
	note_held_out(out, &f->held_out);
	wl_table_note(out,
		      "%.1f%% of the critical path keeps its length: latency (except "
		      "in launch-free and host-free), dispatch, dependency and "
		      "unknown%s",
		      100 * f->rigid,
		      wl_fidelity_is_low(f) ? "; above 25% savings are lower bounds" : "");
	note_doubts(out, a->w.given->path);
}

/* "comm-free, no-wait and overlap": lists all that are refused for one reason; returns their
 * number. */
static size_t list_refused(const struct asking *a, enum wl_refusal why, char *buf, size_t size)
{
	size_t n = 0, left, used = 0;

	for (size_t i = 0; i < a->n_answers; i++)
		n += a->answer[i].result.refused == why;
	left = n;
	for (size_t i = 0; i < a->n_answers && used < size; i++) {
		if (a->answer[i].result.refused != why)
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
					 left == n   ? ""
					 : left == 1 ? " and "
						     : ", ",
					 a->answer[i].text);
		left--;
	}
	return n;
}

static bool is_first_refused(const struct asking *a, size_t i)
{
	size_t k = 0;

	while (a->answer[k].result.refused != a->answer[i].result.refused)
		k++;
	return k == i;
}

/* Narrow tables omit the reasons; note each one once. */
static void note_refused(struct wl_table *out, const struct asking *a)
{
	char names[512];

	for (size_t i = 0; i < a->n_answers; i++) {
		const struct answer *of = &a->answer[i];

		if (of->result.refused && is_first_refused(a, i)) {
			size_t n = list_refused(a, of->result.refused, names, sizeof(names));

			wl_table_note(out, "%s %s refused: %s", names, n > 1 ? "are" : "is",
				      wl_refusal_say(of->result.refused));
		} else if (!of->result.refused && *of->remark)
			wl_table_remark(out, "%s: %s", of->text, of->remark);
	}
}

static void note_limits(struct wl_table *out, const struct asking *a)
{
	size_t n_graphs = a->w.plan->graph->ops[WL_OP_GRAPH].n;

	if (n_graphs)
		wl_table_note(out,
			      "CUDA graph launches (%zu) are replayed as a unit: kernels "
			      "inside keep their duration",
			      n_graphs);
	wl_table_remark(out, "contention between overlapping kernels and clocks that change are "
			     "not modelled");
}

/* Work that starts in a window may end after it: shares are relative to the time until its end, not
 * to the window. */
static void note_window(struct wl_table *out, const struct asking *a)
{
	char time[WL_UNITS_BUF];

	if (a->run->scope->whole)
		wl_table_note(out, "the whole run is replayed, with host calls outside of the "
				   "window" WL_STOP "; of a window what starts in it is replayed");
	else if (a->n_answers)
		wl_table_note(out,
			      "shares are of %s, from the first start to the last end of what "
			      "starts in the window",
			      wl_fmt_ns(time, a->answer[0].result.measured, WL_UNIT_AUTO));
}

/* The first step only marks the beginning of the second and is not in the mean. */
static void note_mean(struct wl_table *out, const struct asking *a)
{
	if (a->w.whole.n)
		wl_table_remark(out, "per step: the mean of %zu of %zu steps, without the first",
				a->w.whole.n, a->w.n_steps);
}

static bool note_steps(struct wl_table *out, const struct wl_run *r)
{
	const char *const *note = wl_iterations_notes(r->trace, r->derived->iterations,
						      r->scope->process_on, r->arena);

	wl_table_say_steps(out, false, note);
	return note != NULL;
}

/*
 * Fidelity is that of the whole trace, even if a window is replayed: held-out steps are compared
 * with each other, and a window may be one step.
 */
static int begin(struct asking *a, struct wl_err *reterr)
{
	const struct wl_run *r = a->run;
	const struct wl_interval *window = r->scope->whole ? NULL : r->scope->process;

	if (!wl_whatif_begin(r->derived, NULL, r->arena, &a->w) ||
	    !wl_fidelity_find(&a->w, r->arena, &a->fidelity))
		return wl_no_memory(&wl_analysis_whatif, reterr);
	if (a->fidelity.refused)
		return wl_fail(reterr, WL_E_NODATA, "refused: %s",
			       wl_refusal_say(a->fidelity.refused));
	if (window && !wl_whatif_begin(r->derived, window, r->arena, &a->w))
		return wl_no_memory(&wl_analysis_whatif, reterr);
	return WL_OK;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct asking a = { .run = r };
	const char *with = r->arg[WITH].str;
	int status;

	if (r->arg[LIST].flag) {
		list(out);
		return WL_OK;
	}
	status = with ? parse_asks(&a, with, reterr) : WL_OK;
	if (status == WL_OK)
		status = begin(&a, reterr);
	if (status == WL_OK)
		status = with ? run_asked(&a, reterr) : run_standard(&a, reterr);
	if (status == WL_OK && !with)
		status = run_more(&a, reterr);
	/* Sort before the sweep, whose rows stay in order of class and factor. */
	order(&a);
	if (status == WL_OK && r->arg[SWEEP].flag)
		status = run_sweep(&a, reterr);
	if (status == WL_E_NOMEM)
		return wl_no_memory(&wl_analysis_whatif, reterr);
	if (status < 0)
		return status;
	for (size_t i = 0; i < a.n_answers; i++)
		add_row(out, &a, &a.answer[i]);
	note_refused(out, &a);
	note_window(out, &a);
	note_fidelity(out, &a);
	note_limits(out, &a);
	note_mean(out, &a);
	return note_steps(out, r) ? WL_OK : wl_no_memory(&wl_analysis_whatif, reterr);
}

static int check(const union wl_arg *arg, struct wl_err *reterr)
{
	struct wl_arena arena;
	struct asking a = { .n_asks = 0 };
	struct wl_run run = { .arena = &arena };
	int r;

	if (!arg[WITH].str)
		return WL_OK;
	if (arg[SWEEP].flag)
		return wl_fail(reterr, WL_E_USAGE, "whatif: give --with or --sweep, not both");
	wl_arena_init(&arena, SIZE_MAX);
	a.run = &run;
	/*
	 * Scenarios are parsed before a trace is opened: a typo must not cost a long read.
	 */
	r = parse_asks(&a, arg[WITH].str, reterr);
	wl_arena_release(&arena);
	return r;
}

const struct wl_analysis wl_analysis_whatif = {
	.name = "whatif",
	.topic = WL_TOPIC_FIX,
	.listed = { .level = WL_LEVEL_FIRST,
		    .line = "Predict what a change would save",
		    .all = "Predict what a change would save; --path shows the critical path" },
	.help = "Predict what a change would save",
	.about =
		"A line per standard scenario, and per scenario of a kind of finding that saves 1% "
		"of "
		"the run or more (host-starved, layout-change, tiny-reads, tiny-kernels, "
		"blocking-copy, alloc-in-loop, module-load-in-loop, host-callback, no-sync of the "
		"call that waits longest, MPI), largest saving first. Scenarios of single findings, as "
		"exposed-copy=SORT, are not listed: --with takes those that the column scenario of "
		"findings has. With --with there is one line for the "
		"scenarios given, all at once; with --sweep also one for each class of operations "
		"at several shares of its time. Savings are replayed: every GPU operation and CUDA "
		"call starts when what it waited for is done, with the lengths that the scenario "
		"gives it, so that what becomes critical next is counted. Three numbers say how "
		"far to trust that: how many activities a replay without changes moves, how well "
		"steps are predicted from the times of other steps, and how much of the critical "
		"path keeps its time. Contention between overlapping kernels and clocks that "
		"change are not modelled.",
	.across_ranks = true,
	.whole_run = true,
	.needs_any = needs_any,
	.from = WL_FROM(WHATIF),
	.check = check,
	.hidden = hidden,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.examples = examples,
	.run = run,
};
