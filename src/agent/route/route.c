/* SPDX-License-Identifier: MIT */
/*
 * route.c - finds a question's verb, as learned from data/questions.tsv, and the options implied by
 * its senses and words.
 */
#include "agent/route/route.h"

#include <stdlib.h>
#include <string.h>

#include "agent/route/asked_figure.h"
#include "agent/route/asked_page.h"
#include "agent/route/asked_word.h"
#include "agent/route/learned.h"
#include "agent/route/reading.h"
#include "agent/route/route_args.h"
#include "agent/route/rules.h"
#include "agent/route/unused.h"
#include "base/err.h"

/* sure: the least share of a verb to be chosen. worth: of one to be named as near. */
static const float sure = 0.45F, surer = 0.6F, worth = 0.02F;

enum { MEMORY = 1 << 20 };

/* Topics that no trace covers, and where to look instead; the last is for all other topics. */
static const struct {
	const char *topic, *reason;
} refusals[] = {
	{ "(accuracy)",
	  "it records when work ran, not what was computed; look in the log of the program" },
	{ "(money)", "prices; multiply the time by what the machines cost" },
	{ "(power)", "power, clocks and temperature; ask nvidia-smi or DCGM during the run" },
	{ "(tokens)", "what a step processes; divide its tokens or samples by the step time, which "
		      "iters shows" },
	{ "(source)",
	  "lines of source and commits; mark the code with NVTX ranges and ask nvtx, or ask "
	  "stacks for the functions" },
	{ "(network)", "counters of the network; ask the switch, the NIC or NCCL's own logs" },
	{ "(other)",
	  "it records when work ran on GPUs and hosts, and nothing else; look in the log of the "
	  "program" },
};

/* Reasons for all other topics, by words in the question. The first match counts. */
static const struct {
	const char *words[14], *reason; /* NULL ends */
} others[] = {
	{ { "weather", "rain", "joke", "poem", "match", "recipe", "movie", "football", "president",
	    "capital", "restaurant", "song", "translate" },
	  "this is not a question about a trace" },
	{ { "oom", "batch", "sequence", "fit", "bigger", "larger" },
	  "it cannot predict other settings, such as the memory of a larger batch; run with them, "
	  "and compare (warplens diff); memory shows the peak of this run" },
	{ { "customers", "customer", "users", "user", "clients", "production", "requests", "sla" },
	  "requests of clients; look in the metrics of the server; iters shows how long steps took" },
	{ { "rewrite", "write", "refactor", "implement", "patch", "edit", "change", "fix",
	    "generate" },
	  "warplens reads traces and changes no code; findings says what to change" },
	{ { "coefficient", "hyperparameter", "hyperparameters", "rate", "dropout", "optimal",
	    "value", "best", "weight" },
	  "settings of the program and their effect on results; look in its configuration and log" },
};

struct wl_router {
	struct wl_arena arena;
	struct wl_vocabulary vocabulary;
};

static bool is_verb(size_t v)
{
	return wl_learned.verb[v][0] != '(';
}

static const char *reason_of(const char *topic, const struct wl_question *q)
{
	size_t i = 0;

	for (size_t k = 0; strcmp(topic, "(other)") == 0 && k < WL_COUNT(others); k++) {
		if (wl_question_says(q, others[k].words, WL_COUNT(others[k].words)))
			return others[k].reason;
	}
	while (i + 1 < WL_COUNT(refusals) && strcmp(refusals[i].topic, topic) != 0)
		i++;
	return refusals[i].reason;
}

/* The verb (not a topic) with the largest share below that of the one named before. */
static size_t next_verb(const float *share, float below)
{
	size_t best = wl_learned.n_verbs;

	for (size_t v = 0; v < wl_learned.n_verbs; v++) {
		if (is_verb(v) && share[v] < below &&
		    (best == wl_learned.n_verbs || share[v] > share[best]))
			best = v;
	}
	return best;
}

static void name_near(const float *share, struct wl_route_result *ret)
{
	float below = 2;

	for (size_t n = 0; n < WL_ROUTE_NEAR; n++) {
		size_t v = next_verb(share, below);

		if (v == wl_learned.n_verbs || share[v] < worth)
			return;
		ret->near[n] = wl_learned.verb[v];
		below = share[v];
	}
}

