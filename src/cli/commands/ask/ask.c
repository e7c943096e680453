/* SPDX-License-Identifier: MIT */
/*
 * ask.c - answers a question in the user's words with the verb that the router finds.
 *
 * The answer is that of the command line which is printed below it, with one or two sentences
 * made from its rows before it. Nothing else is computed, and nothing is guessed: where the
 * router is not sure, commands for the nearest verbs are listed. With --llm a model answers:
 * ask_llm.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/explain/explanation.h"
#include "agent/route/asked_steps.h"
#include "agent/route/asked_yes.h"
#include "agent/route/figures.h"
#include "agent/route/route.h"
#include "agent/route/row_names.h"
#include "agent/route/saying.h"
#include "base/text/shell.h"
#include "cli/answer.h"
#include "cli/commands/ask/ask_llm.h"
#include "cli/help/prose.h"
#include "cli/status.h"
#include "derive/nvtx/ranks.h"
#include "session/open/session.h"

enum { PLAN = WL_N_ASK_LLM_PARAMS, N_PARAMS };

static const struct wl_param params[N_PARAMS] = {
	WL_ASK_LLM_PARAMS,
	[PLAN] = { .key = "plan",
		   .type = WL_P_BOOL,
		   .help = "Print the command that answers the question, and do not run it." },
};

/* Rows that an answer shows unless the question or -n says how many. */
#define FEW "8"

enum { MAX_ARGV = 64, MEMORY = 1 << 20, TRACE_AT = 0 };

struct asking {
	const struct wl_invocation *inv;
	const char *trace;
	char question[WL_LINES_BUF];
	struct wl_route_result route;
	struct wl_arena arena;
	char *argv[MAX_ARGV];
	int argc;
	const char *command; /* as one would type it */
	/* Ranks of the question are GPUs, since the trace knows none: the command line of these. */
	struct wl_invocation *by_gpu;
};

/* The operands: a trace, and the question as one word or several. */
static int take_question(struct asking *a, struct wl_err *reterr)
{
	const struct wl_invocation *inv = a->inv;
	size_t used = 0;

	if (inv->n_operands < 2 && inv->verb.alias && strcmp(inv->verb.alias->name, "chat") == 0 &&
	    !inv->param[WL_ASK_LLM])
		return wl_fail(reterr, WL_E_USAGE,
			       "chat needs a language model: warplens ask TRACE --llm URL; without "
			       "one: warplens ask TRACE \"QUESTION\"");
	if (inv->n_operands < 2)
		return wl_fail(reterr, WL_E_USAGE,
			       "ask takes a trace and a question: warplens ask TRACE \"why is the "
			       "GPU idle\"; --llm URL asks a language model");
	/* All files are words of the command that is run, and options need room, too. */
	if (inv->n_job > MAX_ARGV / 2)
		return wl_fail(reterr, WL_E_USAGE,
			       "ask: %zu files; give the directory of the job instead", inv->n_job);
	a->trace = inv->operand[TRACE_AT];
	for (size_t i = 1; i < inv->n_operands; i++) {
		int n = snprintf(a->question + used, sizeof(a->question) - used, "%s%s",
				 used ? " " : "", inv->operand[i]);

		if (n < 0 || (size_t)n >= sizeof(a->question) - used)
			return wl_fail(reterr, WL_E_USAGE,
				       "ask: the question is longer than %d bytes",
				       WL_LINES_BUF - 1);
		used += (size_t)n;
	}
	return WL_OK;
}

static void add(struct asking *a, const char *word)
{
	char *copy = word && a->argc + 1 < MAX_ARGV ? wl_arena_strdup(&a->arena, word) : NULL;

	if (copy)
		a->argv[a->argc++] = copy;
}

static bool has_arg(const struct asking *a, const char *word)
{
	for (int i = 0; i < a->argc; i++) {
		if (strcmp(a->argv[i], word) == 0)
			return true;
	}
	return false;
}

static bool is_table(const struct asking *a)
{
	struct wl_verb verb;

	return wl_verb_find(a->route.verb, &verb) && verb.analysis;
}

/* Options of all verbs that were given to ask are the answer's as well. */
static void add_given(struct asking *a)
{
	char name[64];

	for (int id = 0; id < WL_N_OPTIONS; id++) {
		if (!a->inv->given[id])
			continue;
		(void)snprintf(name, sizeof(name), "--%s", wl_options[id].long_name);
		add(a, name);
		if (wl_options[id].argument)
			add(a, a->inv->given[id]);
	}
}

