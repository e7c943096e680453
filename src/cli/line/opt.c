/* SPDX-License-Identifier: MIT */
#include "cli/line/opt.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/line/files.h"
#include "cli/line/forms.h"
#include "cli/line/option_names.h"
#include "cli/line/verb_of_line.h"
#include "session/document/verb_call.h"

struct parsing {
	int argc;
	char *const *argv;
	int i;
	struct wl_invocation *inv;
	struct wl_err *reterr;
	bool in_list; /* words that follow are values of the parameter below */
	size_t list;
	int n_verb_words;
	struct wl_form_found form;
	bool form_took; /* an operand as its option's value */
};

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
	/*
	 * Such as --all, which is --verbose, and --nsys_cmd of gputrc2graph, which is --nsys: the
	 * rest of the program knows only the option of all verbs.
	 */
	for (size_t i = 0; params[param].stands_for && i < WL_N_OPTIONS; i++) {
		if (strcmp(wl_options[i].long_name, params[param].stands_for) == 0)
			inv->given[i] = value;
	}
	/*
	 * "--in_file A,vllm,llama B,vllm,llama" of gputrc2graph: the words after the first are
	 * values, too, up to the next option.
	 */
	p->in_list = params[param].type == WL_P_TRACE;
	p->list = param;
	if (!params[param].many)
		return WL_OK;
	if (inv->verb.analysis && params[param].type == WL_P_STR)
		return add_line(p, param, value);
	if (inv->n_many == WL_MAX_MANY)
		return wl_fail(p->reterr, WL_E_USAGE, "--%s: given more than %d times",
			       params[param].key, WL_MAX_MANY);
	inv->many[inv->n_many++] = (struct wl_many){ .param = param, .text = value };
	return WL_OK;
}

/* The option of another program that the command takes; NULL for none. */
static const struct wl_foreign_option *find_foreign(const struct wl_invocation *inv,
						    const struct wl_option_word *o)
{
	const struct wl_foreign_option *f = inv->verb.command ? inv->verb.command->foreign : NULL;

	/* Names of foreign ones have their dashes, which stand before o->name, too. */
	while (f && f->name &&
	       (o->letter ? f->letter != o->letter
			  : strlen(f->name) != o->n + 2 ||
				    strncmp(f->name, o->name - 2, o->n + 2) != 0))
		f++;
	return f && f->name ? f : NULL;
}

static int set_foreign(struct parsing *p, const struct wl_foreign_option *f, const char *value)
{
	int r;

	if (!value && p->i + 1 < p->argc)
		value = p->argv[++p->i];
	if (!value)
		return wl_fail(p->reterr, WL_E_USAGE, "%s needs a value", f->name);
	r = set_param(p, p->inv->verb.command->foreign_param, value);
	if (r == WL_OK)
		p->inv->many[p->inv->n_many - 1].foreign = f->name;
	return r;
}

static int unknown_option(const struct parsing *p, const struct wl_option_word *o)
{
	const struct wl_verb *v = p->inv->has_verb ? &p->inv->verb : NULL;

	if (!o->letter)
		return wl_option_unknown(o->name, o->n, v, p->reterr);
	/* Who calls it by another tool's name means that tool's option. */
	if (p->inv->verb.alias)
		return wl_fail(p->reterr, WL_E_USAGE,
			       "unknown option -%c: %s is %s here, and \"warplens help %s\" lists "
			       "its options",
			       o->letter, p->inv->verb.alias->name, wl_verb_name(v),
			       wl_verb_name(v));
	return wl_fail(p->reterr, WL_E_USAGE, "unknown option -%c; \"warplens help %s\" lists them",
		       o->letter, v ? wl_verb_name(v) : "options");
}

static bool is_of_sides(enum wl_option_id option)
{
	for (size_t i = 0; i < WL_N_SELECTING; i++) {
		if (strcmp(wl_common_keys[i], wl_options[option].long_name) == 0)
			return true;
	}
	return false;
}

