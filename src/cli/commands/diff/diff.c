/* SPDX-License-Identifier: MIT */
/* diff.c - the command that compares two traces, or a trace with a baseline. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/args.h"
#include "cli/commands/diff/announce.h"
#include "cli/commands/diff/diff_of.h"
#include "cli/commands/diff/sides.h"
#include "cli/print.h"
#include "cli/status.h"
#include "compare/diff/diff_tables.h"
#include "compare/diff/diff_words.h"
#include "table/chart.h"

enum { GATE, THRESHOLD, JUNIT, DIR, OF, ALL, ALLOW_DIFFERENT };

static const struct wl_param params[] = {
	[GATE] = { .key = "gate",
		   .type = WL_P_STR,
		   .many = true,
		   .help = "Fail (exit 1) where this holds: 'step>2%', 'launches>0%', "
			   "'kernel:NAME>5%', 'idle>3ms'." },
	[THRESHOLD] = { .key = "threshold",
			.type = WL_P_RATIO,
			.def = WL_DIFF_THRESHOLD,
			.help = "Changes below this count as same." },
	[JUNIT] = { .key = "junit",
		    .type = WL_P_STR,
		    .help = "Write verdict and gates to FILE as JUnit XML." },
	[DIR] = { .key = "dir",
		  .type = WL_P_STR,
		  .help = "Where baselines are; without it $WARPLENS_BASELINE_DIR." },
	[OF] = { .key = "of",
		 .type = WL_P_STR,
		 .help = "Compare the tables of this verb instead, row by row." },
	[ALL] = { .key = "all",
		  .type = WL_P_BOOL,
		  .stands_for = "verbose",
		  .help = "Print all tables below the verdict." },
	[ALLOW_DIFFERENT] = { .key = "allow-different",
			      .type = WL_P_BOOL,
			      .help = "Judge runs that are not comparable, too: other work, or "
				      "other numbers of GPUs." },
};

/* Rows of a section in text and Markdown, unless -n says otherwise; 0 for all. */
static const size_t limits[WL_N_DIFF_SECTIONS] = {
	[WL_DIFF_KERNELS] = 10,    [WL_DIFF_RANGES] = 10, [WL_DIFF_IDLE] = 10,
	[WL_DIFF_CATEGORIES] = 10, [WL_DIFF_COPIES] = 10, [WL_DIFF_FUNCTIONS] = 10
};

/* Two bars on a page: what a step consists of on either side. */
static const struct wl_chart budget_chart = {
	.kind = WL_CHART_SIDES,
	.title = "A step before and after",
	.shows = "The mean step on both sides, or the window where there are no steps, by part.",
	.label = "part",
	.parts = { "before", "after", NULL },
};

struct diffing {
	const struct wl_invocation *inv;
	struct wl_printing print;
	struct wl_siding siding;
	struct wl_args args;
	struct wl_gate gate[WL_MAX_MANY];
	size_t n_gates;
	enum wl_diff_section section; /* the only one to print; WL_N_DIFF_SECTIONS for all */
	struct wl_side_read side[WL_N_SIDES];
	struct wl_diff diff;
};

static int unknown_section(const char *name, struct wl_err *reterr)
{
	char all[128] = "";
	size_t used = 0;

	for (size_t i = 0; i < WL_N_DIFF_SECTIONS && used < sizeof(all); i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", i ? ", " : "",
					 wl_diff_tables[i].name);
	return wl_fail(reterr, WL_E_USAGE, "--section %.60s: diff has %s", name, all);
}

/* A format that prints one table takes the first unless told otherwise. */
static int choose_section(struct diffing *d, struct wl_err *reterr)
{
	const char *name = d->inv->opt.section;

	d->section = name                     ? wl_diff_section_find(name)
		     : d->print.format->whole ? WL_N_DIFF_SECTIONS
					      : WL_DIFF_VERDICT;
	if (name && d->section == WL_N_DIFF_SECTIONS)
		return unknown_section(name, reterr);
	if (!name && wl_printing_has_view(&d->print))
		return wl_fail(reterr, WL_E_USAGE,
			       "diff shows several tables; --where, --sort and --columns need "
			       "--section NAME");
	return WL_OK;
}

static int make_view(const struct diffing *d, enum wl_diff_section section,
		     const struct wl_table *table, struct wl_arena *arena, struct wl_view *ret,
		     struct wl_err *reterr)
{
	struct wl_view_opts opts = wl_printing_view(&d->print);

