/* SPDX-License-Identifier: MIT */
/* Help as people meet it: few verbs first, everything behind two words, nothing wider than 80. */
#include "cli/help/help.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/line/forms.h"
#include "cli/line/option_names.h"
#include "support/unit.h"

enum { COLUMNS = 80, SCREEN = 24, VERB_SCREEN = 40, LINE_CHARACTERS = 66, N_SHOWN = 13 };

static char *printed(void (*print)(FILE *out))
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	print(out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static char *printed_of(const struct wl_verb *v, void (*print)(const struct wl_verb *v, FILE *out))
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	print(v, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* How many lines it has, none too wide and none with a blank at its end. */
static int lines_of(const char *text)
{
	int n = 0;

	for (; *text; n++) {
		size_t width = strcspn(text, "\n");

		if (width > COLUMNS)
			fail_msg("wider than %d columns: %.*s", COLUMNS, (int)width, text);
		if (width && text[width - 1] == ' ')
			fail_msg("ends in a blank: %.*s", (int)width, text);
		assert_int_equal(text[width], '\n');
		text += width + 1;
	}
	return n;
}

static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at++) {
		if ((at == text || strchr(" \n\",:(=|", at[-1])) &&
		    (!at[n] || strchr(" \n\".,;:)=|", at[n])))
			return true;
	}
	return false;
}

TEST(help_shows_thirteen_verbs_on_a_screen)
{
	FREED char *text = printed(wl_help_overview);
	struct wl_verb v;
	int n_shown = 0;

	assert_in_range(lines_of(text), 10, SCREEN);
	for (size_t i = 0; wl_verb_at(i, &v); i++) {
		const struct wl_listed l = wl_verb_listed(&v);
		char line[128];

		(void)snprintf(line, sizeof(line), "\n  %-10s %s\n", l.name, l.line);
		assert_int_equal(strstr(text, line) != NULL, l.level == WL_LEVEL_FIRST);
		n_shown += l.level == WL_LEVEL_FIRST;
	}
	assert_true(has_word(text, "serve")); /* beside timeline */
	assert_int_equal(n_shown + 1, N_SHOWN);
}

TEST(lines_of_lists_are_short)
{
	struct wl_verb v;

	for (size_t i = 0; wl_verb_at(i, &v); i++) {
		const struct wl_listed l = wl_verb_listed(&v);
		struct wl_verb same;

		if (l.level < WL_LEVEL_SECOND)
			continue;
		if (strlen(l.line) > LINE_CHARACTERS || strlen(l.all) > LINE_CHARACTERS)
			fail_msg("%s: longer than %d characters", l.name, LINE_CHARACTERS);
		assert_true(wl_verb_find(l.name, &same));
		assert_string_equal(wl_verb_name(&same), wl_verb_name(&v));
	}
}

TEST(help_all_names_every_verb)
{
	FREED char *text = printed(wl_help_all);
	struct wl_verb v;

	(void)lines_of(text);
	for (size_t i = 0; wl_verb_at(i, &v); i++) {
		const struct wl_listed l = wl_verb_listed(&v);
		char line[128];

		(void)snprintf(line, sizeof(line), "\n  %-10s %s\n", l.name, l.all);
		assert_int_equal(strstr(text, line) != NULL, l.level >= WL_LEVEL_SECOND);
		if (!has_word(text, l.name))
			fail_msg("help all does not name %s", l.name);
	}
}

/* A verb without a line of its own is reached by one that has one. */
TEST(what_is_not_listed_is_a_form)
{
	struct wl_verb v, of;

	for (size_t i = 0; wl_verb_at(i, &v); i++) {
		const struct wl_form *f = wl_verb_forms(&v);

		if (wl_verb_listed(&v).level != WL_LEVEL_FORM)
			continue;
		if (!f->verb || !wl_verb_find(f->verb, &of))
			fail_msg("%s is in no list and a form of no verb", wl_verb_name(&v));
		assert_true(wl_verb_listed(&of).level >= WL_LEVEL_SECOND);
	}
}

TEST(help_options_has_every_option)
{
	FREED char *text = printed(wl_help_options);

	(void)lines_of(text);
	for (size_t i = 0; i < WL_N_OPTIONS; i++) {
		char name[64];

		(void)snprintf(name, sizeof(name), "--%s ", wl_options[i].long_name);
		if (!strstr(text, name))
			fail_msg("no %s", name);
	}
}

