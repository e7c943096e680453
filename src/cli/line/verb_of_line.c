/* SPDX-License-Identifier: MIT */
#include "cli/line/verb_of_line.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/memory/arena.h"
#include "base/text/shell.h"
#include "cli/line/forms.h"
#include "cli/line/option_names.h"
#include "known/builtin.h"

/* What words of a line that a message shows may take. */
enum { LINE_BYTES = 64 << 10 };

enum { MAX_VALUES = 2 }; /* of an option, as of --trim A B */

/* The word that names the verb is the first that is neither an option nor an option's argument. */
struct looking {
	int argc;
	char *const *argv;
	struct wl_verb *verb;
	int n_words;
	struct wl_err *reterr;
};

/*
 * Two words can be one name: "agent ask" is agent-ask, "evidence build" evidence_build. Asked
 * before a single word, because "agent" is a verb by itself.
 */
static bool find_two_words(struct looking *p, const char *word, const char *next)
{
	for (const char *joint = "-_"; next && *joint; joint++) {
		char name[64];
		int n = snprintf(name, sizeof(name), "%s%c%s", word, *joint, next);

		if (n > 0 && (size_t)n < sizeof(name) && wl_verb_find(name, p->verb))
			return true;
	}
	return false;
}

/*
 * The scripts of other tools: "show_setup.py" is show_setup. Not where such a file is at hand: then
 * it is the file that is named, and the reader says what it is.
 */
static bool find_script(struct looking *p, const char *word)
{
	char name[64];
	size_t n = strlen(word);

	if (n < 4 || n - 3 >= sizeof(name) || strcmp(word + n - 3, ".py") != 0)
		return false;
	(void)snprintf(name, sizeof(name), "%.*s", (int)n - 3, word);
	return access(word, F_OK) < 0 && wl_verb_find(name, p->verb);
}

static bool find_by_name(struct looking *p, const char *word, const char *next)
{
	if (find_two_words(p, word, next))
		p->n_words = 2;
	else if (wl_verb_find(word, p->verb) || find_script(p, word))
		p->n_words = 1;
	return p->n_words > 0;
}

/*
 * The value of an option that all verbs have, wherever it stands; NULL for none. Options are parsed
 * once the verb is known, and here two decide which verb that is, so these have a scan of their
 * own.
 */
static const char *find_common(const struct looking *p, enum wl_option_id id)
{
	for (int i = 1; i < p->argc && strcmp(p->argv[i], "--") != 0; i++) {
		struct wl_option_word o;

		if (wl_option_take(p->argv[i], &o) &&
		    (o.letter ? wl_options[id].short_name == o.letter
			      : wl_option_common(o.name, o.n) == id))
			return o.value ? o.value : p->argv[i + 1];
	}
	return NULL;
}

/* A name without an ending, of nothing that is there: no format is meant by it. */
static bool is_new_directory(const struct looking *p, const char *out)
{
	return *out && !strchr(wl_path_name(out), '.') && access(out, F_OK) < 0 &&
	       !find_common(p, WL_OPT_FORMAT);
}

/* An option that a report has and the summary has not. */
static bool asks_report(const struct looking *p)
{
	struct wl_verb report, summary;

	(void)wl_verb_find("report", &report);
	(void)wl_verb_find("summary", &summary);
	for (int i = 1; i < p->argc && strcmp(p->argv[i], "--") != 0; i++) {
		struct wl_option_word o;

		if (wl_option_take(p->argv[i], &o) && !o.letter &&
		    wl_option_param(&report, o.name, o.n) < WL_MAX_PARAMS &&
		    wl_option_param(&summary, o.name, o.n) == WL_MAX_PARAMS)
			return true;
	}
	return false;
}

/* A trace without a verb: a directory to write to is for a report, else it is the summary. */
static void take_default_verb(struct looking *p)
{
	const char *out = find_common(p, WL_OPT_OUTPUT);
	bool is_report = out && (wl_path_is_dir(out) || asks_report(p) || is_new_directory(p, out));

	(void)wl_verb_find(is_report ? "report" : "summary", p->verb);
}

/* "nsys recipe NAME": the name alone is the verb. */
static int refuse_recipe(const struct looking *p, const char *recipe)
{
	struct wl_verb v;
	bool is_verb = recipe && wl_verb_find(recipe, &v);

	return wl_fail(p->reterr, WL_E_USAGE,
		       "no verb or file \"recipe\"; recipes go by their own names: warplens %.60s "
		       "TRACE%s",
		       is_verb ? recipe : "cuda_gpu_kern_sum",
		       is_verb ? "" : "; \"warplens stats --help-reports\" lists them");
}