	assert(section < WL_N_DIFF_SECTIONS);
	if (!d->inv->given[WL_OPT_LIMIT] && d->print.format->default_limit && limits[section] &&
	    d->section == WL_N_DIFF_SECTIONS)
		opts.limit = limits[section];
	return wl_view_make(table, &opts, arena, ret, reterr);
}

/* The columns are known before the rows: a mistake is reported before minutes of reading. */
static int check_view(struct diffing *d, struct wl_err *reterr)
{
	struct wl_table empty;
	struct wl_view view;

	if (d->section == WL_N_DIFF_SECTIONS)
		return WL_OK;
	wl_table_init(&empty, &d->siding.arena, wl_diff_tables[d->section].cols,
		      wl_diff_tables[d->section].n_cols);
	return make_view(d, d->section, &empty, &d->siding.arena, &view, reterr);
}

static int parse_gates(struct diffing *d, struct wl_err *reterr)
{
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < d->inv->n_many; i++)
		r = wl_gate_parse(d->inv->many[i].text, &d->gate[d->n_gates++], reterr);
	return r;
}

static int check_operands(const struct wl_invocation *inv, struct wl_err *reterr)
{
	bool is_of_one = inv->n_operands == 1 && wl_sides_differ(inv);

	if (inv->n_operands != WL_N_SIDES && !is_of_one)
		return wl_fail(reterr, WL_E_USAGE,
			       "diff takes two traces, but %zu %s given; usage: warplens diff "
			       "[OPTIONS] A B, or one with two windows: A --window W --window W",
			       inv->n_operands, inv->n_operands == 1 ? "was" : "were");
	if (inv->opt.keep_export)
		return wl_fail(reterr, WL_E_USAGE, "--keep-export: give one trace, not 2");
	return WL_OK;
}

/* Gates, baselines and sections are of the comparison of steps. */
static int check_of(const struct wl_invocation *inv, struct wl_err *reterr)
{
	bool is_baseline = strncmp(wl_side_operand(inv, WL_BEFORE), WL_BASELINE_PREFIX,
				   strlen(WL_BASELINE_PREFIX)) == 0 ||
			   strncmp(wl_side_operand(inv, WL_AFTER), WL_BASELINE_PREFIX,
				   strlen(WL_BASELINE_PREFIX)) == 0;

	if (!inv->param[OF] ||
	    (!inv->n_many && !inv->param[JUNIT] && !is_baseline && !inv->opt.section))
		return WL_OK;
	return wl_fail(reterr, WL_E_USAGE,
		       "--of compares tables of two traces, without gates, JUnit, sections and "
		       "baselines");
}

static int prepare(struct diffing *d, struct wl_err *reterr)
{
	int r = check_operands(d->inv, reterr);

	if (r == WL_OK)
		r = check_of(d->inv, reterr);
	if (r == WL_OK)
		r = wl_printing_init(&d->print, d->inv, reterr);
	for (size_t i = 0; r == WL_OK && i < WL_N_SIDES; i++)
		r = wl_printing_spares(&d->print, wl_side_operand(d->inv, i), reterr);
	if (r == WL_OK)
		r = wl_command_args(&d->args, d->inv, NULL, reterr);
	if (r == WL_OK)
		r = parse_gates(d, reterr);
	if (r < 0 || d->inv->param[OF])
		return r;
	r = choose_section(d, reterr);
	if (r == WL_OK)
		r = check_view(d, reterr);
	return r;
}

static int read_side(struct diffing *d, enum wl_side side, struct wl_err *reterr)
{
	const char *operand = wl_side_operand(d->inv, side), *dir;
	int r;

	if (strncmp(operand, WL_BASELINE_PREFIX, strlen(WL_BASELINE_PREFIX)) != 0) {
		if (wl_is_baseline_only(d->inv->param[DIR], operand))
			return wl_fail(reterr, WL_E_USAGE,
				       "no file \"%.100s\"; did you mean " WL_BASELINE_PREFIX
				       "%.100s?",
				       operand, operand);
		return wl_side_of_trace(&d->siding, operand, side, &d->side[side], reterr);
	}
	r = wl_baseline_dir(d->inv->param[DIR], &dir, reterr);
	return r < 0 ? r
		     : wl_side_of_baseline(&d->siding, dir, operand + strlen(WL_BASELINE_PREFIX),
					   &d->side[side], reterr);
}

/* Of facts of several traces on one side, the other one is compared by what both know. */
static bool keep_common(struct diffing *d)
{
	bool ok = true;

	for (size_t s = 0; s < WL_N_SIDES; s++) {
		if (d->side[1 - s].f.is_of_sums && !d->side[s].f.is_of_sums)
			ok = ok && wl_fp_keep_sums(&d->side[s].f, &d->siding.arena);
	}
	return ok;
}