/*
 * Of a selection given twice the first text would be ignored, unseen, unless there are two sides
 * that have one each.
 */
static int set_again(struct parsing *p, enum wl_option_id option, const char *value)
{
	struct wl_invocation *inv = p->inv;
	const bool has_sides = inv->verb.command && inv->verb.command->has_sides;
	const char *name = wl_options[option].long_name;
	const char *instead = "";

	if (has_sides && is_of_sides(option) && !inv->again[option]) {
		inv->again[option] = value;
		return WL_OK;
	}
	if (has_sides)
		instead = is_of_sides(option) ? "; give it once, or once per side" : "";
	else if (option == WL_OPT_WINDOW || option == WL_OPT_TRIM)
		instead = "; \"warplens diff TRACE --window A --window B\" compares two windows";
	else if (option != WL_OPT_MARKER && option != WL_OPT_CONVENTIONS)
		instead = "; give a list, such as 0,2";
	return wl_fail(p->reterr, WL_E_USAGE, "--%s is given %s%s", name,
		       has_sides && is_of_sides(option) ? "three times" : "twice", instead);
}

static int parse_option(struct parsing *p, const struct wl_option_word *o)
{
	const struct wl_found_option f = wl_option_find(o, &p->inv->verb);
	const struct wl_foreign_option *foreign = find_foreign(p->inv, o);
	const int n = (int)(o->name + o->n - p->argv[p->i]);
	const char *word = p->argv[p->i], *value = o->value;

	/*
	 * capture takes the options of nsys as they are typed there. Its own names win over them;
	 * they win over those of all verbs, which would mean something else than in the line that
	 * was pasted.
	 */
	if (foreign && f.param == WL_MAX_PARAMS)
		return set_foreign(p, foreign, value);
	if (!f.is_known)
		return unknown_option(p, o);
	if (f.n_words && !value) {
		if (p->i + f.n_words >= p->argc)
			return wl_fail(p->reterr, WL_E_USAGE, "%.*s needs %s", n, word,
				       f.n_words == 1 ? "a value" : "two values");
		value = p->argv[++p->i];
	}
	if (!f.n_words && value)
		return wl_fail(p->reterr, WL_E_USAGE, "%.*s takes no value", n, word);
	if (f.param < WL_MAX_PARAMS)
		return set_param(p, f.param, value ? value : "true");
	if (p->inv->given[f.option] && strcmp(wl_options[f.option].group, "selection") == 0)
		return set_again(p, f.option, value);
	p->inv->given[f.option] = value ? value : "";
	if (f.n_words > 1)
		p->inv->second[f.option] = p->i + 1 < p->argc ? p->argv[++p->i] : NULL;
	return WL_OK;
}

static bool runs_program(const struct wl_invocation *inv)
{
	return inv->verb.command && inv->verb.command->runs_program;
}

static bool is_of_form(const struct parsing *p)
{
	for (int i = 0; i < p->form.n_words; i++) {
		if (p->form.word[i] == p->i)
			return true;
	}
	return false;
}

/* What the form says in words of the verb that it is. */
static void put_form_operands(struct parsing *p)
{
	if (p->form.form && p->form.form->operand)
		p->inv->operand[p->inv->n_operands++] = p->form.form->operand;
	if (p->form.value)
		p->inv->operand[p->inv->n_operands++] = p->form.value;
}

/* "--baselines show NAME": the first operand names what the form would put before it. */
static void drop_form_operand(struct wl_invocation *inv, const struct wl_form_found *form)
{
	const char *const *given = inv->operand + 1;

	if (!form->form || !form->form->operand || form->value || inv->n_operands < 2 ||
	    !inv->verb.command || !inv->verb.command->word)
		return;
	for (size_t i = 0; inv->verb.command->word(i); i++) {
		if (strcmp(inv->verb.command->word(i), *given) != 0)
			continue;
		inv->n_operands--;
		memmove(inv->operand, given, inv->n_operands * sizeof(*given));
		return;
	}
}