/* The trace, or the files of a job. */
static void add_traces(struct asking *a)
{
	for (size_t i = 0; i < a->inv->n_job; i++)
		add(a, a->inv->job[i]);
	if (a->inv->n_job == 0)
		add(a, a->trace);
}

/*
 * The command line, in the order: verb, operand, trace, options. The line that is printed below the
 * answer is the very one that is run, and typed again it prints the same bytes. So what an answer
 * depends on must be on it.
 */
static int make_command(struct asking *a, struct wl_err *reterr)
{
	const struct wl_route_result *r = &a->route;
	size_t used = 0, size = 0;
	char *line;

	a->argc = 0;
	add(a, "warplens");
	add(a, r->verb);
	add(a, r->operand);
	if (strcmp(r->verb, "explain") != 0)
		add_traces(a);
	for (size_t i = 0; i < r->n_args; i++)
		add(a, r->arg[i]);
	add_given(a);
	if (is_table(a) && !has_arg(a, "-n") && !has_arg(a, "--limit") && !has_arg(a, "--format")) {
		add(a, "-n");
		add(a, FEW);
	}
	for (int i = 0; i < a->argc; i++)
		size += 4 * strlen(a->argv[i]) + 4; /* a quote can take four bytes */
	line = WL_NEW(&a->arena, char, size);
	for (int i = 0; line && i < a->argc; i++) {
		const char *word = wl_shell_word(a->argv[i], &a->arena);

		if (!word)
			line = NULL;
		else
			used += (size_t)snprintf(line + used, size - used, "%s%s", i ? " " : "",
						 word);
	}
	a->command = line;
	return line ? WL_OK : wl_fail(reterr, WL_E_NOMEM, "ask: no memory for the command");
}

/* What is printed beside the answer goes where it cannot spoil data. */
static FILE *aside(const struct asking *a)
{
	return a->inv->given[WL_OPT_FORMAT] || a->inv->given[WL_OPT_OUTPUT] ? stderr : stdout;
}

static bool has_gpu(const struct wl_trace *t, uint64_t gpu)
{
	for (size_t i = 0; i < t->n_places; i++) {
		if (t->places[i].device == gpu)
			return true;
	}
	return false;
}

/* Whether the trace has each GPU of a list with commas between. */
static bool has_gpus(const struct wl_trace *t, const char *list)
{
	for (;;) {
		char *end;
		uint64_t gpu = strtoull(list, &end, 10);

		if (end == list || gpu >= WL_NONE || !has_gpu(t, gpu))
			return false;
		if (*end != ',')
			return true;
		list = end + 1;
	}
}

/* A trace that knows no ranks has GPUs, which people number alike: they are asked for instead. */
static void settle(void *ctx, struct wl_session *session, struct wl_request *request)
{
	struct asking *a = ctx;
	struct wl_derived derived;
	struct wl_err err;

	if (!a->route.ranks || a->inv->given[WL_OPT_RANK] || wl_session_is_facts(session) ||
	    !wl_session_derive(session, WL_FROM(RANKS), request->pool, &derived) ||
	    wl_ranks_any(derived.ranks, wl_session_trace(session)) ||
	    !has_gpus(wl_session_trace(session), a->route.ranks))
		return;
	if (!a->by_gpu)
		a->by_gpu = calloc(1, sizeof(*a->by_gpu));
	if (!a->by_gpu || wl_route(a->question, false, &a->route) < 0 ||
	    make_command(a, &err) < 0 || wl_opt_parse(a->argc, a->argv, a->by_gpu, &err) < 0)
		return;
	request->selection.rank = NULL;
	request->selection.gpu = a->by_gpu->opt.gpu;
	request->view.where = a->by_gpu->opt.where;
}

/* Whatever is answered is about a GPU, which has to be said. */
static const char *say_by_gpu(const char *lead, struct wl_arena *arena)
{
	static const char says[] = "No process of this trace has a rank: this is about the GPU of "
				   "that number.";
	size_t size = sizeof(says) + (lead ? strlen(lead) : 0) + 1;
	char *text = WL_NEW(arena, char, size);

	if (text)
		(void)snprintf(text, size, "%s%s%s", says, lead ? " " : "", lead ? lead : "");
	return text ? text : lead;
}

/* The command with another option at its end. */
static void append(struct asking *a, const char *option, const char *value)
{
	const char *word = wl_shell_word(value, &a->arena);
	size_t size = word ? strlen(a->command) + strlen(option) + strlen(word) + 3 : 0;
	char *command = size ? WL_NEW(&a->arena, char, size) : NULL;

	if (!command)
		return;
	(void)snprintf(command, size, "%s %s %s", a->command, option, word);
	a->command = command;
}

