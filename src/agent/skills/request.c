/* SPDX-License-Identifier: MIT */
#include "agent/skills/request.h"

#include <string.h>

#include "agent/skills/template.h"
#include "base/text/units.h"

/* Whether the value needs a parameter that is absent. */
static bool is_absent(const struct wl_skill_values *v, const char *value)
{
	size_t n;

	for (const char *at = value; (at = wl_template_next(at, &n)); at += n) {
		size_t i = wl_skill_param_named(v->skill, at + 1, n);

		if (i < v->skill->n_params && !v->text[i])
			return true;
	}
	return false;
}

static int set_limit(const struct wl_skill_step *step, const char *text, struct wl_request *ret,
		     struct wl_err *reterr)
{
	struct wl_err why;
	int64_t n;

	if (wl_parse_count(text, &n, &why) < 0 || n < 0)
		return wl_fail(reterr, WL_E_USAGE, "%.200s: %s: limit %.60s: give a number of rows",
			       step->where, step->verb, text);
	ret->view.limit = (size_t)n;
	ret->limit_given = true;
	return WL_OK;
}

static int set_common(const struct wl_skill_step *step, const struct wl_skill_values *v,
		      const char *key, const char *value, struct wl_request *ret,
		      struct wl_err *reterr)
{
	const char **place = wl_request_place(ret, key);

	if (!place)
		return set_limit(step, value, ret, reterr);
	/* Other tools write "all" for no selection. */
	if (place == &ret->selection.gpu && strcmp(value, "all") == 0)
		return WL_OK;
	if (*place)
		return wl_fail(reterr, WL_E_USAGE,
			       "%s sets --%s %.60s itself; leave --%s out, or ask warplens %s",
			       v->skill->name, key, value, key, step->verb);
	*place = value;
	return WL_OK;
}

/* A parameter that is the whole expression is the user's expression; otherwise it is a value. */
static bool is_whole(const char *value)
{
	size_t n;
	const char *at = wl_template_next(value, &n);

	return at == value && !value[n + 2];
}

static int set_option(const struct wl_skill_step *step, struct wl_skill_values *v,
		      const struct wl_skill_option *o, struct wl_verb_call *ret,
		      struct wl_err *reterr)
{
	bool quoted = strcmp(o->key, "where") == 0 && !is_whole(o->value);
	const char *value, **place;

	if (is_absent(v, o->value))
		return WL_OK;
	value = wl_template_fill(o->value, wl_skill_value_named, v, quoted, v->arena);
	if (!value)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory", v->skill->name);
	place = wl_verb_call_place(ret, o->key);
	if (!place || place == wl_request_place(&ret->is, o->key))
		return set_common(step, v, o->key, value, &ret->is, reterr);
	*place = value;
	return WL_OK;
}

int wl_skill_request_make(const struct wl_skill_step *step, struct wl_skill_values *values,
			  bool for_people, struct wl_verb_call *ret, struct wl_err *reterr)
{
	const struct wl_analysis *a;
	struct wl_called called;
	int r = WL_OK;

	if (!wl_called_find(step->verb, &called))
		return wl_fail(reterr, WL_E_USAGE, "no verb %s", step->verb);
	a = called.analysis;
	wl_verb_call_begin(ret, a, called.document);
	for (size_t i = 0; r == WL_OK && i < step->n_options; i++)
		r = set_option(step, values, &step->options[i], ret, reterr);
	for (size_t i = 0; a && for_people && i < a->n_params; i++)
		ret->args[i] = ret->args[i] ? ret->args[i] : a->params[i].people_def;
	ret->is.no_limits = !for_people && !ret->is.limit_given;
	if (a && for_people)
		ret->is.view.usual_sort = a->sort;
	return r;
}
