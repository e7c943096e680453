/* SPDX-License-Identifier: MIT */
/* lists.c - the lists of help: few verbs, all verbs, the options of all verbs; and no words at all.
 */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/file.h"
#include "base/text/shell.h"
#include "cli/help/help.h"
#include "cli/help/wrap.h"
#include "cli/line/options.h"

enum { N_RECENT = 3, NAME_CAP = 256, VERBS = 13, OPTIONS = 29, LINE = 256 };

static void put_verb(FILE *out, const char *name, const char *line)
{
	(void)fprintf(out, "  %-*s %s\n", VERBS - 3, name, line);
}

/* The verbs that are listed at this level, or before. */
static void put_topic(FILE *out, enum wl_topic topic, enum wl_level level)
{
	struct wl_verb v;

	for (size_t i = 0; wl_verb_at(i, &v); i++) {
		const struct wl_listed l = wl_verb_listed(&v);

		if (wl_verb_topic(&v) == topic && l.level >= level)
			put_verb(out, l.name, level == WL_LEVEL_FIRST ? l.line : l.all);
	}
}

void wl_help_overview(FILE *out)
{
	static const char *const titles[WL_N_TOPICS] = {
		/* Few of the last two are shown: they share a title. */
		[WL_TOPIC_LOOK] = "Look, record, share",
		[WL_TOPIC_SHARE] = "",
	};

	(void)fputs(
		"warplens - find what makes a GPU program slow, from an Nsight Systems trace\n\n"
		"  warplens run.sqlite               one screen: where time goes, what to fix\n"
		"  warplens VERB run.sqlite          one question; \"warplens help VERB\" explains\n"
		"\n",
		out);
	for (enum wl_topic t = WL_TOPIC_OTHER + 1; t < WL_N_TOPICS; t++) {
		const char *title = titles[t] ? titles[t] : wl_topic_title(t);

		if (*title)
			(void)fprintf(out, "%s\n", title);
		put_topic(out, t, WL_LEVEL_FIRST);
	}
	(void)fputs("\nMore: help all (every verb), help options, help ask. Try: warplens demo\n"
		    "A trace is a .sqlite export, a .nsys-rep (needs nsys), or a directory of "
		    "ranks.\n",
		    out);
}

/* Those that have no line, after a text that introduces them. */
static void put_names(FILE *out, const char *text, enum wl_level level, const char *end)
{
	char names[4 * LINE];
	size_t used = (size_t)snprintf(names, sizeof(names), "%s", text);
	struct wl_verb v;

	for (size_t i = 0; wl_verb_at(i, &v) && used < sizeof(names); i++) {
		if (wl_verb_listed(&v).level == level)
			used += (size_t)snprintf(names + used, sizeof(names) - used, " %s",
						 wl_verb_name(&v));
	}
	if (used < sizeof(names))
		(void)snprintf(names + used, sizeof(names) - used, "%s", end);
	wl_wrap(out, names, 0, 0);
}

void wl_help_all(FILE *out)
{
	for (enum wl_topic t = WL_TOPIC_OTHER + 1; t < WL_N_TOPICS; t++) {
		(void)fprintf(out, "%s\n", wl_topic_title(t));
		put_topic(out, t, WL_LEVEL_SECOND);
	}
	put_names(out, "Other:", WL_LEVEL_NAMED, ".");
	put_names(out, "Options of the verbs above, and verbs by themselves:", WL_LEVEL_FORM,
		  ". Names of nsys stats reports and of other tools work, too: \"warplens help "
		  "NAME\".");
}

static void put_option(FILE *out, const struct wl_option *o)
{
	char term[LINE], letter[8] = "";

	if (o->short_name)
		(void)snprintf(letter, sizeof(letter), "-%c, ", o->short_name);
	(void)snprintf(term, sizeof(term), "%s--%s%s%s", letter, o->long_name,
		       o->argument ? " " : "", o->argument ? o->argument : "");
	wl_wrap_term(out, term, o->brief, OPTIONS);
}

void wl_help_options(FILE *out)
{
	static const char *const groups[][2] = {
		{ "selection", "Select" }, { "rows", "Rows" },           { "output", "Output" },
		{ "input", "Input" },      { "resources", "Resources" }, { "other", "Other" },
	};

	(void)fputs("Options of all verbs that read a trace\n\n", out);
	for (size_t g = 0; g < WL_COUNT(groups); g++) {
		(void)fprintf(out, "%s\n", groups[g][1]);
		for (size_t i = 0; i < WL_N_OPTIONS; i++) {
			if (strcmp(wl_options[i].group, groups[g][0]) == 0)
				put_option(out, &wl_options[i]);
		}
	}
}

struct recent {
	char name[NAME_CAP + 2]; /* of a file, with "./" before it where it begins with a dash */
	struct timespec changed;
};

static bool is_newer(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* Keep it among the newest, which are in order; how many there are now. */
static size_t offer(struct recent list[N_RECENT], size_t n, const char *name,
		    const struct timespec *changed)
{
	size_t at = n;

	while (at > 0 && is_newer(changed, &list[at - 1].changed))
		at--;
	if (at == N_RECENT)
		return n;
	n += n < N_RECENT;
	memmove(&list[at + 1], &list[at], (n - at - 1) * sizeof(*list));
	(void)snprintf(list[at].name, sizeof(list[at].name), "%s%.*s", name[0] == '-' ? "./" : "",
		       NAME_CAP - 1, name);
	list[at].changed = *changed;
	return n;
}

static bool is_trace(const char *name)
{
	return name[0] != '.' && strlen(name) < NAME_CAP &&
	       (wl_path_ends_in(name, ".sqlite") || wl_path_ends_in(name, ".nsys-rep") ||
		wl_path_ends_in(name, ".qdrep"));
}

/* By their names: no file is opened. */
static size_t find_recent(struct recent list[N_RECENT])
{
	DIR *dir = opendir(".");
	const struct dirent *entry;
	size_t n = 0;

	while (dir && (entry = readdir(dir))) {
		struct stat st;

		if (is_trace(entry->d_name) && stat(entry->d_name, &st) == 0 && S_ISREG(st.st_mode))
			n = offer(list, n, entry->d_name, &st.st_mtim);
	}
	if (dir)
		(void)closedir(dir);
	return n;
}

void wl_help_traces(FILE *out)
{
	struct recent list[N_RECENT];
	size_t n = find_recent(list);
	struct wl_arena arena;

	if (n == 0) {
		(void)fputs("no trace here yet; record one, or try the example:\n"
			    "  warplens capture -- python train.py\n"
			    "  warplens demo\n",
			    out);
		return;
	}
	(void)fputs("traces in this directory, newest first:\n", out);
	wl_arena_init(&arena, (size_t)N_RECENT * 8 * NAME_CAP);
	for (size_t i = 0; i < n; i++) {
		const char *word = wl_shell_word(list[i].name, &arena);

		if (word)
			(void)fprintf(out, "  warplens %s\n", word);
	}
	wl_arena_release(&arena);
}

void wl_help_usage(FILE *out)
{
	(void)fputs("usage: warplens TRACE            show where time goes and what to fix\n"
		    "       warplens VERB TRACE       answer one question\n"
		    "       warplens help             list the verbs\n\n",
		    out);
	wl_help_traces(out);
}