static int make_section(struct diffing *d, enum wl_diff_section s, struct wl_section *ret,
			struct wl_err *reterr)
{
	struct wl_table *table = WL_NEW(&d->siding.arena, struct wl_table, 1);
	char line[WL_WORDS], why[WL_WORDS];

	if (!table)
		return wl_fail(reterr, WL_E_NOMEM, "diff: no memory for the answer");
	wl_table_init(table, &d->siding.arena, wl_diff_tables[s].cols, wl_diff_tables[s].n_cols);
	/* Formats for people have these two as their first lines; programs find them here. */
	if (s == WL_DIFF_VERDICT && !d->print.format->for_people) {
		wl_table_note(table, "%s", wl_diff_line(&d->diff, line));
		if (*wl_diff_why(&d->diff, why))
			wl_table_note(table, "%s", why);
	}
	wl_diff_fill(&d->diff, s, table);
	if (!wl_table_ok(table))
		return wl_fail(reterr, WL_E_NOMEM, "diff: no memory for the answer");
	*ret = (struct wl_section){ .analysis = wl_diff_tables[s].name,
				    .title = wl_diff_tables[s].title,
				    .chart = s == WL_DIFF_BUDGET ? &budget_chart : NULL };
	return make_view(d, s, table, &d->siding.arena, &ret->view, reterr);
}

/* What the steps of a side are, where steps are compared. False without memory. */
static bool put_step(struct diffing *d, enum wl_side side, struct wl_document *frame)
{
	const struct wl_fingerprint *f = d->diff.side[side];
	struct wl_doc_step *step;

	if (d->diff.extent == WL_OF_WINDOW || f->n_steps == 0)
		return true;
	step = WL_NEW(&d->siding.arena, struct wl_doc_step, 1);
	if (!step)
		return false;
	*step = (struct wl_doc_step){ .method = f->method,
				      .what = f->what,
				      .count = (int64_t)f->n_steps,
				      .median = side == WL_BEFORE ? d->diff.step.before
								  : d->diff.step.after,
				      .n_processes = (int64_t)f->n_processes,
				      .is_guess = -1 };
	frame->step = step;
	return true;
}

/* "run.sqlite --window step:0..9": with what selects this side and not the other. */
static const char *put_side(const struct diffing *d, enum wl_side side, char buf[WL_WORDS])
{
	const struct wl_invocation *inv = d->inv;
	size_t used =
		(size_t)snprintf(buf, WL_WORDS, "%.200s", wl_path_name(wl_side_operand(inv, side)));

	for (size_t i = 0; i < WL_N_OPTIONS && used < WL_WORDS; i++) {
		if (inv->again[i])
			used += (size_t)snprintf(buf + used, WL_WORDS - used, " --%s %.60s",
						 wl_options[i].long_name,
						 side == WL_AFTER ? inv->again[i] : inv->given[i]);
	}
	return buf;
}

/* "run.sqlite -> baseline:main (4 and 8 GPUs)" */
static const char *put_sides(const struct diffing *d, char buf[WL_WORDS])
{
	size_t a = d->diff.side[WL_BEFORE]->n_devices, b = d->diff.side[WL_AFTER]->n_devices;
	char gpus[64], before[WL_WORDS], after[WL_WORDS];

	if (a == b)
		(void)snprintf(gpus, sizeof(gpus), "%zu GPU%s", a, a == 1 ? "" : "s");
	else
		(void)snprintf(gpus, sizeof(gpus), "%zu and %zu GPUs", a, b);
	(void)snprintf(buf, WL_WORDS, "%.280s -> %.280s (%s)", put_side(d, WL_BEFORE, before),
		       put_side(d, WL_AFTER, after), gpus);
	return buf;
}

