/* SPDX-License-Identifier: MIT */
#include "render/text/digest.h"

#include <inttypes.h>
#include <string.h>

#include "render/text/digest_parts.h"
#include "render/text/looks.h"
#include "render/words/frame.h"
#include "render/words/line.h"
#include "table/chart.h"

enum {
	MAX_FINDINGS = 3,
	MAX_KERNELS = 3,
	MAX_NOTES = 2,
	LEGEND_LINES = 2,
	ALL_COLUMNS = 80,
	ROOF_LINES = 2
};

/* The sections by what they hold; NULL where there is none. */
struct parts {
	const struct wl_section *bar, *strip, *list, *split, *ranks, *roofs, *lacks, *table;
};

/* Prose alone: what was not recorded. */
static bool is_prose(const struct wl_table *t)
{
	for (size_t i = 0; i < t->n_cols; i++) {
		if (!(t->cols[i].flags & WL_PROSE))
			return false;
	}
	return true;
}

static struct parts find_parts(const struct wl_document *doc)
{
	struct parts p = { .bar = NULL };

	for (size_t i = 0; i < doc->n_sections; i++) {
		const struct wl_section *s = &doc->sections[i];

		if (s->missing)
			continue;
		if (s->look == WL_LOOK_BAR)
			p.bar = s;
		else if (s->look == WL_LOOK_STRIP)
			p.strip = s;
		else if (s->look == WL_LOOK_LIST)
			p.list = s;
		else if (s->split && s->split->why)
			p.ranks = s;
		else if (s->split)
			p.split = s;
		else if (s->chart && s->chart->kind == WL_CHART_ROOFLINE)
			p.roofs = s;
		else if (is_prose(s->view.table))
			p.lacks = s;
		else if (s->view.n_rows > 0)
			p.table = s;
	}
	if (p.ranks) /* which say it of GPUs, too */
		p.split = NULL;
	return p;
}

enum { LINE = 256 };

enum { NUMBER = 2, WEIGHT = 7, SHARE = 8, ARROW = 2, INDENT = NUMBER + WEIGHT + SHARE };

/* "1 high    12.9% ", "2 high   \u226469.9% " */
static void put_weight(FILE *out, const struct wl_view *v, size_t row,
		       const struct wl_list_columns *cols, const struct wl_render_opts *opts)
{
	char share[WL_UNITS_BUF];
	size_t used;

	(void)wl_list_saves(v, row, opts->ascii, share);
	(void)fprintf(out, "%zu ", row + 1);
	(void)fputs(opts->bold ? "\033[1m" : "", out);
	used = wl_line_put_fitted(out, wl_digest_text(v, row, cols->weight), WEIGHT - 1,
				  opts->ascii);
	(void)fputs(opts->bold ? "\033[0m" : "", out);
	wl_line_put_spaces(out, WEIGHT - used);
	wl_line_put_spaces(out, SHARE - 1 - wl_line_width(share));
	(void)fprintf(out, "%s ", share);
}

/* How much is said of "saves 6.80 ms", " of 53.37 ms", " (\u00b1 0.02 ms, replayed)". */
enum { TO_THE_NUMBER = 1, TO_THE_WHOLE, TO_HOW_IT_IS_KNOWN };

/* "; saves 6.80 ms": what fixing it saves; returns its width. */
static size_t make_fixing(const struct wl_view *v, size_t row, size_t n_parts, char buf[LINE])
{
	size_t n, col;
	const char *text;

	buf[0] = '\0';
	if (!wl_table_find_col(v->table, "fixing", &col) ||
	    !wl_table_at(v->table, v->rows[row], col).set)
		return 0;
	text = wl_table_parts(v->table, v->rows[row], col, n_parts, &n);
	(void)snprintf(buf, LINE, "; %.*s", (int)n, text);
	return wl_line_width(buf);
}

/*
 * What it is, and what fixing it saves, as far as that leaves room for a whole clause. Returns
 * whether there was room.
 */
static bool put_claim(FILE *out, const struct wl_view *v, size_t row, size_t says, size_t width,
		      bool ascii)
{
	char text[LINE];
	size_t room = 0;

	for (size_t n = TO_HOW_IT_IS_KNOWN; n >= TO_THE_NUMBER; n--) {
		room = make_fixing(v, row, n, text);
		if (!room)
			break;
		if (2 * room > width ||
		    !wl_digest_claim_fits(v->table, v->rows[row], says, width - room))
			continue;
		(void)wl_digest_claim(out, v->table, v->rows[row], says, width - room, ascii);
		(void)wl_line_put_cut(out, text, room, ascii);
		return true;
	}
	(void)wl_digest_claim(out, v->table, v->rows[row], says, width, ascii);
	return !room;
}

/* The same behind what to do; returns the columns used. */
static size_t put_behind(FILE *out, const struct wl_view *v, size_t row, size_t room, bool ascii)
{
	char text[LINE];

	for (size_t n = TO_HOW_IT_IS_KNOWN; n >= TO_THE_NUMBER; n--) {
		if (make_fixing(v, row, n, text) <= room)
			return wl_line_put_cut(out, text, room, ascii);
	}
	return 0;
}

