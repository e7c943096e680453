/* SPDX-License-Identifier: MIT */
#include "cli/opt.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/option_names.h"
#include "known/builtin.h"

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

static int unknown_option(const struct parsing *p, const char *name, size_t n)
{
	return wl_option_unknown(name, n, p->inv->has_verb ? &p->inv->verb : NULL, p->reterr);
}

/* An analysis has one text per parameter: those of one that is given several times are lines. */
static int add_line(struct parsing *p, size_t param, const char *value)
{
	struct wl_invocation *inv = p->inv;
	size_t used = strlen(inv->lines);
	int n = snprintf(inv->lines + used, sizeof(inv->lines) - used, "%s%s", used ? "\n" : "",
			 value);

	if (n < 0 || (size_t)n >= sizeof(inv->lines) - used)
		return wl_fail(p->reterr, WL_E_USAGE, "--%s: the values are too long together",
			       inv->verb.analysis->params[param].key);
	inv->param[param] = inv->lines;
	return WL_OK;
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
	if (inv->verb.analysis && params[param].type == WL_P_STR)
		return add_line(p, param, value);
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
	const struct wl_found_option f = wl_option_find(word, n, &p->inv->verb);
	const char *value = equals ? equals + 1 : NULL;

	if (!f.is_known)
		return unknown_option(p, word, n);
	if (f.n_words && !value) {
		if (p->i + f.n_words >= p->argc)
			return wl_fail(p->reterr, WL_E_USAGE, "--%.*s needs %s", (int)n, word,
				       f.n_words == 1 ? "a value" : "two values");
		value = p->argv[++p->i];
	}
	if (!f.n_words && value)
		return wl_fail(p->reterr, WL_E_USAGE, "--%.*s takes no value", (int)n, word);
	if (f.param < WL_MAX_PARAMS)
		return set_param(p, f.param, value ? value : "true");
	p->inv->given[f.option] = value ? value : "";
	if (f.n_words > 1)
		p->inv->second[f.option] = p->i + 1 < p->argc ? p->argv[++p->i] : NULL;
	return WL_OK;
}

/* The value behind a letter: "-rX", "-r=X" or "-r X"; NULL for none. */
static const char *short_value(struct parsing *p)
{
	const char *word = p->argv[p->i] + 1;

	if (word[1])
		return word[1] == '=' ? word + 2 : word + 1;
	return p->i + 1 < p->argc ? p->argv[++p->i] : NULL;
}

static int needs_value(struct parsing *p, char letter)
{
	return wl_fail(p->reterr, WL_E_USAGE, "-%c needs a value", letter);
}

/* A letter of the verb. */
static int parse_own_short(struct parsing *p)
{
	const char letter = p->argv[p->i][1], *value;
	size_t n_params;
	const struct wl_param *params = wl_verb_params(&p->inv->verb, &n_params);

	for (size_t i = 0; i < n_params; i++) {
		if (params[i].letter != letter)
			continue;
		value = short_value(p);
		return value ? set_param(p, i, value) : needs_value(p, letter);
	}
	return wl_fail(p->reterr, WL_E_USAGE, "unknown option -%c; \"warplens help\" lists them",
		       letter);
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
		p->inv->given[i] = short_value(p);
		return p->inv->given[i] ? WL_OK : needs_value(p, *word);
	}
	return parse_own_short(p);
}

static bool short_takes_argument(int letter)
{
	for (size_t i = 0; i < WL_N_OPTIONS; i++) {
		if (wl_options[i].short_name == letter)
			return wl_options[i].argument != NULL;
	}
	return false;
}