/* "nsys stats TRACE": many verbs go by the names of its commands. */
static int refuse_nsys(const struct looking *p, const char *const *rest, size_t n)
{
	struct wl_arena arena;
	const char *line;
	int r;

	wl_arena_init(&arena, LINE_BYTES);
	line = wl_shell_words(rest, n, &arena);
	r = wl_fail(p->reterr, WL_E_USAGE, "leave nsys out: warplens %.300s", line ? line : *rest);
	wl_arena_release(&arena);
	return r;
}

static int take_verb(struct looking *p, const char *word, char *const *rest)
{
	const char *next = rest < p->argv + p->argc ? *rest : NULL;
	struct wl_verb after;
	const char *nearest;
	size_t n;

	if (find_by_name(p, word, next))
		return WL_OK;
	if (strcmp(word, "nsys") == 0 && next && wl_verb_find(next, &after))
		return refuse_nsys(p, (const char *const *)rest,
				   (size_t)(p->argv + p->argc - rest));
	/*
	 * A verb has neither, so a path that does not exist is reported as a file that cannot be
	 * opened and not as an unknown verb. Names go first: a file called kernels in the working
	 * directory does not hide the verb, and is reached as ./kernels.
	 */
	if (strchr(word, '/') || strchr(word, '.') || access(word, F_OK) == 0) {
		take_default_verb(p); /* its options are known, too */
		return WL_OK;
	}
	if (strcmp(word, "-") == 0)
		return wl_fail(p->reterr, WL_E_USAGE, "\"-\": a trace must be a file, not a pipe");
	if (strcmp(word, "recipe") == 0)
		return refuse_recipe(p, next);
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

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

/* The words before this one are options of the verb and their values. */
static bool leads_to(const struct looking *p, int at)
{
	int i = 1;

	while (i < at && is_option(p->argv[i])) {
		int n = wl_form_count_values(p->verb, p->argv[i]);

		if (n < 0)
			return false;
		i += 1 + n;
	}
	return i == at;
}

/*
 * Verbs disagree on options: a value follows --sweep of capture and not that of whatif, and -r is
 * of stats alone. So a word is taken for the verb where it stands right behind options that are its
 * own.
 */
static bool find_behind_own(struct looking *p)
{
	int n_plain =
		MAX_VALUES; /* words since the last option; before the first no value stands */

	for (int i = 1; i < p->argc && strcmp(p->argv[i], "--") != 0; i++) {
		if (is_option(p->argv[i])) {
			n_plain = 0;
			continue;
		}
		if (n_plain++ > MAX_VALUES)
			break;
		if (find_by_name(p, p->argv[i], i + 1 < p->argc ? p->argv[i + 1] : NULL) &&
		    leads_to(p, i))
			return true;
		p->n_words = 0;
	}
	*p->verb = (struct wl_verb){ .analysis = NULL };
	return false;
}

/*
 * The verb decides which options there are, so it is looked for before any is parsed. Where no word
 * fits the options before it, the line is wrong or has no verb: then any option counts.
 */
static int find_verb(struct looking *p)
{
	if (find_behind_own(p))
		return WL_OK;
	for (int i = 1; i < p->argc; i++) {
		const char *word = p->argv[i];
		struct wl_found_option f;
		struct wl_option_word o;

		/*
		 * The name of a trace can begin with a dash: "warplens -- -odd.sqlite". A verb may
		 * still come first.
		 */
		if (strcmp(word, "--") == 0) {
			p->n_words = i + 1 < p->argc && wl_verb_find(p->argv[i + 1], p->verb);
			if (!p->n_words)
				take_default_verb(p);
			return WL_OK;
		}
		if (!wl_option_take(word, &o))
			return take_verb(p, word, p->argv + i + 1);
		f = wl_option_find_anywhere(&o);
		i += o.value ? 0 : f.n_words;
		if (!f.is_known && !o.letter && !o.value)
			return wl_option_unknown(o.name, o.n, NULL, p->reterr);
	}
	return WL_OK;
}

int wl_verb_of_line(int argc, char *const *argv, struct wl_verb *ret, int *ret_words,
		    struct wl_err *reterr)
{
	struct looking p = { .argc = argc, .argv = argv, .verb = ret, .reterr = reterr };
	int r;

	*ret = (struct wl_verb){ .analysis = NULL };
	r = find_verb(&p);
	*ret_words = p.n_words;
	return r;
}
