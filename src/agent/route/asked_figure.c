/* SPDX-License-Identifier: MIT */
/*
 * asked_figure.c - "what is the GPU utilization", "how much memory does it use", "how many kernels
 * per step".
 *
 * What is so short that it has no word but those of the figure, and words that say nothing, is
 * not weighed against longer questions with the same words. One word of each group is there, and
 * yes or no is only asked without a word such as "how".
 */
#include "agent/route/asked_figure.h"

#include <stdbool.h>
#include <string.h>

#include "base/attr.h"

enum { MAX_GROUPS = 4, MAX_GROUP = 16 };

/* Of questions for yes or no. */
#define IS                                                                                         \
	{                                                                                          \
		"is", "are", "am", "was", "were"                                                   \
	}

/* The parts of the time of a GPU. */
#define BUDGET "--columns device,window,compute,wait,transfer,exposed_copy,idle_host,idle_launch"

static const struct {
	enum wl_asked_for asked;
	const char *verb, *options;
	const char *group[MAX_GROUPS][MAX_GROUP]; /* words; NULL ends */
} figures[] = {
	{ WL_ASKED_NOTHING,
	  "overlap",
	  "",
	  { { "gpu", "gpus", "device", "devices", "card", "cards" },
	    { "utilization", "utilisation", "util" } } },
	{ WL_ASKED_NOTHING,
	  "memory",
	  "",
	  { { "memory", "vram" },
	    { "use", "uses", "used", "usage", "need", "needs", "needed", "take", "takes", "consume",
	      "consumes", "consumption" } } },
	{ WL_ASKED_NOTHING,
	  "iters",
	  "--columns iter,device,kernels,period",
	  { { "kernel", "kernels" },
	    { "step", "steps", "iteration", "iterations", "iter" },
	    { "many", "number", "count", "per" } } },
	{ WL_ASKED_EXPOSED,
	  "overlap",
	  "",
	  { { "how", "what" },
	    { "exposed" },
	    { "much", "time", "communication", "comm", "comms" } } },
	{ WL_ASKED_EXPOSED,
	  "overlap",
	  "--by iteration",
	  { { "exposed" },
	    { "communication", "comm", "comms" },
	    { "step", "iteration" },
	    { "per", "each", "every" } } },
	{ WL_ASKED_NOTHING,
	  "iters",
	  "",
	  { { "how", "what" },
	    { "step", "prefill", "decode", "iteration" },
	    { "long", "time", "take", "takes", "duration", "latency" } } },
	/* Yes or no. */
	{ WL_ASKED_STRAGGLER, "ranks", "", { { "is", "are" }, { "straggler", "stragglers" } } },
	{ WL_ASKED_OVERLAPPED,
	  "overlap",
	  "",
	  { { "is", "are", "does", "do" },
	    { "communication", "comm", "comms", "nccl", "collectives" },
	    { "overlapped", "hidden", "overlap", "overlapping" } } },
	{ WL_ASKED_COMPUTE_BOUND, "ranks", BUDGET, { { "compute" }, { "bound", "limited" }, IS } },
	{ WL_ASKED_COMM_BOUND,
	  "ranks",
	  BUDGET,
	  { { "communication", "comm", "nccl" }, { "bound", "limited" }, IS } },
	{ WL_ASKED_COPY_BOUND,
	  "ranks",
	  BUDGET,
	  { { "copy", "transfer", "pcie" }, { "bound", "limited" }, IS } },
	{ WL_ASKED_LAUNCH_BOUND, "idle", "", { { "launch" }, { "bound", "limited" }, IS } },
	{ WL_ASKED_HOST_BOUND,
	  "ranks",
	  BUDGET,
	  { { "host", "cpu", "python" }, { "bound", "limited" }, IS } },
	{ WL_ASKED_LOADER,
	  "idle",
	  "--by detail",
	  { { "data", "input" },
	    { "loader", "loading", "pipeline" },
	    { "bottleneck", "slow", "problem" },
	    IS } },
	{ WL_ASKED_LOADER,
	  "idle",
	  "--by detail",
	  { { "dataloader", "dataloading" }, { "bottleneck", "slow", "problem" }, IS } },
	{ WL_ASKED_TENSOR,
	  "kernels",
	  "",
	  { { "tensor" },
	    { "core", "cores" },
	    { "used", "using", "use" },
	    { "are", "is", "do", "does", "am" } } },
	{ WL_ASKED_GRAPHS,
	  "graphs",
	  "",
	  { { "cuda" },
	    { "graph", "graphs" },
	    { "used", "using", "use" },
	    { "are", "is", "do", "does", "am" } } },
	{ WL_ASKED_PINNED,
	  "transfers",
	  "",
	  { { "copies", "transfers", "memory", "copy" }, { "pinned" }, IS } },
	{ WL_ASKED_GROWING,
	  "memory",
	  "--by step",
	  { { "memory" },
	    { "growing", "leaking", "grow", "leak", "increasing" },
	    { "is", "does" } } },
	{ WL_ASKED_MISSING,
	  "info",
	  "--section coverage",
	  { { "events", "kernels", "event" }, { "missing", "lost", "dropped" }, IS } },
	{ WL_ASKED_FASTER, "diff", "", { { "did", "is", "has" }, { "faster", "slower" } } },
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

/* Yes or no would not answer it. */
static bool is_open(const struct wl_question *q)
{
	static const char *const words[] = { "how", "what", "show", "much", "many" };

	for (size_t i = 0; i < q->n; i++) {
		for (size_t k = 0; k < WL_COUNT(words); k++) {
			if (strcmp(q->word[i].key, words[k]) == 0)
				return true;
		}
	}
	return false;
}

const char *wl_asked_figure_find(const struct wl_question *q, const char **ret_options,
				 enum wl_asked_for *ret_asked)
{
	for (size_t i = 0; i < WL_COUNT(figures); i++) {
		if (!fits(q, figures[i].group) ||
		    (figures[i].asked >= WL_ASKED_STRAGGLER && is_open(q)))
			continue;
		*ret_options = figures[i].options;
		*ret_asked = figures[i].asked;
		return figures[i].verb;
	}
	return NULL;
}
