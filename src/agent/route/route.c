/* SPDX-License-Identifier: MIT */
/*
 * route.c - similarity of a question to the wordings of phrases.def, and what rules.def says.
 *
 * A wording is a set of senses. A sense weighs the more the fewer verbs use it, log(1 + V/n)
 * squared. The similarity to a wording is the weight that both sets share over the geometric mean
 * of their weights, so that words of no wording make a question less similar to everything. The
 * score of a verb is mostly that of its best wording, and a quarter how much of each sense of the
 * question is the verb's own over all wordings. The verb with the best score and the first rule
 * that fits are two opinions: what both say is the answer.
 */
#include "agent/route/route.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/route/asked_word.h"
#include "agent/route/route_args.h"
#include "agent/route/rules.h"
#include "agent/route/senses.h"
#include "base/err.h"
#include "base/intern.h"

/*
 * Chosen with the lists of tests/agent but held_out.tsv and fresh.tsv. agreed: the least
 * score of a verb that the rules name, too. exact: against them, with a lead of lead. alone: where
 * no rule fits, with a lead of far_lead. nearby: of the rules' verb, which may be behind the best
 * by at most behind.
 */
static const double agreed = 0.55, exact = 0.9, lead = 0.1, alone = 0.75, far_lead = 0.2,
		    nearby = 0.55, behind = 0.3;

/* unknown: of a sense that no wording has. of_wording: the part of the score that is similarity.
 * few: so many wordings are added to those of a verb, so that one sense of few is not all. alike:
 * the least similarity of a wording whose options are taken. */
static const double unknown = 4.0, of_wording = 0.75, few = 2.0, refusing = 0.3, alike = 0.7;

enum { MEMORY = 1 << 22, KEY = 32 };

struct phrase {
	const char *verb; /* of a refused one the topic, with REFUSED before it */
	const char *text;
	const char *args;
	const char *reason; /* NULL: a verb answers it */
};

static const struct phrase phrases[] = {
#define WL_PHRASE(verb, args, question) { verb, question, args, NULL },
#include "agent/route/phrases.def"
#undef WL_PHRASE
#define WL_REFUSED(topic, reason, question) { "(" topic ")", question, "", reason },
#include "agent/route/phrases.def"
#undef WL_REFUSED
};

/* A sense as a tuple. */
struct key {
	char text[KEY];
};

struct wl_router {
	struct wl_arena arena;
	struct wl_vocabulary vocabulary;
	struct wl_intern senses;
	uint32_t *sense; /* of all phrases, one after the other */
	size_t first[WL_COUNT(phrases) + 1];
	size_t verb[WL_COUNT(phrases)]; /* number of the phrase's verb, or of its topic */
	size_t n_verbs;
	double *weight; /* by sense */
	double *own;    /* by sense and verb: which part of the sense is the verb's */
};

static uint32_t number_of(struct wl_router *t, const char *sense)
{
	struct key key = { { 0 } };

	memcpy(key.text, sense, strnlen(sense, KEY - 1));
	return wl_intern_put(&t->senses, &key);
}

static bool read_phrase(struct wl_router *t, size_t i, struct wl_question *q)
{
	const char *sense[WL_MAX_WORDS];
	size_t n;

	wl_question_read(q, phrases[i].text);
	n = wl_senses_of(&t->vocabulary, q, sense);
	t->first[i + 1] = t->first[i] + n;
	/* Phrases of a verb stand together. */
	if (i && strcmp(phrases[i].verb, phrases[i - 1].verb) != 0)
		t->n_verbs++;
	t->verb[i] = t->n_verbs - 1;
	for (size_t k = 0; k < n; k++) {
		t->sense[t->first[i] + k] = number_of(t, sense[k]);
		if (t->sense[t->first[i] + k] == WL_NONE)
			return false;
	}
	return true;
}

/* How often each verb uses each sense. */
static bool count_uses(struct wl_router *t, double *n_phrases)
{
	t->own = WL_NEW(&t->arena, double, (t->senses.items.n + 1) * t->n_verbs);
	if (!t->own)
		return false;
	for (size_t i = 0; i < WL_COUNT(phrases); i++) {
		n_phrases[t->verb[i]]++;
		for (size_t k = t->first[i]; k < t->first[i + 1]; k++)
			t->own[t->sense[k] * t->n_verbs + t->verb[i]]++;
	}
	return true;
}

