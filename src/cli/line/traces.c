/* SPDX-License-Identifier: MIT */
#include "cli/line/traces.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct taking {
	const struct wl_invocation *inv;
	const char *name; /* of the verb */
	struct wl_arena *arena;
	struct wl_traces *traces;
	size_t option; /* number of the parameter that names traces */
	struct wl_err *reterr;
};

static int check(const struct taking *t, bool has_operands)
{
	const struct wl_named_trace *trace = t->traces->trace;
	size_t n = t->traces->n;

	if (!t->inv->verb.analysis && n > 1 &&
	    !(t->inv->verb.document && t->inv->verb.document->several))
		return wl_fail(t->reterr, WL_E_USAGE,
			       "%s takes one trace, but %zu were given; usage: warplens %s TRACE",
			       t->name, n, t->name);
	if (n > WL_MAX_TRACES)
		return wl_fail(t->reterr, WL_E_USAGE,
			       "%s takes at most %d traces, but %zu were given", t->name,
			       WL_MAX_TRACES, n);
	if (n > 1 && !t->inv->verb.analysis && t->inv->opt.section)
		return wl_fail(t->reterr, WL_E_USAGE,
			       "--section: %s of several traces is one table; give one trace, or "
			       "ask for \"warplens %s\"",
			       t->name, t->inv->opt.section);
	/*
	 * "search flash fwd run.sqlite": the shell made two words of the pattern, and the second is
	 * taken for a trace. Said here, because the reader would only say that it cannot open
	 * "fwd".
	 */
	if (has_operands && n > 1 && access(trace[0].path, F_OK) < 0)
		return wl_fail(t->reterr, WL_E_USAGE,
			       "%s: no file \"%.60s\"; quote a pattern that has spaces", t->name,
			       trace[0].path);
	if (n > 1 && t->inv->opt.keep_export)
		return wl_fail(t->reterr, WL_E_USAGE, "--keep-export: give one trace, not %zu", n);
	/* Rows are told apart by the name of their trace. */
	for (size_t i = 1; i < n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (strcmp(trace[i].path, trace[k].path) == 0)
				return wl_fail(t->reterr, WL_E_USAGE, "%s: %.200s is given twice",
					       t->name, trace[i].path);
		}
	}
	return WL_OK;
}

static bool make_room(struct taking *t, size_t n)
{
	t->traces->n = n;
	t->traces->trace = WL_NEW(t->arena, struct wl_named_trace, n);
	return t->traces->trace != NULL;
}

static int no_memory(const struct taking *t)
{
	return wl_fail(t->reterr, WL_E_NOMEM, "%s: no memory for its traces", t->name);
}

/*
 * The pattern of "search" stands before the traces, or behind them: then the first operand is a
 * file and the last is not. Other tools have it behind, and their users type it so.
 */
static size_t first_trace(const struct wl_invocation *inv, size_t n_own)
{
	size_t n = inv->n_operands;
	bool behind = n_own == 1 && n > 1 && access(inv->operand[0], F_OK) == 0 &&
		      access(inv->operand[n - 1], F_OK) < 0;

	return behind ? 0 : n_own;
}

static int take_operands(struct taking *t)
{
	const struct wl_invocation *inv = t->inv;
	const struct wl_analysis *a = inv->verb.analysis;
	const char *args[WL_MAX_PARAMS] = { NULL };
	char operands[64];
	size_t used = 0, first;

	wl_verb_operands(&inv->verb, operands, sizeof(operands));
	for (size_t i = 0; a && i < a->n_params; i++)
		used += a->params[i].operand && !inv->param[i] && used < inv->n_operands;
	first = first_trace(inv, used);
	for (size_t i = 0, k = first ? 0 : inv->n_operands - used; a && i < a->n_params; i++) {
		args[i] = inv->param[i];
		if (a->params[i].operand && !inv->param[i] && k < inv->n_operands)
			args[i] = inv->operand[k++];
	}
	if (inv->n_operands == used)
		return wl_fail(t->reterr, WL_E_USAGE, "%s: no trace given; usage: warplens %s %s",
			       t->name, t->name, operands);
	if (!make_room(t, inv->n_operands - used))
		return no_memory(t);
	for (size_t i = 0; i < t->traces->n; i++) {
		t->traces->trace[i].path = inv->operand[first + i];
		memcpy(t->traces->trace[i].args, args, sizeof(args));
	}
	return check(t, used > 0);
}