static void expect_options(const struct wl_verb *v, const char *text)
{
	size_t n;
	const struct wl_param *params = wl_verb_params(v, &n);
	const struct wl_form *f;
	struct wl_verb other;

	for (size_t p = 0; p < n; p++) {
		char name[64];

		(void)snprintf(name, sizeof(name), params[p].operand ? "%s" : "--%s",
			       params[p].key);
		if (!params[p].only_as && !has_word(text, name))
			fail_msg("help %s: no %s", wl_verb_name(v), name);
	}
	for (size_t k = 0; (f = wl_form_at(v, k, &other)); k++) {
		char words[64];

		wl_form_words(f, words, sizeof(words));
		if (!strstr(text, words))
			fail_msg("help %s: no %s", wl_verb_name(v), words);
	}
}

TEST(help_of_a_verb_is_one_screen)
{
	struct wl_verb v;

	for (size_t i = 0; wl_verb_at(i, &v); i++) {
		char *text = printed_of(&v, wl_help_brief);
		const struct wl_alias *alias = wl_verb_aliases(&v);
		int n = lines_of(text);

		if (n > VERB_SCREEN)
			fail_msg("help %s: %d lines", wl_verb_name(&v), n);
		assert_non_null(strstr(text, wl_verb_examples(&v)[0].command));
		assert_true(has_word(text, wl_verb_name(&v)));
		expect_options(&v, text);
		for (size_t c = 0; v.analysis && c < v.analysis->n_cols; c++)
			assert_true(has_word(text, v.analysis->cols[c].key));
		for (; alias->name; alias++)
			assert_true(has_word(text, alias->name));
		free(text);
	}
}

TEST(the_manual_text_has_what_the_screen_leaves_out)
{
	struct wl_verb v;

	for (size_t i = 0; wl_verb_at(i, &v); i++) {
		char *text = printed_of(&v, wl_help_verb);
		size_t n;
		const struct wl_param *params = wl_verb_params(&v, &n);

		assert_non_null(strstr(text, "\nusage: warplens "));
		assert_non_null(strstr(text, "\nExamples:\n"));
		expect_options(&v, text);
		for (size_t p = 0; p < n; p++)
			assert_true(params[p].operand || has_word(text, params[p].key) ||
				    strstr(text, params[p].key));
		free(text);
	}
}

/* --- no words at all -------------------------------------------------------------------------- */

static void make_file(const char *name, time_t changed)
{
	FILE *f = fopen(name, "w");
	const struct timespec times[2] = { { .tv_sec = changed }, { .tv_sec = changed } };

	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(utimensat(AT_FDCWD, name, times, 0), 0);
}

TEST(usage_names_the_newest_traces)
{
	char room[] = "/tmp/test_help_XXXXXX", was[4096], *text;

	assert_non_null(getcwd(was, sizeof(was)));
	assert_non_null(mkdtemp(room));
	assert_int_equal(chdir(room), 0);
	text = printed(wl_help_usage);
	assert_non_null(strstr(text, "\nno trace here yet; record one, or try the example:\n"
				     "  warplens capture -- python train.py\n  warplens demo\n"));
	free(text);
	make_file("old.sqlite", 1000);
	make_file("-new.nsys-rep", 4000);
	make_file("two words.qdrep", 3000);
	make_file("notes.txt", 9000);
	make_file(".hidden.sqlite", 9000);
	make_file("middle.sqlite", 2000);
	assert_int_equal(mkdir("job.sqlite", 0700), 0);
	text = printed(wl_help_usage);
	(void)lines_of(text);
	assert_non_null(strstr(text, "\ntraces in this directory, newest first:\n"
				     "  warplens ./-new.nsys-rep\n"
				     "  warplens 'two words.qdrep'\n"
				     "  warplens middle.sqlite\n"));
	assert_null(strstr(text, "old.sqlite"));
	free(text);
	assert_int_equal(unlink("old.sqlite") | unlink("-new.nsys-rep") |
				 unlink("two words.qdrep") | unlink("notes.txt") |
				 unlink(".hidden.sqlite") | unlink("middle.sqlite") |
				 rmdir("job.sqlite"),
			 0);
	assert_int_equal(chdir(was), 0);
	assert_int_equal(rmdir(room), 0);
}