static bool weigh(struct wl_router *t)
{
	size_t n = t->senses.items.n;
	double *n_phrases = WL_NEW(&t->arena, double, t->n_verbs);

	t->weight = WL_NEW(&t->arena, double, n + 1);
	if (!n_phrases || !t->weight || !count_uses(t, n_phrases))
		return false;
	for (size_t s = 0; s < n; s++) {
		double *own = t->own + s * t->n_verbs, users = 0, sum = 0, w;

		for (size_t v = 0; v < t->n_verbs; v++) {
			users += own[v] > 0;
			own[v] /= n_phrases[v] + few;
			sum += own[v];
		}
		for (size_t v = 0; v < t->n_verbs; v++)
			own[v] /= sum;
		w = log(1.0 + (double)t->n_verbs / users);
		t->weight[s] = w * w;
	}
	return true;
}

static bool read_table(struct wl_router *t, struct wl_question *q)
{
	size_t words = 0;

	for (size_t i = 0; i < WL_COUNT(phrases); i++)
		words += strlen(phrases[i].text) / 2 + 1;
	t->sense = WL_NEW(&t->arena, uint32_t, words);
	t->first[0] = 0;
	t->n_verbs = 1;
	if (!t->sense || !wl_vocabulary_init(&t->vocabulary, &t->arena))
		return false;
	for (size_t i = 0; i < WL_COUNT(phrases); i++) {
		if (!read_phrase(t, i, q))
			return false;
	}
	return weigh(t);
}

/* What a question is made of. */
struct asked {
	uint32_t sense[WL_MAX_WORDS];
	size_t n;
	double weight;    /* with what no phrase has */
	const char *rule; /* the verb of the rules, "-", or NULL */
};

static void read_asked(const struct wl_router *t, struct wl_question *q, struct asked *ret)
{
	const char *sense[WL_MAX_WORDS];
	size_t n = wl_senses_of(&t->vocabulary, q, sense);

	*ret = (struct asked){ .rule = wl_rule_verb(sense, n) };
	for (size_t i = 0; i < n; i++) {
		struct key key = { { 0 } };
		uint32_t s;

		memcpy(key.text, sense[i], strnlen(sense[i], KEY - 1));
		s = wl_intern_find(&t->senses, &key);
		ret->weight += s == WL_NONE ? unknown : t->weight[s];
		if (s != WL_NONE)
			ret->sense[ret->n++] = s;
	}
}

static bool is_asked(const struct asked *a, uint32_t sense)
{
	for (size_t i = 0; i < a->n; i++) {
		if (a->sense[i] == sense)
			return true;
	}
	return false;
}

static double similarity(const struct wl_router *t, size_t phrase, const struct asked *a)
{
	double own = 0, shared = 0;

	for (size_t k = t->first[phrase]; k < t->first[phrase + 1]; k++) {
		own += t->weight[t->sense[k]];
		if (is_asked(a, t->sense[k]))
			shared += t->weight[t->sense[k]];
	}
	return shared > 0 ? shared / sqrt(own * a->weight) : 0;
}

/* How much of what the question is made of is a verb's own. */
static double part_of(const struct wl_router *t, const struct asked *a, size_t verb)
{
	double sum = 0;

	for (size_t i = 0; i < a->n; i++)
		sum += t->weight[a->sense[i]] * t->own[a->sense[i] * t->n_verbs + verb];
	return a->weight > 0 ? sum / a->weight : 0;
}

/* A verb by its best phrase. */
struct match {
	size_t phrase;
	double score;
	double similarity; /* of the phrase */
};

enum { MATCHES = WL_ROUTE_NEAR + 2 };

/* All verbs with their scores; the best ones first, in order. */
struct matches {
	struct match best[MATCHES];
	struct match ruled;   /* the verb of the rules; score 0: none */
	struct match refused; /* the best of what no trace tells */
};

static void keep_best(struct match best[MATCHES], const struct match *m)
{
	size_t at = MATCHES - 1;

	if (m->score <= best[at].score)
		return;
	best[at] = *m;
	for (; at > 0 && best[at].score > best[at - 1].score; at--) {
		struct match swap = best[at - 1];

		best[at - 1] = best[at];
		best[at] = swap;
	}
}

/* The score of the verb whose phrases begin at from; they end at the number that is returned. */
static size_t match_verb(const struct wl_router *t, const struct asked *a, size_t from,
			 struct match *ret)
{
	double best = 0;
	size_t i = from;

