#include "cli/opt.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/nearest.h"

const struct wl_option wl_options[WL_N_OPTIONS] = {
#define WL_OPTION(ID, short_, long_, argument, def, group, help)                                   \
	[WL_OPT_##ID] = { short_, long_, argument, def, group, help },
#include "cli/options.def"
#undef WL_OPTION
};

/* The word that names the verb is the first that is neither an option nor an option's argument. */
struct parsing {
	int argc;
	char *const *argv;
	int i;
	struct wl_invocation *inv;
	struct wl_err *reterr;
};

static bool takes_argument(const char *name, size_t n, const struct wl_analysis *a,
			   enum wl_option_id *ret_option, size_t *ret_param, bool *ret_known)
{
	*ret_option = WL_N_OPTIONS;
	*ret_param = WL_MAX_PARAMS;
	*ret_known = true;
	for (size_t i = 0; a && i < a->n_params; i++) {
		if (!a->params[i].operand && strlen(a->params[i].key) == n &&
		    strncmp(a->params[i].key, name, n) == 0) {
			*ret_param = i;
			return true;
		}
	}
	for (size_t i = 0; i < WL_N_OPTIONS; i++) {
		if (strlen(wl_options[i].long_name) == n &&
		    strncmp(wl_options[i].long_name, name, n) == 0) {
			*ret_option = (enum wl_option_id)i;
			return wl_options[i].argument != NULL;
		}
	}
	*ret_known = false;
	return false;
}

static int unknown_option(struct parsing *p, const char *name, size_t n)
{
	const struct wl_analysis *a = p->inv->verb.analysis;
	struct wl_nearest nearest;
	char word[64];
	const char *best;

	(void)snprintf(word, sizeof(word), "%.*s", (int)n, name);
	wl_nearest_init(&nearest, word);
	for (size_t i = 0; i < WL_N_OPTIONS; i++)
		wl_nearest_offer(&nearest, wl_options[i].long_name);
	for (size_t i = 0; a && i < a->n_params; i++)
		wl_nearest_offer(&nearest, a->params[i].key);
	best = wl_nearest_get(&nearest);
	if (best)
		return wl_fail(p->reterr, WL_E_USAGE, "unknown option --%s; did you mean --%s?",
			       word, best);
	return wl_fail(p->reterr, WL_E_USAGE,
		       "unknown option --%s; \"warplens help%s%s\" lists them", word,
		       p->inv->has_verb ? " " : "",
		       p->inv->has_verb ? wl_verb_name(&p->inv->verb) : "");
}

static int parse_long(struct parsing *p)
{
	const char *word = p->argv[p->i] + 2, *equals = strchr(word, '=');
	size_t n = equals ? (size_t)(equals - word) : strlen(word), param;
	enum wl_option_id option;
	bool known;
	bool takes = takes_argument(word, n, p->inv->verb.analysis, &option, &param, &known);
	const char *value = equals ? equals + 1 : NULL;

	if (!known)
		return unknown_option(p, word, n);
	if (takes && !value) {
		if (p->i + 1 >= p->argc)
			return wl_fail(p->reterr, WL_E_USAGE, "--%.*s needs a value", (int)n, word);
		value = p->argv[++p->i];
	}
	if (!takes && value)
		return wl_fail(p->reterr, WL_E_USAGE, "--%.*s takes no value", (int)n, word);
	if (param < WL_MAX_PARAMS)
		p->inv->param[param] = value;
	else
		p->inv->value[option] = value ? value : "";
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
			p->inv->value[i] = "";
			return WL_OK;
		}
		if (word[1]) {
			p->inv->value[i] = word[1] == '=' ? word + 2 : word + 1;
			return WL_OK;
		}
		if (p->i + 1 >= p->argc)
			return wl_fail(p->reterr, WL_E_USAGE, "-%c needs a value", *word);
		p->inv->value[i] = p->argv[++p->i];
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

/* The verb decides which options there are, so it is looked for before any is parsed. */
static int find_verb(struct parsing *p)
{
	for (int i = 1; i < p->argc; i++) {
		const char *word = p->argv[i], *nearest;
		enum wl_option_id option;
		size_t param;
		bool known;

		if (strcmp(word, "--") == 0)
			return WL_OK;
		if (word[0] == '-' && word[1] == '-' && !strchr(word, '=')) {
			i += takes_argument(word + 2, strlen(word + 2), NULL, &option, &param,
					    &known);
			continue;
		}
		if (word[0] == '-' && word[1]) {
			i += word[2] == '\0' && short_takes_argument(word[1]);
			continue;
		}
		if (wl_verb_find(word, &p->inv->verb)) {
			p->inv->has_verb = true;
			return WL_OK;
		}
		if (strchr(word, '/') || strchr(word, '.') || access(word, F_OK) == 0)
			return WL_OK; /* a trace: summary */
		nearest = wl_verb_nearest(word);
		if (nearest)
			return wl_fail(p->reterr, WL_E_USAGE,
				       "no verb or file \"%.60s\"; did you mean %s?", word,
				       nearest);
		return wl_fail(p->reterr, WL_E_USAGE,
			       "no verb or file \"%.60s\"; \"warplens help\" lists the verbs",
			       word);
	}
	return WL_OK;
}

static int parse_words(struct parsing *p)
{
	bool only_operands = false, verb_seen = !p->inv->has_verb;
	int r = WL_OK;

	for (p->i = 1; r == WL_OK && p->i < p->argc; p->i++) {
		const char *word = p->argv[p->i];

		if (!only_operands && strcmp(word, "--") == 0) {
			only_operands = true;
		} else if (!only_operands && word[0] == '-' && word[1] == '-') {
			r = parse_long(p);
		} else if (!only_operands && word[0] == '-' && word[1]) {
			r = parse_short(p);
		} else if (!verb_seen) {
			verb_seen = true;
		} else if (p->inv->n_operands == WL_MAX_OPERANDS) {
			r = wl_fail(p->reterr, WL_E_USAGE, "too many operands");
		} else {
			p->inv->operand[p->inv->n_operands++] = word;
		}
	}
	return r;
}

int wl_opt_parse(int argc, char *const *argv, struct wl_invocation *ret, struct wl_err *reterr)
{
	struct parsing p = { argc, argv, 0, ret, reterr };
	int r;

	*ret = (struct wl_invocation){ .n_operands = 0 };
	r = find_verb(&p);
	if (r == WL_OK)
		r = parse_words(&p);
	if (r == WL_OK && !ret->has_verb && ret->n_operands) {
		(void)wl_verb_find("summary", &ret->verb);
		ret->has_verb = true;
	}
	return r;
}
