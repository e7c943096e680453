/* SPDX-License-Identifier: MIT */
#include "cli/verb.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text/nearest.h"

/* A member that each of the three kinds has. */
#define OF_VERB(v, member)                                                                         \
	((v)->analysis   ? (v)->analysis->member                                                   \
	 : (v)->document ? (v)->document->member                                                   \
			 : (v)->command->member)

bool wl_verb_at(size_t i, struct wl_verb *ret)
{
	*ret = (struct wl_verb){ .analysis = NULL };
	if (i < wl_n_documents) {
		ret->document = wl_documents[i];
		return true;
	}
	i -= wl_n_documents;
	if (i < wl_n_analyses) {
		ret->analysis = wl_analyses[i];
		return true;
	}
	i -= wl_n_analyses;
	if (i < wl_n_commands) {
		ret->command = wl_commands[i];
		return true;
	}
	return false;
}

bool wl_verb_find(const char *name, struct wl_verb *ret)
{
	for (size_t i = 0; wl_verb_at(i, ret); i++) {
		if (strcmp(wl_verb_name(ret), name) == 0)
			return true;
	}
	/* Names of verbs come first, so that an alias can never hide one. */
	for (size_t i = 0; wl_verb_at(i, ret); i++) {
		for (const struct wl_alias *a = wl_verb_aliases(ret); a->name; a++) {
			if (strcmp(a->name, name) != 0)
				continue;
			ret->alias = a;
			return true;
		}
	}
	return false;
}

/* Names of other tools are meant only where no verb is spelled so: "tops" is ops, not top_kernels.
 */
const char *wl_verb_nearest(const char *name)
{
	struct wl_nearest n, other;
	struct wl_verb v;

	wl_nearest_init(&n, name);
	wl_nearest_init(&other, name);
	for (size_t i = 0; wl_verb_at(i, &v); i++) {
		const struct wl_alias *alias = wl_verb_aliases(&v);

		wl_nearest_offer(&n, wl_verb_name(&v));
		wl_nearest_offer(&n, wl_verb_listed(&v).name);
		for (; alias->name; alias++)
			wl_nearest_offer(&other, alias->name);
	}
	return wl_nearest_get(&n) ? wl_nearest_get(&n) : wl_nearest_get(&other);
}

const char *wl_verb_name(const struct wl_verb *v)
{
	return OF_VERB(v, name);
}

const char *wl_verb_help(const struct wl_verb *v)
{
	return OF_VERB(v, help);
}

const char *wl_verb_about(const struct wl_verb *v)
{
	return OF_VERB(v, about);
}

const char *wl_verb_kind(const struct wl_verb *v)
{
	return v->analysis ? "analysis" : v->document ? "document" : "command";
}

enum wl_topic wl_verb_topic(const struct wl_verb *v)
{
	return OF_VERB(v, topic);
}

struct wl_listed wl_verb_listed(const struct wl_verb *v)
{
	struct wl_listed l = OF_VERB(v, listed);

	l.name = l.name ? l.name : wl_verb_name(v);
	l.line = l.line ? l.line : wl_verb_help(v);
	l.all = l.all ? l.all : l.line;
	return l;
}

const char *wl_topic_title(enum wl_topic topic)
{
	static const char *const titles[WL_N_TOPICS] = {
		[WL_TOPIC_OTHER] = "Other",
		[WL_TOPIC_FIX] = "Find and fix",
		[WL_TOPIC_TIME] = "Break down the time",
		[WL_TOPIC_LOOK] = "Look",
		[WL_TOPIC_SHARE] = "Record and share",
	};

	return titles[topic];
}

const struct wl_example *wl_verb_examples(const struct wl_verb *v)
{
	return OF_VERB(v, examples);
}

const struct wl_param *wl_verb_params(const struct wl_verb *v, size_t *ret_n)
{
	*ret_n = v->analysis   ? v->analysis->n_params
		 : v->command  ? v->command->n_params
		 : v->document ? v->document->n_params
			       : 0;
	return v->analysis   ? v->analysis->params
	       : v->command  ? v->command->params
	       : v->document ? v->document->params
			     : NULL;
}

