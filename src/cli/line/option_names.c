/* SPDX-License-Identifier: MIT */
#include "cli/line/option_names.h"

#include <stdio.h>
#include <string.h>

#include "analysis/args.h"
#include "base/text/nearest.h"

struct words {
	const char *verb, *key; /* verb == NULL: any */
	enum wl_param_type type;
	char letter;
	const char *argument;
};

static const struct words words[] = {
#define WL_WORD(verb, key, type, letter, argument) { verb, key, WL_P_##type, letter, argument },
#include "cli/line/words.def"
#undef WL_WORD
};

/*
 * NULL where the type of the parameter says all. The type is part of the key: --sweep is a list of
 * values in capture and a switch in whatif.
 */
static const struct words *find_words(const struct wl_verb *v, const struct wl_param *p)
{
	for (size_t i = 0; i < WL_COUNT(words); i++) {
		const struct words *w = &words[i];

		if (w->type == p->type && strcmp(w->key, p->key) == 0 &&
		    (!w->verb || strcmp(w->verb, wl_verb_name(v)) == 0))
			return w;
	}
	return NULL;
}

char wl_param_letter(const struct wl_verb *v, const struct wl_param *p)
{
	const struct words *w = find_words(v, p);

	if (!w)
		return '\0';
	return w->letter;
}

const char *wl_param_argument(const struct wl_verb *v, const struct wl_param *p)
{
	static const char *const names[] = {
		[WL_P_COUNT] = "N",      [WL_P_NS] = "TIME",     [WL_P_BYTES] = "BYTES",
		[WL_P_RATIO] = "RATIO",  [WL_P_BOOL] = NULL,     [WL_P_ENUM] = "WORD",
		[WL_P_STR] = "TEXT",     [WL_P_REGEX] = "REGEX", [WL_P_DOC] = "FILE",
		[WL_P_SECONDS] = "TIME", [WL_P_TRACE] = "TRACE", [WL_P_DIR] = "DIR",
		[WL_P_TITLE] = "TEXT",   [WL_P_PAGE] = "FILE",   [WL_P_BEGIN] = "NS",
		[WL_P_END] = "NS",
	};
	const struct words *w = find_words(v, p);

	if (p->takes)
		return p->takes;
	return w ? w->argument : names[p->type];
}

/* Other spellings of the options of all verbs. */
static const struct {
	const char *name;
	enum wl_option_id option;
} spellings[] = { { "out", WL_OPT_OUTPUT } };

enum wl_option_id wl_option_common(const char *name, size_t n)
{
	for (size_t i = 0; i < WL_N_OPTIONS; i++) {
		if (wl_key_is(wl_options[i].long_name, name, n))
			return (enum wl_option_id)i;
	}
	for (size_t i = 0; i < WL_COUNT(spellings); i++) {
		if (wl_key_is(spellings[i].name, name, n))
			return spellings[i].option;
	}
	return WL_N_OPTIONS;
}

/* How many words follow an option: "A B" are two. */
static int count_words(const char *argument)
{
	int n = argument != NULL;

	for (; argument && *argument; argument++)
		n += *argument == ' ';
	return n;
}

size_t wl_option_param(const struct wl_verb *v, const char *name, size_t n)
{
	size_t n_params;
	const struct wl_param *params = wl_verb_params(v, &n_params);

	for (size_t i = 0; i < n_params; i++) {
		const struct wl_param *p = &params[i];

		/* --start and --end are for compute_overlap; overlap itself has --window. */
		if (p->only_as && !(v->alias && strcmp(v->alias->name, p->only_as) == 0))
			continue;
		if ((!p->operand && wl_key_is(p->key, name, n)) || wl_key_is(p->alias, name, n))
			return i;
	}
	return WL_MAX_PARAMS;
}

/* "overlap, idle and kernels": the verbs that have an option of this name; how many. */
static size_t list_owners(const char *name, size_t n, char *buf, size_t size)
{
	const char *last = NULL;
	struct wl_verb v;
	size_t used = 0, n_owners = 0;

	buf[0] = '\0';
	for (size_t i = 0; wl_verb_at(i, &v); i++) {
		if (wl_option_param(&v, name, n) == WL_MAX_PARAMS)
			continue;
		if (last && used < size)
			used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
						 last);
		last = wl_verb_name(&v);
		n_owners++;
	}
	if (last && used < size)
		(void)snprintf(buf + used, size - used, "%s%s", used ? " and " : "", last);
	return n_owners;
}

