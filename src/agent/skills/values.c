/* SPDX-License-Identifier: MIT */
#include "agent/skills/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/args.h"
#include "base/text/nearest.h"

size_t wl_skill_param_named(const struct wl_skill *skill, const char *name, size_t n)
{
	for (size_t i = 0; i < skill->n_params; i++) {
		if (wl_key_is(skill->params[i].is.key, name, n))
			return i;
	}
	return skill->n_params;
}

void wl_skill_values_init(struct wl_skill_values *v, const struct wl_skill *skill,
			  struct wl_arena *arena)
{
	*v = (struct wl_skill_values){ .skill = skill, .arena = arena };
}

static int refuse(const struct wl_skill *s, const char *key, struct wl_err *reterr)
{
	const char *keys[WL_MAX_PARAMS];
	char what[WL_SKILL_NAME + 24];

	for (size_t i = 0; i < s->n_params; i++)
		keys[i] = s->params[i].is.key;
	(void)snprintf(what, sizeof(what), "%.*s has no parameter", WL_SKILL_NAME, s->name);
	return wl_nearest_refuse(what, key, keys, s->n_params, reterr);
}

int wl_skill_values_set(struct wl_skill_values *v, const char *key, const char *value,
			struct wl_err *reterr)
{
	size_t i = wl_skill_param_named(v->skill, key, strlen(key)), size;
	char *both;

	if (i == v->skill->n_params)
		return refuse(v->skill, key, reterr);
	if (!v->text[i]) {
		v->text[i] = value;
		return WL_OK;
	}
	if (!v->skill->params[i].is.many)
		return wl_fail(reterr, WL_E_USAGE, "%s: %s is given twice", v->skill->name,
			       v->skill->params[i].is.key);
	/* An analysis receives several values as lines of one text. */
	size = strlen(v->text[i]) + strlen(value) + 2;
	both = wl_arena_calloc(v->arena, size, 1);
	if (!both)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for its parameters",
			       v->skill->name);
	(void)snprintf(both, size, "%s\n%s", v->text[i], value);
	v->text[i] = both;
	return WL_OK;
}

/* Remove blanks around a name or value, and quotes around a value. */
static char *trimmed(struct wl_arena *arena, const char *text, size_t n)
{
	char *copy;

	while (n && strchr(" \t", *text)) {
		text++;
		n--;
	}
	while (n && strchr(" \t", text[n - 1]))
		n--;
	if (n >= 2 && text[0] == '"' && text[n - 1] == '"') {
		text++;
		n -= 2;
	}
	copy = wl_arena_calloc(arena, n + 1, 1);
	if (copy)
		memcpy(copy, text, n);
	return copy;
}

static int set_bytes(struct wl_skill_values *v, const char *pair, size_t n, struct wl_err *reterr)
{
	const char *sign = memchr(pair, '=', n);
	char *key, *value;

	if (!sign)
		return wl_fail(reterr, WL_E_USAGE, "%.*s: write a parameter as NAME=VALUE",
			       (int)(n < 100 ? n : 100), pair);
	key = trimmed(v->arena, pair, (size_t)(sign - pair));
	value = trimmed(v->arena, sign + 1, n - (size_t)(sign - pair) - 1);
	if (!key || !value)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for its parameters",
			       v->skill->name);
	return wl_skill_values_set(v, key, value, reterr);
}

int wl_skill_values_pair(struct wl_skill_values *v, const char *pair, struct wl_err *reterr)
{
	return set_bytes(v, pair, strlen(pair), reterr);
}

int wl_skill_values_list(struct wl_skill_values *v, const char *list, struct wl_err *reterr)
{
	int r = WL_OK;

	while (r == WL_OK && *list) {
		bool in_quotes = false;
		size_t n = 0;

		for (; list[n] && (in_quotes || list[n] != ','); n++)
			in_quotes = in_quotes != (list[n] == '"');
		r = set_bytes(v, list, n, reterr);
		list += n + (list[n] == ',');
	}
	return r;
}

static bool read_number(const char *text, double *ret)
{
	char *end;

	*ret = strtod(text, &end);
	return end != text && *end == '\0' && isfinite(*ret) && !strpbrk(text, "xX");
}