static int take_operand(struct parsing *p, const char *word)
{
	struct wl_invocation *inv = p->inv;
	const char *takes = p->form.form ? p->form.form->takes : NULL;

	if (takes && !p->form_took) {
		p->form_took = true;
		return set_param(p, wl_option_param(&inv->verb, takes, strlen(takes)), word);
	}
	if (inv->n_operands == WL_MAX_OPERANDS)
		return wl_fail(p->reterr, WL_E_USAGE, "too many operands");
	inv->operand[inv->n_operands++] = word;
	return WL_OK;
}

static int parse_words(struct parsing *p)
{
	bool only_operands = false;
	int r = WL_OK, to_skip = p->n_verb_words;

	put_form_operands(p);
	for (p->i = 1; r == WL_OK && p->i < p->argc; p->i++) {
		const char *word = p->argv[p->i];
		struct wl_option_word option = { .n = 0 };
		bool is_option = !only_operands && wl_option_take(word, &option);
		bool is_end = !only_operands && strcmp(word, "--") == 0;

		if (is_of_form(p))
			continue;
		p->in_list = p->in_list && !is_option && !is_end;
		if (is_end) {
			only_operands = true;
			p->inv->n_before = p->inv->n_operands;
		} else if (is_option) {
			r = parse_option(p, &option);
		} else if (to_skip) {
			to_skip--;
		} else if (p->in_list) {
			r = set_param(p, p->list, word);
		} else {
			r = take_operand(p, word);
			/*
			 * The options that follow belong to the profiled program, also without "--"
			 * before it, as with nsys and env.
			 */
			only_operands = only_operands || runs_program(p->inv);
		}
	}
	drop_form_operand(p->inv, &p->form);
	return r;
}

/*
 * Operands but no verb: a default one, unless the verb stands behind the trace. Asked only once the
 * first word turned out to be no verb: without this, "warplens run.sqlite kernels" would report
 * that there is no file called kernels.
 */
static int assume_verb(struct wl_invocation *inv, struct wl_err *reterr)
{
	struct wl_verb late;

	for (size_t i = 1; i < inv->n_operands; i++) {
		if (wl_verb_find(inv->operand[i], &late))
			return wl_fail(reterr, WL_E_USAGE,
				       "the verb comes first: warplens %s %.200s", inv->operand[i],
				       inv->operand[0]);
	}
	inv->has_verb = true;
	wl_files_guess(inv, inv->verb.document != NULL);
	return WL_OK;
}