static const char *both(const char *first, const char *second, struct wl_arena *arena)
{
	size_t size = (first ? strlen(first) : 0) + (second ? strlen(second) : 0) + 2;
	char *text = first && second ? WL_NEW(arena, char, size) : NULL;

	if (!text)
		return first ? first : second;
	(void)snprintf(text, size, "%s %s", first, second);
	return text;
}

/* The filter that the question became. */
static const char *where_of(const struct asking *a, struct wl_arena *arena)
{
	for (int i = 0; i + 1 < a->argc; i++) {
		if (strcmp(a->argv[i], "--where") == 0)
			return both(a->argv[i + 1], "here.", arena);
	}
	return "it.";
}

/* What the rows come to: nothing, yes or no, the figures that are asked for, or the verb's
 * sentence. */
static const char *lead_of(const struct asking *a, const struct wl_question *q, bool is_named,
			   struct wl_document *doc, struct wl_arena *arena)
{
	const char *verb = a->route.verb, *yes, *figures;
	bool has_where = has_arg(a, "--where") || is_named;
	bool is_sample = a->route.is_sample;

	if (doc->n_sections == 1 && !doc->sections[0].missing && doc->sections[0].view.n_total == 0)
		return has_where ? both("Nothing that was recorded matches", where_of(a, arena),
					arena)
				 : NULL;
	/* Rows that are left out may be the ones that say yes. */
	yes = has_where && a->route.asked != WL_ASKED_PINNED
		      ? NULL
		      : wl_asked_yes_say(a->route.asked, doc, arena);
	figures = strcmp(verb, "iters") == 0
			  ? wl_asked_steps_say(q, doc, arena)
			  : wl_figures_say(
				    q, doc,
				    has_where || is_sample || has_arg(a, "--sort") ||
					    has_arg(a, "--order") ||
					    (has_arg(a, "--by") && strcmp(verb, "overlap") != 0),
				    arena);
	if (is_sample && figures)
		figures = both("In step 1, as a sample:", figures, arena);
	if (yes && a->route.asked != WL_ASKED_PINNED)
		return yes;
	if (yes || figures)
		return both(yes, figures, arena);
	return wl_saying_of(verb, doc, has_where, arena);
}

/*
 * Rows that the question names are kept alone. The sentence may speak of a row that the table
 * leaves out: it is sorted by the column of that row then. The command says both.
 */
static void look(void *ctx, struct wl_document *doc, struct wl_arena *arena)
{
	struct asking *a = ctx;
	struct wl_question q;
	const char *where, *sort;

	wl_question_read(&q, a->question);
	where = has_arg(a, "--where") ? NULL : wl_row_names_keep(&q, a->route.verb, doc, arena);
	if (where)
		append(a, "--where", where);
	sort = has_arg(a, "--sort") || has_arg(a, "--order")
		       ? NULL
		       : wl_saying_sort(a->route.verb, doc, arena);
	if (sort)
		append(a, "--sort", sort);
	doc->lead = lead_of(a, &q, where != NULL, doc, arena);
	if (a->by_gpu)
		doc->lead = say_by_gpu(doc->lead, arena);
}

/* Yes or no of what is not there: that it cannot be said, or that there is none. */
static bool failed(void *ctx, struct wl_err *err)
{
	const struct asking *a = ctx;
	const struct wl_err why = *err;

	if (a->route.asked < WL_ASKED_STRAGGLER || why.code != WL_E_NODATA)
		return false;
	if (a->route.asked == WL_ASKED_GRAPHS && aside(a) == stdout) {
		(void)printf("No: the trace has no CUDA graph.\n");
		return true;
	}
	(void)wl_fail(err, WL_E_NODATA, "cannot say: %s", why.msg);
	return false;
}

/* An analysis or a document, by its own command line. */
static int answer(struct asking *a)
{
	const struct wl_answer_look sentences = { settle, look, failed, a };
	struct wl_invocation *inv = calloc(1, sizeof(*inv));
	struct wl_err err;
	int status;

	if (!inv) {
		(void)wl_fail(&err, WL_E_NOMEM, "ask: no memory for the answer");
		return wl_report_failure(&err);
	}
	if (wl_opt_parse(a->argc, a->argv, inv, &err) < 0)
		status = wl_report_failure(&err);
	else
		status = wl_answer_looked_at(inv, &sentences);
	free(inv);
	if (status)
		return status;
	(void)fprintf(aside(a), "command: %s\n", a->command);
	return wl_finish_stdout();
}