static int take_verb(struct parsing *p, const char *word)
{
	const char *nearest;
	size_t n;

	p->inv->has_verb = wl_verb_find(word, &p->inv->verb);
	if (p->inv->has_verb)
		return WL_OK;
	if (strchr(word, '/') || strchr(word, '.') || access(word, F_OK) == 0) {
		/* A trace: the options of summary are known, too. */
		(void)wl_verb_find("summary", &p->inv->verb);
		return WL_OK;
	}
	nearest = wl_verb_nearest(word);
	if (wl_builtin_find("skills", word, &n))
		return wl_fail(p->reterr, WL_E_USAGE,
			       "%.60s is a skill: warplens skill run %.60s TRACE", word, word);
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
		struct wl_found_option f = { .is_known = true };

		if (strcmp(word, "--") == 0) {
			p->inv->has_verb =
				i + 1 < p->argc && wl_verb_find(p->argv[i + 1], &p->inv->verb);
			return WL_OK;
		}
		if (word[0] != '-' || !word[1])
			return take_verb(p, word);
		if (word[1] != '-')
			f.n_words = word[2] == '\0' && short_takes_argument(word[1]);
		else if (!strchr(word, '='))
			f = wl_option_find_anywhere(word + 2);
		i += f.n_words;
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

/* How many operands of the verb itself come with its traces. */
static size_t count_own(const struct wl_verb *v)
{
	size_t n = 0;

	for (size_t i = 0; v->analysis && i < v->analysis->n_params; i++)
		n += v->analysis->params[i].operand;
	return n;
}

/* The files become one operand, which stands for the job. */
static int take_job(struct wl_invocation *inv, struct wl_err *reterr)
{
	size_t n = 0, own = count_own(&inv->verb);

	for (size_t i = 0; i < inv->n_operands; i++) {
		const char *operand = inv->operand[i];
		bool is_file = access(operand, F_OK) == 0;

		if (!is_file && n - (inv->n_job > 0) == own)
			return wl_fail(reterr, WL_E_IO, "--job: no file \"%.200s\"", operand);
		if (is_file && inv->n_job == WL_MAX_JOB)
			return wl_fail(reterr, WL_E_USAGE, "--job: more than %d files", WL_MAX_JOB);
		if (is_file && inv->n_job == 0)
			inv->job_at = n;
		if (!is_file || inv->n_job == 0)
			inv->operand[n++] = operand;
		if (is_file)
			inv->job[inv->n_job++] = operand;
	}
	inv->n_operands = n;
	return WL_OK;
}

static bool are_files(const struct wl_invocation *inv)
{
	struct stat st;

	for (size_t i = 0; i < inv->n_operands; i++) {
		if (stat(inv->operand[i], &st) < 0 || S_ISDIR(st.st_mode))
			return false;
	}
	return true;
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
	inv->is_guessed = inv->n_operands > 1 && !inv->given[WL_OPT_JOB] && are_files(inv);
	return WL_OK;
}

static int put_window(struct wl_invocation *inv, const struct wl_trim *trim, struct wl_err *reterr)
{
	int r = wl_trim_window(trim, inv->window, reterr);

	if (r < 0)
		return r;
	if (inv->given[WL_OPT_WINDOW])
		return wl_fail(reterr, WL_E_USAGE, "%s: it is the window; leave --window out",
			       trim->option);
	inv->given[WL_OPT_WINDOW] = inv->window;
	return WL_OK;
}

static const char *param_of_type(const struct wl_invocation *inv, enum wl_param_type type)
{
	size_t i;

	return inv->has_verb && wl_verb_param_of(&inv->verb, type, &i) ? inv->param[i] : NULL;
}

/* Windows as other tools write them become --window, the one way that is known further on. */
static int take_window(struct wl_invocation *inv, struct wl_err *reterr)
{
	const struct wl_trim trim = { "--trim", inv->given[WL_OPT_TRIM], inv->second[WL_OPT_TRIM],
				      true };
	const struct wl_trim own = { "--start and --end", param_of_type(inv, WL_P_BEGIN),
				     param_of_type(inv, WL_P_END), false };
	int r = WL_OK;

	if (trim.begin && !trim.end)
		return wl_fail(reterr, WL_E_USAGE, "--trim: give two times, such as 39 42");
	if (trim.begin)
		r = put_window(inv, &trim, reterr);
	if (r == WL_OK && (own.begin || own.end))
		r = put_window(inv, &own, reterr);
	inv->given[WL_OPT_TRIM] = NULL;
	return r;
}

/* What the user writes goes before what the name of the verb implies. */
static void imply_options(struct wl_invocation *inv)
{
	const struct wl_implied *o = inv->verb.alias ? inv->verb.alias->implies : NULL;

	for (size_t k = 0; o && k < WL_MAX_IMPLIED && o[k].key; k++) {
		size_t n = strlen(o[k].key), i = wl_option_param(&inv->verb, o[k].key, n);
		enum wl_option_id option = wl_option_common(o[k].key, n);

		if (i < WL_MAX_PARAMS) {
			inv->param[i] = inv->param[i] ? inv->param[i] : o[k].value;
			continue;
		}
		assert(option < WL_N_OPTIONS);
		/* Columns are chosen where the format is known. */
		if (option != WL_OPT_COLUMNS && !inv->given[option])
			inv->given[option] = o[k].value;
	}
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

/* Who asks for help gets it, whatever else is on the line. */
static bool asks_help(const struct wl_invocation *inv)
{
	return inv->given[WL_OPT_HELP] || inv->given[WL_OPT_VERSION] ||
	       inv->given[WL_OPT_INTROSPECT];
}

/* All that follows from the verb. */
static int finish(struct wl_invocation *inv, struct wl_err *reterr)
{
	int r;

	imply_options(inv);
	r = check_taken(inv, reterr);
	if (r == WL_OK && inv->has_verb && !asks_help(inv))
		r = wl_values_parse(inv->given, &inv->verb, &inv->opt, reterr);
	return r;
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
	if (r == WL_OK && !asks_help(ret))
		r = take_window(ret, reterr);
	if (r == WL_OK && (ret->given[WL_OPT_JOB] || ret->is_guessed))
		r = take_job(ret, reterr);
	return r == WL_OK ? finish(ret, reterr) : r;
}

int wl_opt_as(struct wl_invocation *inv, const char *name, struct wl_err *reterr)
{
	bool found = wl_verb_find(name, &inv->verb);

	assert(found);
	(void)found;
	memset(inv->param, 0, sizeof(inv->param));
	inv->n_many = 0;
	inv->lines[0] = '\0';
	return finish(inv, reterr);
}
