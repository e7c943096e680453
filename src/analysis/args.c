#include "analysis/args.h"

#include <stdio.h>
#include <string.h>

#include "base/regex.h"
#include "base/units.h"

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

static int parse_choice(const struct wl_param *p, const char *text, int64_t *ret,
			struct wl_err *reterr)
{
	char all[256];

	for (size_t i = 0; p->choices[i]; i++) {
		if (strcmp(p->choices[i], text) == 0) {
			*ret = (int64_t)i;
			return WL_OK;
		}
	}
	list_choices(p, all, sizeof(all));
	return wl_fail(reterr, WL_E_USAGE, "--%s %.100s: use %s", p->key, text, all);
}

static int parse(const struct wl_param *p, const char *text, union wl_arg *ret,
		 struct wl_regex **ret_regex, struct wl_err *reterr)
{
	struct wl_err why;
	int r;

	switch (p->type) {
	case WL_P_ENUM:
		return parse_choice(p, text, &ret->i64, reterr);
	case WL_P_BYTES:
		r = wl_parse_bytes(text, &ret->i64, &why);
		if (r < 0)
			return wl_fail(reterr, WL_E_USAGE, "--%s: %s", p->key, why.msg);
		if (ret->i64 < 0)
			return wl_fail(reterr, WL_E_USAGE, "--%s %.100s: must not be negative",
				       p->key, text);
		return WL_OK;
	case WL_P_REGEX:
		r = wl_regex_new(text, WL_REGEX_PLAIN, ret_regex, reterr);
		if (r == WL_OK)
			ret->regex = *ret_regex;
		return r;
	}
	return WL_E_USAGE;
}

int wl_args_init(struct wl_args *args, const struct wl_analysis *a, const char *const *text,
		 struct wl_err *reterr)
{
	*args = (struct wl_args){ .regex = { NULL } };
	for (size_t i = 0; i < a->n_params; i++) {
		const struct wl_param *p = &a->params[i];
		const char *value = text && text[i] ? text[i] : p->def;
		int r;

		if (!value)
			return wl_fail(reterr, WL_E_USAGE, "%s: %s is missing", a->name, p->key);
		r = parse(p, value, &args->value[i], &args->regex[i], reterr);
		if (r < 0)
			return r;
	}
	return WL_OK;
}

void wl_args_release(struct wl_args *args)
{
	for (size_t i = 0; i < WL_MAX_PARAMS; i++)
		wl_regex_free(args->regex[i]);
}
