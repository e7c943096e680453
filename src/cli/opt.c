/* SPDX-License-Identifier: MIT */
#include "cli/opt.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"

/* The word that names the verb is the first that is neither an option nor an option's argument. */
struct parsing {
	int argc;
	char *const *argv;
	int i;
	struct wl_invocation *inv;
	struct wl_err *reterr;
	bool in_list; /* words that follow are values of the parameter below */
	size_t list;
};

const char *wl_param_argument(const struct wl_param *p)
{
	static const char *const names[] = {
		[WL_P_COUNT] = "N",      [WL_P_NS] = "TIME",     [WL_P_BYTES] = "BYTES",
		[WL_P_RATIO] = "RATIO",  [WL_P_BOOL] = NULL,     [WL_P_ENUM] = "WORD",
		[WL_P_STR] = "TEXT",     [WL_P_REGEX] = "REGEX", [WL_P_DOC] = "FILE",
		[WL_P_SECONDS] = "TIME", [WL_P_TRACE] = "TRACE", [WL_P_DIR] = "DIR",
		[WL_P_TITLE] = "TEXT",   [WL_P_PAGE] = "FILE",
	};

	return p->argument ? p->argument : names[p->type];
}

static bool is_name(const char *have, const char *name, size_t n)
{
	return have && strlen(have) == n && strncmp(have, name, n) == 0;
}

/* The parameter that an option of this name is, or WL_MAX_PARAMS. */
static size_t find_param(const struct wl_verb *v, const char *name, size_t n)
{
	size_t n_params;
	const struct wl_param *params = wl_verb_params(v, &n_params);

	for (size_t i = 0; i < n_params; i++) {
		const struct wl_param *p = &params[i];

		if (!p->operand && (is_name(p->key, name, n) || is_name(p->alias, name, n)))
			return i;
	}
	return WL_MAX_PARAMS;
}

/* "overlap, idle and kernels": the verbs that have an option of this name. */
static void list_owners(const char *name, size_t n, char *buf, size_t size)
{
	const char *last = NULL;
	struct wl_verb v;
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; wl_verb_at(i, &v); i++) {
		if (find_param(&v, name, n) == WL_MAX_PARAMS)
			continue;
		if (last && used < size)
			used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
						 last);
		last = wl_verb_name(&v);
	}
	if (last && used < size)
		(void)snprintf(buf + used, size - used, "%s%s", used ? " and " : "", last);
}

/* "--by, --name": the verb's own options; "" when it has none. */
static void list_params(const struct wl_verb *v, char *buf, size_t size)
{
	size_t n, used = 0;
	const struct wl_param *params = wl_verb_params(v, &n);

	buf[0] = '\0';
	for (size_t i = 0; i < n && used < size; i++) {
		if (!params[i].operand)
			used += (size_t)snprintf(buf + used, size - used, "%s--%s",
						 used ? ", " : "", params[i].key);
	}
}

/* The option is one of other verbs. */
static int foreign_option(const struct parsing *p, const char *name, size_t n)
{
	const char *verb = p->inv->has_verb ? wl_verb_name(&p->inv->verb) : "summary";
	char owners[300], own[200] = "";

	list_owners(name, n, owners, sizeof(owners));
	if (p->inv->has_verb)
		list_params(&p->inv->verb, own, sizeof(own));
	return wl_fail(p->reterr, WL_E_USAGE, "%s has no --%.*s (%s %s)%s%s%s%s", verb, (int)n,
		       name, owners, strstr(owners, " and ") ? "have it" : "has it",
		       own[0] ? "; " : "", own[0] ? verb : "", own[0] ? " takes " : "", own);
}

/* The first verb that has an option of this name; false, and no verb, when there is none. */
static bool find_owner(const char *name, size_t n, struct wl_verb *ret)
{
	for (size_t i = 0; wl_verb_at(i, ret); i++) {
		if (find_param(ret, name, n) < WL_MAX_PARAMS)
			return true;
	}
	return false;
}

/* What a long option is. */
struct found {
	bool is_known, takes_argument;
	enum wl_option_id option; /* WL_N_OPTIONS: none of all verbs */
	size_t param;             /* WL_MAX_PARAMS: none of the verb's own */
};

static struct found find_long(const char *name, size_t n, const struct wl_verb *v)
{
	size_t n_params;
	const struct wl_param *params = wl_verb_params(v, &n_params);
	struct found f = { .option = WL_N_OPTIONS, .param = find_param(v, name, n) };

	if (f.param < n_params) {
		f.is_known = true;
		f.takes_argument = wl_param_argument(&params[f.param]) != NULL;
		return f;
	}
	for (size_t i = 0; i < WL_N_OPTIONS && !f.is_known; i++) {
		f.is_known = is_name(wl_options[i].long_name, name, n);
		if (f.is_known) {
			f.option = (enum wl_option_id)i;
			f.takes_argument = wl_options[i].argument != NULL;
		}
	}
	return f;
}

