/* SPDX-License-Identifier: MIT */
/*
 * explain.c - prints the page of a finding: docs/findings/CODE.md, which is part of the program.
 *
 * The pages are plain Markdown: headings, paragraphs and fenced code. Prose is wrapped, code is
 * printed as it is.
 */
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/opt.h"
#include "cli/status.h"
#include "cli/wrap.h"
#include "findings/codes.h"
#include "known/builtin.h"

static const char folder[] = "findings";

enum { PROSE = 2, CODE = 4, TERMS = 24 };

/* Where a page goes, and whether a fence is open. */
struct page {
	FILE *out;
	bool is_code;
};

static size_t line_length(const char *text)
{
	return strcspn(text, "\n");
}

/* All lines up to one that is blank, a heading or a fence. */
static size_t paragraph_length(const char *text)
{
	size_t n = 0;

	while (text[n] && text[n] != '\n' && text[n] != '#' && strncmp(text + n, "```", 3) != 0) {
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
	wl_wrap(p->out, copy, PROSE, PROSE);
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

static void list_codes(void)
{
	const char *code;

	for (size_t i = 0; (code = wl_finding_code(i)); i++)
		wl_wrap_term(stdout, code, wl_finding_title(i), TERMS);
}

static int refuse(const char *wanted, struct wl_err *reterr)
{
	struct wl_nearest nearest;
	const char *code;

	wl_nearest_init(&nearest, wanted);
	for (size_t i = 0; (code = wl_finding_code(i)); i++)
		wl_nearest_offer(&nearest, code);
	code = wl_nearest_get(&nearest);
	if (code)
		return wl_fail(reterr, WL_E_USAGE, "no finding \"%.60s\"; did you mean %s?", wanted,
			       code);
	return wl_fail(reterr, WL_E_USAGE, "no finding \"%.60s\"; \"warplens explain\" lists them",
		       wanted);
}

static int explain(const struct wl_invocation *inv, struct wl_err *reterr)
{
	const char *text;
	size_t size;

	if (inv->n_operands == 0) {
		list_codes();
		return WL_OK;
	}
	if (inv->n_operands > 1)
		return wl_fail(reterr, WL_E_USAGE,
			       "explain takes one code; usage: warplens explain [CODE]");
	text = wl_builtin_find(folder, inv->operand[0], &size);
	return text ? put_page(text, reterr) : refuse(inv->operand[0], reterr);
}

static int run(const struct wl_invocation *inv)
{
	struct wl_err err;

	return explain(inv, &err) < 0 ? wl_report_failure(&err) : wl_finish_stdout();
}

static const struct wl_example examples[] = {
	{ "warplens explain", "All codes, with a line each." },
	{ "warplens explain launch-bound", "Its cause, how to confirm and fix it, how to verify." },
	{ NULL, NULL },
};

const struct wl_command wl_command_explain = {
	.name = "explain",
	.topic = WL_TOPIC_START,
	.help = "Explain a finding: cause, fix and how to verify it",
	.about = "Prints the page of a finding by its code, which findings and summary show in "
		 "brackets: what causes it, a command that confirms it, a fix with code before and "
		 "after, and how to verify the fix with diff. Without a code, lists all codes. No "
		 "trace is read.",
	.operands = "[CODE]",
	.word = wl_finding_code,
	.examples = examples,
	.run = run,
};
