/* SPDX-License-Identifier: MIT */
/*
 * agent.c - "agent analyze TRACE": what to do about a trace, as one bounded report for programs
 * and people: where a step's time goes, the largest findings, and the commands that come next.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/shell.h"
#include "cli/answer.h"
#include "cli/status.h"

/* Rows of each table: five findings are what fits a person's or a model's attention. */
enum { MAX_FINDINGS = 5 };

static const struct wl_section_info sections[] = {
	{ .title = "Where the time goes", .analysis = "budget" },
	{ .title = "What to do next", .analysis = "findings", .limit = MAX_FINDINGS },
	{ .title = "Not recorded", .analysis = "limits" },
};

static const struct wl_document_info analyze = {
	.name = "agent",
	.help = "Say what to do about a trace",
	.about = "Where a step's time goes, the largest findings and what was not recorded.",
	.sections = sections,
	.n_sections = WL_COUNT(sections),
};

/* "agent ask" is another name of ask. */
static const char *const actions[] = { "analyze", "ask" };

static const char *action_word(size_t i)
{
	return i < WL_COUNT(actions) ? actions[i] : NULL;
}

/* What is kept of an answer, which does not live until the commands are printed. */
struct next {
	char code[MAX_FINDINGS][64];
	char evidence[MAX_FINDINGS][512];
	size_t n;
};

static const struct wl_section *findings_of(const struct wl_document *doc)
{
	for (size_t i = 0; i < doc->n_sections; i++) {
		if (strcmp(doc->sections[i].analysis, "findings") == 0 && !doc->sections[i].missing)
			return &doc->sections[i];
	}
	return NULL;
}

static const char *text_at(const struct wl_view *v, size_t row, const char *key)
{
	size_t col;
	struct wl_cell cell;

	if (!wl_table_find_col(v->table, key, &col))
		return "";
	cell = wl_table_at(v->table, row, col);
	return cell.set ? cell.str : "";
}

static void look(void *ctx, struct wl_document *doc, struct wl_arena *arena)
{
	const struct wl_section *s = findings_of(doc);
	struct next *next = ctx;

	(void)arena;
	for (size_t i = 0; s && i < s->view.n_rows && next->n < MAX_FINDINGS; i++) {
		const char *evidence = text_at(&s->view, s->view.rows[i], "evidence");

		/* A command that does not fit is left out: half of one would be wrong. */
		if (!*evidence || strlen(evidence) >= sizeof(next->evidence[0]))
			continue;
		(void)snprintf(next->code[next->n], sizeof(next->code[0]), "%s",
			       text_at(&s->view, s->view.rows[i], "code"));
		(void)snprintf(next->evidence[next->n], sizeof(next->evidence[0]), "%s", evidence);
		next->n++;
	}
	doc->lead = s && s->view.n_rows ? text_at(&s->view, s->view.rows[0], "finding")
					: "Nothing that costs at least 1% of the step was found.";
	doc->reason = s && s->view.n_rows ? text_at(&s->view, s->view.rows[0], "action") : NULL;
}

/* Findings have the page of their code, and the command that shows the rows behind them. */
static void put_next(const struct next *next, const char *trace, FILE *out)
{
	struct wl_arena arena;
	const char *word;

	wl_arena_init(&arena, 1 << 16);
	word = wl_shell_word(trace, &arena);
	(void)fputs("\nNext commands\n", out);
	for (size_t i = 0; i < next->n; i++) {
		(void)fprintf(out, "  %s\n", next->evidence[i]);
		if (i == 0 || strcmp(next->code[i], next->code[i - 1]) != 0)
			(void)fprintf(out, "  warplens explain %s\n", next->code[i]);
	}
	(void)fprintf(out, "  warplens coach %s\n", word ? word : "TRACE");
	wl_arena_release(&arena);
}

static int answer(const struct wl_invocation *inv)
{
	struct wl_invocation *own = calloc(1, sizeof(*own));
	struct next next = { .n = 0 };
	const struct wl_answer_look looking = { .look = look, .ctx = &next };
	struct wl_err err;
	int status;

	if (!own) {
		(void)wl_fail(&err, WL_E_NOMEM, "agent: no memory for the answer");
		return wl_report_failure(&err);
	}
	*own = *inv;
	own->verb = (struct wl_verb){ .document = &analyze };
	own->operand[0] = inv->operand[1];
	own->n_operands = 1;
	/* The operands have moved by one: "analyze" was the first. */
	own->job_at = 0;
	status = wl_answer_looked_at(own, &looking);
	if (status == 0 && !inv->given[WL_OPT_FORMAT] && !inv->given[WL_OPT_OUTPUT]) {
		put_next(&next, inv->operand[1], stdout);
		status = wl_finish_stdout();
	}
	free(own);
	return status;
}

static int run(const struct wl_invocation *inv)
{
	struct wl_err err;

	if (inv->n_operands == 2 && strcmp(inv->operand[0], "analyze") == 0)
		return answer(inv);
	(void)wl_fail(
		&err, WL_E_USAGE,
		"agent takes an action and a trace: warplens agent analyze TRACE, or warplens "
		"ask TRACE \"QUESTION\"");
	return wl_report_failure(&err);
}

static const struct wl_example examples[] = {
	{ "warplens agent analyze run.sqlite", "What to do, why, and the commands that show it." },
	{ "warplens agent analyze run.sqlite -f json", "The same tables for a program." },
	{ NULL, NULL },
};

const struct wl_command wl_command_agent = {
	.name = "agent",
	.topic = WL_TOPIC_OTHER,
	.listed = { .level = WL_LEVEL_NAMED },
	.help = "Say what to do about a trace, as a short report for agents",
	.about = "analyze prints one bounded report: the largest finding and what to do about it, "
		 "where a step's time goes, at most five findings, what was not recorded, and the "
		 "commands that come next. No language model is used. With -f or -o the tables "
		 "alone "
		 "are written; the command that shows the rows behind a finding is its column "
		 "evidence. \"agent ask TRACE QUESTION\" is \"ask TRACE QUESTION\".",
	.operands = "analyze|ask TRACE [QUESTION]",
	.word = action_word,
	.examples = examples,
	.common = true,
	.without = WL_OPT_BIT(WHERE) | WL_OPT_BIT(SORT) | WL_OPT_BIT(COLUMNS) |
		   WL_OPT_BIT(SECTION) | WL_OPT_BIT(VERBOSE) | WL_OPT_BIT(LIMIT) |
		   WL_OPT_BIT(TRIM) | WL_OPT_BIT(JOB),
	.instead = "give it to findings",
	.several = WL_SEVERAL_JOB,
	.run = run,
};
