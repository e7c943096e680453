/* SPDX-License-Identifier: MIT */
/*
 * route.c - similarity of a question to the wordings of phrases.def.
 *
 * A wording is a set of senses. A sense weighs the more the fewer verbs use it, log(1 + V/n)
 * squared. The similarity is the weight that both sets share over the geometric mean of their
 * weights, so that words of no wording make a question less similar to everything. The best
 * wording of a verb counts.
 */
#include "agent/route/route.h"

#include <math.h>
#include <string.h>

#include "agent/route/asked_word.h"
#include "agent/route/route_args.h"
#include "agent/route/senses.h"
#include "base/err.h"
#include "base/intern.h"

/*
 * Chosen on tests/agent/questions.tsv: a similarity below SIMILAR is no answer, nor is one that
 * leads by less than LEAD, nor one that rests on a single common sense such as "gpu" unless
 * that is the whole wording.
 */
static const double SIMILAR = 0.5, LEAD = 0.03, UNKNOWN_WEIGHT = 4.0, ENOUGH = 3.0, SAME = 0.9;

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

struct table {
	struct wl_arena arena;
	struct wl_vocabulary vocabulary;
	struct wl_intern senses;
	uint32_t *sense; /* of all phrases, one after the other */
	size_t first[WL_COUNT(phrases) + 1];
	double *weight; /* by sense */
};

static uint32_t number_of(struct table *t, const char *sense)
{
	struct key key = { { 0 } };

	memcpy(key.text, sense, strnlen(sense, KEY - 1));
	return wl_intern_put(&t->senses, &key);
}

static bool read_phrase(struct table *t, size_t i, struct wl_question *q)
{
	const char *sense[WL_MAX_WORDS];
	size_t n;

	wl_question_read(q, phrases[i].text);
	n = wl_senses_of(&t->vocabulary, q, sense);
	t->first[i + 1] = t->first[i] + n;
	for (size_t k = 0; k < n; k++) {
		t->sense[t->first[i] + k] = number_of(t, sense[k]);
		if (t->sense[t->first[i] + k] == WL_NONE)
			return false;
	}
	return true;
}

/* Of how many verbs the phrases use a sense; those of a verb stand together. */
static bool weigh(struct table *t)
{
	size_t n = t->senses.items.n, n_verbs = 0;
	const char **last = WL_NEW(&t->arena, const char *, n + 1);
	size_t *users = WL_NEW(&t->arena, size_t, n + 1);

	t->weight = WL_NEW(&t->arena, double, n + 1);
	if (!last || !users || !t->weight)
		return false;
	for (size_t i = 0; i < WL_COUNT(phrases); i++) {
		const char *verb = phrases[i].verb;

		n_verbs += i == 0 || strcmp(phrases[i - 1].verb, verb) != 0;
		for (size_t k = t->first[i]; k < t->first[i + 1]; k++) {
			uint32_t s = t->sense[k];

			users[s] += !last[s] || strcmp(last[s], verb) != 0;
			last[s] = verb;
		}
	}
	for (size_t s = 0; s < n; s++) {
		double w = log(1.0 + (double)n_verbs / (double)users[s]);

		t->weight[s] = w * w;
	}
	return true;
}

static bool read_table(struct table *t, struct wl_question *q)
{
	size_t words = 0;

	for (size_t i = 0; i < WL_COUNT(phrases); i++)
		words += strlen(phrases[i].text) / 2 + 1;
	t->sense = WL_NEW(&t->arena, uint32_t, words);
	t->first[0] = 0;
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
	double weight; /* with what no phrase has */
};

