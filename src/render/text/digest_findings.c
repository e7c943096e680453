/* SPDX-License-Identifier: MIT */
/* digest_findings.c - the first findings of a screen, two lines each. */
#include <string.h>

#include "render/text/digest.h"
#include "render/text/digest_parts.h"
#include "render/text/looks.h"
#include "render/words/line.h"

enum { SAVES = 7, ARROW = 2, INDENT = 10, LEAST = 20 };

/* "1  12.8%  ": "-" where fixing it saves nothing by itself, "?" where nobody knows. */
static void put_saves(FILE *out, const struct wl_view *v, size_t row,
		      const struct wl_render_opts *opts)
{
	char saves[WL_UNITS_BUF];
	size_t width;

	width = wl_line_width(wl_list_front(v, row, opts->ascii, saves));
	(void)fprintf(out, "%zu", row + 1);
	wl_line_put_spaces(out, width < SAVES ? SAVES - width : 1);
	(void)fputs(saves, out);
	wl_line_put_spaces(out, INDENT - 1 - (width < SAVES ? SAVES : width + 1));
}

/* What to do, cut at a word, and behind it the code, at the end of the line. */
static void put_action(FILE *out, const char *action, const char *code, size_t limit,
		       const struct wl_render_opts *opts)
{
	const size_t taken = INDENT + ARROW + 2 + strlen(code) + 2; /* "  [code]" */
	size_t used;

	wl_line_put_spaces(out, INDENT);
	(void)fputs(opts->ascii ? "> " : "\u2192 ", out);
	used = wl_digest_words(out, action, limit > taken + 10 ? limit - taken : 10, opts->ascii);
	used += taken;
	wl_line_put_spaces(out, 2 + (limit < SIZE_MAX && used < limit ? limit - used : 0));
	(void)fprintf(out, "[%s]\n", code);
}

static void put_finding(FILE *out, const struct wl_view *v, size_t row,
			const struct wl_list_columns *cols, const struct wl_render_opts *opts)
{
	size_t limit = wl_line_limit(opts);

	limit = limit > LEAST ? limit : LEAST;
	put_saves(out, v, row, opts);
	(void)fputs(opts->bold ? "\033[1m" : "", out);
	(void)wl_digest_claim(out, v->table, v->rows[row], cols->says, limit - INDENT, opts->ascii);
	(void)fputs(opts->bold ? "\033[0m\n" : "\n", out);
	put_action(out, wl_digest_text(v, row, cols->action), wl_digest_text(v, row, cols->code),
		   limit, opts);
}

size_t wl_digest_findings_lines(const struct wl_section *s, size_t max,
				const struct wl_render_opts *opts)
{
	size_t n = s->view.n_rows < max ? s->view.n_rows : max;

	return n ? wl_digest_list_title(NULL, s, max, opts) + 2 * n : 1;
}

void wl_digest_findings(FILE *out, const struct wl_section *s, size_t max,
			const struct wl_render_opts *opts)
{
	struct wl_list_columns cols;

	if (s->view.n_rows == 0 || !wl_list_find(s->view.table, &cols)) {
		(void)fputs(wl_list_is_empty, out);
		return;
	}
	(void)wl_digest_list_title(out, s, max, opts);
	for (size_t i = 0; i < s->view.n_rows && i < max; i++)
		put_finding(out, &s->view, i, &cols, opts);
}
