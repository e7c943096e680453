/* SPDX-License-Identifier: MIT */
/* maker.c - rules, conditions and expectations of a skill, and the check that it is complete. */
#include "agent/skills/maker.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "agent/skills/template.h"
#include "agent/skills/values.h"
#include "base/text/nearest.h"
#include "base/text/units.h"

const char *const wl_skill_severities[] = { "high", "medium", "low", "info", NULL };
const char *const wl_skill_origin_names[] = { "verb", "built-in", "own" };

#define BLANK " \t\r\n"

bool wl_maker_init(struct wl_skill_maker *m, struct wl_skill *skill, struct wl_arena *arena,
		   const char *file)
{
	*m = (struct wl_skill_maker){ .skill = skill, .arena = arena, .where = file };
	*skill = (struct wl_skill){ .about = "" };
	skill->params = WL_NEW(arena, struct wl_skill_param, WL_MAX_PARAMS);
	skill->steps = WL_NEW(arena, struct wl_skill_step, WL_SKILL_STEPS);
	skill->rules = WL_NEW(arena, struct wl_skill_rule, WL_SKILL_RULES);
	skill->abstentions = WL_NEW(arena, struct wl_skill_abstention, WL_SKILL_RULES);
	skill->expectations = WL_NEW(arena, struct wl_skill_expectation, WL_SKILL_RULES);
	return skill->params && skill->steps && skill->rules && skill->abstentions &&
	       skill->expectations;
}

int wl_maker_refuse(const struct wl_skill_maker *m, struct wl_err *reterr, const char *fmt, ...)
{
	char what[400];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return wl_fail(reterr, WL_E_USAGE, "%.200s: %s", m->where, what);
}

int wl_maker_no_memory(const struct wl_skill_maker *m, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory for the skill", m->where);
}

char *wl_maker_copy(const struct wl_skill_maker *m, const char *text, size_t n)
{
	char *copy;

	while (n && strchr(BLANK, text[n - 1]))
		n--;
	while (n && strchr(BLANK, *text)) {
		text++;
		n--;
	}
	copy = wl_arena_calloc(m->arena, n + 1, 1);
	if (copy)
		memcpy(copy, text, n);
	return copy;
}

const char *wl_maker_colon(const char *text)
{
	bool in_quotes = false;
	int depth = 0;

	for (; *text; text++) {
		if (*text == '"')
			in_quotes = !in_quotes;
		if (in_quotes)
			continue;
		if (*text == '(')
			depth++;
		else if (*text == ')')
			depth--;
		else if (*text == ':' && depth <= 0 && (!text[1] || strchr(BLANK, text[1])))
			return text;
	}
	return NULL;
}

/* Whether the words come next, followed by a blank or the end; moves *s past them. */
static bool take_word(const char **s, const char *word)
{
	size_t n = strlen(word);
	const char *at = *s + strspn(*s, BLANK);

	if (strncasecmp(at, word, n) != 0 || (at[n] && !strchr(BLANK, at[n])))
		return false;
	*s = at + n + strspn(at + n, BLANK);
	return true;
}

/* "in NAME " */
static bool take_in(const struct wl_skill_maker *m, const char **s, const char **ret)
{
	size_t n;

	if (!take_word(s, "in"))
		return true;
	n = strcspn(*s, BLANK);
	*ret = wl_maker_copy(m, *s, n);
	*s += n;
	return *ret != NULL;
}

/* ---- Rules ---- */

static const char *take_severity(const char **s)
{
	for (size_t i = 0; wl_skill_severities[i]; i++) {
		if (take_word(s, wl_skill_severities[i]))
			return wl_skill_severities[i];
	}
	return NULL;
}

/* Split a text into the parts before and after "Do:". */
static bool split_action(const struct wl_skill_maker *m, const char *text,
			 struct wl_skill_rule *rule)
{
	const char *at = strstr(text, "Do:");

	rule->finding = wl_maker_copy(m, text, at ? (size_t)(at - text) : strlen(text));
	if (!at)
		return rule->finding != NULL;
	rule->action = wl_maker_copy(m, at + 3, strlen(at + 3));
	return rule->finding && rule->action;
}

int wl_maker_rule(struct wl_skill_maker *m, const char *text, struct wl_err *reterr)
{
	struct wl_skill_rule *rule = &m->skill->rules[m->skill->n_rules];
	const char *colon = wl_maker_colon(text);

	if (m->skill->n_rules == WL_SKILL_RULES)
		return wl_maker_refuse(m, reterr, "more than %d findings", WL_SKILL_RULES);
	*rule = (struct wl_skill_rule){ .severity = take_severity(&text), .where = m->where };
	if (!rule->severity)
		return wl_maker_refuse(m, reterr,
				       "begin a finding with high, medium, low or info: \"- high "
				       "when share > 50%%: {name} takes {share}\"");
	if (!take_in(m, &text, &rule->in))
		return wl_maker_no_memory(m, reterr);
	if (!take_word(&text, "when") || !colon || colon <= text)
		return wl_maker_refuse(
			m, reterr,
			"write \"%s when CONDITION: SENTENCE\", with a colon before the sentence",
			rule->severity);
	rule->when = wl_maker_copy(m, text, (size_t)(colon - text));
	if (!rule->when || !split_action(m, colon + 1, rule))
		return wl_maker_no_memory(m, reterr);
	if (!*rule->finding)
		return wl_maker_refuse(m, reterr, "the sentence of the finding is missing");
	m->skill->n_rules++;
	return WL_OK;
}