static int explain(const struct asking *a, struct wl_err *reterr)
{
	struct wl_explanation found;
	struct wl_arena arena;
	int r;

	wl_arena_init(&arena, WL_PROSE_MEMORY);
	r = wl_explanation_of(a->route.operand, &arena, &found, reterr);
	if (r == WL_OK)
		r = wl_prose_print(stdout, found.text, reterr);
	wl_arena_release(&arena);
	return r;
}

/* A command is not run: it writes files, opens a port or wants another trace. */
static void name_command(struct asking *a, const struct wl_verb *verb)
{
	const char *word = wl_shell_word(a->trace, &a->arena), *trace = word ? word : "TRACE";

	if (strcmp(a->route.verb, "diff") == 0 && a->inv->n_job < 2) {
		(void)printf("Cannot say: this is one run; compare it with the run before it, or "
			     "keep it as a baseline for the next (warplens diff %s --save NAME).\n"
			     "command: warplens diff BEFORE %s\n",
			     trace, trace);
		return;
	}
	if (strcmp(a->route.verb, "ncu") == 0) {
		(void)printf("Cannot say: a trace shows when kernels ran, not what happened inside "
			     "them. Measure the kernels with most time with Nsight Compute.\n"
			     "command: warplens plan --for ncu --trace %s -- PROGRAM\n",
			     trace);
		return;
	}
	if (strcmp(a->route.verb, "plan") == 0) {
		(void)printf(
			"Limit the capture with --gate: to an NVTX range (nvtx:NAME@DOMAIN), to "
			"what the program marks (cuda-api), or to a time.\n"
			"command: warplens plan --gate delay:60,duration:20 -- PROGRAM\n");
		return;
	}
	(void)printf("%s: %s.\ncommand: %s\n", wl_verb_name(verb), wl_verb_help(verb), a->command);
}

/* It only prints, and what it prints is what was asked for. */
static int run_coach(const struct asking *a, const struct wl_verb *verb, struct wl_err *reterr)
{
	struct wl_invocation *inv = calloc(1, sizeof(*inv));
	int r = inv ? wl_opt_parse(a->argc, a->argv, inv, reterr)
		    : wl_fail(reterr, WL_E_NOMEM, "ask: no memory for the answer");

	if (r == WL_OK && verb->command->run(inv) == 0)
		(void)printf("command: %s\n", a->command);
	free(inv);
	return r;
}

/* The line for a verb, as one can paste it; NULL where the question lacks what the verb needs. */
static const char *line_for(struct asking *a, const char *verb)
{
	struct wl_err err;

	if (strcmp(verb, "explain") == 0 || wl_route_as(a->question, verb, true, &a->route) < 0 ||
	    a->route.kind != WL_ROUTE_VERB || make_command(a, &err) < 0)
		return NULL;
	return a->command;
}

/* "  1  warplens gaps run.sqlite -n 8", and below it what that shows; nothing where data goes. */
static void list_near(struct asking *a)
{
	const char *near[WL_ROUTE_NEAR];
	const char *last = NULL;
	int n = 0;

	if (aside(a) == stderr)
		return;
	memcpy(near, a->route.near, sizeof(near));
	for (size_t i = 0; i < WL_ROUTE_NEAR && near[i]; i++) {
		const char *line = line_for(a, near[i]);
		struct wl_verb verb;

		/* Two verbs may come to the same command. */
		if (!line || (last && strcmp(line, last) == 0))
			continue;
		last = line;
		if (wl_verb_find(a->route.verb, &verb))
			(void)printf("  %d  %s\n     %s\n", ++n, line, wl_verb_help(&verb));
	}
}

/* No command is clearly ahead, or the one that is leaves out a part of the question. */
static int abstain(const struct asking *a, struct wl_err *reterr)
{
	const char *const *near = a->route.near;

	if (!near[0])
		return wl_fail(reterr, WL_E_INCOMPARABLE,
			       "no command answers this; \"warplens help\" lists the verbs");
	if (a->route.unused)
		return wl_fail(reterr, WL_E_INCOMPARABLE,
			       "no command for this takes \"%s\" into account; nearest: %s%s%s",
			       a->route.unused, near[0], near[1] ? ", " : "",
			       near[1] ? near[1] : "");
	return wl_fail(reterr, WL_E_INCOMPARABLE, "several commands fit: %s%s%s%s%s", near[0],
		       near[1] ? ", " : "", near[1] ? near[1] : "", near[2] ? ", " : "",
		       near[2] ? near[2] : "");
}

