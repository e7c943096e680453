/* SPDX-License-Identifier: MIT */
#include "capture/runs/sweep.h"

#include <string.h>

#include "base/num.h"

static const char name_chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				 "0123456789_.-";

struct parameter {
	const char *name;
	const char *value[WL_SWEEP_VALUES];
	size_t n_values;
	bool in_braces; /* some word of the program has {name} */
};

struct sweeping {
	struct wl_arena *arena;
	struct parameter param[WL_SWEEP_PARAMETERS];
	size_t n_params;
	const char *const *argv;
	size_t n_argv;
};

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "--sweep: no memory for the runs");
}

/* Take the value that begins at *at, move *at behind its comma, or to NULL at the end. */
static const char *next_value(const char **at, struct wl_arena *arena)
{
	const char *from = *at;
	char *value = WL_NEW(arena, char, strlen(from) + 1);
	size_t n = 0;

	if (!value)
		return NULL;
	while (*from && *from != ',') {
		if (from[0] == '\\' && from[1] == ',')
			from++;
		value[n++] = *from++;
	}
	*at = *from == ',' ? from + 1 : NULL;
	return value;
}

static int add_value(struct parameter *p, const char *value, const char *text,
		     struct wl_err *reterr)
{
	if (!*value)
		return wl_fail(reterr, WL_E_USAGE, "--sweep %.100s: a value is empty", text);
	for (size_t i = 0; i < p->n_values; i++)
		if (strcmp(p->value[i], value) == 0)
			return wl_fail(reterr, WL_E_USAGE, "--sweep %.100s: %.60s is there twice",
				       text, value);
	if (p->n_values == WL_SWEEP_VALUES)
		return wl_fail(reterr, WL_E_USAGE, "--sweep %.40s...: more than %d values", text,
			       WL_SWEEP_VALUES);
	p->value[p->n_values++] = value;
	return WL_OK;
}

static int take_name(struct sweeping *s, const char *text, struct wl_err *reterr)
{
	struct parameter *p = &s->param[s->n_params];
	const char *equals = strchr(text, '=');
	size_t n = equals ? (size_t)(equals - text) : 0;
	char *name;

	if (n == 0 || strspn(text, name_chars) != n || text[0] == '-' || text[0] == '.')
		return wl_fail(reterr, WL_E_USAGE,
			       "--sweep %.100s: write NAME=VALUE,VALUE, such as lr=0.1,0.2", text);
	name = WL_NEW(s->arena, char, n + 1);
	if (!name)
		return no_memory(reterr);
	memcpy(name, text, n);
	for (size_t i = 0; i < s->n_params; i++)
		if (strcmp(s->param[i].name, name) == 0)
			return wl_fail(reterr, WL_E_USAGE,
				       "--sweep %.60s is given twice; write all values in one",
				       name);
	p->name = name;
	return WL_OK;
}

static int take_parameter(struct sweeping *s, const char *text, struct wl_err *reterr)
{
	struct parameter *p = &s->param[s->n_params];
	const char *at;
	int r = take_name(s, text, reterr);

	if (r < 0)
		return r;
	for (at = strchr(text, '=') + 1; r == WL_OK && at;) {
		const char *value = next_value(&at, s->arena);

		r = value ? add_value(p, value, text, reterr) : no_memory(reterr);
	}
	s->n_params++;
	return r;
}

/* Where {name} is in a text; NULL if it is not. */
static const char *find_braces(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = strchr(text, '{'); at; at = strchr(at + 1, '{'))
		if (strncmp(at + 1, name, n) == 0 && at[1 + n] == '}')
			return at;
	return NULL;
}

/* The parameter whose braces come first in a text, and where; NULL if it has none. */
static const struct parameter *next_braces(const struct sweeping *s, const char *text,
					   const char **ret_at)
{
	const struct parameter *first = NULL;

	for (size_t i = 0; i < s->n_params; i++) {
		const char *at = find_braces(text, s->param[i].name);

		if (at && (!first || at < *ret_at)) {
			first = &s->param[i];
			*ret_at = at;
		}
	}
	return first;
}