/* What fits a screen: the verdict and why, in lines. The tables follow with -v or --section. */
static bool put_gist(struct diffing *d, struct wl_document *doc)
{
#define TABLES "tables: -v, or --section budget|kernels|ranges|idle|categories|copies|ranks"
	typedef const char *words_fn(const struct wl_diff *diff, char buf[WL_WORDS]);
	words_fn *const parts[] = { wl_diff_verdict,  wl_diff_sample, wl_diff_cause, wl_diff_kernel,
				    wl_diff_function, wl_diff_ranks,  wl_diff_whatif };
	const char **line =
		WL_NEW(&d->siding.arena, const char *, WL_COUNT(parts) + d->diff.n_gated + 2);
	char words[WL_WORDS], passed[WL_WORDS + 16];
	size_t n = 0;
	bool ok = line != NULL;

	for (size_t i = 0; ok && i < WL_COUNT(parts); i++) {
		if (!*parts[i](&d->diff, words))
			continue;
		line[n] = wl_arena_strdup(&d->siding.arena, words);
		ok = line[n++] != NULL;
	}
	/* Those that did not pass are on standard error. */
	for (size_t i = 0; ok && i < d->diff.n_gated; i++) {
		if (d->diff.gated[i].result.outcome != WL_GATE_PASSED)
			continue;
		(void)snprintf(passed, sizeof(passed), "gate passed: %s",
			       wl_gate_margin(&d->diff.gated[i], words));
		line[n] = wl_arena_strdup(&d->siding.arena, passed);
		ok = line[n++] != NULL;
	}
	if (ok)
		line[n] = wl_arena_strdup(&d->siding.arena, put_sides(d, words));
	ok = ok && line[n];
	doc->brief = true;
	doc->gist = line;
	doc->more = d->diff.n_functions ? TABLES "|functions" : TABLES;
#undef TABLES
	return ok;
}

/*
 * A terminal shows the gist; files and those who ask for tables get them. -n speaks of rows, which
 * only tables have.
 */
static bool is_brief(const struct diffing *d)
{
	return d->section == WL_N_DIFF_SECTIONS && !d->inv->opt.verbose && !d->inv->opt.output &&
	       !d->inv->given[WL_OPT_LIMIT];
}

/* Why it changed, and the scenario that is nearest: "" where there is nothing to explain. */
static const char *put_reason(struct diffing *d)
{
	char why[WL_WORDS], whatif[WL_WORDS], both[2 * WL_WORDS + 2];

	(void)wl_diff_why(&d->diff, why);
	(void)wl_diff_whatif(&d->diff, whatif);
	(void)snprintf(both, sizeof(both), "%s%s%s", why, *why && *whatif ? ". " : "", whatif);
	return wl_arena_strdup(&d->siding.arena, both);
}

static int make_document(struct diffing *d, struct wl_document *ret, struct wl_err *reterr)
{
	struct wl_section *sections =
		WL_NEW(&d->siding.arena, struct wl_section, WL_N_DIFF_SECTIONS);
	struct wl_document *frames = WL_NEW(&d->siding.arena, struct wl_document, WL_N_SIDES);
	char words[WL_WORDS];
	size_t n = 0;
	int r = WL_OK;

	if (!sections || !frames)
		return wl_fail(reterr, WL_E_NOMEM, "diff: no memory for the answer");
	for (size_t s = 0; r == WL_OK && s < WL_N_DIFF_SECTIONS; s++) {
		if (d->section == s || (d->section == WL_N_DIFF_SECTIONS &&
					wl_diff_has(&d->diff, (enum wl_diff_section)s)))
			r = make_section(d, (enum wl_diff_section)s, &sections[n++], reterr);
	}
	for (size_t s = 0; s < WL_N_SIDES; s++) {
		frames[s] = d->side[s].frame;
		if (!put_step(d, (enum wl_side)s, &frames[s]))
			r = wl_fail(reterr, WL_E_NOMEM, "diff: no memory for the answer");
	}
	*ret = frames[WL_BEFORE];
	ret->name = "diff";
	ret->sections = sections;
	ret->n_sections = n;
	ret->single = d->section != WL_N_DIFF_SECTIONS;
	ret->traces = frames;
	ret->n_traces = WL_N_SIDES;
	ret->lead = wl_arena_strdup(&d->siding.arena, wl_diff_line(&d->diff, words));
	ret->reason = put_reason(d);
	if (r == WL_OK && (!ret->lead || !ret->reason || (is_brief(d) && !put_gist(d, ret))))
		r = wl_fail(reterr, WL_E_NOMEM, "diff: no memory for the answer");
	return r;
}

/* The scenario that explains the change is of the slower side: only that one is replayed. */
static int replay_slower(struct diffing *d, struct wl_err *reterr)
{
	const enum wl_side slower = d->diff.nearest.side;
	int r = WL_OK;

	if (wl_diff_has_slower(&d->diff) && !d->side[slower].f.is_of_sums)
		r = wl_side_replay(&d->siding, wl_side_operand(d->inv, slower), &d->side[slower],
				   reterr);
	if (r == WL_OK)
		d->diff.nearest = wl_diff_find_nearest(&d->diff);
	return r;
}

