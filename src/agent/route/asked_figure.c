/* SPDX-License-Identifier: MIT */
/*
 * asked_figure.c - "what is the GPU utilization", "how much memory does it use", "how many kernels
 * per step".
 *
 * A question this short, with only the figure's words and fillers, is not weighed against longer
 * questions with the same words. It must have one word of each group. It asks for yes or no only if
 * it lacks a word such as "how".
 */
#include "agent/route/asked_figure.h"

#include <stdbool.h>
#include <string.h>

#include "base/attr.h"

enum { MAX_GROUPS = 4, MAX_GROUP = 16 };

/* First words of yes-or-no questions. */
#define IS                                                                                         \
	{                                                                                          \
		"is", "are", "am", "was", "were"                                                   \
	}

/* How a GPU's time divides. */
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

/* Words that do not affect what is asked for. */
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

/* Whether the word is one of the figure's; marks its groups as seen. */
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

/* Whether a yes or no would not answer the question. */
static bool asks_for_more(const struct wl_question *q)
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
		    (figures[i].asked >= WL_ASKED_STRAGGLER && asks_for_more(q)))
			continue;
		*ret_options = figures[i].options;
		*ret_asked = figures[i].asked;
		return figures[i].verb;
	}
	return NULL;
}

/* What a question to a verb asks for if it has one of these words; is_open: also after "how". */
static const struct {
	const char *verb;
	enum wl_asked_for asked;
	bool is_open;
	const char *words[12]; /* NULL ends */
} asked_of[] = {
	{ "ranks",
	  WL_ASKED_BALANCED,
	  true,
	  { "balanced", "balance", "evenly", "equally", "even", "imbalance", "imbalanced",
	    "unbalanced", "uneven", "distributed", "equal" } },
	{ "ranks",
	  WL_ASKED_STRAGGLER,
	  false,
	  { "straggler", "stragglers", "behind", "slower", "slow", "lag", "lags", "laggard",
	    "laggards", "late", "slowest" } },
	{ "idle", WL_ASKED_LOADER, true, { "dataloader", "loader", "dataloading", "loading" } },
	{ "idle",
	  WL_ASKED_STARVED,
	  false,
	  { "cpu", "host", "python", "starved", "feed", "fed", "feeding" } },
	{ "overlap",
	  WL_ASKED_OVERLAPPED,
	  false,
	  { "overlapped", "overlapping", "overlap", "hidden" } },
	{ "graphs", WL_ASKED_GRAPHS, true, { "used", "active", "enabled", "graphs", "graph" } },
	{ "transfers", WL_ASKED_PINNED, true, { "pinned", "pageable" } },
	{ "memory",
	  WL_ASKED_GROWING,
	  true,
	  { "leak", "leaking", "leaks", "grow", "growing", "grows" } },
};

enum wl_asked_for wl_asked_figure_of(const struct wl_question *q, const char *verb)
{
	static const char *const yes[] = { "is",  "are", "do",   "does", "any",  "was",
					   "can", "has", "true", "were", "right" };
	static const char *const parts[] = { "backward", "forward",   "pass",  "phase",
					     "layer",    "copies",    "copy",  "memcpy",
					     "memcpys",  "transfers", "worth", "should" };
	static const char *const open[] = { "how", "which", "why", "where", "when" };
	bool is_yes = wl_question_says(q, yes, WL_COUNT(yes));

	for (size_t i = 0; q->n && i < WL_COUNT(open); i++)
		is_yes = is_yes && strcmp(q->word[0].key, open[i]) != 0;
	for (size_t i = 0; i + 1 < q->n; i++) {
		is_yes = is_yes || (strcmp(q->word[i].key, "is") == 0 &&
				    strcmp(q->word[i + 1].key, "it") == 0);
		if (strchr(q->word[i].text, '%') || strcmp(q->word[i + 1].key, "percent") == 0)
			return WL_ASKED_NOTHING; /* a bound to compare the figures with */
	}
	if (strcmp(verb, "transfers") != 0 && wl_question_says(q, parts, WL_COUNT(parts)))
		return WL_ASKED_NOTHING; /* asks about a part that the rows do not have */
	for (size_t i = 0; i < WL_COUNT(asked_of); i++) {
		if (strcmp(asked_of[i].verb, verb) == 0 && (is_yes || asked_of[i].is_open) &&
		    wl_question_says(q, asked_of[i].words, WL_COUNT(asked_of[i].words)))
			return asked_of[i].asked;
	}
	return WL_ASKED_NOTHING;
}
