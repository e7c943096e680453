/* SPDX-License-Identifier: MIT */
/* coach.c - the command that says what a trace cannot answer, and the capture that would. */
#include <stdio.h>
#include <string.h>

#include "agent/tools/recapture.h"
#include "analysis/capture/coach.h"
#include "base/process/pool.h"
#include "base/text/clean.h"
#include "capture/plan/plan.h"
#include "cli/docs.h"
#include "cli/open.h"
#include "cli/print.h"
#include "cli/status.h"

enum { LAUNCHER = WL_N_COACH_PARAMS, N_PARAMS };

static const struct wl_param params[N_PARAMS] = {
	WL_COACH_PARAMS,
	[LAUNCHER] = { .key = "launcher",
		       .type = WL_P_ENUM,
		       .choices = wl_launcher_names,
		       .help = "What starts the program; without it guessed from the trace." },
};

enum { GOAL, STEP, LINE, FILE_NAME, TEXT, N_LINE_COLS };

static const struct wl_col line_cols[N_LINE_COLS] = {
	[GOAL] = { "for", "For", WL_T_STR, WL_KEY,
		   "What the capture is for, as --for; several with commas between." },
	[STEP] = { "step", "Step", WL_T_STR, WL_KEY | WL_PROSE, "What the line does." },
	[LINE] = { "line", "Line", WL_T_STR, WL_PROSE, "A command line for a POSIX shell." },
	[FILE_NAME] = { "file", "File", WL_T_STR, WL_MINOR, "A file that the line needs." },
	[TEXT] = { "text", "Text", WL_T_STR, WL_PROSE | WL_MINOR, "What is in it." },
};

static const struct wl_table_info tables[] = {
	{ "questions", "Questions", wl_coach_cols, WL_N_COACH_COLS },
	{ "lines", "Capture lines", line_cols, N_LINE_COLS },
	{ NULL, NULL, NULL, 0 },
};

enum { LINES_CAP = 1024 };

struct coaching {
	const struct wl_invocation *inv;
	struct wl_args args;
	char expect[LINES_CAP]; /* a line each */
	const char *text[WL_N_COACH_PARAMS];
	struct wl_docs docs;
	struct wl_printing print;
	struct wl_request request;
	struct wl_opened opened;
	struct wl_pool *pool;
	struct wl_budget budget;
	struct wl_arena arena;
	struct wl_costs costs;
	struct wl_recapture recapture;
	struct wl_capture_plan plan[WL_N_GOALS];
	bool wanted[WL_N_GOALS];     /* has an open question */
	bool has_plan[WL_N_GOALS];   /* of its own, or for others, too */
	enum wl_goal by[WL_N_GOALS]; /* whose capture answers it */
	uint32_t lacks[WL_N_GOALS];  /* bits of enum wl_lack, of the open questions */
};

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "coach: no memory for the answer");
}

/* The values of --expect are lines of one text. */
static int take_expected(struct coaching *c, struct wl_err *reterr)
{
	size_t used = 0;

	for (size_t i = 0; i < c->inv->n_many; i++) {
		int n = snprintf(c->expect + used, sizeof(c->expect) - used, "%s%s",
				 used ? "\n" : "", c->inv->many[i].text);

		if (n < 0 || (size_t)n >= sizeof(c->expect) - used)
			return wl_fail(reterr, WL_E_USAGE,
				       "--expect: the values are too long together");
		used += (size_t)n;
	}
	c->text[WL_COACH_GOAL] = c->inv->param[WL_COACH_GOAL];
	c->text[WL_COACH_EXPECT] = used ? c->expect : NULL;
	return WL_OK;
}

static int prepare(struct coaching *c, struct wl_err *reterr)
{
	int r = c->inv->n_operands > 0
			? WL_OK
			: wl_fail(reterr, WL_E_USAGE,
				  "coach: give a trace; usage: warplens coach TRACE [-- PROGRAM]");

	if (r == WL_OK)
		r = wl_docs_init(&c->docs, c->inv, c->inv->param, reterr);
	if (r == WL_OK)
		r = wl_command_args(&c->args, c->inv, c->docs.param, reterr);
	if (r == WL_OK)
		r = take_expected(c, reterr);
	if (r == WL_OK)
		r = wl_printing_init(&c->print, c->inv, reterr);
	if (r == WL_OK)
		r = wl_printing_spares(&c->print, c->inv->operand[0], reterr);
	if (r < 0)
		return r;
	c->pool = wl_pool_option(c->inv);
	c->request = wl_opened_request(c->inv, &c->docs, c->pool);
	c->request.analysis = wl_analysis_get("coach");
	c->request.args = c->text;
	c->request.view = wl_printing_view(&c->print);
	c->request.view.limit = c->inv->given[WL_OPT_LIMIT] ? c->request.view.limit : 0;
	return wl_request_check(&c->request, reterr);
}