static int compare(struct diffing *d, struct wl_err *reterr)
{
	const struct wl_diff_opts opts = { .threshold = d->args.value[THRESHOLD].f64,
					   .gate = d->gate,
					   .n_gates = d->n_gates,
					   .allow_different = d->args.value[ALLOW_DIFFERENT].flag };
	struct wl_announcement news = { .diff = &d->diff,
					.print = &d->print,
					.junit = d->inv->param[JUNIT] };
	struct wl_document doc;
	int r = read_side(d, WL_BEFORE, reterr);

	if (r == WL_OK)
		r = read_side(d, WL_AFTER, reterr);
	if (r == WL_OK && !keep_common(d))
		r = wl_fail(reterr, WL_E_NOMEM, "diff: no memory for the answer");
	if (r == WL_OK)
		r = wl_diff_make(&d->side[WL_BEFORE].f, &d->side[WL_AFTER].f, &opts,
				 &d->siding.arena, &d->diff, reterr);
	if (r == WL_OK)
		r = replay_slower(d, reterr);
	if (r == WL_OK)
		r = make_document(d, &doc, reterr);
	wl_costs_begin(&d->siding.costs);
	if (r == WL_OK)
		r = wl_print(&d->print, &doc, reterr);
	if (r == WL_OK)
		r = wl_announce(&news, reterr);
	wl_costs_end(&d->siding.costs, WL_COSTS_PRINT);
	if (r == WL_OK)
		wl_costs_print(&d->siding.costs, stderr);
	return r;
}

/*
 * A gate that was not judged, because other work or other numbers of GPUs were compared, must not
 * pass: shorter steps of another program are no improvement.
 */
static int exit_status(const struct wl_diff *d)
{
	switch (wl_diff_outcome(d)) {
	case WL_GATE_FAILED:
		return 1;
	case WL_GATE_INCONCLUSIVE:
	case WL_GATE_SKIPPED:
		return 4;
	case WL_GATE_PASSED:
		break;
	}
	return 0;
}

static int run(const struct wl_invocation *inv)
{
	struct diffing d = { .inv = inv };
	struct wl_err err;
	int r, status;

	r = wl_siding_init(&d.siding, inv, &err);
	if (r == WL_OK)
		r = prepare(&d, &err);
	if (r == WL_OK)
		r = inv->param[OF] ? wl_diff_of(&d.siding, &d.print, inv->param[OF], &err)
				   : compare(&d, &err);
	/* Before the arena is released that the gates are in. */
	status = r < 0 ? wl_report_failure(&err) : exit_status(&d.diff);
	wl_args_release(&d.args);
	wl_siding_release(&d.siding);
	return status;
}

static const struct wl_example examples[] = {
	{ "warplens diff before.sqlite after.sqlite", "Did the change help, and why." },
	{ "warplens diff before.sqlite after.sqlite -v", "With the tables." },
	{ "warplens diff train.sqlite --window step:0..9 --window step:10..19",
	  "Two windows of one trace; a selection given twice is that of each side." },
	{ "warplens diff before.sqlite after.sqlite --gate 'step>2%'",
	  "Exit 1 if the step became more than 2% slower." },
	{ "warplens diff before.sqlite after.sqlite --section kernels -n 5",
	  "The kernels that changed most." },
	{ "warplens diff before.sqlite after.sqlite --of nvtx",
	  "The tables that nvtx gives, row by row." },
	{ NULL, NULL },
};

const struct wl_command wl_command_diff = {
	.name = "diff",
	.topic = WL_TOPIC_FIX,
	.listed = { .level = WL_LEVEL_FIRST,
		    .line = "Compare two runs; --gate fails a CI job",
		    .all = "Compare two runs; --gate fails a CI job; --save keeps a baseline" },
	.help = "Compare two runs: faster or slower, and why",
	.about = "Compares the steps of two traces: all iterations but the first, the last and "
		 "outliers. With several processes, the slowest of each step counts. The verdict "
		 "is about the median and its 95% interval. The change of the mean is decomposed "
		 "into compute, exposed communication, exposed copies and idle time by cause, "
		 "which add up to the nanosecond. Kernels and ranges separate the effect of more "
		 "calls from that of longer ones. Without steps on both sides, windows are "
		 "compared without a verdict. --gate makes it a check: exit 0 passed, 1 failed, 4 "
		 "inconclusive, or not comparable: other work, or other numbers of GPUs, which "
		 "--allow-different judges. A side can be baseline:NAME, which \"warplens "
		 "baseline\" saved. --window, --gpu, --rank, --pid, --stream and --marker apply to "
		 "both sides; given twice, the first is that of A and the second that of B, and "
		 "without B two parts of A are compared.",
	.operands = "A [B]",
	.examples = examples,
	.params = params,
	.n_params = WL_COUNT(params),
	.common = true,
	.has_sides = true,
	.tables = wl_diff_tables,
	.run = run,
};
