/* SPDX-License-Identifier: MIT */
/*
 * forms.h - verbs that are another one with an option: "idle --list" is gaps. So people learn few
 * verbs, and each of the others keeps its name, its table and its options.
 */
#ifndef WL_CLI_FORMS_H
#define WL_CLI_FORMS_H

#include "cli/verb.h"

struct wl_form {
	const char *verb;   /* a name or an alias */
	const char *option; /* without dashes */
	const char *value;  /* of the option; NULL: it is a switch; "*": any, which is an operand */
	const char *beside; /* "option" or "option=value", which may stand there as well; NULL */
	const char *operand; /* put before those of the line; NULL for none */
	const char *is;      /* the verb that it is */
	struct wl_alias as;  /* what it is called, and which option of that verb it implies */
};

extern const struct wl_form wl_forms[];
extern const size_t wl_n_forms;

enum { WL_FORM_WORDS = 4 };

/* A form in a line. */
struct wl_form_found {
	const struct wl_form *form; /* NULL: the line has none */
	const char *value;          /* of "*" */
	int word[WL_FORM_WORDS];    /* of the line, which say no more than the form */
	int n_words;
};

/*
 * The form that a line of a verb has, the first in the order of forms.def; then *verb becomes the
 * one that it is. An option that the other verb has, too, stays one of its words.
 */
void wl_form_find(int argc, char *const *argv, struct wl_verb *verb, struct wl_form_found *ret);

/* The form is one of this verb, by its name or an alias. */
bool wl_form_is_of(const struct wl_form *form, const struct wl_verb *verb);

/* "--by pair", as one would write it. */
void wl_form_words(const struct wl_form *form, char *buf, size_t size);

#endif