/* The goal of a question that the trace does not answer; WL_N_GOALS where nothing is to record. */
static enum wl_goal goal_of(const struct wl_table *t, size_t row)
{
	struct wl_cell lacks = wl_table_at(t, row, WL_COACH_LACKS);
	struct wl_cell name = wl_table_at(t, row, WL_COACH_FOR);
	enum wl_goal goal = WL_GOAL_ANY;

	if (!lacks.set || !name.set)
		return WL_N_GOALS;
	return wl_goal_parse(name.str, &goal, NULL) == WL_OK ? goal : WL_GOAL_ANY;
}

/*
 * The goals that have an open question among the rows shown. Nsight Operator runs nsys only, so
 * there is no capture with ncu on Kubernetes.
 */
static void find_goals(struct coaching *c, const struct wl_view *v)
{
	for (size_t i = 0; i < v->n_rows; i++) {
		enum wl_goal goal = goal_of(v->table, v->rows[i]);
		struct wl_cell lacks = wl_table_at(v->table, v->rows[i], WL_COACH_LACKS);

		if (goal == WL_N_GOALS ||
		    (goal == WL_GOAL_NCU && c->recapture.launcher == WL_LAUNCHER_KUBERNETES))
			continue;
		c->wanted[goal] = true;
		c->lacks[goal] |= wl_lacks_parse(lacks.str);
	}
}

/*
 * One capture where it answers several: what is recorded for launches has all that is recorded for
 * any question, and that all that is recorded for NCCL.
 */
static void merge_goals(struct coaching *c)
{
	for (size_t g = 0; g < WL_N_GOALS; g++)
		c->by[g] = (enum wl_goal)g;
	if (c->wanted[WL_GOAL_LAUNCH])
		c->by[WL_GOAL_ANY] = c->by[WL_GOAL_NCCL] = WL_GOAL_LAUNCH;
	else if (c->wanted[WL_GOAL_ANY])
		c->by[WL_GOAL_NCCL] = WL_GOAL_ANY;
}

/* What the capture for a goal must record: the lacks of all goals that it stands for. */
static uint32_t lacks_of(const struct coaching *c, size_t goal)
{
	uint32_t lacks = 0;

	for (size_t g = 0; g < WL_N_GOALS; g++) {
		if (c->by[g] == goal)
			lacks |= c->lacks[g];
	}
	return lacks;
}

/* Of NCCL: missing, or there and not to be lost. */
static bool wants_payloads(const struct coaching *c)
{
	const struct wl_family *family = wl_session_trace(c->opened.session)->family;

	return (c->lacks[WL_GOAL_NCCL] >> WL_LACK_PAYLOADS & 1) ||
	       family[WL_F_NCCL_CALLS].present || family[WL_F_NCCL_OPS].present;
}

static int make_plans(struct coaching *c, const struct wl_view *v, struct wl_err *reterr)
{
	bool is_noted = false; /* once is enough */
	int r = WL_OK;

	find_goals(c, v);
	merge_goals(c);
	for (size_t g = 0; r == WL_OK && g < WL_N_GOALS; g++) {
		const uint32_t lacks = lacks_of(c, g);
		/* The version that the trace names is one of nsys, and says nothing about ncu. */
		const struct wl_wishes wishes = {
			.goal = (enum wl_goal)g,
			.launcher = c->recapture.launcher,
			.events = c->recapture.had_events || (lacks >> WL_LACK_EVENTS & 1),
			.also = c->recapture.had | wl_recapture_also(lacks),
			.version = g == WL_GOAL_NCU ? NULL : c->recapture.version,
			.program = c->recapture.word
		};

		if (!c->wanted[g] || c->by[g] != g)
			continue;
		r = wl_capture_plan_make(&wishes, &c->arena, &c->plan[g], reterr);
		c->has_plan[g] = r == WL_OK;
		if (r == WL_OK && !is_noted)
			wl_recapture_note(&c->recapture, &c->plan[g]);
		is_noted = true;
	}
	/* payloads are in the report as a rule: only the export leaves them out */
	if (r == WL_OK && c->wanted[WL_GOAL_NCCL] && wants_payloads(c))
		r = wl_capture_plan_export(&c->plan[c->by[WL_GOAL_NCCL]], &c->arena, reterr);
	return r;
}

