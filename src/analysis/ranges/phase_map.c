/* SPDX-License-Identifier: MIT */
#include "analysis/ranges/phase_map.h"

#include <string.h>

#include "base/text/json_read.h"
#include "base/text/pattern.h"

const char wl_phase_none[] = "(none)";

/* A rule that names must match, in any domain or in one. */
struct rule {
	struct wl_pattern pattern;
	bool any_text;      /* matches every name of the domain */
	const char *domain; /* NULL for any */
	size_t n_domain;    /* bytes of it */
	uint32_t phase;
};

/* text is NULL to match every name. */
static int add_rule(struct wl_phase_map *m, struct rule rule, const char *text,
		    struct wl_err *reterr)
{
	struct wl_err why;
	int r = WL_OK;

	rule.any_text = !text;
	if (!rule.any_text)
		r = wl_pattern_init(&rule.pattern, text, &why);
	if (r < 0) {
		wl_pattern_release(&rule.pattern);
		return wl_fail(reterr, (enum wl_status)r,
			       "%s: --phase-map: a pattern of \"%.100s\": %s", m->verb,
			       m->phase[rule.phase], why.msg);
	}
	wl_vec_push(&m->rules, &rule);
	if (!m->rules.failed)
		return WL_OK;
	wl_pattern_release(&rule.pattern);
	return WL_E_NOMEM;
}

/* "LLM:decode" matches that text in any domain, and "decode" in the domain LLM. */
static int add_pattern(struct wl_phase_map *m, const char *domain, const struct wl_json *value,
		       struct wl_err *reterr)
{
	const char *text = wl_json_string(value), *colon;
	struct rule rule = { .phase = (uint32_t)(m->n - 1) };
	int r;

	if (!text)
		return wl_fail(reterr, WL_E_USAGE,
			       "%s: --phase-map: the patterns of \"%.100s\" must be strings",
			       m->verb, m->phase[m->n - 1]);
	rule.domain = domain;
	rule.n_domain = domain ? strlen(domain) : 0;
	r = add_rule(m, rule, text, reterr);
	colon = strchr(text, ':');
	if (r < 0 || domain || !colon || colon == text || strncmp(text, "re:", 3) == 0)
		return r;
	rule.domain = text;
	rule.n_domain = (size_t)(colon - text);
	return add_rule(m, rule, colon[1] ? colon + 1 : NULL, reterr);
}

/* {"domain": "LLM", "patterns": ["decode"]}; without patterns it matches the whole domain. */
static int add_domain(struct wl_phase_map *m, const struct wl_json *value, struct wl_err *reterr)
{
	const struct wl_json *patterns = wl_json_member(value, "patterns");
	const struct wl_json *named = wl_json_member(value, "domain");
	const char *domain = named ? wl_json_string(named) : NULL;
	struct rule all = { .phase = (uint32_t)(m->n - 1), .domain = domain };
	int r = WL_OK;

	if (!domain || (patterns && wl_json_type_of(patterns) != WL_JSON_ARRAY))
		return wl_fail(reterr, WL_E_USAGE,
			       "%s: --phase-map: \"%.100s\" must be an array of patterns, or "
			       "{\"domain\": NAME, \"patterns\": [...]}",
			       m->verb, m->phase[m->n - 1]);
	all.n_domain = strlen(domain);
	if (!patterns)
		return add_rule(m, all, NULL, reterr);
	for (size_t i = 0; r == WL_OK && i < wl_json_size(patterns); i++)
		r = add_pattern(m, domain, wl_json_at(patterns, i), reterr);
	return r;
}

static int add_phase(struct wl_phase_map *m, const char *name, const struct wl_json *patterns,
		     struct wl_err *reterr)
{
	int r = WL_OK;

	if (strcmp(name, wl_phase_none) == 0)
		return wl_fail(reterr, WL_E_USAGE,
			       "%s: --phase-map: \"%s\" is the name of the rest", m->verb,
			       wl_phase_none);
	m->phase[m->n++] = name;
	if (wl_json_type_of(patterns) == WL_JSON_OBJECT)
		return add_domain(m, patterns, reterr);
	if (wl_json_type_of(patterns) != WL_JSON_ARRAY)
		return wl_fail(reterr, WL_E_USAGE,
			       "%s: --phase-map: \"%.100s\" must be an array of patterns", m->verb,
			       name);
	for (size_t i = 0; r == WL_OK && i < wl_json_size(patterns); i++)
		r = add_pattern(m, NULL, wl_json_at(patterns, i), reterr);
	return r;
}

int wl_phase_map_read(const char *verb, const struct wl_json *doc, struct wl_arena *arena,
		      struct wl_phase_map *ret, struct wl_err *reterr)
{
	const struct wl_json *value;
	const void *at = NULL;
	const char *key;
	int result = WL_OK;

	*ret = (struct wl_phase_map){ .verb = verb };
	wl_vec_init(&ret->rules, sizeof(struct rule), wl_arena_budget(arena));
	if (!doc || wl_json_type_of(doc) != WL_JSON_OBJECT)
		return wl_fail(reterr, WL_E_USAGE,
			       "%s: --phase-map must name a JSON file with an object, such as "
			       "{\"forward\": [\"forward\", \"re:^fwd[0-9]\"], \"optimizer\": "
			       "[\"optimizer\"]}",
			       verb);
	ret->phase = WL_NEW(arena, const char *, wl_json_size(doc));
	if (!ret->phase)
		return WL_E_NOMEM;
	while (result == WL_OK && wl_json_next(doc, &at, &key, &value))
		result = add_phase(ret, key, value, reterr);
	return result;
}

void wl_phase_map_release(struct wl_phase_map *m)
{
	struct rule *rule = m->rules.data;

	for (size_t i = 0; i < m->rules.n; i++)
		wl_pattern_release(&rule[i].pattern);
	wl_vec_release(&m->rules);
}

static bool rule_matches(const struct rule *rule, const struct wl_range_name *name)
{
	const char *domain = name->domain ? name->domain : "";

	if (rule->domain && (strlen(domain) != rule->n_domain ||
			     strncmp(domain, rule->domain, rule->n_domain) != 0))
		return false;
	return rule->any_text || wl_pattern_matches(&rule->pattern, name->text ? name->text : "");
}

uint32_t *wl_phase_map_match(const struct wl_phase_map *m, const struct wl_range_names *names,
			     struct wl_arena *arena)
{
	const struct rule *rule = m->rules.data;
	uint32_t *of = WL_NEW(arena, uint32_t, names->n);

	/* Rules are tested once per distinct name, not per range. */
	for (size_t i = 0; of && i < names->n; i++) {
		size_t k = 0;

		while (k < m->rules.n && !rule_matches(&rule[k], &names->name[i]))
			k++;
		of[i] = k < m->rules.n ? rule[k].phase : WL_NONE;
	}
	return of;
}