static int put_window(struct wl_invocation *inv, const struct wl_trim *trim, struct wl_err *reterr)
{
	int r = wl_trim_window(trim, inv->window, reterr);

	if (r < 0)
		return r;
	if (inv->given[WL_OPT_WINDOW])
		return wl_fail(reterr, WL_E_USAGE, "%s sets the window; remove --window",
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

/* Who asks for help gets it, whatever else is on the line. */
static bool is_about_program(enum wl_option_id option)
{
	return option == WL_OPT_HELP || option == WL_OPT_VERSION || option == WL_OPT_INTROSPECT;
}

/* With what to do instead, of this option or of all that the command refuses. */
static int refuse_option(const struct wl_invocation *inv, const char *name, struct wl_err *reterr)
{
	const struct wl_command *command = inv->verb.command;
	const char *instead = wl_option_hint(name, strlen(name), &inv->verb);

	if (!instead && command)
		instead = command->instead;
	return wl_fail(reterr, WL_E_USAGE, "%s: --%s does not apply%s%s", wl_verb_name(&inv->verb),
		       name, instead ? "; " : "", instead ? instead : "");
}

/* Two times that were typed are a window by now. */
static enum wl_option_id as_typed(const struct wl_invocation *inv, enum wl_option_id option)
{
	return option == WL_OPT_WINDOW && inv->second[WL_OPT_TRIM] ? WL_OPT_TRIM : option;
}

/*
 * An option that would be ignored is refused: of all verbs', a command takes some, or none.
 * Ignoring one would answer another question than the one asked, and scripts would not notice.
 */
static int check_taken(const struct wl_invocation *inv, struct wl_err *reterr)
{
	const struct wl_command *command = inv->verb.command;

	if (inv->given[WL_OPT_SEPARATE] && inv->given[WL_OPT_JOB])
		return wl_fail(reterr, WL_E_USAGE, "--separate and --job: give one of the two");
	for (enum wl_option_id i = 0; i < WL_N_OPTIONS; i++) {
		bool is_taken =
			wl_verb_takes(&inv->verb, i) &&
			(i != WL_OPT_SEPARATE || !command || command->several != WL_SEVERAL_OWN);

		if (inv->given[i] && !is_about_program(i) && !is_taken)
			return refuse_option(inv, wl_options[as_typed(inv, i)].long_name, reterr);
	}
	return WL_OK;
}

static bool asks_help(const struct wl_invocation *inv)
{
	return inv->given[WL_OPT_HELP] || inv->given[WL_OPT_VERSION] ||
	       inv->given[WL_OPT_INTROSPECT];
}

/* 1 can be meant as 1 ns, 1 ms or 1 s: a time is given with its unit, as in a window. */
static int check_units(const struct wl_invocation *inv, struct wl_err *reterr)
{
	size_t n;
	const struct wl_param *params = wl_verb_params(&inv->verb, &n);

	for (size_t i = 0; i < n; i++) {
		const char *text = inv->param[i];
		struct wl_err why;
		int64_t ns;

		if (params[i].type == WL_P_NS && text && wl_parse_ns(text, &ns, &why) == WL_OK &&
		    wl_parse_ns_with_unit(text, &ns, &why) < 0)
			return wl_fail(reterr, WL_E_USAGE, "--%s %.60s: %s", params[i].key, text,
				       why.msg);
	}
	return WL_OK;
}

/* All that follows from the verb. */
static int finish(struct wl_invocation *inv, struct wl_err *reterr)
{
	int r;

	/*
	 * Parsing comes last: "report -n ten" should say that the option does not apply, not that
	 * ten is no number. Help parses nothing, since "kernels -f ? --help" asks what -f takes.
	 */
	imply_options(inv);
	r = check_taken(inv, reterr);
	if (r == WL_OK && inv->has_verb)
		r = check_units(inv, reterr);
	if (r == WL_OK && inv->has_verb && !asks_help(inv))
		r = wl_values_parse(inv->given, &inv->verb, &inv->opt, reterr);
	return r;
}

int wl_opt_parse(int argc, char *const *argv, struct wl_invocation *ret, struct wl_err *reterr)
{
	struct parsing p = { .argc = argc, .argv = argv, .inv = ret, .reterr = reterr };
	int r;

	*ret = (struct wl_invocation){ .n_operands = 0 };
	r = wl_verb_of_line(argc, argv, &ret->verb, &p.n_verb_words, reterr);
	ret->has_verb = p.n_verb_words > 0;
	if (r == WL_OK && ret->has_verb)
		wl_form_find(argc, argv, p.n_verb_words, &ret->verb, &p.form);
	if (r == WL_OK)
		r = parse_words(&p);
	if (r == WL_OK && ret->has_verb)
		wl_files_guess(ret, false);
	else if (r == WL_OK && ret->n_operands)
		r = assume_verb(ret, reterr);
	if (r == WL_OK && !asks_help(ret))
		r = take_window(ret, reterr);
	if (r == WL_OK && ret->given[WL_OPT_JOB])
		r = wl_files_take(ret, reterr);
	return r == WL_OK ? finish(ret, reterr) : r;
}

/*
 * The parameters are numbered by verb, so texts that belong to the former one must not be read with
 * the numbers of the new one.
 */
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