/* "--by, --name": the verb's own options; "" when it has none. */
static void list_params(const struct wl_verb *v, char *buf, size_t size)
{
	size_t n, used = 0;
	const struct wl_param *params = wl_verb_params(v, &n);

	buf[0] = '\0';
	for (size_t i = 0; i < n && used < size; i++) {
		if (!params[i].operand && !params[i].only_as)
			used += (size_t)snprintf(buf + used, size - used, "%s--%s",
						 used ? ", " : "", params[i].key);
	}
}

/* The option is one of other verbs. */
static int foreign_option(const char *name, size_t n, const struct wl_verb *v,
			  struct wl_err *reterr)
{
	const char *verb = v ? wl_verb_name(v) : "summary";
	char owners[300], own[200] = "";
	size_t n_owners = list_owners(name, n, owners, sizeof(owners));

	if (v)
		list_params(v, own, sizeof(own));
	return wl_fail(reterr, WL_E_USAGE, "%s has no --%.*s (%s %s)%s%s%s%s", verb, (int)n, name,
		       owners, n_owners > 1 ? "have it" : "has it", own[0] ? "; " : "",
		       own[0] ? verb : "", own[0] ? " takes " : "", own);
}

/* The first verb that has an option of this name; false, and no verb, when there is none. */
static bool find_owner(const char *name, size_t n, struct wl_verb *ret)
{
	for (size_t i = 0; wl_verb_at(i, ret); i++) {
		if (wl_option_param(ret, name, n) < WL_MAX_PARAMS)
			return true;
	}
	return false;
}

bool wl_option_take(const char *word, struct wl_option_word *ret)
{
	*ret = (struct wl_option_word){ .name = word + 1, .n = 1 };
	if (word[0] != '-' || !word[1] || strcmp(word, "--") == 0)
		return false;
	if (word[1] == '-') {
		ret->name = word + 2;
		ret->n = strcspn(ret->name, "=");
		ret->value = ret->name[ret->n] ? ret->name + ret->n + 1 : NULL;
	} else {
		ret->letter = word[1];
		ret->value = word[2] ? word + 2 + (word[2] == '=') : NULL;
	}
	return true;
}

static size_t letter_of_verb(const struct wl_verb *v, char letter)
{
	size_t n;
	const struct wl_param *params = wl_verb_params(v, &n);

	for (size_t i = 0; i < n; i++) {
		if (wl_param_letter(v, &params[i]) == letter)
			return i;
	}
	return WL_MAX_PARAMS;
}

static enum wl_option_id letter_of_all(char letter)
{
	enum wl_option_id id = 0;

	while (id < WL_N_OPTIONS && wl_options[id].short_name != letter)
		id++;
	return id;
}

struct wl_found_option wl_option_find(const struct wl_option_word *o, const struct wl_verb *v)
{
	struct wl_found_option f = { .option = WL_N_OPTIONS, .param = WL_MAX_PARAMS };
	size_t n;

	if (o->letter)
		f.option = letter_of_all(o->letter);
	else
		f.param = wl_option_param(v, o->name, o->n);
	if (o->letter && f.option == WL_N_OPTIONS)
		f.param = letter_of_verb(v, o->letter);
	else if (f.param == WL_MAX_PARAMS && !o->letter)
		f.option = wl_option_common(o->name, o->n);
	f.is_known = f.param < WL_MAX_PARAMS || f.option < WL_N_OPTIONS;
	if (f.param < WL_MAX_PARAMS)
		f.n_words = wl_verb_params(v, &n)[f.param].type != WL_P_BOOL;
	else if (f.is_known)
		f.n_words = count_words(wl_options[f.option].argument);
	return f;
}

static void offer_params(struct wl_nearest *nearest, const struct wl_verb *v)
{
	size_t n;
	const struct wl_param *p = wl_verb_params(v, &n);

	for (size_t i = 0; i < n; i++) {
		if (!p[i].operand)
			wl_nearest_offer(nearest, p[i].key);
		if (p[i].alias)
			wl_nearest_offer(nearest, p[i].alias);
	}
}

const char *wl_option_hint(const char *name, size_t n, const struct wl_verb *v)
{
	const struct wl_option_hint *h = v && v->command ? v->command->hints : NULL;

	while (h && h->name && !wl_key_is(h->name, name, n))
		h++;
	return h && h->name ? h->text : NULL;
}

