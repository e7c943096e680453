/* SPDX-License-Identifier: MIT */
#include "cli/line/forms.h"

#include <stdio.h>
#include <string.h>

#include "analysis/args.h"
#include "base/file/file.h"
#include "cli/line/option_names.h"

struct line {
	int argc;
	char *const *argv;
	int n_verb_words;
};

/* Where an option stands, and its value: in its word, or the next one. */
struct place {
	int at, n_words;
	const char *value; /* NULL: the line ends there */
};

/* "--NAME", or "-f facts": the letter of an option of all verbs. */
static bool is_called(const struct wl_option_word *o, const char *name, size_t n)
{
	enum wl_option_id id = o->letter ? wl_option_common(name, n) : WL_N_OPTIONS;
	char key[64];

	if (o->letter)
		return id < WL_N_OPTIONS && wl_options[id].short_name == o->letter;
	(void)snprintf(key, sizeof(key), "%.*s", (int)n, name);
	return wl_key_is(key, o->name, o->n);
}

static bool find_option(const struct line *line, const char *name, size_t n_name, bool is_switch,
			struct place *ret)
{
	for (int i = 1; i < line->argc && strcmp(line->argv[i], "--") != 0; i++) {
		struct wl_option_word o;

		if (!wl_option_take(line->argv[i], &o) || (is_switch && o.letter) ||
		    !is_called(&o, name, n_name))
			continue;
		*ret = (struct place){ .at = i, .n_words = 1, .value = o.value };
		if (is_switch)
			return !o.value;
		if (!o.value) {
			ret->n_words++;
			ret->value = i + 1 < line->argc ? line->argv[i + 1] : NULL;
		}
		return true;
	}
	return false;
}

static bool is_any(const struct wl_form *f)
{
	return f->value && strcmp(f->value, "*") == 0;
}

/* "*.html": the option is one of the other verb, too. */
static bool is_ending(const struct wl_form *f)
{
	return f->option && f->value && f->value[0] == '*' && f->value[1];
}

int wl_form_count_values(const struct wl_verb *v, const char *word)
{
	const struct wl_form *form;
	struct wl_found_option f;
	struct wl_option_word o;
	struct wl_verb other;

	if (!wl_option_take(word, &o))
		return -1;
	f = wl_option_find(&o, v);
	if (f.is_known)
		return o.value ? 0 : f.n_words;
	for (size_t i = 0; !o.letter && (form = wl_form_at(v, i, &other)); i++) {
		if (form->option && wl_key_is(form->option, o.name, o.n))
			return form->value && !o.value;
	}
	return -1;
}

/* NULL where none stands before "--", or behind an option of which nobody knows the values. */
static const char *find_first_operand(const struct line *line, const struct wl_verb *v)
{
	int n_left = line->n_verb_words;

	for (int i = 1; i < line->argc && strcmp(line->argv[i], "--") != 0; i++) {
		const char *word = line->argv[i];
		int n = wl_form_count_values(v, word);

		if (n >= 0)
			i += n;
		else if (word[0] == '-' && word[1])
			return NULL;
		else if (n_left-- == 0)
			return word;
	}
	return NULL;
}

/* By its name alone: a program has no such one, and a file that is absent is said to be. */
static bool is_trace(const char *name)
{
	return wl_path_ends_in(name, ".sqlite") || wl_path_ends_in(name, ".nsys-rep") ||
	       wl_path_ends_in(name, ".qdrep") || wl_path_is_dir(name);
}

static bool has_word(const struct line *line, const struct wl_verb *v, const struct wl_form *f)
{
	const char *word = find_first_operand(line, v);

	if (!word)
		return false;
	return strcmp(f->value, "TRACE") == 0 ? is_trace(word) : strcmp(f->value, word) == 0;
}

static bool has_form(const struct line *line, const struct wl_verb *v, const struct wl_form *f,
		     struct place *ret)
{
	*ret = (struct place){ .value = NULL };
	if (!f->option)
		return has_word(line, v, f);
	if (!find_option(line, f->option, strlen(f->option), !f->value, ret))
		return false;
	if (is_ending(f))
		return ret->value && wl_path_ends_in(ret->value, f->value + 1);
	return !f->value || (ret->value && (is_any(f) || strcmp(ret->value, f->value) == 0));
}

static void leave_out(struct wl_form_found *f, const struct place *p)
{
	for (int i = 0; i < p->n_words && f->n_words < WL_FORM_WORDS; i++)
		f->word[f->n_words++] = p->at + i;
}

/* What may stand beside says nothing more: "--by stream" where streams are asked for. */
static void leave_beside(const struct line *line, struct wl_form_found *f)
{
	const char *beside = f->form->beside;
	size_t n = beside ? strcspn(beside, "=") : 0;
	struct place p;

	if (beside && find_option(line, beside, n, beside[n] == '\0', &p) &&
	    (beside[n] == '\0' || (p.value && strcmp(p.value, beside + n + 1) == 0)))
		leave_out(f, &p);
}

static bool is_of(const struct wl_form *f, const struct wl_verb *verb)
{
	const struct wl_alias *alias = wl_verb_aliases(verb);

	while (alias->name && strcmp(alias->name, f->verb) != 0)
		alias++;
	return alias->name || strcmp(wl_verb_name(verb), f->verb) == 0;
}

const struct wl_form *wl_form_at(const struct wl_verb *verb, size_t i, struct wl_verb *ret_is)
{
	for (size_t k = 0; wl_verb_at(k, ret_is); k++) {
		for (const struct wl_form *f = wl_verb_forms(ret_is); f->verb; f++) {
			if (is_of(f, verb) && i-- == 0)
				return f;
		}
	}
	return NULL;
}

/* The option that makes the form is one of the verb that it is, or there is none. */
static bool stays(const struct wl_verb *is, const struct wl_form *f)
{
	return !f->option || is_ending(f) ||
	       (is_any(f) && wl_option_param(is, f->option, strlen(f->option)) < WL_MAX_PARAMS);
}

void wl_form_find(int argc, char *const *argv, int n_verb_words, struct wl_verb *verb,
		  struct wl_form_found *ret)
{
	const struct line line = { argc, argv, n_verb_words };
	const struct wl_form *f;
	struct wl_verb is;
	struct place p;
	size_t i = 0;

	*ret = (struct wl_form_found){ .form = NULL };
	do
		f = wl_form_at(verb, i++, &is);
	while (f && !has_form(&line, verb, f, &p));
	if (!f)
		return;
	*verb = is;
	verb->alias = &f->as;
	ret->form = f;
	if (stays(verb, f))
		return;
	ret->value = is_any(f) ? p.value : NULL;
	leave_out(ret, &p);
	leave_beside(&line, ret);
}

void wl_form_words(const struct wl_form *f, char *buf, size_t size)
{
	const char *value = f->value ? f->value : "";

	if (f->option)
		(void)snprintf(buf, size, "--%s%s%s%s", f->option, f->value ? " " : "",
			       is_ending(f) ? "FILE" : "",
			       is_any(f)      ? "VALUE"
			       : is_ending(f) ? value + 1
					      : value);
	else
		(void)snprintf(buf, size, "%s", f->value);
}

void wl_form_list(const struct wl_verb *v, size_t *i, const struct wl_form *f, char *buf,
		  size_t size)
{
	struct wl_verb other;

	wl_form_words(f, buf, size);
	while (!f->option && wl_form_at(v, *i + 1, &other) == f + 1) {
		size_t used = strlen(buf);

		f++;
		++*i;
		(void)snprintf(buf + used, size - used, "|%s", f->value);
	}
}