/* ---- Abstentions ---- */

static bool take_condition(const struct wl_skill_maker *m, const char *text, const char *colon,
			   struct wl_skill_abstention *ret)
{
	if (take_word(&text, "without")) {
		ret->condition = WL_SKILL_WITHOUT;
		ret->what = wl_maker_copy(m, text, (size_t)(colon - text));
		return ret->what && *ret->what;
	}
	if (strncasecmp(text, "always", 6) == 0 && text + 6 == colon) {
		ret->condition = WL_SKILL_ALWAYS;
		return true;
	}
	if (!take_in(m, &text, &ret->in) || !take_word(&text, "when"))
		return false;
	ret->what = wl_maker_copy(m, text, (size_t)(colon - text));
	if (!ret->what)
		return false;
	ret->condition = strcasecmp(ret->what, "no rows") == 0 ? WL_SKILL_NO_ROWS : WL_SKILL_WHEN;
	return *ret->what != '\0';
}

int wl_maker_abstention(struct wl_skill_maker *m, const char *text, struct wl_err *reterr)
{
	struct wl_skill_abstention *a = &m->skill->abstentions[m->skill->n_abstentions];
	const char *colon = wl_maker_colon(text);

	if (m->skill->n_abstentions == WL_SKILL_RULES)
		return wl_maker_refuse(m, reterr, "more than %d conditions", WL_SKILL_RULES);
	*a = (struct wl_skill_abstention){ .where = m->where };
	if (!colon || !take_condition(m, text, colon, a))
		return wl_maker_refuse(m, reterr,
				       "write \"when no rows: REASON\", \"when CONDITION: "
				       "REASON\", \"without TABLE: REASON\" or \"always: REASON\"");
	a->reason = wl_maker_copy(m, colon + 1, strlen(colon + 1));
	if (!a->reason)
		return wl_maker_no_memory(m, reterr);
	if (!*a->reason)
		return wl_maker_refuse(m, reterr, "say why the skill abstains, behind the colon");
	m->skill->n_abstentions++;
	return WL_OK;
}

/* ---- Expectations ---- */

/* "> 0" */
static bool take_number(const char *text, struct wl_skill_expectation *e)
{
	size_t n = strspn(text, "<>=!");
	char number[24];

	if (n == 0 || n >= sizeof(e->op))
		return false;
	(void)snprintf(e->op, sizeof(e->op), "%.*s", (int)n, text);
	text += n + strspn(text + n, BLANK);
	n = strcspn(text, BLANK);
	(void)snprintf(number, sizeof(number), "%.*s", (int)(n < 23 ? n : 23), text);
	return wl_parse_i64(number, &e->number, NULL) == WL_OK &&
	       !text[n + strspn(text + n, BLANK)];
}

static bool take_check(const char *text, struct wl_skill_expectation *e)
{
	static const struct {
		const char *word;
		enum wl_skill_check check;
	} words[] = { { "rows", WL_SKILL_ROWS },   { "findings", WL_SKILL_FINDINGS },
		      { "every", WL_SKILL_EVERY }, { "some", WL_SKILL_SOME },
		      { "no", WL_SKILL_NONE },     { "abstains", WL_SKILL_ABSTAINS } };

	for (size_t i = 0; i < WL_COUNT(words); i++) {
		if (!take_word(&text, words[i].word))
			continue;
		e->check = words[i].check;
		if (e->check == WL_SKILL_ABSTAINS)
			return *text == '\0';
		if (e->check == WL_SKILL_ROWS || e->check == WL_SKILL_FINDINGS)
			return take_number(text, e);
		e->expression = text;
		return *text != '\0';
	}
	return false;
}