/*
 * The parameter that a part of the option's argument speaks of: "ENGINE" of --engine. The names are
 * those of the option's help, "FILE,ENGINE,MODEL", so that they are listed once; one that is no
 * parameter is an error of the registry.
 */
static size_t find_part(const struct wl_analysis *a, const char *part, size_t n)
{
	size_t i = 0;

	while (i < a->n_params &&
	       (strlen(a->params[i].key) != n || strncasecmp(a->params[i].key, part, n) != 0))
		i++;
	assert(i < a->n_params);
	return i;
}

static int refuse_parts(const struct taking *t, const char *value)
{
	const struct wl_param *p = t->traces->option;

	return wl_fail(t->reterr, WL_E_USAGE, "--%s %.100s: give %s: %c%.*s", p->key, value,
		       p->takes, tolower((unsigned char)p->help[0]), (int)strlen(p->help) - 2,
		       p->help + 1);
}

/* From the last part to the first, so that the file keeps its commas. */
static int split(const struct taking *t, const char *value, struct wl_named_trace *ret)
{
	const struct wl_param *p = t->traces->option;
	const struct wl_analysis *a = t->inv->verb.analysis;
	char *rest = wl_arena_strdup(t->arena, value);
	size_t end = strlen(p->takes);

	if (!rest)
		return no_memory(t);
	for (size_t at = end; at > 0; at--) {
		char *comma;
		size_t part;

		if (p->takes[at - 1] != ',')
			continue;
		part = find_part(a, p->takes + at, end - at);
		comma = strrchr(rest, ',');
		if (!comma)
			return refuse_parts(t, value);
		if (t->inv->param[part])
			return wl_fail(t->reterr, WL_E_USAGE,
				       "--%s: each trace of --%s has its own; leave it out",
				       a->params[part].key, p->key);
		*comma = '\0';
		ret->args[part] = comma[1] ? comma + 1 : NULL;
		end = at - 1;
	}
	ret->path = rest;
	ret->given = value;
	return *rest ? WL_OK : refuse_parts(t, value);
}

static int take_values(struct taking *t)
{
	const struct wl_invocation *inv = t->inv;
	size_t n = 0;
	int r = WL_OK;

	if (inv->n_operands)
		return wl_fail(t->reterr, WL_E_USAGE,
			       "%s: give traces either as %.100s or with --%s, not both", t->name,
			       inv->operand[0], t->traces->option->key);
	/* At most: other options that may be repeated are in the same list. */
	if (!make_room(t, inv->n_many))
		return no_memory(t);
	for (size_t i = 0; r == WL_OK && i < inv->n_many; i++) {
		struct wl_named_trace *trace = &t->traces->trace[n];

		if (inv->many[i].param != t->option)
			continue;
		for (size_t k = 0; k < inv->verb.analysis->n_params; k++)
			trace->args[k] = k == t->option ? NULL : inv->param[k];
		r = split(t, inv->many[i].text, trace);
		n++;
	}
	t->traces->n = n;
	return r < 0 ? r : check(t, false);
}

int wl_traces_take(const struct wl_invocation *inv, struct wl_arena *arena, struct wl_traces *ret,
		   struct wl_err *reterr)
{
	struct taking t = { .inv = inv,
			    .name = wl_verb_name(&inv->verb),
			    .arena = arena,
			    .traces = ret,
			    .reterr = reterr };

	*ret = (struct wl_traces){ .option = wl_verb_param_of(&inv->verb, WL_P_TRACE, &t.option) };
	if (ret->option && inv->param[t.option])
		return take_values(&t);
	ret->option = NULL;
	return take_operands(&t);
}
