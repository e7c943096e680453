#include "cli/announce.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/junit.h"
#include "cli/wrap.h"
#include "compare/diff_words.h"
#include "render/human.h"

static bool is_markdown(const struct wl_printing *print)
{
	return strcmp(print->format->name, "md") == 0;
}

bool wl_announces_line(const struct wl_printing *print)
{
	return is_markdown(print) || strcmp(print->format->name, "table") == 0;
}

/* All that could begin markup in a paragraph; the renderers escape the same in tables. */
static const char *escape_markdown(uint32_t cp)
{
	static const char special[] = "\\`*_<>&[]|~$#!";
	static const char *const escaped[] = { "\\\\", "\\`", "\\*", "\\_", "\\<", "\\>", "\\&",
					       "\\[",  "\\]", "\\|", "\\~", "\\$", "\\#", "\\!" };
	const char *found = cp != 0 && cp < 0x80 ? strchr(special, (int)cp) : NULL;

	return found ? escaped[found - special] : wl_escape_human(cp);
}

void wl_announce_head(void *ctx, FILE *out)
{
	const struct wl_announcement *news = ctx;
	char line[WL_WORDS], why[WL_WORDS];

	(void)wl_diff_line(news->diff, line);
	(void)wl_diff_why(news->diff, why);
	if (is_markdown(news->print)) {
		(void)fputs("**", out);
		wl_put_escaped(out, line, escape_markdown);
		(void)fputs("**\n\n", out);
		wl_put_escaped(out, why, escape_markdown);
		(void)fputs(*why ? ".\n\n" : "", out);
		return;
	}
	wl_put_escaped(out, line, wl_escape_human);
	(void)fputc('\n', out);
	wl_put_escaped(out, why, wl_escape_human);
	(void)fputs(*why ? ".\n\n" : "\n", out);
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
			       wl_gate_words(g, line));
	}
}

/* One line, whatever there is to say: the verdict if it was not printed, and what did not pass. */
static void tell_gates(const struct wl_announcement *news)
{
	const struct wl_diff *d = news->diff;
	bool printed = wl_announces_line(news->print) && !news->print->file;
	const char *glue = "warplens: ";
	char words[WL_WORDS];

	if (d->n_gated && !printed) {
		(void)fputs(glue, stderr);
		wl_put_clean(stderr, wl_diff_line(d, words));
		glue = "; ";
	}
	for (size_t i = 0; i < d->n_gated; i++) {
		const struct wl_gated *g = &d->gated[i];

		if (g->result.outcome == WL_GATE_PASSED)
			continue;
		(void)fprintf(stderr, "%sgate %s: ", glue, wl_outcome_name(g->result.outcome));
		wl_put_clean(stderr, g->gate->text);
		(void)fputs(": ", stderr);
		wl_put_clean(stderr, wl_gate_words(g, words));
		glue = "; ";
	}
	if (glue[0] == ';')
		(void)fputc('\n', stderr);
}

static int write_junit(const struct wl_announcement *news, struct wl_err *reterr)
{
	struct wl_file file;
	int r = wl_file_begin(news->junit, &file, reterr);

	if (r < 0)
		return r;
	wl_junit_put(news->diff, file.stream);
	return wl_file_commit(&file, reterr);
}

int wl_announce(const struct wl_announcement *news, struct wl_err *reterr)
{
	const char *github = getenv("GITHUB_ACTIONS");

	tell_gates(news);
	if (github && strcmp(github, "true") == 0)
		annotate(news->diff);
	return news->junit ? write_junit(news, reterr) : WL_OK;
}
