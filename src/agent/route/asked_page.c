/* SPDX-License-Identifier: MIT */
/*
 * asked_page.c - "why do your numbers differ from those of nsys".
 *
 * The question must name three things: a number, a difference, and, after a word that compares, the
 * tool. "the numbers of this nsys report differ from the last" names a file, not a tool.
 */
#include "agent/route/asked_page.h"

#include <strings.h>

#include "agent/route/question.h"
#include "base/attr.h"

static const char *const numbers[] = { "number", "numbers",     "value",       "values",
				       "result", "results",     "total",       "totals",
				       "sum",    "sums",        "percentage",  "percentages",
				       "time",   "times",       "idle",        "busy",
				       "median", "utilization", "utilisation", "overlap" };
static const char *const others[] = { "differ",   "differs",   "different", "difference",
				      "disagree", "disagrees", "mismatch",  "match",
				      "matches",  "agree",     "same",      "unlike" };
static const char *const compares[] = { "from", "than", "with", "to", "match", "matches", "as" };
static const char *const tools[] = { "nsys",
				     "nsight",
				     "nsys-ai",
				     "gputrc2graph",
				     "gputrc2graph.py",
				     "nsys-llm-explainer",
				     "pithtrain",
				     "analyze-nsys-profile" };
static const char *const files[] = { "report", "reports", "trace",  "traces",    "file",
				     "files",  "profile", "export", "recording", "capture" };
static const char *const between[] = { "the", "that", "those", "what", "of", "in", "plain" };

static bool is_any(const struct wl_question_word *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strcasecmp(word->text, list[i]) == 0)
			return true;
	}
	return false;
}

static bool has_any(const struct wl_question *q, const char *const *list, size_t n)
{
	for (size_t i = 0; i < q->n; i++) {
		if (is_any(&q->word[i], list, n))
			return true;
	}
	return false;
}

/* Whether "other tools" or the like starts at the i-th word. */
static bool is_other_tool(const struct wl_question *q, size_t i)
{
	return i + 1 < q->n &&
	       (strcasecmp(q->word[i].text, "other") == 0 ||
		strcasecmp(q->word[i].text, "another") == 0) &&
	       (strcasecmp(q->word[i + 1].text, "tool") == 0 ||
		strcasecmp(q->word[i + 1].text, "tools") == 0);
}

/* Whether a tool is named after a word that compares. */
static bool compares_with_tool(const struct wl_question *q)
{
	for (size_t i = 0; i < q->n; i++) {
		size_t at = i + 1;

		if (!is_any(&q->word[i], compares, WL_COUNT(compares)))
			continue;
		while (at < q->n && is_any(&q->word[at], between, WL_COUNT(between)))
			at++;
		if (is_other_tool(q, at))
			return true;
		if (at < q->n && is_any(&q->word[at], tools, WL_COUNT(tools)) &&
		    !(at + 1 < q->n && is_any(&q->word[at + 1], files, WL_COUNT(files))))
			return true;
	}
	return false;
}

bool wl_asked_page_find(const char *question, struct wl_route_result *ret)
{
	struct wl_question q;

	wl_question_read(&q, question);
	if (!has_any(&q, numbers, WL_COUNT(numbers)) || !has_any(&q, others, WL_COUNT(others)) ||
	    !compares_with_tool(&q))
		return false;
	ret->kind = WL_ROUTE_VERB;
	ret->verb = "explain";
	ret->operand = "why-numbers-differ";
	ret->score = 1;
	ret->near[0] = ret->verb;
	return true;
}
