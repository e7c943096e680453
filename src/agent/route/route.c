/* SPDX-License-Identifier: MIT */
/*
 * route.c - the verb of a question, as learned from the wordings of phrases.def and the questions
 * of asked.def, and the wording of that verb that the question resembles most.
 *
 * A wording is a set of senses. A sense weighs the more the fewer verbs use it, log(1 + V/n)
 * squared. The similarity to a wording is the weight that both sets share over the geometric mean
 * of their weights, so that words of no wording make a question less similar to everything.
 */
#include "agent/route/route.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/route/asked_word.h"
#include "agent/route/learned.h"
#include "agent/route/route_args.h"
#include "base/err.h"

/*
 * sure: the least share of a verb that is answered. worth: of one that is named as near. unknown:
 * the weight of a sense that no wording has. alike: the least similarity to a wording whose
 * options are taken.
 */
static const float sure = 0.5F, worth = 0.02F;
static const double unknown = 4.0, alike = 0.7;

enum { MEMORY = 1 << 26, KEY = 32 };

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

/* Questions that only teach which verbs answer, without options and reasons. */
static const struct {
	const char *verbs, *text;
} asked_before[] = {
#define WL_ASKED(verbs, question) { verbs, question },
#include "agent/route/asked.def"
#undef WL_ASKED
};

/* The topic of questions that no verb answers. */
static const char no_verb[] = "(other)";

/* Verbs and topics of the table, at most. */
enum { MOST_VERBS = WL_LEARNED_MOST_VERBS };

/* A sense as a tuple. */
struct key {
	char text[KEY];
};

struct wl_router {
	struct wl_arena arena;
	struct wl_vocabulary vocabulary;
	struct wl_intern senses;
	struct wl_learned learned;
	uint32_t *sense; /* of all phrases, one after the other */
	size_t first[WL_COUNT(phrases) + 1];
	size_t verb[WL_COUNT(phrases)]; /* number of the phrase's verb, or of its topic */
	size_t begin[MOST_VERBS + 1];   /* the first phrase of each verb: they stand together */
	size_t n_verbs;
	double *weight; /* by sense */
};

/* What is only needed while a question or wording is read. */
struct desk {
	struct wl_question q;
	struct wl_traits traits;
};

static struct key key_of(const char *sense)
{
	struct key key = { { 0 } };

	memcpy(key.text, sense, strnlen(sense, KEY - 1));
	return key;
}

static bool number_verbs(struct wl_router *t)
{
	for (size_t i = 0; i < WL_COUNT(phrases); i++) {
		if (i == 0 || strcmp(phrases[i].verb, phrases[i - 1].verb) != 0) {
			if (t->n_verbs == MOST_VERBS)
				return false;
			t->begin[t->n_verbs++] = i;
		}
		t->verb[i] = t->n_verbs - 1;
	}
	t->begin[t->n_verbs] = WL_COUNT(phrases);
	return true;
}

static bool read_phrase(struct wl_router *t, size_t i, struct desk *d)
{
	const char *sense[WL_MAX_WORDS];
	size_t n;

	wl_traits_find(&t->vocabulary, phrases[i].text, &d->q, &d->traits);
	if (!wl_learned_add(&t->learned, &d->traits, &t->verb[i], 1))
		return false;
	wl_question_read(&d->q, phrases[i].text);
	n = wl_senses_of(&t->vocabulary, &d->q, sense);
	t->first[i + 1] = t->first[i] + n;
	for (size_t k = 0; k < n; k++) {
		struct key key = key_of(sense[k]);

		t->sense[t->first[i] + k] = wl_intern_put(&t->senses, &key);
		if (t->sense[t->first[i] + k] == WL_NONE)
			return false;
	}
	return true;
}

/* The number of a verb with n letters; n_verbs where no phrase has it. */
static size_t number_of(const struct wl_router *t, const char *verb, size_t n)
{
	for (size_t v = 0; v < t->n_verbs; v++) {
		const char *name = phrases[t->begin[v]].verb;

		if (strlen(name) == n && memcmp(name, verb, n) == 0)
			return v;
	}
	return t->n_verbs;
}

