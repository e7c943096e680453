/* SPDX-License-Identifier: MIT */
/* calls.c - parses calls of verbs and SQL in skill files. */
#include "agent/skills/calls.h"

#include <stdio.h>
#include <string.h>

#include "agent/skills/maker.h"
#include "base/text/nearest.h"

/* ---- What may be called ---- */

bool wl_called_is_common(const char *key)
{
	struct wl_request any = { .analysis = NULL };

	return strcmp(key, "limit") == 0 || wl_request_place(&any, key);
}

bool wl_called_find(const char *verb, struct wl_called *ret)
{
	*ret = (struct wl_called){ .analysis = NULL };
	for (size_t i = 0; i < wl_n_analyses; i++) {
		if (strcmp(wl_analyses[i]->name, verb) == 0)
			ret->analysis = wl_analyses[i];
	}
	if (!ret->analysis)
		ret->document = wl_document_find(verb);
	return ret->analysis || ret->document;
}

size_t wl_called_param(const struct wl_called *called, const char *key)
{
	const struct wl_analysis *a = called->analysis;

	return a ? wl_param_named(a->params, a->n_params, key) : 0;
}

/* ---- Words ---- */

enum { MAX_WORDS = 2 * WL_SKILL_OPTIONS + 8 };

struct words {
	char *word[MAX_WORDS];
	bool quoted[MAX_WORDS]; /* starts with a quote: never an option */
	size_t n;
};

/* The next word of a line, unquoted in place; quotes group words. */
static char *next_word(char **line, bool *ret_quoted)
{
	char *from = *line + strspn(*line, " \t"), *to = from, *word = from, quote = '\0';

	*ret_quoted = *from == '"' || *from == '\'';
	for (; *from && (quote || !strchr(" \t", *from)); from++) {
		if (!quote && (*from == '"' || *from == '\''))
			quote = *from;
		else if (quote && *from == quote)
			quote = '\0';
		else
			*to++ = *from;
	}
	*line = *from ? from + 1 : from;
	*to = '\0';
	return quote ? NULL : word;
}

static int split(const struct wl_skill_maker *m, char *line, struct words *ret,
		 struct wl_err *reterr)
{
	*ret = (struct words){ .n = 0 };
	while (line[strspn(line, " \t")]) {
		char *word = next_word(&line, &ret->quoted[ret->n]);

		if (!word)
			return wl_maker_refuse(m, reterr, "a quote is not closed");
		ret->word[ret->n++] = word;
		if (ret->n == MAX_WORDS)
			return wl_maker_refuse(m, reterr, "the call has too many words");
	}
	return WL_OK;
}

/* ---- Calls ---- */

struct calling {
	struct wl_skill_maker *m;
	struct wl_called called;
	struct wl_skill_step *step;
	struct words words;
	size_t at;     /* next word */
	size_t n_args; /* operands taken */
};

static const char *full_key(const char *word)
{
	if (strcmp(word, "-n") == 0)
		return "limit";
	return strncmp(word, "--", 2) == 0 ? word + 2 : NULL;
}

static int refuse_option(const struct calling *c, const char *key, struct wl_err *reterr)
{
	const struct wl_analysis *a = c->called.analysis;
	struct wl_nearest nearest;
	const char *meant;

	wl_nearest_init(&nearest, key);
	wl_nearest_offer(&nearest, "limit");
	for (size_t i = 0; wl_common_keys[i]; i++)
		wl_nearest_offer(&nearest, wl_common_keys[i]);
	for (size_t i = 0; a && i < a->n_params; i++) {
		if (wl_param_is_value(&a->params[i]))
			wl_nearest_offer(&nearest, a->params[i].key);
	}
	meant = wl_nearest_get(&nearest);
	return wl_maker_refuse(c->m, reterr, "%s has no option --%.60s that skills may set%s%s%s",
			       c->step->verb, key, meant ? "; did you mean --" : "",
			       meant ? meant : "", meant ? "?" : "");
}

static int add_option(struct calling *c, const char *key, const char *value, struct wl_err *reterr)
{
	struct wl_skill_step *s = c->step;

	for (size_t i = 0; i < s->n_options; i++) {
		if (strcmp(s->options[i].key, key) == 0)
			return wl_maker_refuse(c->m, reterr, "%s: --%s is there twice", s->verb,
					       key);
	}
	if (s->n_options == WL_SKILL_OPTIONS)
		return wl_maker_refuse(c->m, reterr, "%s: too many options", s->verb);
	s->options[s->n_options++] = (struct wl_skill_option){ key, value };
	return WL_OK;
}

/* "--key value", "--key=value" or a switch. */
static int take_option(struct calling *c, char *key, struct wl_err *reterr)
{
	const struct wl_analysis *a = c->called.analysis;
	char *value = strchr(key, '=');
	const char *name = key;
	size_t i;

	if (value)
		*value++ = '\0';
	i = wl_called_param(&c->called, key);
	if (a && i < a->n_params) {
		if (a->params[i].type == WL_P_BOOL && !value)
			return add_option(c, a->params[i].key, "true", reterr);
		name = a->params[i].key;
	} else if (!wl_called_is_common(key)) {
		return refuse_option(c, key, reterr);
	}
	if (!value && c->at == c->words.n)
		return wl_maker_refuse(c->m, reterr, "%s: --%s needs a value", c->step->verb, name);
	return add_option(c, name, value ? value : c->words.word[c->at++], reterr);
}

