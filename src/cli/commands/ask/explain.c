/* SPDX-License-Identifier: MIT */
/* explain.c - prints what is known about a word: a finding, a verb, a column, a term, a kernel. */
#include "agent/explain/explanation.h"
#include "cli/help/prose.h"
#include "cli/help/wrap.h"
#include "cli/line/opt.h"
#include "cli/status.h"
#include "findings/codes.h"

enum { TERMS = 24 };

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
	wl_wrap_term(stdout, "why-numbers-differ",
		     "why other tools give other numbers for the same trace", TERMS);
	wl_wrap_term(stdout, "terms",
		     "explain straggler, \"exposed communication\", split-k, LL128", TERMS);
	wl_wrap_term(stdout, "kernels",
		     "by name: explain nvjet_tst_128x256_64x4_2x1_v_bz_coopA_NNT", TERMS);
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
	return wl_prose_explain(inv->operand[0], true, reterr);
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
	{ "warplens explain why-numbers-differ", "Why another tool gives another number." },
	{ NULL, NULL },
};

const struct wl_command wl_command_explain = {
	.name = "explain",
	.topic = WL_TOPIC_FIX,
	.listed = { .level = WL_LEVEL_SECOND,
		    .line = "Define a finding, a column, a term or a kernel name" },
	.help = "Explain a finding, a kernel's name, a column or a term",
	.about =
		"Prints what is known about a word; no trace is read. The code of a finding gives "
		"its page: what causes it, a command that confirms it, a fix with code before and "
		"after, and how to verify the fix with diff. The name of a kernel gives its "
		"library, "
		"its operation, and data types, tile, stages, algorithm and the like as far as the "
		"name says, with how sure that is. A column, a verb, a table of the export or a "
		"term "
		"gives its definition. why-numbers-differ gives the page about numbers of other "
		"tools. Without a word, lists what can be explained.",
	.operands = "[WORD]",
	.word = wl_explain_word,
	.examples = examples,
	.run = run,
};