	*ret = (struct match){ .phrase = from };
	for (; i < WL_COUNT(phrases) && t->verb[i] == t->verb[from]; i++) {
		double s = similarity(t, i, a);

		if (s > best) {
			best = s;
			ret->phrase = i;
		}
	}
	ret->similarity = best;
	ret->score = of_wording * best + (1 - of_wording) * part_of(t, a, t->verb[from]);
	return i;
}

static void find_matches(const struct wl_router *t, const struct asked *a, struct matches *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < WL_COUNT(phrases);) {
		struct match m;
		const struct phrase *p = &phrases[i];

		i = match_verb(t, a, i, &m);
		keep_best(ret->best, &m);
		if (p->reason && m.score > ret->refused.score)
			ret->refused = m;
		if (!p->reason && a->rule && strcmp(p->verb, a->rule) == 0)
			ret->ruled = m;
	}
}

static void name_near(const struct matches *m, struct wl_route_result *ret)
{
	size_t n = 0;

	if (m->ruled.score > 0)
		ret->near[n++] = phrases[m->ruled.phrase].verb;
	for (size_t i = 0; i < MATCHES && n < WL_ROUTE_NEAR; i++) {
		const struct phrase *p = &phrases[m->best[i].phrase];

		if (m->best[i].score > 0 && !p->reason && (n == 0 || p->verb != ret->near[0]))
			ret->near[n++] = p->verb;
	}
}

/* The opinion that counts; NULL: not sure. */
static const struct match *decide(const struct matches *m, const struct asked *a)
{
	const struct match *best = &m->best[0];

	if (a->rule && strcmp(a->rule, "-") == 0)
		return m->refused.score >= refusing ? &m->refused : NULL;
	if (m->ruled.score >= agreed && m->ruled.score >= best->score)
		return &m->ruled;
	if (best->score >= exact)
		return best->score - m->best[1].score >= lead ? best : NULL;
	if (!a->rule && best->score >= alone && best->score - m->best[1].score >= far_lead)
		return best;
	if (m->ruled.score >= nearby && best->score - m->ruled.score <= behind)
		return &m->ruled;
	return NULL;
}

static void answer(const struct matches *m, const struct asked *a, const struct wl_question *q,
		   struct wl_route_result *ret)
{
	const struct match *chosen = decide(m, a);
	const struct phrase *p = &phrases[(chosen ? chosen : &m->best[0])->phrase];

	ret->score = (chosen ? chosen : &m->best[0])->score;
	ret->wording = ret->score > 0 ? p->text : NULL;
	name_near(m, ret);
	if (!chosen)
		return;
	ret->reason = p->reason;
	ret->kind = p->reason ? WL_ROUTE_REFUSED : WL_ROUTE_VERB;
	if (p->reason)
		return;
	ret->verb = p->verb;
	/* Options of a wording are for questions like it, not for all of the verb. */
	wl_route_args_find(q, chosen->similarity >= alike ? p->args : "", ret);
}

struct wl_router *wl_router_new(void)
{
	struct wl_router *r = calloc(1, sizeof(*r));
	struct wl_question q;

	if (!r)
		return NULL;
	wl_arena_init(&r->arena, MEMORY);
	wl_intern_init(&r->senses, sizeof(struct key), wl_arena_budget(&r->arena));
	if (read_table(r, &q))
		return r;
	wl_router_free(r);
	return NULL;
}

void wl_router_free(struct wl_router *r)
{
	if (!r)
		return;
	wl_intern_release(&r->senses);
	wl_arena_release(&r->arena);
	free(r);
}

void wl_router_ask(const struct wl_router *r, const char *question, struct wl_route_result *ret)
{
	struct matches matches;
	struct wl_question q;
	struct asked asked;

	memset(ret, 0, sizeof(*ret));
	if (wl_asked_word_find(question, ret))
		return;
	wl_question_read(&q, question);
	read_asked(r, &q, &asked);
	find_matches(r, &asked, &matches);
	wl_question_read(&q, question); /* keys as they were before they were cut */
	answer(&matches, &asked, &q, ret);
}

int wl_route(const char *question, struct wl_route_result *ret)
{
	struct wl_router *r = wl_router_new();

	if (!r)
		return WL_E_NOMEM;
	wl_router_ask(r, question, ret);
	wl_router_free(r);
	return WL_OK;
}

const char *wl_route_wording(size_t i, const char **ret_verb)
{
	if (i >= WL_COUNT(phrases))
		return NULL;
	*ret_verb = phrases[i].reason ? NULL : phrases[i].verb;
	return phrases[i].text;
}
