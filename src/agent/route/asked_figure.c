/* SPDX-License-Identifier: MIT */
/*
 * asked_figure.c - "what is the GPU utilization", "how much memory does it use", "how many kernels
 * per step".
 *
 * What is so short that it has no word but those of the figure, and words that say nothing, is
 * not weighed against longer questions with the same words. One word of each group is there.
 */
#include "agent/route/asked_figure.h"

#include <stdbool.h>
#include <string.h>

#include "base/attr.h"

enum { MAX_GROUPS = 4, MAX_GROUP = 16 };

static const struct {
	const char *verb, *options;
	const char *group[MAX_GROUPS][MAX_GROUP]; /* words; NULL ends */
} figures[] = {
	{ "overlap",
	  "",
	  { { "gpu", "gpus", "device", "devices", "card", "cards" },
	    { "utilization", "utilisation", "util" } } },
	{ "memory",
	  "",
	  { { "memory", "vram" },
	    { "use", "uses", "used", "usage", "need", "needs", "needed", "take", "takes", "consume",
	      "consumes", "consumption" } } },
	{ "iters",
	  "--columns iter,device,kernels,period",
	  { { "kernel", "kernels" },
	    { "step", "steps", "iteration", "iterations", "iter" },
	    { "many", "number", "count", "per" } } },
};

/* What says nothing of what is asked for. */
static const char *const fillers[] = {
	"a",          "an",      "and",     "are",      "average",  "by",        "did",   "do",
	"does",       "each",    "every",   "for",      "get",      "give",      "gpu",   "gpus",
	"happen",     "have",    "high",    "how",      "i",        "in",        "is",    "it",
	"its",        "job",     "launch",  "launched", "launches", "launching", "mean",  "median",
	"me",         "much",    "my",      "of",       "on",       "one",       "our",   "percent",
	"percentage", "please",  "process", "program",  "rank",     "ranks",     "run",   "running",
	"runs",       "s",       "show",    "tell",     "that",     "the",       "there", "this",
	"trace",      "typical", "was",     "we",       "what",     "would",
};

/* Whether the word is one of the figure's, whose groups it marks. */
static bool is_of(const char *const (*group)[MAX_GROUP], const char *word, unsigned *seen)
{
	bool is_any = false;

	for (unsigned i = 0; i < MAX_GROUPS; i++) {
		for (size_t k = 0; k < MAX_GROUP && group[i][k]; k++) {
			if (strcmp(group[i][k], word) != 0)
				continue;
			*seen |= 1U << i;
			is_any = true;
		}
	}
	return is_any;
}

static bool is_filler(const char *word)
{
	for (size_t i = 0; i < WL_COUNT(fillers); i++) {
		if (strcmp(fillers[i], word) == 0)
			return true;
	}
	return false;
}

static bool fits(const struct wl_question *q, const char *const (*group)[MAX_GROUP])
{
	unsigned seen = 0, all = 0;

	for (unsigned i = 0; i < MAX_GROUPS && group[i][0]; i++)
		all |= 1U << i;
	for (size_t i = 0; i < q->n; i++) {
		const struct wl_question_word *w = &q->word[i];

		if (w->kind == WL_WORD_NUMBER ||
		    (w->kind == WL_WORD_PLAIN &&
		     (is_of(group, w->key, &seen) || is_filler(w->key))))
			continue;
		return false;
	}
	return seen == all;
}

const char *wl_asked_figure_find(const struct wl_question *q, const char **ret_options)
{
	for (size_t i = 0; i < WL_COUNT(figures); i++) {
		if (!fits(q, figures[i].group))
			continue;
		*ret_options = figures[i].options;
		return figures[i].verb;
	}
	return NULL;
}