static bool read_asked_before(struct wl_router *t, size_t i, struct desk *d)
{
	size_t verb[WL_LEARNED_VERBS], n = 0;
	const char *at = asked_before[i].verbs;

	if (!*at)
		verb[n++] = number_of(t, no_verb, strlen(no_verb));
	while (*at && n < WL_LEARNED_VERBS) {
		size_t len = strcspn(at, " ");

		verb[n++] = number_of(t, at, len);
		at += len + strspn(at + len, " ");
	}
	for (size_t k = 0; k < n; k++) {
		if (verb[k] == t->n_verbs)
			return false;
	}
	wl_traits_find(&t->vocabulary, asked_before[i].text, &d->q, &d->traits);
	return wl_learned_add(&t->learned, &d->traits, verb, n);
}

/* Weights of senses, by how many verbs use each. */
static bool weigh(struct wl_router *t)
{
	size_t n = t->senses.items.n;
	uint32_t *last = WL_NEW(&t->arena, uint32_t, n + 1); /* verb + 1 that was counted last */

	t->weight = WL_NEW(&t->arena, double, n + 1);
	if (!last || !t->weight)
		return false;
	for (size_t i = 0; i < WL_COUNT(phrases); i++) {
		for (size_t k = t->first[i]; k < t->first[i + 1]; k++) {
			t->weight[t->sense[k]] += last[t->sense[k]] != t->verb[i] + 1;
			last[t->sense[k]] = (uint32_t)t->verb[i] + 1;
		}
	}
	for (size_t s = 0; s < n; s++) {
		double w = log(1.0 + (double)t->n_verbs / t->weight[s]);

		t->weight[s] = w * w;
	}
	return true;
}

static bool read_table(struct wl_router *t, struct desk *d)
{
	size_t words = 0;

	for (size_t i = 0; i < WL_COUNT(phrases); i++)
		words += strlen(phrases[i].text) / 2 + 1;
	t->sense = WL_NEW(&t->arena, uint32_t, words);
	if (!t->sense || !number_verbs(t) || !wl_vocabulary_init(&t->vocabulary, &t->arena))
		return false;
	t->learned.n_verbs = t->n_verbs;
	for (size_t i = 0; i < WL_COUNT(phrases); i++) {
		if (!read_phrase(t, i, d))
			return false;
	}
	for (size_t i = 0; i < WL_COUNT(asked_before); i++) {
		if (!read_asked_before(t, i, d))
			return false;
	}
	return weigh(t) && wl_learned_train(&t->learned);
}

/* The senses of a question. */
struct asked {
	uint32_t sense[WL_MAX_WORDS];
	size_t n;
	double weight; /* with what no phrase has */
};