static void read_asked(const struct table *t, struct wl_question *q, struct asked *ret)
{
	const char *sense[WL_MAX_WORDS];
	size_t n = wl_senses_of(&t->vocabulary, q, sense);

	*ret = (struct asked){ .n = 0 };
	for (size_t i = 0; i < n; i++) {
		struct key key = { { 0 } };
		uint32_t s;

		memcpy(key.text, sense[i], strnlen(sense[i], KEY - 1));
		s = wl_intern_find(&t->senses, &key);
		ret->weight += s == WL_NONE ? UNKNOWN_WEIGHT : t->weight[s];
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

/* The similarity to a phrase; the weight that both share is written, too. */
static double similarity(const struct table *t, size_t phrase, const struct asked *a,
			 double *ret_shared)
{
	double own = 0, shared = 0;

	for (size_t k = t->first[phrase]; k < t->first[phrase + 1]; k++) {
		own += t->weight[t->sense[k]];
		if (is_asked(a, t->sense[k]))
			shared += t->weight[t->sense[k]];
	}
	*ret_shared = shared;
	return shared > 0 ? shared / sqrt(own * a->weight) : 0;
}

/* The best phrase of a verb. */
struct match {
	size_t phrase;
	double score, shared;
};

enum { MATCHES = WL_ROUTE_NEAR + 1 };

/* Keep the best ones in order; of a verb only its best. */
static void keep_best(struct match best[MATCHES], const struct match *m)
{
	size_t at = MATCHES;

	for (size_t i = 0; i < MATCHES; i++) {
		if (best[i].score > 0 &&
		    strcmp(phrases[best[i].phrase].verb, phrases[m->phrase].verb) == 0) {
			at = i;
			break;
		}
	}
	if (at == MATCHES)
		at = MATCHES - 1;
	if (m->score <= best[at].score)
		return;
	best[at] = *m;
	for (; at > 0 && best[at].score > best[at - 1].score; at--) {
		struct match swap = best[at - 1];

		best[at - 1] = best[at];
		best[at] = swap;
	}
}

static void find_best(const struct table *t, const struct asked *a, struct match best[MATCHES])
{
	memset(best, 0, MATCHES * sizeof(*best));
	for (size_t i = 0; i < WL_COUNT(phrases); i++) {
		struct match m = { .phrase = i };

		m.score = similarity(t, i, a, &m.shared);
		if (m.score > 0)
			keep_best(best, &m);
	}
}

static void name_near(const struct match best[MATCHES], struct wl_route_result *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < MATCHES && n < WL_ROUTE_NEAR; i++) {
		if (best[i].score > 0 && !phrases[best[i].phrase].reason)
			ret->near[n++] = phrases[best[i].phrase].verb;
	}
}

static bool is_sure(const struct match best[MATCHES])
{
	return best[0].score >= SIMILAR && best[0].score - best[1].score >= LEAD &&
	       (best[0].shared >= ENOUGH || best[0].score >= SAME);
}

static void decide(const struct match best[MATCHES], const struct wl_question *q,
		   struct wl_route_result *ret)
{
	const struct phrase *p = &phrases[best[0].phrase];

	ret->score = best[0].score;
	ret->wording = best[0].score > 0 ? p->text : NULL;
	name_near(best, ret);
	if (!is_sure(best))
		return;
	ret->reason = p->reason;
	ret->kind = p->reason ? WL_ROUTE_REFUSED : WL_ROUTE_VERB;
	if (p->reason)
		return;
	ret->verb = p->verb;
	wl_route_args_find(q, p->args, ret);
}

int wl_route(const char *question, struct wl_route_result *ret)
{
	struct match best[MATCHES];
	struct wl_question q;
	struct asked asked;
	struct table t;
	bool ok;

	memset(ret, 0, sizeof(*ret));
	if (wl_asked_word_find(question, ret))
		return WL_OK;
	wl_arena_init(&t.arena, MEMORY);
	wl_intern_init(&t.senses, sizeof(struct key), wl_arena_budget(&t.arena));
	ok = read_table(&t, &q);
	if (ok) {
		wl_question_read(&q, question);
		read_asked(&t, &q, &asked);
		find_best(&t, &asked, best);
		wl_question_read(&q, question); /* keys as they were before they were cut */
		decide(best, &q, ret);
	}
	wl_intern_release(&t.senses);
	wl_arena_release(&t.arena);
	return ok ? WL_OK : WL_E_NOMEM;
}

const char *wl_route_wording(size_t i, const char **ret_verb)
{
	if (i >= WL_COUNT(phrases))
		return NULL;
	*ret_verb = phrases[i].reason ? NULL : phrases[i].verb;
	return phrases[i].text;
}
