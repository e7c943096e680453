/* SPDX-License-Identifier: MIT */
/*
 * explain.c - prints what is known about a word: a finding, a verb, a column, a term, a kernel.
 *
 * The pages are plain Markdown: headings, paragraphs, items and fenced code. Prose is wrapped,
 * code is printed as it is.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/explain/explanation.h"
#include "cli/opt.h"
#include "cli/status.h"
#include "cli/wrap.h"
#include "findings/codes.h"

enum { PROSE = 2, CODE = 4, TERMS = 24, MAX_PAGE = 1 << 22 };

/* Where a page goes, and whether a fence is open. */
struct page {
	FILE *out;
	bool is_code;
};

static size_t line_length(const char *text)
{
	return strcspn(text, "\n");
}

static bool is_item(const char *line)
{
	return strncmp(line, "- ", 2) == 0;
}

/* All lines up to one that is blank, a heading, a fence or the next item. */
static size_t paragraph_length(const char *text)
{
	size_t n = 0;

	while (text[n] && text[n] != '\n' && text[n] != '#' && strncmp(text + n, "```", 3) != 0 &&
	       (n == 0 || !is_item(text + n))) {
		n += line_length(text + n);
		n += text[n] == '\n';
	}
	return n;
}

static bool put_paragraph(struct page *p, const char *text, size_t n)
{
	char *copy = strndup(text, n);

	if (!copy)
		return false;
	(void)fprintf(p->out, "%*s", PROSE, "");
	wl_wrap(p->out, copy, PROSE, is_item(copy) ? CODE : PROSE);
	free(copy);
	return true;
}

/* Print what begins at text; returns its bytes, 0 without memory. */
static size_t put_block(struct page *p, const char *text)
{
	size_t n = line_length(text), whole = n + (text[n] == '\n');

	if (strncmp(text, "```", 3) == 0) {
		p->is_code = !p->is_code;
		return whole;
	}
	if (p->is_code || n == 0) {
		(void)fprintf(p->out, "%*s%.*s\n", n ? CODE : 0, "", (int)n, text);
		return whole;
	}
	if (text[0] == '#') {
		size_t marks = strspn(text, "# ");

		(void)fprintf(p->out, "%.*s\n", (int)(n - marks), text + marks);
		return whole;
	}
	n = paragraph_length(text);
	return put_paragraph(p, text, n) ? n : 0;
}

static int put_page(const char *text, struct wl_err *reterr)
{
	struct page p = { .out = stdout };

	while (*text) {
		size_t n = put_block(&p, text);

		if (n == 0)
			return wl_fail(reterr, WL_E_NOMEM, "explain: no memory for the page");
		text += n;
	}
	return WL_OK;
}

static void list_kinds(void)
{
	const char *code;

	(void)puts("Findings:");
	for (size_t i = 0; (code = wl_finding_code(i)); i++)
		wl_wrap_term(stdout, code, wl_finding_title(i), TERMS);
	(void)puts("Other kinds:");
	wl_wrap_term(stdout, "verbs", "\"warplens --help\" lists them: explain idle", TERMS);
	wl_wrap_term(stdout, "columns",
		     "of answers, explain p99 or explain kernels.sum; of exports, "
		     "explain globalTid",
		     TERMS);
	wl_wrap_term(stdout, "terms",
		     "explain straggler, \"exposed communication\", split-k, LL128", TERMS);
	wl_wrap_term(stdout, "kernels",
		     "by name: explain nvjet_tst_128x256_64x4_2x1_v_bz_coopA_NNT", TERMS);
}

static int put_word(const char *word, struct wl_err *reterr)
{
	struct wl_explanation found;
	struct wl_arena arena;
	int r;

	wl_arena_init(&arena, MAX_PAGE);
	r = wl_explanation_of(word, &arena, &found, reterr);
	if (r == WL_OK)
		r = put_page(found.text, reterr);
	wl_arena_release(&arena);
	return r;
}

static int explain(const struct wl_invocation *inv, struct wl_err *reterr)
{
	if (inv->n_operands == 0) {
		list_kinds();
		return WL_OK;
	}
	if (inv->n_operands > 1)
		return wl_fail(reterr, WL_E_USAGE,
			       "explain takes one word; quote a name with spaces; usage: warplens "
			       "explain [WORD]");
	return put_word(inv->operand[0], reterr);
}

static int run(const struct wl_invocation *inv)
{
	struct wl_err err;

	return explain(inv, &err) < 0 ? wl_report_failure(&err) : wl_finish_stdout();
}

static const struct wl_example examples[] = {
	{ "warplens explain", "All findings with a line each, and what else can be explained." },
	{ "warplens explain launch-bound", "Its cause, how to confirm and fix it, how to verify." },
	{ "warplens explain \"exposed communication\"", "What a term means." },
	{ "warplens explain ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
	  "What a kernel's name says: library, operation, types, how sure that is." },
	{ NULL, NULL },
};

const struct wl_command wl_command_explain = {
	.name = "explain",
	.topic = WL_TOPIC_START,
	.help = "Explain a finding, a kernel's name, a column or a term",
	.about =
		"Prints what is known about a word; no trace is read. The code of a finding gives "
		"its page: what causes it, a command that confirms it, a fix with code before and "
		"after, and how to verify the fix with diff. The name of a kernel gives its "
		"library, "
		"its operation, and data types, tile, stages, algorithm and the like as far as the "
		"name says, with how sure that is. A column, a verb, a table of the export or a "
		"term "
		"gives its definition. Without a word, lists what can be explained.",
	.operands = "[WORD]",
	.word = wl_explain_word,
	.examples = examples,
	.run = run,
};