/* What needs no trace: WL_OK and *ret_is_done, or a failure. */
static int begin(struct asking *a, bool *ret_is_done, struct wl_err *reterr)
{
	struct wl_verb verb;
	int r = wl_route(a->question, true, &a->route);

	*ret_is_done = true;
	if (r < 0)
		return wl_fail(reterr, WL_E_NOMEM, "ask: no memory for the question");
	if (a->route.kind == WL_ROUTE_REFUSED)
		return wl_fail(reterr, WL_E_NODATA, "a trace does not contain this: %s",
			       a->route.reason);
	if (a->route.kind == WL_ROUTE_ABSTAINS || a->route.unused ||
	    !wl_verb_find(a->route.verb, &verb))
		return abstain(a, reterr);
	r = make_command(a, reterr);
	if (r < 0)
		return r;
	if (a->inv->param[PLAN])
		(void)printf("%s\n", a->command);
	else if (strcmp(a->route.verb, "explain") == 0)
		r = explain(a, reterr);
	else if (strcmp(a->route.verb, "coach") == 0)
		r = run_coach(a, &verb, reterr);
	else if (verb.command)
		name_command(a, &verb);
	else
		*ret_is_done = false;
	return r;
}

static int check(struct asking *a, struct wl_err *reterr)
{
	int r = wl_ask_llm_check(a->inv, reterr);

	if (r == WL_OK && a->inv->param[WL_ASK_LLM] && a->inv->param[PLAN])
		r = wl_fail(reterr, WL_E_USAGE, "--plan: not with --llm; the model makes its plan");
	return r == WL_OK ? take_question(a, reterr) : r;
}

static int run(const struct wl_invocation *inv)
{
	struct asking a = { .inv = inv };
	bool is_done;
	struct wl_err err;
	int status;

	if (check(&a, &err) < 0)
		return wl_report_failure(&err);
	if (inv->param[WL_ASK_LLM])
		return wl_ask_llm(inv, a.trace, a.question);
	wl_arena_init(&a.arena, MEMORY);
	if (begin(&a, &is_done, &err) < 0) {
		status = wl_report_failure(&err);
		if (err.code == WL_E_INCOMPARABLE)
			list_near(&a);
	} else
		status = is_done ? wl_finish_stdout() : answer(&a);
	free(a.by_gpu);
	wl_arena_release(&a.arena);
	return status;
}

static const struct wl_alias aliases[] = {
	{ .name = "agent-ask" },
	{ .name = "chat" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens ask run.sqlite \"why is the GPU idle\"",
	  "Idle time by cause, and the command." },
	{ "warplens ask run.sqlite \"top 5 kernels on gpu 0\"", "Numbers become options." },
	{ "warplens ask run.sqlite \"what should I fix first\" --plan", "Only the command." },
	{ NULL, NULL },
};

const struct wl_command wl_command_ask = {
	.name = "ask",
	.topic = WL_TOPIC_FIX,
	.listed = { .level = WL_LEVEL_SECOND },
	.help = "Answer a question in your own words, with a verb's numbers",
	.about = "Finds the verb that answers the question, as learned from some 10,000 others, "
		 "takes "
		 "GPUs, ranks, steps, times, names and numbers of rows from it, and runs the verb: "
		 "one "
		 "or two sentences made from its rows, a short table, and the command that gives "
		 "the "
		 "same. Nothing leaves the machine. Where no verb is clearly meant, or the "
		 "command for it leaves out a number of the question, the three nearest commands "
		 "are listed and the exit status is 4; what no trace tells, such as accuracy or "
		 "cost, is refused with status 5. With --llm URL a "
		 "language model answers by calling verbs: every number of its answer is looked up "
		 "in their results, one that is not there is marked, and with more the answer is "
		 "withheld (status 4). The key comes from WARPLENS_LLM_KEY, or over https from "
		 "ANTHROPIC_API_KEY or OPENAI_API_KEY.",
	.operands = "TRACE QUESTION",
	.aliases = aliases,
	.examples = examples,
	.params = params,
	.n_params = N_PARAMS,
	.common = true,
	.without = WL_OPT_BIT(WHERE) | WL_OPT_BIT(SORT) | WL_OPT_BIT(COLUMNS) |
		   WL_OPT_BIT(SECTION) | WL_OPT_BIT(VERBOSE) | WL_OPT_BIT(TRIM) | WL_OPT_BIT(JOB),
	.instead = "give it to the command that ask prints",
	.several = WL_SEVERAL_JOB,
	.run = run,
};