/* Error messages of the types begin with the parameter's name, without dashes. */
static int read_value(const struct wl_skill_values *v, size_t i, struct wl_args *args,
		      struct wl_err *reterr)
{
	const struct wl_skill_param *p = &v->skill->params[i];
	struct wl_param is = p->is;
	const struct wl_param_list one = { .name = v->skill->name, .params = &is, .n = 1 };

	is.operand = true;
	if (p->is_number && !read_number(v->text[i], &args->value[0].f64))
		return wl_fail(reterr, WL_E_USAGE, "%s %.100s: give a number, such as 2.5 or 1e15",
			       is.key, v->text[i]);
	if (p->is_number)
		return WL_OK;
	return wl_args_parse(args, &one, &v->text[i], NULL, reterr);
}

static int check_value(const struct wl_skill_values *v, size_t i, struct wl_err *reterr)
{
	struct wl_args args = { .regex = { NULL } };
	int r = read_value(v, i, &args, reterr);

	wl_args_release(&args);
	return r;
}

int wl_skill_values_end(struct wl_skill_values *v, struct wl_err *reterr)
{
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < v->skill->n_params; i++) {
		const struct wl_skill_param *p = &v->skill->params[i];

		if (!v->text[i])
			v->text[i] = p->is.def;
		if (v->text[i])
			r = check_value(v, i, reterr);
		else if (p->is_required)
			r = wl_fail(reterr, WL_E_USAGE,
				    "%s: %s is missing (%s); give --param %s=VALUE", v->skill->name,
				    p->is.key, p->is.help, p->is.key);
	}
	return r;
}

static const char *sample_of(const struct wl_skill_param *p)
{
	if (p->is_number)
		return "1";
	if (p->is.type == WL_P_NS)
		return "1ms";
	if (p->is.type < WL_P_RATIO)
		return "1";
	if (p->is.type == WL_P_RATIO)
		return "0.5";
	if (p->is.type == WL_P_BOOL)
		return "true";
	return p->is.type == WL_P_ENUM ? p->is.choices[0] : "x";
}

void wl_skill_values_sample(struct wl_skill_values *v)
{
	for (size_t i = 0; i < v->skill->n_params; i++) {
		if (!v->text[i] && v->skill->params[i].is_required)
			v->text[i] = sample_of(&v->skill->params[i]);
	}
}

const char *wl_skill_value_named(void *ctx, const char *name, size_t n)
{
	const struct wl_skill_values *v = ctx;
	size_t i = wl_skill_param_named(v->skill, name, n);

	return i < v->skill->n_params ? v->text[i] : NULL;
}

bool wl_skill_is_trace(const char *name, size_t n)
{
	return n == strlen("trace") && strncmp(name, "trace", n) == 0;
}

const char *wl_skill_word_named(void *ctx, const char *name, size_t n)
{
	const struct wl_skill_values *v = ctx;

	if (wl_skill_is_trace(name, n))
		return v->trace ? v->trace : "TRACE";
	return wl_skill_value_named(ctx, name, n);
}

static void bind(const struct wl_skill_param *p, const union wl_arg *arg, const char *text,
		 struct wl_sql_value *ret)
{
	ret->type = WL_SQL_TEXT;
	ret->text = text;
	if (p->is_number || p->is.type == WL_P_RATIO) {
		ret->type = WL_SQL_REAL;
		ret->f64 = arg->f64;
		return;
	}
	if (p->is.type == WL_P_ENUM) {
		ret->text = p->is.choices[arg->i64];
	} else if (p->is.type < WL_P_RATIO || p->is.type == WL_P_BOOL) {
		ret->type = WL_SQL_INTEGER;
		ret->i64 = p->is.type == WL_P_BOOL ? arg->flag : arg->i64;
	}
}

int wl_skill_values_bind(const struct wl_skill_values *v, struct wl_sql_value *ret,
			 struct wl_err *reterr)
{
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < v->skill->n_params; i++) {
		struct wl_args args = { .regex = { NULL } };

		ret[i] = (struct wl_sql_value){ .name = v->skill->params[i].is.key };
		if (!v->text[i])
			continue;
		r = read_value(v, i, &args, reterr);
		if (r == WL_OK)
			bind(&v->skill->params[i], &args.value[0], v->text[i], &ret[i]);
		wl_args_release(&args);
	}
	return r;
}