enum { GOALS_CAP = 80 };

/* "any,launch,nccl": the goals that the capture of one answers; returns buf. */
static const char *list_goals(const struct coaching *c, size_t of, const char *between,
			      char buf[GOALS_CAP])
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t g = 0; g < WL_N_GOALS && used < GOALS_CAP; g++) {
		const char *name =
			g == WL_GOAL_ANY && between[1] ? "any question" : wl_goal_names[g];

		if (c->wanted[g] && c->by[g] == of)
			used += (size_t)snprintf(buf + used, GOALS_CAP - used, "%s%s",
						 used ? between : "", name);
	}
	return buf;
}

static bool put_lines(struct coaching *c, struct wl_table *out)
{
	for (size_t g = 0; g < WL_N_GOALS; g++) {
		char goals[GOALS_CAP];

		(void)list_goals(c, g, ",", goals);
		for (size_t i = 0; c->has_plan[g] && i < c->plan[g].n_steps; i++) {
			const struct wl_plan_step *step = &c->plan[g].step[i];
			const char *line = wl_capture_plan_line(step, &c->arena);

			if (!line)
				return false;
			wl_table_row(out);
			wl_put_copy(out, GOAL, goals);
			wl_put_str(out, STEP, step->title);
			wl_put_str(out, LINE, *line ? line : NULL);
			wl_put_str(out, FILE_NAME, step->file);
			wl_put_str(out, TEXT, step->text);
		}
		for (size_t i = 0; c->has_plan[g] && i < c->plan[g].n_notes; i++)
			wl_table_note(out, "%s: %s", goals, c->plan[g].note[i]);
	}
	return wl_table_ok(out);
}

/* On a terminal lines stand below the table, whole, so that they can be copied. */
static int print_plans(struct coaching *c, struct wl_err *reterr)
{
	for (size_t g = 0; g < WL_N_GOALS; g++) {
		char goals[GOALS_CAP];
		const char *text;

		if (!c->has_plan[g])
			continue;
		text = wl_capture_plan_text(&c->plan[g], &c->arena);
		if (!text)
			return no_memory(reterr);
		(void)printf("\nFor %s:\n", list_goals(c, g, ", ", goals));
		wl_put_clean_plan(stdout, text);
	}
	return wl_check_stdout(reterr);
}

/* The questions, and where the format or --section asks for them the lines as a table. */
static int print(struct coaching *c, struct wl_document *doc, struct wl_err *reterr)
{
	const char *only = c->inv->opt.section;
	const bool is_text = strcmp(c->print.format->name, "table") == 0 && !c->inv->opt.output;
	struct wl_section section[2] = { doc->sections[0] };
	struct wl_table lines;
	int r;

	if (only && strcmp(only, tables[0].name) != 0 && strcmp(only, tables[1].name) != 0)
		return wl_fail(reterr, WL_E_USAGE, "--section %.60s: coach has questions, lines",
			       only);
	wl_table_init(&lines, &c->arena, line_cols, N_LINE_COLS);
	if (!put_lines(c, &lines))
		return no_memory(reterr);
	section[0].analysis = tables[0].name;
	section[0].title = tables[0].title;
	section[1] = (struct wl_section){ .analysis = tables[1].name, .title = tables[1].title };
	r = wl_view_make(&lines, &(struct wl_view_opts){ .limit = 0 }, &c->arena, &section[1].view,
			 reterr);
	if (r < 0)
		return r;
	doc->sections = only && strcmp(only, tables[1].name) == 0 ? &section[1] : section;
	doc->n_sections = only || is_text || !c->print.format->whole ? 1 : 2;
	doc->single = doc->n_sections == 1;
	if (doc->single)
		section[0].title = section[1].title = NULL;
	r = wl_print(&c->print, doc, reterr);
	return r == WL_OK && is_text && !only ? print_plans(c, reterr) : r;
}

