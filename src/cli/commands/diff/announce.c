/* SPDX-License-Identifier: MIT */
#include "cli/commands/diff/announce.h"

#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/text/clean.h"
#include "cli/commands/diff/junit.h"
#include "cli/status.h"
#include "compare/diff/diff_words.h"
#include "render/words/human.h"

/* Formats for people have the verdict as their first line. */
static bool was_printed(const struct wl_printing *print)
{
	return print->format->for_people && !print->inv->opt.output;
}

/* GitHub reads one line per command and undoes %25; what would end the line is no text for people.
 */
static const char *escape_message(uint32_t cp)
{
	return cp == '%' ? "%25" : wl_escape_human(cp);
}

/* A title ends at a colon, and the next property begins at a comma. */
static const char *escape_title(uint32_t cp)
{
	if (cp == ':')
		return "%3A";
	return cp == ',' ? "%2C" : escape_message(cp);
}

static void put_annotation(const char *level, const char *title, const char *text)
{
	(void)fprintf(stderr, "::%s title=", level);
	wl_put_escaped(stderr, title, escape_title);
	(void)fputs("::", stderr);
	wl_put_escaped(stderr, text, escape_message);
	(void)fputc('\n', stderr);
}

static void annotate(const struct wl_diff *d)
{
	char line[WL_WORDS];

	put_annotation("notice", "warplens diff", wl_diff_line(d, line));
	for (size_t i = 0; i < d->n_gated; i++) {
		const struct wl_gated *g = &d->gated[i];
		char title[WL_WORDS];

		if (g->result.outcome == WL_GATE_PASSED)
			continue;
		(void)snprintf(title, sizeof(title), "gate %s: %.200s",
			       wl_outcome_name(g->result.outcome), g->gate->text);
		put_annotation(g->result.outcome == WL_GATE_FAILED ? "error" : "warning", title,
			       wl_gate_words(d, g, line));
	}
}

/* One line, whatever there is to say: the verdict if it was not printed, and the gates. */
static void tell_gates(const struct wl_announcement *news)
{
	const struct wl_diff *d = news->diff;
	bool is_quiet = news->print->inv->opt.quiet;
	bool printed = was_printed(news->print) || is_quiet;
	const char *glue = "warplens: ";
	char words[WL_WORDS];

	if (d->n_gated && !printed) {
		(void)fputs(glue, stderr);
		wl_put_clean(stderr, wl_diff_line(d, words));
		glue = "; ";
	}
	for (size_t i = 0; i < d->n_gated; i++) {
		const struct wl_gated *g = &d->gated[i];

		bool passed = g->result.outcome == WL_GATE_PASSED;

		/* What was printed has a line, or a row, for each that passed. */
		if (passed && printed)
			continue;
		(void)fprintf(stderr, "%sgate %s: ", glue, wl_outcome_name(g->result.outcome));
		if (!passed) {
			wl_put_clean(stderr, g->gate->text);
			(void)fputs(": ", stderr);
		}
		wl_put_clean(stderr,
			     passed ? wl_gate_margin(g, words) : wl_gate_words(d, g, words));
		glue = "; ";
	}
	if (glue[0] == ';')
		(void)fputc('\n', stderr);
}

static int write_junit(const struct wl_announcement *news, struct wl_err *reterr)
{
	const atomic_int *cancel = wl_signals_catch();
	struct wl_file file;
	int r = wl_file_begin(news->junit, &file, reterr);

	if (r == WL_OK) {
		wl_junit_put(news->diff, file.stream);
		r = wl_file_commit(&file, reterr);
	}
	wl_signals_release();
	return r == WL_OK && *cancel ? wl_fail(reterr, WL_E_CANCELED, "stopped") : r;
}

int wl_announce(const struct wl_announcement *news, struct wl_err *reterr)
{
	const char *github = getenv("GITHUB_ACTIONS");

	tell_gates(news);
	if (github && strcmp(github, "true") == 0)
		annotate(news->diff);
	return news->junit ? write_junit(news, reterr) : WL_OK;
}