/*
 * What it is, and below it what to do, with the code where that leaves room for it. What fixing it
 * saves stands at the end of the first line that has room.
 */
static void put_finding(FILE *out, const struct wl_view *v, size_t row,
			const struct wl_list_columns *cols, const struct wl_render_opts *opts)
{
	const char *action = wl_digest_text(v, row, cols->action);
	const char *code = wl_digest_text(v, row, cols->code);
	size_t limit = wl_line_limit(opts), code_width = strlen(code) + 2, used;
	bool is_said;

	limit = limit > INDENT + 10 ? limit : INDENT + 10;
	put_weight(out, v, row, cols, opts);
	is_said = put_claim(out, v, row, cols->says, limit - INDENT, opts->ascii);
	(void)fputc('\n', out);
	wl_line_put_spaces(out, NUMBER + WEIGHT - ARROW);
	(void)fputs(opts->ascii ? "> " : "\u2192 ", out);
	used = NUMBER + WEIGHT + wl_digest_words(out, action, limit - NUMBER - WEIGHT, opts->ascii);
	if (!is_said && used < limit)
		used += put_behind(out, v, row, limit - used, opts->ascii);
	if (limit < SIZE_MAX && used + 1 + code_width <= limit) {
		wl_line_put_spaces(out, limit - used - code_width);
		(void)fprintf(out, "[%s]", code);
	}
	(void)fputc('\n', out);
}

static void put_findings(FILE *out, const struct wl_section *s, const struct wl_render_opts *opts)
{
	struct wl_list_columns cols;

	if (s->view.n_rows == 0 || !wl_list_find(s->view.table, &cols)) {
		(void)fputs(wl_list_is_empty, out);
		return;
	}
	for (size_t i = 0; i < s->view.n_rows && i < MAX_FINDINGS; i++)
		put_finding(out, &s->view, i, &cols, opts);
}

static size_t count_findings(const struct wl_section *s)
{
	size_t n = s->view.n_rows < MAX_FINDINGS ? s->view.n_rows : MAX_FINDINGS;

	return n ? 2 * n : 1;
}

/* Notes that are not remarks, of all sections, each once, at most max; out is NULL to count them.
 */
static size_t put_notes(FILE *out, const struct wl_document *doc, size_t max,
			const struct wl_render_opts *opts)
{
	size_t n = 0;

	for (size_t i = 0; i < doc->n_sections; i++) {
		const struct wl_table *t = wl_section_table(&doc->sections[i]);

		for (const struct wl_note *note = t ? t->notes : NULL; note; note = note->next) {
			if (note->is_minor || wl_digest_was_said(doc, i, note->text))
				continue;
			n++;
			if (out && n <= max) {
				(void)fputs("note: ", out);
				wl_digest_note(out, note, wl_line_limit(opts) - 6, opts->ascii);
				(void)fputc('\n', out);
			}
		}
	}
	return n < max ? n : max;
}

/* Lines of all that is shown, without notes and the blank ones between. */
static size_t count_lines(const struct wl_document *doc, const struct parts *p,
			  const struct wl_render_opts *opts)
{
	size_t n = wl_digest_head_lines(doc, p->bar);

	n += doc->more ? wl_digest_next(NULL, doc, opts) : 0;
	n += p->bar ? 1 + LEGEND_LINES : 0;
	n += p->strip != NULL;
	n += p->list ? 1 + count_findings(p->list) : 0;
	n += p->split ? wl_digest_split_lines(p->split) : 0;
	n += p->ranks ? wl_digest_ranks_lines(p->ranks) : 0;
	n += p->roofs ? wl_digest_roofs(NULL, p->roofs, ROOF_LINES, opts) : 0;
	if (p->table) /* its titles may take two lines */
		n += 2 +
		     (p->table->view.n_rows < MAX_KERNELS ? p->table->view.n_rows : MAX_KERNELS);
	return n + (p->lacks && p->lacks->view.n_rows);
}

/* The first rows; that there are more goes without saying. */
static void put_some(FILE *out, const struct wl_view *v, size_t n, wl_put_table *put_table,
		     const struct wl_render_opts *opts)
{
	struct wl_view some = *v;

	some.n_rows = v->n_rows < n ? v->n_rows : n;
	some.n_total = some.n_rows;
	put_table(out, &some, opts);
}

/* Whether the screen is full, and a row more can give way to a note. */
static bool gives_way(const struct parts *p, size_t n, size_t all)
{
	size_t rows = p->table ? p->table->view.n_rows : 0;

	return n >= all && (rows < MAX_KERNELS ? rows : MAX_KERNELS) > n - all + 1;
}

/* Of what is too much they give way. */
static void put_rows(FILE *out, const struct wl_view *v, size_t too_many, wl_put_table *put_table,
		     const struct wl_render_opts *opts)
{
	put_some(out, v, too_many < MAX_KERNELS ? MAX_KERNELS - too_many : 1, put_table, opts);
}

/* A blank line, as long as the screen has room for one. */
static void put_gap(FILE *out, size_t *room)
{
	if (*room == 0)
		return;
	(void)fputc('\n', out);
	--*room;
}