static void offer_params(struct wl_nearest *nearest, const struct wl_verb *v)
{
	size_t n;
	const struct wl_param *p = wl_verb_params(v, &n);

	for (size_t i = 0; i < n; i++) {
		if (p[i].operand)
			continue;
		wl_nearest_offer(nearest, p[i].key);
		if (p[i].alias)
			wl_nearest_offer(nearest, p[i].alias);
	}
}

static int unknown_option(struct parsing *p, const char *name, size_t n)
{
	struct wl_nearest nearest;
	struct wl_verb v;
	char word[64];
	const char *best;

	(void)snprintf(word, sizeof(word), "%.*s", (int)n, name);
	if (find_owner(name, n, &v))
		return foreign_option(p, name, n);
	wl_nearest_init(&nearest, word);
	for (size_t i = 0; i < WL_N_OPTIONS; i++)
		wl_nearest_offer(&nearest, wl_options[i].long_name);
	if (p->inv->has_verb)
		offer_params(&nearest, &p->inv->verb);
	for (size_t i = 0; !p->inv->has_verb && wl_verb_at(i, &v); i++)
		offer_params(&nearest, &v);
	best = wl_nearest_get(&nearest);
	if (best)
		return wl_fail(p->reterr, WL_E_USAGE, "unknown option --%s; did you mean --%s?",
			       word, best);
	return wl_fail(p->reterr, WL_E_USAGE,
		       "unknown option --%s; \"warplens help%s%s\" lists them", word,
		       p->inv->has_verb ? " " : "",
		       p->inv->has_verb ? wl_verb_name(&p->inv->verb) : "");
}

static int set_param(struct parsing *p, size_t param, const char *value)
{
	struct wl_invocation *inv = p->inv;
	size_t n_params;
	const struct wl_param *params = wl_verb_params(&inv->verb, &n_params);

	inv->param[param] = value;
	for (size_t i = 0; params[param].stands_for && i < WL_N_OPTIONS; i++) {
		if (strcmp(wl_options[i].long_name, params[param].stands_for) == 0)
			inv->given[i] = value;
	}
	p->in_list = params[param].type == WL_P_TRACE;
	p->list = param;
	if (!params[param].many)
		return WL_OK;
	if (inv->n_many == WL_MAX_MANY)
		return wl_fail(p->reterr, WL_E_USAGE, "--%s: given more than %d times",
			       params[param].key, WL_MAX_MANY);
	inv->many[inv->n_many++] = (struct wl_many){ param, value };
	return WL_OK;
}

static int parse_long(struct parsing *p)
{
	const char *word = p->argv[p->i] + 2, *equals = strchr(word, '=');
	size_t n = equals ? (size_t)(equals - word) : strlen(word);
	const struct found f = find_long(word, n, &p->inv->verb);
	const char *value = equals ? equals + 1 : NULL;

	if (!f.is_known)
		return unknown_option(p, word, n);
	if (f.takes_argument && !value) {
		if (p->i + 1 >= p->argc)
			return wl_fail(p->reterr, WL_E_USAGE, "--%.*s needs a value", (int)n, word);
		value = p->argv[++p->i];
	}
	if (!f.takes_argument && value)
		return wl_fail(p->reterr, WL_E_USAGE, "--%.*s takes no value", (int)n, word);
	if (f.param < WL_MAX_PARAMS)
		return set_param(p, f.param, value ? value : "true");
	p->inv->given[f.option] = value ? value : "";
	return WL_OK;
}

static int parse_short(struct parsing *p)
{
	const char *word = p->argv[p->i] + 1;

	for (size_t i = 0; i < WL_N_OPTIONS; i++) {
		if (wl_options[i].short_name != *word)
			continue;
		if (!wl_options[i].argument) {
			if (word[1])
				return wl_fail(p->reterr, WL_E_USAGE, "-%c takes no value", *word);
			p->inv->given[i] = "";
			return WL_OK;
		}
		if (word[1]) {
			p->inv->given[i] = word[1] == '=' ? word + 2 : word + 1;
			return WL_OK;
		}
		if (p->i + 1 >= p->argc)
			return wl_fail(p->reterr, WL_E_USAGE, "-%c needs a value", *word);
		p->inv->given[i] = p->argv[++p->i];
		return WL_OK;
	}
	return wl_fail(p->reterr, WL_E_USAGE, "unknown option -%c; \"warplens help\" lists them",
		       *word);
}

static bool short_takes_argument(int letter)
{
	for (size_t i = 0; i < WL_N_OPTIONS; i++) {
		if (wl_options[i].short_name == letter)
			return wl_options[i].argument != NULL;
	}
	return false;
}

/* An option that stands before the verb may be one of its own: those of any verb are known. */
static struct found find_anywhere(const char *name)
{
	size_t n = strlen(name);
	struct wl_verb owner;

	(void)find_owner(name, n, &owner);
	return find_long(name, n, &owner);
}