int wl_maker_expectation(struct wl_skill_maker *m, const char *text, struct wl_err *reterr)
{
	struct wl_skill_expectation *e = &m->skill->expectations[m->skill->n_expectations];
	const char *with = strstr(text, " with ");
	const char *check = wl_maker_copy(m, text, with ? (size_t)(with - text) : strlen(text));

	if (m->skill->n_expectations == WL_SKILL_RULES)
		return wl_maker_refuse(m, reterr, "more than %d expectations", WL_SKILL_RULES);
	*e = (struct wl_skill_expectation){ .where = m->where };
	e->text = wl_maker_copy(m, text, strlen(text));
	e->with = with ? wl_maker_copy(m, with + 6, strlen(with + 6)) : NULL;
	if (!check || !e->text || (with && !e->with))
		return wl_maker_no_memory(m, reterr);
	if (!take_check(check, e))
		return wl_maker_refuse(m, reterr,
				       "write \"rows > 0\", \"findings = 0\", \"every CONDITION\", "
				       "\"some CONDITION\", \"no CONDITION\" or \"abstains\", and "
				       "\"with NAME=VALUE\" behind it if it needs parameters");
	m->skill->n_expectations++;
	return WL_OK;
}

/* ---- The whole skill ---- */

size_t wl_skill_step_named(const struct wl_skill *skill, const char *name)
{
	size_t i = 0;

	while (name && i < skill->n_steps && strcmp(skill->steps[i].name, name) != 0)
		i++;
	return i;
}

static int check_in(struct wl_skill_maker *m, const char *in, const char *where,
		    struct wl_err *reterr)
{
	m->where = where;
	if (in && wl_skill_step_named(m->skill, in) == m->skill->n_steps)
		return wl_maker_refuse(m, reterr, "no table \"%.60s\" in this skill; it has %s%s",
				       in, m->skill->n_steps ? m->skill->steps[0].name : "none",
				       m->skill->n_steps > 1 ? " and others" : "");
	return WL_OK;
}

/* Check that every {name} is a parameter, or the trace. */
static int check_names(struct wl_skill_maker *m, const char *text, const char *where,
		       struct wl_err *reterr)
{
	size_t n;

	m->where = where;
	for (const char *at = text; at && (at = wl_template_next(at, &n)); at += n) {
		struct wl_nearest nearest;
		char name[WL_SKILL_NAME];
		const char *meant;

		if (wl_skill_param_named(m->skill, at + 1, n) < m->skill->n_params ||
		    wl_skill_is_trace(at + 1, n))
			continue;
		(void)snprintf(name, sizeof(name), "%.*s", (int)(n < 60 ? n : 60), at + 1);
		wl_nearest_init(&nearest, name);
		for (size_t i = 0; i < m->skill->n_params; i++)
			wl_nearest_offer(&nearest, m->skill->params[i].is.key);
		meant = wl_nearest_get(&nearest);
		return wl_maker_refuse(m, reterr, "{%s} is no parameter%s%s%s", name,
				       meant ? "; did you mean {" : "; declare it under Parameters",
				       meant ? meant : "", meant ? "}?" : "");
	}
	return WL_OK;
}

static int check_step(struct wl_skill_maker *m, const struct wl_skill_step *step,
		      struct wl_err *reterr)
{
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < step->n_options; i++)
		r = check_names(m, step->options[i].value, step->where, reterr);
	return r;
}

static int check_rules(struct wl_skill_maker *m, struct wl_err *reterr)
{
	const struct wl_skill *s = m->skill;
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < s->n_rules; i++) {
		r = check_in(m, s->rules[i].in, s->rules[i].where, reterr);
		if (r == WL_OK)
			r = check_names(m, s->rules[i].when, s->rules[i].where, reterr);
	}
	for (size_t i = 0; r == WL_OK && i < s->n_abstentions; i++) {
		const struct wl_skill_abstention *a = &s->abstentions[i];

		r = check_in(m, a->in, a->where, reterr);
		if (r == WL_OK)
			r = check_names(m, a->what, a->where, reterr);
		if (r == WL_OK)
			r = check_names(m, a->reason, a->where, reterr);
	}
	for (size_t i = 0; r == WL_OK && i < s->n_expectations; i++)
		r = check_names(m, s->expectations[i].expression, s->expectations[i].where, reterr);
	return r;
}

static bool abstains_always(const struct wl_skill *s)
{
	for (size_t i = 0; i < s->n_abstentions; i++) {
		if (s->abstentions[i].condition == WL_SKILL_ALWAYS)
			return true;
	}
	return false;
}

int wl_maker_end(struct wl_skill_maker *m, struct wl_err *reterr)
{
	const char *whole = m->where;
	int r = WL_OK;

	if (!m->skill->title || !*m->skill->title)
		return wl_maker_refuse(m, reterr,
				       "the title is missing: one line below \"# %s\" that says "
				       "what the skill shows",
				       m->skill->name);
	if (m->skill->n_steps == 0 && !abstains_always(m->skill))
		return wl_maker_refuse(m, reterr,
				       "nothing to run: add \"## Verbs\" or \"## SQL\" with a "
				       "block between ``` lines");
	for (size_t i = 0; r == WL_OK && i < m->skill->n_steps; i++)
		r = check_step(m, &m->skill->steps[i], reterr);
	if (r == WL_OK)
		r = check_rules(m, reterr);
	m->where = whole;
	return r;
}
