/* SPDX-License-Identifier: MIT */
/* params.c - parses a skill's parameters: "limit (count, default 20): Rows." */
#include <stdio.h>
#include <string.h>

#include "agent/skills/maker.h"
#include "agent/skills/values.h"

static const struct {
	const char *word;
	enum wl_param_type type;
	bool is_number;
} types[] = {
	{ "count", WL_P_COUNT, false },     { "time", WL_P_NS, false },
	{ "seconds", WL_P_SECONDS, false }, { "bytes", WL_P_BYTES, false },
	{ "ratio", WL_P_RATIO, false },     { "number", WL_P_STR, true },
	{ "flag", WL_P_BOOL, false },       { "choice", WL_P_ENUM, false },
	{ "text", WL_P_STR, false },        { "pattern", WL_P_REGEX, false },
};

bool wl_skill_is_name(const char *name, size_t n)
{
	return n > 0 && n < WL_SKILL_NAME && name[0] >= 'a' && name[0] <= 'z' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") >= n;
}

/* As wl_skill_is_name(), but capitals are allowed: people call dimensions M, N and K. */
static bool is_param_name(const char *key)
{
	size_t n = strlen(key);

	return n > 0 && n < WL_SKILL_NAME && strcspn(key, "0123456789_-") > 0 &&
	       strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == n;
}

/* "a|b|c" */
static int take_choices(struct wl_skill_maker *m, struct wl_param *p, char *list,
			struct wl_err *reterr)
{
	const char **choices = WL_NEW(m->arena, const char *, WL_SKILL_OPTIONS + 1);
	size_t n = 0;
	char *one;

	if (!choices)
		return wl_maker_no_memory(m, reterr);
	while ((one = strsep(&list, "|"))) {
		if (!*one || n == WL_SKILL_OPTIONS)
			return wl_maker_refuse(m, reterr,
					       "%s: write its choices as \"choice a|b|c\", at most "
					       "%d",
					       p->key, WL_SKILL_OPTIONS);
		choices[n++] = one;
	}
	p->choices = choices;
	return WL_OK;
}

static int take_type(struct wl_skill_maker *m, struct wl_skill_param *p, char *text,
		     struct wl_err *reterr)
{
	char *word = strsep(&text, " ");

	for (size_t i = 0; i < WL_COUNT(types); i++) {
		if (strcmp(types[i].word, word) != 0)
			continue;
		p->is.type = types[i].type;
		p->is_number = types[i].is_number;
		if (p->is.type == WL_P_ENUM && text)
			return take_choices(m, &p->is, text, reterr);
		if (p->is.type != WL_P_ENUM && !text)
			return WL_OK;
		break;
	}
	return wl_maker_refuse(m, reterr,
			       "%s: \"%.40s\" is no type; use count, time, seconds, bytes, ratio, "
			       "number, flag, text, pattern or choice a|b|c",
			       p->is.key, word);
}

/* "count, default 20"; the default extends to the end. */
static int take_kind(struct wl_skill_maker *m, struct wl_skill_param *p, char *text,
		     struct wl_err *reterr)
{
	char *type = strsep(&text, ",");
	int r = take_type(m, p, type, reterr);

	if (r < 0 || !text)
		return r;
	text += strspn(text, " ");
	if (strcmp(text, "required") == 0)
		p->is_required = true;
	else if (strncmp(text, "default ", 8) == 0)
		p->is.def = wl_maker_copy(m, text + 8, strlen(text + 8));
	else
		return wl_maker_refuse(m, reterr,
				       "%s: write \"required\" or \"default VALUE\" behind its "
				       "type",
				       p->is.key);
	return p->is_required || p->is.def ? WL_OK : wl_maker_no_memory(m, reterr);
}

/* Check the default's type; other parameters need not exist yet. */
static int check_default(struct wl_skill_maker *m, struct wl_skill_param *p, struct wl_err *reterr)
{
	const struct wl_skill alone = { .name = m->skill->name ? m->skill->name : "skill",
					.params = p,
					.n_params = 1 };
	struct wl_skill_values values;
	struct wl_err why;

	wl_skill_values_init(&values, &alone, m->arena);
	values.text[0] = p->is.def;
	if (!p->is.def || wl_skill_values_end(&values, &why) == WL_OK)
		return WL_OK;
	return wl_maker_refuse(m, reterr, "the default does not fit: %s", why.msg);
}

static int refuse_shape(const struct wl_skill_maker *m, struct wl_err *reterr)
{
	return wl_maker_refuse(m, reterr,
			       "write a parameter as \"- NAME (TYPE, default VALUE): WHAT IT IS\", "
			       "for example \"- limit (count, default 20): Rows.\"");
}

int wl_maker_param(struct wl_skill_maker *m, const char *text, struct wl_err *reterr)
{
	struct wl_skill_param *p = &m->skill->params[m->skill->n_params];
	const char *open = strchr(text, '('), *colon = wl_maker_colon(text), *close = colon;
	char *key, *kind;
	int r;

	if (m->skill->n_params == WL_MAX_PARAMS)
		return wl_maker_refuse(m, reterr, "more than %d parameters", WL_MAX_PARAMS);
	if (!open || !colon || colon < open)
		return refuse_shape(m, reterr);
	while (close > open && *close != ')')
		close--;
	if (close == open)
		return refuse_shape(m, reterr);
	key = wl_maker_copy(m, text, (size_t)(open - text));
	kind = wl_maker_copy(m, open + 1, (size_t)(close - open) - 1);
	*p = (struct wl_skill_param){
		.is = { .key = key, .help = wl_maker_copy(m, colon + 1, strlen(colon + 1)) }
	};
	if (!key || !kind || !p->is.help)
		return wl_maker_no_memory(m, reterr);
	if (!is_param_name(key))
		return wl_maker_refuse(
			m, reterr, "\"%.60s\" is no name of a parameter: use letters, 0-9 and _",
			key);
	if (wl_skill_is_trace(key, strlen(key)))
		return wl_maker_refuse(m, reterr,
				       "{trace} is the trace; call the parameter otherwise");
	if (wl_skill_param_named(m->skill, key, strlen(key)) < m->skill->n_params)
		return wl_maker_refuse(m, reterr, "the parameter %s is there twice", key);
	r = take_kind(m, p, kind, reterr);
	if (r == WL_OK)
		r = check_default(m, p, reterr);
	m->skill->n_params += r == WL_OK;
	return r;
}

static const char *type_word(const struct wl_skill_param *p)
{
	for (size_t i = 0; i < WL_COUNT(types); i++) {
		if (types[i].type == p->is.type && types[i].is_number == p->is_number)
			return types[i].word;
	}
	return "text";
}

const char *wl_skill_type_text(const struct wl_skill_param *p, char buf[WL_SKILL_TYPE_BUF])
{
	size_t size = WL_SKILL_TYPE_BUF;
	size_t used = (size_t)snprintf(buf, size, "%s", type_word(p));

	for (size_t i = 0; p->is.type == WL_P_ENUM && p->is.choices[i] && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? "|" : " ",
					 p->is.choices[i]);
	if (p->is_required && used < size)
		(void)snprintf(buf + used, size - used, ", required");
	else if (p->is.def && used < size)
		(void)snprintf(buf + used, size - used, ", default %s", p->is.def);
	return buf;
}
