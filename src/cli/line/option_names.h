/* SPDX-License-Identifier: MIT */
/*
 * option_names.h - which option a name of the command line is, and what to say of an unknown one.
 *
 * Tools join the words of an option differently: --out-dir, --out_dir and --outdir are one. Names
 * have no dashes before them here, and need not end behind n bytes.
 */
#ifndef WL_CLI_OPTION_NAMES_H
#define WL_CLI_OPTION_NAMES_H

#include "base/attr.h"
#include "base/err.h"
#include "cli/line/options.h"
#include "cli/verb.h"

/* A word of the line that is an option: "--name", "--name=VALUE", "-x", "-xVALUE" or "-x=VALUE". */
struct wl_option_word {
	const char *name; /* of n bytes, without the dashes */
	size_t n;
	char letter;       /* of a short one, else 0 */
	const char *value; /* in the same word; NULL: there is none */
};

/* False: the word is an operand, or "--". */
bool wl_option_take(const char *word, struct wl_option_word *ret);

/* What an option is. */
struct wl_found_option {
	bool is_known;
	int n_words;              /* that are its values, the first perhaps in the same word */
	enum wl_option_id option; /* WL_N_OPTIONS: none of all verbs */
	size_t param;             /* WL_MAX_PARAMS: none of the verb's own */
};

/* What help calls the argument of a verb's option; NULL for a switch. */
const char *wl_param_argument(const struct wl_verb *v, const struct wl_param *p);

/* The short form of a verb's option; 0 for none. */
char wl_param_letter(const struct wl_verb *v, const struct wl_param *p);

/* The option of all verbs, or WL_N_OPTIONS. */
enum wl_option_id wl_option_common(const char *name, size_t n);

/* The parameter of the verb that an option of this name is, or WL_MAX_PARAMS. */
size_t wl_option_param(const struct wl_verb *v, const char *name, size_t n);

/*
 * An option of the verb, or of any verb. The names of the verb's own go before those of all verbs,
 * the letters of these before its own.
 */
struct wl_found_option wl_option_find(const struct wl_option_word *o, const struct wl_verb *v);

/*
 * Before the verb is known: a long option of any verb may stand before it, and a letter of all
 * verbs.
 */
struct wl_found_option wl_option_find_anywhere(const struct wl_option_word *o);

/* What the command says of an option that it has not, or refuses; NULL for nothing. */
const char *wl_option_hint(const char *name, size_t n, const struct wl_verb *v);

/*
 * Fail with WL_E_USAGE: with the verbs that have the option, or with the nearest name. v may be
 * NULL: there is no verb yet.
 */
int wl_option_unknown(const char *name, size_t n, const struct wl_verb *v,
		      struct wl_err *reterr) WL_MUST_CHECK;

#endif
