/* SPDX-License-Identifier: MIT */
/*
 * forms.h - a line of a verb whose option or first operand makes it another one (struct wl_form of
 * analysis.h).
 */
#ifndef WL_CLI_FORMS_H
#define WL_CLI_FORMS_H

#include "cli/verb.h"

enum { WL_FORM_WORDS = 4 };

/* A form in a line. */
struct wl_form_found {
	const struct wl_form *form; /* NULL: the line has none */
	const char *value;          /* of "*" */
	int word[WL_FORM_WORDS];    /* of the line, which say no more than the form */
	int n_words;
};

/*
 * The form that a line of a verb has, which so many words name; then *verb becomes the one that it
 * is. A value of the option that the other verb has, too, stays one of its words.
 */
void wl_form_find(int argc, char *const *argv, int n_verb_words, struct wl_verb *verb,
		  struct wl_form_found *ret);

/*
 * How many words follow a word that is an option of the verb or of one of its forms, as its values;
 * -1: it has none such.
 */
int wl_form_count_values(const struct wl_verb *verb, const char *word);

/*
 * The i-th of the forms of a verb, by its name or an alias, and the verb that it is; NULL past the
 * last. Costs a walk over all verbs.
 */
const struct wl_form *wl_form_at(const struct wl_verb *verb, size_t i, struct wl_verb *ret_is);

/*
 * The i-th form as one would write it, "--by pair"; words that make the verb the same one are one
 * entry, "list|show", and *i is the last of them.
 */
void wl_form_list(const struct wl_verb *verb, size_t *i, const struct wl_form *form, char *buf,
		  size_t size);

/* "--by pair" or "list", as one would write it. */
void wl_form_words(const struct wl_form *form, char *buf, size_t size);

#endif