/* The run to repeat, by the trace and the words behind it. */
static int find_run(struct coaching *c, struct wl_err *reterr)
{
	c->recapture = (struct wl_recapture){ .given = c->inv->operand + 1,
					      .n_given = c->inv->n_operands - 1 };
	if (c->inv->param[LAUNCHER]) {
		c->recapture.has_launcher = true;
		c->recapture.launcher = (enum wl_launcher)c->args.value[LAUNCHER].i64;
	}
	return wl_recapture_find(wl_session_trace(c->opened.session), &c->arena, &c->recapture,
				 reterr);
}

static int coach(struct coaching *c, struct wl_err *reterr)
{
	const struct wl_opening how = { c->inv, c->pool, &c->budget, &c->costs };
	struct wl_document doc;
	int r = prepare(c, reterr);

	if (r == WL_OK)
		r = wl_opened_load(&c->opened, c->inv->operand[0], &how, &c->request, reterr);
	if (r < 0)
		return r;
	wl_costs_begin(&c->costs);
	r = wl_session_run(c->opened.session, &c->request, &c->arena, &doc, reterr);
	wl_costs_end(&c->costs, WL_COSTS_COMPUTE);
	wl_progress_end(&c->opened.progress);
	wl_opened_note_index(&c->opened);
	if (r == WL_OK)
		r = find_run(c, reterr);
	if (r == WL_OK)
		r = make_plans(c, &doc.sections[0].view, reterr);
	if (r == WL_OK)
		r = print(c, &doc, reterr);
	if (r == WL_OK)
		wl_costs_print(&c->costs, stderr);
	return r;
}

static int run(const struct wl_invocation *inv)
{
	struct coaching c = { .inv = inv,
			      .budget = { .limit = inv->opt.memory },
			      .costs = { .on = inv->opt.stats } };
	struct wl_err err;
	int r;

	wl_arena_init_on(&c.arena, &c.budget);
	r = coach(&c, &err);
	wl_opened_release(&c.opened);
	wl_arena_release(&c.arena);
	wl_pool_free(c.pool);
	wl_docs_release(&c.docs);
	wl_args_release(&c.args);
	return r < 0 ? wl_report_failure(&err) : wl_finish_stdout();
}

static const struct wl_example examples[] = {
	{ "warplens coach run.sqlite", "What the trace cannot answer, and the lines that would." },
	{ "warplens coach run.sqlite --for nccl --launcher slurm",
	  "For communication, as a batch script." },
	{ "warplens coach run.sqlite --expect forward", "Also check that a range has kernels." },
	{ NULL, NULL },
};

static const struct wl_option_hint hints[] = {
	{ "timeunit", "its table has no times" },
	{ NULL, NULL },
};

static const struct wl_form forms[] = { { WL_FORM_WORD("plan", "TRACE") }, { .verb = NULL } };

const struct wl_command wl_command_coach = {
	.name = "coach",
	.topic = WL_TOPIC_SHARE,
	.help = "Show what a trace cannot answer and the capture that would",
	.about = "A row per question that people ask of a trace: whether this one answers it and "
		 "what is missing. Below it, for each purpose with an open question, the command "
		 "lines that record what is missing. A question that the program does not raise, "
		 "such as the size of collectives of one GPU, counts as answered. --expect names "
		 "NVTX ranges that must have kernels: NAME, NAME@DOMAIN, or the whole text of a "
		 "range that has an @ itself. The program behind -- goes into the lines; without "
		 "it the program that the trace names, secrets masked, or python train.py.",
	.operands = "TRACE [-- PROGRAM]",
	.examples = examples,
	.forms = forms,
	.params = params,
	.n_params = WL_COUNT(params),
	.common = true,
	.without = WL_OPT_BIT(WINDOW) | WL_OPT_BIT(TRIM) | WL_OPT_BIT(GPU) | WL_OPT_BIT(PID) |
		   WL_OPT_BIT(RANK) | WL_OPT_BIT(STREAM) | WL_OPT_BIT(TIMEUNIT),
	.instead = "coach looks at the whole trace",
	.hints = hints,
	.tables = tables,
	.several = WL_SEVERAL_JOB,
	.run = run,
};