static int take_operand(struct calling *c, const char *word, struct wl_err *reterr)
{
	const struct wl_analysis *a = c->called.analysis;
	size_t k = 0;

	for (size_t i = 0; a && i < a->n_params; i++) {
		if (a->params[i].operand && k++ == c->n_args) {
			c->n_args++;
			return add_option(c, a->params[i].key, word, reterr);
		}
	}
	return wl_maker_refuse(c->m, reterr,
			       "%s: \"%.60s\" is no option; the trace is given when the skill runs",
			       c->step->verb, word);
}

static int take_words(struct calling *c, struct wl_err *reterr)
{
	int r = WL_OK;

	while (r == WL_OK && c->at < c->words.n) {
		size_t i = c->at++;
		const char *key = c->words.quoted[i] ? NULL : full_key(c->words.word[i]);
		char *copy;

		if (!key) {
			r = take_operand(c, c->words.word[i], reterr);
			continue;
		}
		copy = wl_maker_copy(c->m, key, strlen(key));
		r = copy ? take_option(c, copy, reterr) : wl_maker_no_memory(c->m, reterr);
	}
	return r;
}

static int refuse_verb(const struct wl_skill_maker *m, const char *verb, struct wl_err *reterr)
{
	struct wl_nearest nearest;
	const char *meant;

	wl_nearest_init(&nearest, verb);
	for (size_t i = 0; i < wl_n_analyses; i++)
		wl_nearest_offer(&nearest, wl_analyses[i]->name);
	for (size_t i = 0; i < wl_n_documents; i++)
		wl_nearest_offer(&nearest, wl_documents[i]->name);
	meant = wl_nearest_get(&nearest);
	return wl_maker_refuse(m, reterr, "no verb \"%.60s\"%s%s%s", verb,
			       meant ? "; did you mean " : "; \"warplens help\" lists the verbs",
			       meant ? meant : "", meant ? "?" : "");
}

/* The verb's name, with a number if another step already has that name. */
static const char *step_name(const struct wl_skill_maker *m, const char *base)
{
	char name[WL_SKILL_NAME + 8];

	(void)snprintf(name, sizeof(name), "%.60s", base);
	for (unsigned i = 2; wl_skill_step_named(m->skill, name) < m->skill->n_steps; i++)
		(void)snprintf(name, sizeof(name), "%.60s_%u", base, i);
	return wl_arena_strdup(m->arena, name);
}

static int new_step(struct wl_skill_maker *m, const char *name, struct wl_skill_step **ret,
		    struct wl_err *reterr)
{
	struct wl_skill_step *s = &m->skill->steps[m->skill->n_steps];

	if (m->skill->n_steps == WL_SKILL_STEPS)
		return wl_maker_refuse(m, reterr, "more than %d tables", WL_SKILL_STEPS);
	*s = (struct wl_skill_step){ .where = m->where, .name = step_name(m, name) };
	s->options = WL_NEW(m->arena, struct wl_skill_option, WL_SKILL_OPTIONS);
	*ret = s;
	return s->name && s->options ? WL_OK : wl_maker_no_memory(m, reterr);
}

int wl_maker_call(struct wl_skill_maker *m, const char *text, const char *title,
		  struct wl_err *reterr)
{
	struct calling c = { .m = m };
	char *line = wl_maker_copy(m, text, strlen(text));
	int r = line ? split(m, line, &c.words, reterr) : wl_maker_no_memory(m, reterr);

	if (r == WL_OK && c.words.n > 1 && strcmp(c.words.word[0], "warplens") == 0)
		c.at = 1;
	if (r == WL_OK && !wl_called_find(c.words.n ? c.words.word[c.at] : "", &c.called))
		return refuse_verb(m, c.words.n ? c.words.word[c.at] : "", reterr);
	if (r == WL_OK)
		r = new_step(m, c.words.word[c.at], &c.step, reterr);
	if (r < 0)
		return r;
	c.step->verb = c.called.analysis ? c.called.analysis->name : c.called.document->name;
	c.step->title = title ? wl_maker_copy(m, title, strlen(title)) : NULL;
	c.at++;
	r = take_words(&c, reterr);
	m->skill->n_steps += r == WL_OK;
	return r;
}

int wl_maker_sql(struct wl_skill_maker *m, const char *text, const char *name,
		 struct wl_err *reterr)
{
	struct wl_skill_step *s;
	int r = new_step(m, name ? name : "sql", &s, reterr);

	if (r < 0)
		return r;
	s->sql = wl_maker_copy(m, text, strlen(text));
	if (!s->sql)
		return wl_maker_no_memory(m, reterr);
	if (!*s->sql)
		return wl_maker_refuse(m, reterr, "the SQL is empty");
	m->skill->n_steps++;
	return WL_OK;
}