static void put_rest(FILE *out, const struct wl_document *doc, const struct parts *p,
		     const struct wl_render_opts *opts)
{
	if (p->lacks)
		wl_digest_lacks(out, &p->lacks->view, opts);
	if (doc->more)
		(void)wl_digest_next(out, doc, opts);
}

/* A document whose maker has said it in lines. */
static void put_gist(FILE *out, const struct wl_document *doc, const struct wl_render_opts *opts)
{
	for (const char *const *line = doc->gist; *line; line++)
		wl_line_put_wrapped(out, "", *line, opts);
	(void)put_notes(out, doc, MAX_NOTES, opts);
	if (doc->more)
		wl_line_put_wrapped(out, "", doc->more, opts);
}

enum { MOST_HOST_ROWS = 8, WORD = 10, NARROW = 2 * WORD };

/* A sentence per row, behind its first word. Returns the lines, about. */
static size_t put_sentences(FILE *out, const struct wl_view *v, const struct wl_render_opts *opts)
{
	const size_t limit = wl_line_limit(opts) > NARROW ? wl_line_limit(opts) : NARROW;
	size_t n = 0;

	for (size_t i = 0; i < v->n_rows; i++) {
		const char *text = wl_digest_text(v, i, 1);
		char word[WORD + 3];

		(void)snprintf(word, sizeof(word), "%.*s: ", WORD, wl_digest_text(v, i, 0));
		wl_line_put_wrapped(out, word, text, opts);
		n += 1 + (wl_line_width(text) + strlen(word)) / (limit - WORD);
	}
	return n;
}

/* A document of a trace without GPU work: sentences first, then tables as far as they fit. */
static void put_host(FILE *out, const struct wl_document *doc, const struct parts *p,
		     wl_put_table *put_table, const struct wl_render_opts *opts)
{
	/* Titles of tables may take two lines, and have a blank one above. */
	enum { TITLES = 3 };
	size_t left = (size_t)WL_DIGEST_LINES - 1 -
		      (doc->more != NULL ? wl_digest_next(NULL, doc, opts) : 0) -
		      (p->lacks != NULL);
	size_t most = MOST_HOST_ROWS;

	wl_digest_head(out, doc, opts);
	for (size_t i = 0; i < doc->n_sections; i++) {
		const struct wl_section *s = &doc->sections[i];
		size_t used;

		if (s->missing || s == p->lacks || s->view.n_rows == 0)
			continue;
		if (is_prose(s->view.table)) {
			used = put_sentences(out, &s->view, opts);
			left -= used < left ? used : left;
			continue;
		}
		if (left <= TITLES)
			break;
		used = s->view.n_rows < most ? s->view.n_rows : most;
		used = used < left - TITLES ? used : left - TITLES;
		(void)fputc('\n', out);
		put_some(out, &s->view, used, put_table, opts);
		left -= used + TITLES;
		most = MAX_KERNELS;
	}
	put_rest(out, doc, p, opts);
}

void wl_text_digest(FILE *out, const struct wl_document *doc, wl_put_table *put_table,
		    const struct wl_render_opts *opts)
{
	const struct parts p = find_parts(doc);
	size_t n = count_lines(doc, &p, opts);
	size_t all = p.ranks ? WL_DIGEST_JOB_LINES : WL_DIGEST_LINES;
	size_t room = n < all ? all - n : 0;
	size_t n_notes = put_notes(NULL, doc, room < MAX_NOTES ? room : MAX_NOTES, opts);

	if (doc->gist) {
		put_gist(out, doc, opts);
		return;
	}
	if (doc->n_devices < 0) {
		put_host(out, doc, &p, put_table, opts);
		return;
	}
	room -= n_notes;
	if (n_notes == 0 && gives_way(&p, n, all)) {
		n_notes = put_notes(NULL, doc, 1, opts);
		n += n_notes;
	}
	wl_digest_head(out, doc, opts);
	wl_digest_headlines(out, doc, p.bar, p.list, opts);
	if (p.bar)
		(void)wl_text_bar_within(
			out, &p.bar->view,
			wl_line_limit(opts) < ALL_COLUMNS ? SIZE_MAX : LEGEND_LINES, opts);
	if (p.strip)
		(void)wl_text_strip(out, "GPU busy", &p.strip->view, opts);
	put_gap(out, &room);
	if (p.list) {
		wl_digest_list_title(out, p.list, opts);
		put_findings(out, p.list, opts);
	}
	put_gap(out, &room);
	if (p.split)
		wl_digest_split(out, p.split, wl_digest_is_in_doubt(p.list), opts);
	if (p.ranks)
		wl_digest_ranks(out, p.ranks, opts);
	put_gap(out, &room);
	if (p.table)
		put_rows(out, &p.table->view, n > all ? n - all : 0, put_table, opts);
	if (p.roofs)
		(void)wl_digest_roofs(out, p.roofs, ROOF_LINES, opts);
	put_gap(out, &room);
	(void)put_notes(out, doc, n_notes, opts);
	put_rest(out, doc, &p, opts);
}
