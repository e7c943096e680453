/* SPDX-License-Identifier: MIT */
#include "analysis/args.h"

#include <stdio.h>
#include <string.h>

#include "base/text/regex.h"
#include "base/text/units.h"
#include "table/cols.h"

/* Messages name a parameter as users write it: "--min", but "pattern". */
static const char *dashes(const struct wl_param *p)
{
	return p->operand ? "" : "--";
}

/* "demangled, short, mangled or base" */
static void list_choices(const struct wl_param *p, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; p->choices[i] && used < size; i++) {
		const char *glue = i == 0 ? "" : p->choices[i + 1] ? ", " : " or ";

		used += (size_t)snprintf(buf + used, size - used, "%s%s", glue, p->choices[i]);
	}
}

static bool is_choice(const char *choice, const char *text)
{
	return wl_words_same(choice, text, strlen(text));
}

static int parse_choice(const struct wl_param_list *list, const struct wl_param *p,
			const char *text, int64_t *ret, struct wl_err *reterr)
{
	const struct wl_table table = { .cols = list->cols, .n_cols = list->n_cols };
	const struct wl_col *col;
	char all[256];
	size_t at;

	col = wl_cols_named(&table, text, strlen(text), &at);
	for (size_t pass = 0; pass < 2; pass++) {
		for (size_t i = 0; p->choices[i]; i++) {
			const char *choice = p->choices[i];

			/* The second pass accepts the column's other name: --by gpu, --by iter. */
			if (pass == 0 ? !is_choice(choice, text)
				      : !col || (!is_choice(choice, col->key) &&
						 !is_choice(choice, col->title)))
				continue;
			*ret = (int64_t)i;
			return WL_OK;
		}
	}
	list_choices(p, all, sizeof(all));
	return wl_fail(reterr, WL_E_USAGE, "%s%s %.100s: use %s", dashes(p), p->key, text, all);
}

/* The unit parser gives the reason; only this function knows the option. */
static int blame(const struct wl_param *p, const struct wl_err *why, struct wl_err *reterr)
{
	return wl_fail(reterr, why->code, "%s%s: %s", dashes(p), p->key, why->msg);
}

typedef int parse_fn(const char *text, int64_t *ret, struct wl_err *reterr);

static int parse_i64(const struct wl_param *p, parse_fn *parse_unit, const char *text, int64_t *ret,
		     struct wl_err *reterr)
{
	struct wl_err why;

	if (parse_unit(text, ret, &why) < 0)
		return blame(p, &why, reterr);
	if (*ret < 0)
		return wl_fail(reterr, WL_E_USAGE, "%s%s %.100s: must not be negative", dashes(p),
			       p->key, text);
	return WL_OK;
}

/* A ratio is a share: "70" is a slip for "70%", not 70 times the whole. */
static int parse_ratio(const struct wl_param *p, const char *text, double *ret,
		       struct wl_err *reterr)
{
	struct wl_err why;

	if (wl_parse_ratio(text, ret, &why) < 0)
		return blame(p, &why, reterr);
	if (*ret < 0 || *ret > 1)
		return wl_fail(reterr, WL_E_USAGE,
			       "%s%s %.100s: must be between 0 and 1, or 0%% and 100%%", dashes(p),
			       p->key, text);
	return WL_OK;
}

static int parse_bool(const struct wl_param *p, const char *text, bool *ret, struct wl_err *reterr)
{
	*ret = strcmp(text, "true") == 0;
	if (!*ret && strcmp(text, "false") != 0)
		return wl_fail(reterr, WL_E_USAGE, "%s%s %.100s: use true or false", dashes(p),
			       p->key, text);
	return WL_OK;
}

static int parse_regex(const struct wl_param *p, const char *text, struct wl_regex **ret,
		       struct wl_err *reterr)
{
	struct wl_err why;
	int r = wl_regex_new(text, WL_REGEX_SMART, ret, &why);

	return r < 0 ? blame(p, &why, reterr) : WL_OK;
}

static int parse(const struct wl_param *p, const char *text, union wl_arg *ret,
		 struct wl_regex **ret_regex, struct wl_err *reterr)
{
	int r;