/* The verb with the largest share; if all topics together have more, the largest topic. */
static size_t best_of(const float *share, float *ret_share)
{
	size_t best[2] = { wl_learned.n_verbs, wl_learned.n_verbs }; /* topic, verb */
	float sum = 0;
	bool is_topic;

	for (size_t v = 0; v < wl_learned.n_verbs; v++) {
		size_t *b = &best[is_verb(v)];

		sum += is_verb(v) ? 0 : share[v];
		*b = *b == wl_learned.n_verbs || share[v] > share[*b] ? v : *b;
	}
	is_topic = sum > share[best[1]];
	*ret_share = is_topic ? sum : share[best[1]];
	return best[!is_topic];
}

static void find_args(const struct wl_question *q, const char *implied, bool has_ranks,
		      struct wl_route_result *ret)
{
	char unused[WL_UNUSED_TEXT];

	wl_route_args_find(q, implied, has_ranks, ret);
	if (ret->verb && wl_route_unused(q, ret, unused))
		ret->unused = wl_reading_keep(ret, unused);
}

static void find_options(const struct wl_router *r, const char *question, struct wl_question *q,
			 bool has_ranks, struct wl_route_result *ret)
{
	const char *sense[WL_MAX_WORDS], *implied;

	wl_question_read(q, question);
	implied = wl_rule_options(ret->verb, sense, wl_senses_of(&r->vocabulary, q, sense));
	wl_question_read(q, question); /* restores the keys that were cut to stems */
	find_args(q, implied, has_ranks, ret);
	if (ret->verb && !ret->asked)
		ret->asked = wl_asked_figure_of(q, ret->verb);
}

struct wl_router *wl_router_new(void)
{
	struct wl_router *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	wl_arena_init(&r->arena, MEMORY);
	if (wl_vocabulary_init(&r->vocabulary, &r->arena))
		return r;
	wl_router_free(r);
	return NULL;
}

void wl_router_free(struct wl_router *r)
{
	if (!r)
		return;
	wl_arena_release(&r->arena);
	free(r);
}

/* Data needed only while a question is read. */
struct question_read {
	struct wl_question question;
	struct wl_traits traits;
	float share[WL_LEARNED_MOST_VERBS];
};

static bool ask_figure(const char *question, bool has_ranks, struct wl_route_result *ret)
{
	struct wl_question q;
	const char *options;

	wl_question_read(&q, question);
	ret->verb = wl_asked_figure_find(&q, &options, &ret->asked);
	if (!ret->verb)
		return false;
	ret->kind = WL_ROUTE_VERB;
	ret->score = 1;
	ret->near[0] = ret->verb;
	find_args(&q, options, has_ranks, ret);
	return true;
}

static void ask(const struct wl_router *r, const char *question, bool has_ranks,
		struct wl_route_result *ret)
{
	struct question_read q;
	float part;
	size_t best, known;

	memset(ret, 0, sizeof(*ret));
	if (wl_asked_page_find(question, ret) || wl_asked_word_find(question, ret) ||
	    ask_figure(question, has_ranks, ret))
		return;
	wl_traits_find(&r->vocabulary, question, &q.question, &q.traits);
	known = wl_learned_ask(&q.traits, q.share);
	if (known == 0)
		return;
	best = best_of(q.share, &part);
	ret->score = (double)part;
	name_near(q.share, ret);
	/* If many words are unknown, the known ones are weaker evidence. */
	if (part < (known < q.question.n ? surer : sure))
		return;
	if (!is_verb(best)) {
		ret->kind = WL_ROUTE_REFUSED;
		wl_question_read(&q.question, question);
		ret->reason = reason_of(wl_learned.verb[best], &q.question);
		return;
	}
	ret->kind = WL_ROUTE_VERB;
	ret->verb = wl_learned.verb[best];
	find_options(r, question, &q.question, has_ranks, ret);
}

void wl_router_ask(const struct wl_router *r, const char *question, struct wl_route_result *ret)
{
	ask(r, question, true, ret);
}

int wl_route(const char *question, bool has_ranks, struct wl_route_result *ret)
{
	struct wl_router *r = wl_router_new();

	if (!r)
		return WL_E_NOMEM;
	ask(r, question, has_ranks, ret);
	wl_router_free(r);
	return WL_OK;
}

int wl_route_as(const char *question, const char *verb, bool has_ranks, struct wl_route_result *ret)
{
	struct wl_router *r = wl_router_new();
	struct wl_question q;

	if (!r)
		return WL_E_NOMEM;
	memset(ret, 0, sizeof(*ret));
	ret->kind = WL_ROUTE_VERB;
	ret->verb = verb;
	find_options(r, question, &q, has_ranks, ret);
	wl_router_free(r);
	return WL_OK;
}
