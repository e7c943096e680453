/* SPDX-License-Identifier: MIT */
/* of_verb.c - presents a verb as a skill, with its options as parameters. */
#include <string.h>

#include "agent/skills/calls.h"
#include "agent/skills/maker.h"
#include "agent/skills/values.h"

/* The options common to all tables that are not selections. */
static const struct wl_skill_param of_all[] = {
	{ .is = { .key = "where", .type = WL_P_STR, .help = "Keep rows: sum > 1ms." } },
	{ .is = { .key = "sort", .type = WL_P_STR, .help = "Columns to sort by." } },
	{ .is = { .key = "columns", .type = WL_P_STR, .help = "Only these columns." } },
	{ .is = { .key = "limit", .type = WL_P_COUNT, .help = "Rows; 0 for all." } },
};

static const struct wl_alias *alias_named(const struct wl_alias *alias, const char *name)
{
	while (alias && alias->name && strcmp(alias->name, name) != 0)
		alias++;
	return alias && alias->name ? alias : NULL;
}

/* Find the verb, and the alias by which it was named, or NULL. */
static bool find(const char *name, struct wl_called *ret, const struct wl_alias **ret_alias)
{
	*ret_alias = NULL;
	if (wl_called_find(name, ret))
		return true;
	ret->analysis = wl_analysis_find(name);
	if (ret->analysis) {
		*ret_alias = alias_named(ret->analysis->aliases, name);
		return true;
	}
	for (size_t i = 0; i < wl_n_documents; i++) {
		*ret_alias = alias_named(wl_documents[i]->aliases, name);
		ret->document = wl_documents[i];
		if (*ret_alias)
			return true;
	}
	return false;
}

/* "{key}": the option is left out if the parameter is absent. */
static bool add(struct wl_skill *s, const struct wl_skill_param *p, struct wl_arena *arena)
{
	struct wl_skill_step *step = &s->steps[0];
	size_t n = strlen(p->is.key);
	char *value;

	if (s->n_params == WL_MAX_PARAMS || step->n_options == WL_SKILL_OPTIONS)
		return true;
	value = wl_arena_calloc(arena, n + 3, 1);
	if (!value)
		return false;
	value[0] = '{';
	memcpy(value + 1, p->is.key, n);
	value[n + 1] = '}';
	s->params[s->n_params++] = *p;
	step->options[step->n_options++] = (struct wl_skill_option){ p->is.key, value };
	return true;
}

static bool add_own(struct wl_skill *s, const struct wl_analysis *a, struct wl_arena *arena)
{
	bool ok = true;

	for (size_t i = 0; ok && i < a->n_params; i++) {
		struct wl_skill_param p = { .is = a->params[i],
					    .is_required = a->params[i].operand };

		/* The verb applies its own defaults, which may differ for people. */
		p.is.def = NULL;
		if (wl_param_is_value(&a->params[i]))
			ok = add(s, &p, arena);
	}
	for (size_t i = 0; ok && i < WL_COUNT(of_all); i++)
		ok = add(s, &of_all[i], arena);
	return ok;
}

/* Options implied by an alias become defaults of parameters; a window becomes part of the call. */
static void imply(struct wl_skill *s, const struct wl_alias *alias)
{
	struct wl_skill_step *step = &s->steps[0];

	for (size_t i = 0; alias && i < WL_MAX_IMPLIED && alias->implies[i].key; i++) {
		const struct wl_implied *o = &alias->implies[i];
		size_t k = wl_skill_param_named(s, o->key, strlen(o->key));

		/* Columns are implied for people only. */
		if (strcmp(o->key, "columns") == 0)
			continue;
		if (k < s->n_params)
			s->params[k].is.def = o->value;
		else if (wl_called_is_common(o->key) && step->n_options < WL_SKILL_OPTIONS)
			step->options[step->n_options++] =
				(struct wl_skill_option){ o->key, o->value };
	}
}

bool wl_skill_of_verb(const char *name, struct wl_arena *arena, struct wl_skill *ret)
{
	struct wl_skill_maker m;
	const struct wl_alias *alias;
	struct wl_called called;

	if (!find(name, &called, &alias) || !wl_maker_init(&m, ret, arena, name))
		return false;
	ret->steps[0] = (struct wl_skill_step){ .where = name };
	ret->steps[0].options = WL_NEW(arena, struct wl_skill_option, WL_SKILL_OPTIONS);
	ret->n_steps = 1;
	if (!ret->steps[0].options)
		return false;
	if (called.analysis && !add_own(ret, called.analysis, arena))
		return false;
	ret->steps[0].verb = called.analysis ? called.analysis->name : called.document->name;
	ret->steps[0].name = ret->steps[0].verb;
	ret->title = called.analysis ? called.analysis->help : called.document->help;
	ret->about = called.analysis ? called.analysis->about : called.document->about;
	ret->name = alias ? alias->name : ret->steps[0].verb;
	imply(ret, alias);
	return true;
}