/* Words of other tools for what an option of all verbs does. */
static const struct {
	const char *name;
	enum wl_option_id option;
	const char *text;
} same_purpose[] = {
	{ "top", WL_OPT_LIMIT, "-n N shows N rows" },
	{ "rows", WL_OPT_LIMIT, "-n N shows N rows" },
	{ "head", WL_OPT_LIMIT, "-n N shows N rows" },
	{ "step", WL_OPT_WINDOW, "--window step:N selects a step, step:3..7 some" },
	{ "steps", WL_OPT_WINDOW, "--window step:N selects a step, step:3..7 some" },
	{ "iter", WL_OPT_WINDOW, "--window step:N selects a step, step:3..7 some" },
	{ "iteration", WL_OPT_WINDOW, "--window step:N selects a step, step:3..7 some" },
	{ "device", WL_OPT_GPU, "--gpu LIST selects GPUs, such as --gpu 0,2" },
	{ "devices", WL_OPT_GPU, "--gpu LIST selects GPUs, such as --gpu 0,2" },
	{ "csv", WL_OPT_FORMAT, "-f csv prints CSV" },
	{ "json", WL_OPT_FORMAT, "-f json prints JSON" },
	{ "markdown", WL_OPT_FORMAT, "-f md prints Markdown" },
	{ "order-by", WL_OPT_SORT, "--sort LIST sorts by columns" },
	{ "filter", WL_OPT_WHERE, "--where EXPR keeps rows, such as --where 'sum > 1ms'" },
};

/* What the verb has for the same purpose; NULL for nothing. */
static const char *find_same_purpose(const char *name, size_t n, const struct wl_verb *v)
{
	for (size_t i = 0; v && i < WL_COUNT(same_purpose); i++) {
		if (wl_key_is(same_purpose[i].name, name, n) &&
		    wl_verb_takes(v, same_purpose[i].option))
			return same_purpose[i].text;
	}
	return NULL;
}

/* Where other tools' windows begin or end: an option that some name of a verb takes. */
static bool is_window(const char *name, size_t n)
{
	struct wl_verb v;

	for (size_t i = 0; wl_verb_at(i, &v); i++) {
		size_t n_params;
		const struct wl_param *p = wl_verb_params(&v, &n_params);

		for (size_t k = 0; k < n_params; k++) {
			if ((p[k].type == WL_P_BEGIN || p[k].type == WL_P_END) &&
			    wl_key_is(p[k].key, name, n))
				return true;
		}
	}
	return false;
}

/*
 * From what is known best to a guess: advice that the command has for this very name, an option
 * that is spelled so in another verb, and only then names that look alike.
 */
int wl_option_unknown(const char *name, size_t n, const struct wl_verb *v, struct wl_err *reterr)
{
	struct wl_nearest nearest;
	struct wl_verb other;
	char word[64];
	const char *best;

	(void)snprintf(word, sizeof(word), "%.*s", (int)n, name);
	if (wl_option_hint(name, n, v))
		return wl_fail(reterr, WL_E_USAGE, "%s has no --%s: %s", wl_verb_name(v), word,
			       wl_option_hint(name, n, v));
	if (v && is_window(name, n))
		return wl_fail(reterr, WL_E_USAGE,
			       "%s has no --%s: --window A..B chooses the window, such as --window "
			       "80ms..100ms",
			       wl_verb_name(v), word);
	if (find_same_purpose(name, n, v))
		return wl_fail(reterr, WL_E_USAGE, "%s has no --%s: %s", wl_verb_name(v), word,
			       find_same_purpose(name, n, v));
	if (find_owner(name, n, &other))
		return foreign_option(name, n, v, reterr);
	wl_nearest_init(&nearest, word);
	for (size_t i = 0; i < WL_N_OPTIONS; i++)
		wl_nearest_offer(&nearest, wl_options[i].long_name);
	if (v)
		offer_params(&nearest, v);
	for (size_t i = 0; !v && wl_verb_at(i, &other); i++)
		offer_params(&nearest, &other);
	best = wl_nearest_get(&nearest);
	if (best)
		return wl_fail(reterr, WL_E_USAGE, "unknown option --%s; did you mean --%s?", word,
			       best);
	if (wl_option_hint("", 0, v))
		return wl_fail(reterr, WL_E_USAGE, "unknown option --%s; %s", word,
			       wl_option_hint("", 0, v));
	return wl_fail(reterr, WL_E_USAGE, "unknown option --%s; \"warplens help %s\" lists them",
		       word, v ? wl_verb_name(v) : "options");
}

/*
 * Only to know whether its value follows, which decides which word is the verb. The first verb that
 * has the option stands for all that have it.
 */
struct wl_found_option wl_option_find_anywhere(const struct wl_option_word *o)
{
	struct wl_verb owner = { .analysis = NULL };

	if (!o->letter)
		(void)find_owner(o->name, o->n, &owner);
	return wl_option_find(o, &owner);
}