/* The word with values in place of braces; values themselves are not looked through. */
static const char *replace(const struct sweeping *s, const char *word,
			   const struct wl_run_pair *pair)
{
	const struct parameter *p;
	const char *at = word, *hit = NULL;
	size_t size = strlen(word) + 1, used = 0;
	char *text;

	while ((p = next_braces(s, at, &hit)) != NULL) {
		if (!wl_add(size, strlen(pair[p - s->param].value), &size))
			return NULL;
		at = hit + strlen(p->name) + 2;
	}
	if (at == word)
		return word;
	text = WL_NEW(s->arena, char, size);
	for (at = word; text && (p = next_braces(s, at, &hit)) != NULL;) {
		const char *value = pair[p - s->param].value;

		memcpy(text + used, at, (size_t)(hit - at));
		used += (size_t)(hit - at);
		memcpy(text + used, value, strlen(value) + 1);
		used += strlen(value);
		at = hit + strlen(p->name) + 2;
	}
	if (text)
		memcpy(text + used, at, strlen(at) + 1);
	return text;
}

/* "--lr=1" */
static const char *make_option(const struct sweeping *s, const struct wl_run_pair *pair)
{
	size_t size = strlen(pair->name) + strlen(pair->value) + 4;
	char *text = WL_NEW(s->arena, char, size);

	if (text)
		(void)snprintf(text, size, "--%s=%s", pair->name, pair->value);
	return text;
}

static bool make_run(const struct sweeping *s, size_t number, struct wl_sweep_run *ret)
{
	struct wl_run_pair *pair = WL_NEW(s->arena, struct wl_run_pair, s->n_params + 1);
	const char **argv = WL_NEW(s->arena, const char *, s->n_argv + s->n_params + 1);
	size_t n = 0;

	if (!pair || !argv)
		return false;
	for (size_t i = s->n_params; i-- > 0;) {
		const struct parameter *p = &s->param[i];

		pair[i] = (struct wl_run_pair){ p->name, p->value[number % p->n_values] };
		number /= p->n_values;
	}
	for (; n < s->n_argv; n++) {
		argv[n] = replace(s, s->argv[n], pair);
		if (!argv[n])
			return false;
	}
	for (size_t i = 0; i < s->n_params; i++) {
		if (s->param[i].in_braces)
			continue;
		argv[n] = make_option(s, &pair[i]);
		if (!argv[n++])
			return false;
	}
	*ret = (struct wl_sweep_run){ argv, pair, s->n_params };
	return true;
}

static int count_runs(struct sweeping *s, size_t *ret_n, struct wl_err *reterr)
{
	size_t n = 1;

	for (size_t i = 0; i < s->n_params; i++) {
		struct parameter *p = &s->param[i];

		n *= p->n_values; /* at most 256 times 64 */
		if (n > WL_SWEEP_RUNS)
			return wl_fail(reterr, WL_E_USAGE,
				       "--sweep: more than %d runs; leave some values out",
				       WL_SWEEP_RUNS);
		for (size_t k = 0; k < s->n_argv; k++)
			p->in_braces = p->in_braces || find_braces(s->argv[k], p->name);
	}
	*ret_n = n;
	return WL_OK;
}

int wl_sweep_make(const char *const *text, size_t n, const char *const *argv,
		  struct wl_arena *arena, struct wl_sweep *ret, struct wl_err *reterr)
{
	struct sweeping s = { .arena = arena, .argv = argv };
	struct wl_sweep_run *run;
	size_t n_runs = 0;
	int r = WL_OK;

	if (n > WL_SWEEP_PARAMETERS)
		return wl_fail(reterr, WL_E_USAGE, "--sweep: more than %d parameters",
			       WL_SWEEP_PARAMETERS);
	while (argv[s.n_argv])
		s.n_argv++;
	for (size_t i = 0; r == WL_OK && i < n; i++)
		r = take_parameter(&s, text[i], reterr);
	if (r == WL_OK)
		r = count_runs(&s, &n_runs, reterr);
	if (r < 0)
		return r;
	run = WL_NEW(arena, struct wl_sweep_run, n_runs);
	for (size_t i = 0; run && i < n_runs; i++)
		if (!make_run(&s, i, &run[i]))
			return no_memory(reterr);
	if (!run)
		return no_memory(reterr);
	*ret = (struct wl_sweep){ run, n_runs };
	return WL_OK;
}