	switch (p->type) {
	case WL_P_COUNT:
		return parse_i64(p, wl_parse_count, text, &ret->i64, reterr);
	case WL_P_NS:
		return parse_i64(p, wl_parse_ns, text, &ret->i64, reterr);
	case WL_P_SECONDS:
		return parse_i64(p, wl_parse_seconds, text, &ret->i64, reterr);
	case WL_P_BYTES:
		return parse_i64(p, wl_parse_bytes, text, &ret->i64, reterr);
	case WL_P_RATIO:
		return parse_ratio(p, text, &ret->f64, reterr);
	case WL_P_BOOL:
		return parse_bool(p, text, &ret->flag, reterr);
	case WL_P_STR:
	case WL_P_TRACE:
	case WL_P_DIR:
	case WL_P_TITLE:
	case WL_P_PAGE:
	case WL_P_BEGIN:
	case WL_P_END:
		ret->str = text;
		return WL_OK;
	case WL_P_REGEX:
		r = parse_regex(p, text, ret_regex, reterr);
		ret->regex = *ret_regex;
		return r;
	case WL_P_ENUM:
	case WL_P_DOC:
		break; /* not parsed from the text alone */
	}
	return WL_E_USAGE;
}

/*
 * The argument of an option that is not given and has no default: a value that no given argument
 * can have, which saves analyses a second flag.
 */
static union wl_arg absent(enum wl_param_type type)
{
	static const union wl_arg no_text;

	if (type == WL_P_RATIO)
		return (union wl_arg){ .f64 = -1 };
	if (type <= WL_P_BYTES || type == WL_P_ENUM)
		return (union wl_arg){ .i64 = -1 };
	return no_text;
}

int wl_args_parse(struct wl_args *args, const struct wl_param_list *list, const char *const *text,
		  struct wl_json *const *docs, struct wl_err *reterr)
{
	*args = (struct wl_args){ .regex = { NULL } };
	for (size_t i = 0; i < list->n; i++) {
		const struct wl_param *p = &list->params[i];
		const char *value = text && text[i] ? text[i] : p->def;
		bool is_doc = p->type == WL_P_DOC, given = is_doc ? docs && docs[i] : value != NULL;
		int r = WL_OK;

		if (!given && p->operand)
			return wl_fail(reterr, WL_E_USAGE, "%s: %s is missing", list->name, p->key);
		if (!given)
			args->value[i] = absent(p->type);
		else if (is_doc)
			args->value[i].doc = docs[i];
		else if (p->type == WL_P_ENUM)
			r = parse_choice(list, p, value, &args->value[i].i64, reterr);
		else
			r = parse(p, value, &args->value[i], &args->regex[i], reterr);
		if (r < 0)
			return r;
	}
	return WL_OK;
}

int wl_args_init(struct wl_args *args, const struct wl_analysis *a, const char *const *text,
		 struct wl_json *const *docs, struct wl_err *reterr)
{
	const struct wl_param_list list = { .name = a->name,
					    .params = a->params,
					    .n = a->n_params,
					    .cols = a->cols,
					    .n_cols = a->n_cols };

	return wl_args_parse(args, &list, text, docs, reterr);
}

void wl_args_release(struct wl_args *args)
{
	for (size_t i = 0; i < WL_MAX_PARAMS; i++)
		wl_regex_free(args->regex[i]);
}

bool wl_param_is_value(const struct wl_param *p)
{
	/* The types after REGEX are documents and those handled by the command line. */
	return p->type <= WL_P_REGEX && !p->stands_for && !p->only_as;
}

static size_t skip_joints(const char *word, size_t n, size_t at)
{
	while (at < n && (word[at] == '-' || word[at] == '_'))
		at++;
	return at;
}

bool wl_key_is(const char *key, const char *name, size_t n)
{
	size_t n_key = key ? strlen(key) : 0, i = 0, k = 0;

	while (i < n_key && k < n && key[i] == name[k]) {
		i = skip_joints(key, n_key, i + 1);
		k = skip_joints(name, n, k + 1);
	}
	return key && i == n_key && k == n;
}

size_t wl_param_named(const struct wl_param *params, size_t n, const char *name)
{
	const size_t length = strlen(name);

	for (size_t i = 0; i < n; i++) {
		const struct wl_param *p = &params[i];

		if (wl_param_is_value(p) &&
		    (wl_key_is(p->key, name, length) || wl_key_is(p->alias, name, length)))
			return i;
	}
	return n;
}