static int take_verb(struct parsing *p, const char *word)
{
	const char *nearest;

	p->inv->has_verb = wl_verb_find(word, &p->inv->verb);
	if (p->inv->has_verb)
		return WL_OK;
	if (strchr(word, '/') || strchr(word, '.') || access(word, F_OK) == 0) {
		/* A trace: the options of summary are known, too. */
		(void)wl_verb_find("summary", &p->inv->verb);
		return WL_OK;
	}
	nearest = wl_verb_nearest(word);
	if (nearest)
		return wl_fail(p->reterr, WL_E_USAGE, "no verb or file \"%.60s\"; did you mean %s?",
			       word, nearest);
	return wl_fail(p->reterr, WL_E_USAGE,
		       "no verb or file \"%.60s\"; \"warplens help\" lists the verbs", word);
}

/* The verb decides which options there are, so it is looked for before any is parsed. */
static int find_verb(struct parsing *p)
{
	for (int i = 1; i < p->argc; i++) {
		const char *word = p->argv[i];
		struct found f = { .is_known = true };

		if (strcmp(word, "--") == 0) {
			p->inv->has_verb =
				i + 1 < p->argc && wl_verb_find(p->argv[i + 1], &p->inv->verb);
			return WL_OK;
		}
		if (word[0] != '-' || !word[1])
			return take_verb(p, word);
		if (word[1] != '-')
			f.takes_argument = word[2] == '\0' && short_takes_argument(word[1]);
		else if (!strchr(word, '='))
			f = find_anywhere(word + 2);
		i += f.takes_argument;
		if (!f.is_known)
			return unknown_option(p, word + 2, strlen(word + 2));
	}
	return WL_OK;
}

static int parse_words(struct parsing *p)
{
	bool only_operands = false, verb_seen = !p->inv->has_verb;
	int r = WL_OK;

	for (p->i = 1; r == WL_OK && p->i < p->argc; p->i++) {
		const char *word = p->argv[p->i];

		if (!only_operands && word[0] == '-' && word[1])
			p->in_list = false;
		if (!only_operands && strcmp(word, "--") == 0) {
			only_operands = true;
		} else if (!only_operands && word[0] == '-' && word[1] == '-') {
			r = parse_long(p);
		} else if (!only_operands && word[0] == '-' && word[1]) {
			r = parse_short(p);
		} else if (!verb_seen) {
			verb_seen = true;
		} else if (p->in_list) {
			r = set_param(p, p->list, word);
		} else if (p->inv->n_operands == WL_MAX_OPERANDS) {
			r = wl_fail(p->reterr, WL_E_USAGE, "too many operands");
		} else {
			p->inv->operand[p->inv->n_operands++] = word;
		}
	}
	return r;
}

/* Operands but no verb: summary, unless the verb stands behind the trace. */
static int assume_summary(struct wl_invocation *inv, struct wl_err *reterr)
{
	struct wl_verb late;

	for (size_t i = 1; i < inv->n_operands; i++) {
		if (wl_verb_find(inv->operand[i], &late))
			return wl_fail(reterr, WL_E_USAGE,
				       "the verb comes first: warplens %s %.200s", inv->operand[i],
				       inv->operand[0]);
	}
	(void)wl_verb_find("summary", &inv->verb);
	inv->has_verb = true;
	return WL_OK;
}

/* What the user writes goes before what the name of the verb implies. */
static void imply_option(struct wl_invocation *inv)
{
	const struct wl_alias *alias = inv->verb.alias;
	size_t i;

	if (!alias || !alias->key)
		return;
	i = find_param(&inv->verb, alias->key, strlen(alias->key));
	assert(i < WL_MAX_PARAMS);
	if (!inv->param[i])
		inv->param[i] = alias->value;
}

/* Of the options of all verbs, a command may leave out some. */
static int check_taken(const struct wl_invocation *inv, struct wl_err *reterr)
{
	const struct wl_command *command = inv->verb.command;

	for (size_t i = 0; command && i < WL_N_OPTIONS; i++) {
		if (inv->given[i] && command->without >> i & 1)
			return wl_fail(reterr, WL_E_USAGE, "%s: --%s does not apply%s%s",
				       command->name, wl_options[i].long_name,
				       command->instead ? "; " : "",
				       command->instead ? command->instead : "");
	}
	return WL_OK;
}

int wl_opt_parse(int argc, char *const *argv, struct wl_invocation *ret, struct wl_err *reterr)
{
	struct parsing p = { .argc = argc, .argv = argv, .inv = ret, .reterr = reterr };
	int r;

	*ret = (struct wl_invocation){ .n_operands = 0 };
	r = find_verb(&p);
	if (r == WL_OK)
		r = parse_words(&p);
	if (r == WL_OK && !ret->has_verb && ret->n_operands)
		r = assume_summary(ret, reterr);
	if (r == WL_OK)
		imply_option(ret);
	if (r == WL_OK)
		r = check_taken(ret, reterr);
	/* Who asks for help gets it, whatever else is on the line. */
	if (r == WL_OK && ret->has_verb && !ret->given[WL_OPT_HELP] &&
	    !ret->given[WL_OPT_VERSION] && !ret->given[WL_OPT_INTROSPECT])
		r = wl_values_parse(ret->given, &ret->verb, &ret->opt, reterr);
	return r;
}