const struct wl_param *wl_verb_param_of(const struct wl_verb *v, enum wl_param_type type,
					size_t *ret_i)
{
	size_t n_params;
	const struct wl_param *params = wl_verb_params(v, &n_params);

	for (*ret_i = 0; *ret_i < n_params; (*ret_i)++) {
		if (params[*ret_i].type == type)
			return &params[*ret_i];
	}
	return NULL;
}

bool wl_verb_is_common(const struct wl_verb *v)
{
	return !v->command || v->command->common;
}

enum wl_several wl_verb_several(const struct wl_verb *v)
{
	if (v->command)
		return v->command->several;
	/* A summary of several traces is a table of its own. */
	if (v->document)
		return v->document->several ? WL_SEVERAL_BESIDE : WL_SEVERAL_JOB;
	return WL_SEVERAL_BESIDE;
}

const struct wl_alias *wl_verb_aliases(const struct wl_verb *v)
{
	static const struct wl_alias none = { .name = NULL };
	const struct wl_alias *all = v->analysis   ? v->analysis->aliases
				     : v->document ? v->document->aliases
				     : v->command  ? v->command->aliases
						   : NULL;

	return all ? all : &none;
}

const struct wl_form *wl_verb_forms(const struct wl_verb *v)
{
	static const struct wl_form none = { .verb = NULL };
	const struct wl_form *all = v->analysis  ? v->analysis->forms
				    : v->command ? v->command->forms
						 : NULL;

	return all ? all : &none;
}

const char *wl_verb_compared(const struct wl_verb *v)
{
	size_t n;
	const struct wl_param *params = wl_verb_params(v, &n);
	bool is_named = !v->command && wl_verb_aliases(v)->name != NULL;

	for (size_t i = 0; i < n; i++)
		is_named = is_named || (!v->command && params[i].alias);
	if ((v->analysis && v->analysis->compared) || (v->command && v->command->compared))
		return "Its numbers can differ from other tools: "
		       "warplens explain why-numbers-differ";
	return is_named ? "Tools with such names can differ: "
			  "warplens explain why-numbers-differ"
			: NULL;
}

const char *wl_alias_value(const struct wl_alias *alias, const char *key)
{
	for (size_t i = 0; alias && i < WL_MAX_IMPLIED && alias->implies[i].key; i++) {
		if (strcmp(alias->implies[i].key, key) == 0)
			return alias->implies[i].value;
	}
	return NULL;
}

static bool is_switch(const struct wl_verb *v, const char *key)
{
	size_t n;
	const struct wl_param *params = wl_verb_params(v, &n);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(params[i].key, key) == 0)
			return params[i].type == WL_P_BOOL;
	}
	return false;
}

void wl_alias_options(const struct wl_verb *v, const struct wl_alias *alias, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; used < size && i < WL_MAX_IMPLIED && alias->implies[i].key; i++) {
		const char *key = alias->implies[i].key;
		const char *value = is_switch(v, key) ? "" : alias->implies[i].value;
		const char *quote = strchr(value, ' ') ? "'" : "";

		if (strcmp(key, "columns") == 0)
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s--%s%s%s%s%s", used ? " " : "",
					 key, *value ? " " : "", quote, value, quote);
	}
}

void wl_verb_operands(const struct wl_verb *v, char *buf, size_t size)
{
	size_t used = 0;

	if (v->command) {
		(void)snprintf(buf, size, "%s", v->command->operands);
		return;
	}
	for (size_t i = 0; v->analysis && i < v->analysis->n_params; i++) {
		const char *key = v->analysis->params[i].key;

		for (; v->analysis->params[i].operand && *key && used + 2 < size; key++)
			buf[used++] = (char)toupper((unsigned char)*key);
		if (v->analysis->params[i].operand && used + 2 < size)
			buf[used++] = ' ';
	}
	(void)snprintf(buf + used, size - used,
		       v->analysis || (v->document && v->document->several) ? "TRACE..." : "TRACE");
}