static void read_asked(const struct wl_router *t, struct wl_question *q, struct asked *ret)
{
	const char *sense[WL_MAX_WORDS];
	size_t n = wl_senses_of(&t->vocabulary, q, sense);

	*ret = (struct asked){ .n = 0 };
	for (size_t i = 0; i < n; i++) {
		struct key key = key_of(sense[i]);
		uint32_t s = wl_intern_find(&t->senses, &key);

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

/* The wording of a verb that is most similar, and how similar. */
static size_t most_similar(const struct wl_router *t, size_t verb, const struct asked *a,
			   double *ret_similarity)
{
	size_t best = t->begin[verb];

	*ret_similarity = 0;
	for (size_t i = t->begin[verb]; i < t->begin[verb + 1]; i++) {
		double s = similarity(t, i, a);

		if (s > *ret_similarity) {
			*ret_similarity = s;
			best = i;
		}
	}
	return best;
}

static bool is_verb(const struct wl_router *t, size_t verb)
{
	return !phrases[t->begin[verb]].reason;
}

/* The verb, and not a topic, with the largest share below one that was named before. */
static size_t next_verb(const struct wl_router *t, const float *share, float below)
{
	size_t best = t->n_verbs;

	for (size_t v = 0; v < t->n_verbs; v++) {
		if (is_verb(t, v) && share[v] < below &&
		    (best == t->n_verbs || share[v] > share[best]))
			best = v;
	}
	return best;
}

static void name_near(const struct wl_router *t, const float *share, struct wl_route_result *ret)
{
	float below = 2;

	for (size_t n = 0; n < WL_ROUTE_NEAR; n++) {
		size_t v = next_verb(t, share, below);

		if (v == t->n_verbs || share[v] < worth)
			return;
		ret->near[n] = phrases[t->begin[v]].verb;
		below = share[v];
	}
}

/* The verb with the largest share, or the topic with it where all topics together have more. */
static size_t best_of(const struct wl_router *t, const float *share, float *ret_share)
{
	size_t best[2] = { t->n_verbs, t->n_verbs }; /* topic, verb */
	float sum = 0;
	bool is_topic;

	for (size_t v = 0; v < t->n_verbs; v++) {
		size_t *b = &best[is_verb(t, v)];

		sum += is_verb(t, v) ? 0 : share[v];
		*b = *b == t->n_verbs || share[v] > share[*b] ? v : *b;
	}
	is_topic = sum > share[best[1]];
	*ret_share = is_topic ? sum : share[best[1]];
	return best[!is_topic];
}

/* Whether a question, behind its blanks, is a wording, but for case and the marks behind it. */
static bool is_wording(const char *question, const char *wording)
{
	size_t n;

	/* Most differ in the first letter, and each question is compared with all wordings. */
	if (tolower((unsigned char)*question) != tolower((unsigned char)*wording))
		return false;
	n = strlen(wording);
	return strncasecmp(question, wording, n) == 0 &&
	       question[n + strspn(question + n, " ?!.")] == '\0';
}

/* The verb or topic of which the question is a wording, or else that of the largest share. */
static size_t choose(const struct wl_router *t, const float *share, const char *question,
		     float *ret_share)
{
	question += strspn(question, " ");
	for (size_t i = 0; i < WL_COUNT(phrases); i++) {
		if (is_wording(question, phrases[i].text)) {
			*ret_share = 1;
			return t->verb[i];
		}
	}
	return best_of(t, share, ret_share);
}

static void answer(const struct wl_router *t, const float *share, const char *question,
		   struct wl_question *q, struct wl_route_result *ret)
{
	const struct phrase *p;
	struct asked asked;
	float part;
	size_t best = choose(t, share, question, &part);
	double similar;

	wl_question_read(q, question);
	read_asked(t, q, &asked);
	p = &phrases[most_similar(t, best, &asked, &similar)];
	ret->score = (double)part;
	ret->wording = p->text;
	name_near(t, share, ret);
	if (part < sure)
		return;
	ret->reason = p->reason;
	ret->kind = p->reason ? WL_ROUTE_REFUSED : WL_ROUTE_VERB;
	if (p->reason)
		return;
	ret->verb = p->verb;
	wl_question_read(q, question); /* keys as they were before they were cut */
	/* Options of a wording are for questions like it, not for all of the verb. */
	wl_route_args_find(q, similar >= alike ? p->args : "", ret);
}

struct wl_router *wl_router_new(void)
{
	struct wl_router *r = calloc(1, sizeof(*r));
	struct desk *d = malloc(sizeof(*d));
	bool ok = false;

	if (r) {
		wl_arena_init(&r->arena, MEMORY);
		wl_intern_init(&r->senses, sizeof(struct key), wl_arena_budget(&r->arena));
		wl_learned_init(&r->learned, 0, &r->arena);
		ok = d && read_table(r, d);
	}
	free(d);
	if (ok)
		return r;
	wl_router_free(r);
	return NULL;
}

void wl_router_free(struct wl_router *r)
{
	if (!r)
		return;
	wl_learned_release(&r->learned);
	wl_intern_release(&r->senses);
	wl_arena_release(&r->arena);
	free(r);
}

void wl_router_ask(const struct wl_router *r, const char *question, struct wl_route_result *ret)
{
	float share[MOST_VERBS];
	struct desk d;

	memset(ret, 0, sizeof(*ret));
	if (wl_asked_word_find(question, ret))
		return;
	wl_traits_find(&r->vocabulary, question, &d.q, &d.traits);
	if (wl_learned_ask(&r->learned, &d.traits, share) == 0)
		return;
	answer(r, share, question, &d.q, ret);
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

const char *wl_route_asked(size_t i, const char **ret_verbs)
{
	if (i >= WL_COUNT(asked_before))
		return NULL;
	*ret_verbs = asked_before[i].verbs;
	return asked_before[i].text;
}
