/* SPDX-License-Identifier: MIT */
#include "render/text/digest.h"

#include <string.h>

#include "render/text/digest_parts.h"
#include "render/text/looks.h"
#include "render/words/frame.h"
#include "render/words/line.h"
#include "table/chart.h"

enum { MAX_KERNELS = 3, LEAST_KERNELS = 2, LEAST_FINDINGS = 2, MAX_NOTES = 2, ROOF_LINES = 2 };

/* The sections by what they hold; NULL where there is none. */
struct parts {
	const struct wl_section *budget, *strip, *list, *ranks, *roofs, *lacks, *table;
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
	struct parts p = { .budget = NULL };

	for (size_t i = 0; i < doc->n_sections; i++) {
		const struct wl_section *s = &doc->sections[i];

		if (s->missing)
			continue;
		if (s->look == WL_LOOK_BAR)
			p.budget = s;
		else if (s->look == WL_LOOK_STRIP)
			p.strip = s;
		else if (s->look == WL_LOOK_LIST)
			p.list = s;
		else if (s->split && (s->split->why || !p.ranks)) /* ranks say it of GPUs, too */
			p.ranks = s;
		else if (s->chart && s->chart->kind == WL_CHART_ROOFLINE)
			p.roofs = s;
		else if (is_prose(s->view.table))
			p.lacks = s;
		else if (s->view.n_rows > 0)
			p.table = s;
	}
	return p;
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

/* How much of each part the screen has room for. */
struct plan {
	size_t n_findings, n_kernels, n_gaps, n_notes;
	bool has_strip;
};

static size_t count_lines(const struct wl_document *doc, const struct parts *p,
			  const struct plan *plan, const struct wl_render_opts *opts)
{
	size_t n = wl_digest_head_lines(doc, p->budget, opts) + plan->n_gaps + plan->n_notes;

	n += doc->more ? wl_digest_next(NULL, doc, opts) : 0;
	n += wl_digest_budget_lines(p->budget) + plan->has_strip;
	n += p->list ? wl_digest_findings_lines(p->list, plan->n_findings, opts) : 0;
	n += p->ranks ? wl_digest_ranks_lines(p->ranks) : 0;
	n += p->roofs ? wl_digest_roofs(NULL, p->roofs, ROOF_LINES, opts) : 0;
	n += plan->n_kernels ? 1 + plan->n_kernels : 0;
	return n + (p->lacks && p->lacks->view.n_rows);
}

/*
 * What gives way, in this order: the third kernel, all kernels, the strip, blank lines, a note, the
 * third finding.
 */
static bool give_way(struct plan *plan)
{
	if (plan->n_kernels > LEAST_KERNELS) {
		plan->n_kernels--;
	} else if (plan->n_kernels) { /* and the blank line above them */
		plan->n_kernels = 0;
		plan->n_gaps -= plan->n_gaps > 0;
	} else if (plan->has_strip) {
		plan->has_strip = false;
	} else if (plan->n_gaps) {
		plan->n_gaps--;
	} else if (plan->n_notes > 1) {
		plan->n_notes--;
	} else if (plan->n_findings > LEAST_FINDINGS) {
		plan->n_findings--;
	} else {
		return false;
	}
	return true;
}

static struct plan make_plan(const struct wl_document *doc, const struct parts *p,
			     const struct wl_render_opts *opts)
{
	const size_t rows = p->table ? p->table->view.n_rows : 0;
	struct plan plan = {
		.n_findings = WL_DIGEST_FINDINGS,
		.n_kernels = rows < MAX_KERNELS ? rows : MAX_KERNELS,
		.n_notes = put_notes(NULL, doc, MAX_NOTES, opts),
		.has_strip = p->strip != NULL,
	};

	plan.n_gaps = (size_t)(p->budget != NULL) + (size_t)(p->list != NULL) +
		      (size_t)(p->ranks && wl_digest_ranks_lines(p->ranks)) + (size_t)(rows > 0);
	while (count_lines(doc, p, &plan, opts) > WL_DIGEST_LINES && give_way(&plan))
		;
	return plan;
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

/* What a table has of these columns, below a title that says what it is of. */
static void put_kernels(FILE *out, const struct wl_document *doc, const struct wl_section *s,
			size_t n, wl_put_table *put_table, const struct wl_render_opts *opts)
{
	static const char *const keys[] = { "name", "calls", "sum", "share" };
	const bool is_all = !doc->window_spec || strcmp(doc->window_spec, "all") == 0;
	struct wl_col cols[WL_MAX_COLS];
	struct wl_table table = *s->view.table;
	struct wl_view view = s->view;
	uint16_t shown[WL_COUNT(keys)];
	char title[64];
	size_t col;

	view.n_cols = 0;
	for (size_t i = 0; i < WL_COUNT(keys); i++) {
		if (wl_table_find_col(&table, keys[i], &col))
			shown[view.n_cols++] = (uint16_t)col;
	}
	if (view.n_cols == 0) {
		put_some(out, &s->view, n, put_table, opts);
		return;
	}
	(void)snprintf(title, sizeof(title), "%s (%s)", s->title ? s->title : "",
		       is_all ? "whole trace" : "this window");
	memcpy(cols, table.cols, table.n_cols * sizeof(*cols));
	cols[shown[0]].title = title;
	table.cols = cols;
	view.table = &table;
	view.cols = shown;
	view.chosen_cols = true;
	put_some(out, &view, n, put_table, opts);
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

	wl_digest_head(out, doc, NULL, opts);
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
	struct plan plan;

	if (doc->gist) {
		put_gist(out, doc, opts);
		return;
	}
	if (doc->n_devices < 0) {
		put_host(out, doc, &p, put_table, opts);
		return;
	}
	plan = make_plan(doc, &p, opts);
	wl_digest_head(out, doc, p.budget, opts);
	if (p.budget) {
		put_gap(out, &plan.n_gaps);
		wl_digest_budget(out, doc, p.budget, p.list, opts);
	}
	if (plan.has_strip)
		(void)wl_text_strip(out, "GPU busy over time ", &p.strip->view, false, opts);
	if (p.list) {
		put_gap(out, &plan.n_gaps);
		wl_digest_findings(out, p.list, plan.n_findings, opts);
	}
	if (p.ranks && wl_digest_ranks_lines(p.ranks)) {
		put_gap(out, &plan.n_gaps);
		wl_digest_ranks(out, p.ranks, opts);
	}
	if (plan.n_kernels) {
		put_gap(out, &plan.n_gaps);
		put_kernels(out, doc, p.table, plan.n_kernels, put_table, opts);
	}
	if (p.roofs)
		(void)wl_digest_roofs(out, p.roofs, ROOF_LINES, opts);
	(void)put_notes(out, doc, plan.n_notes, opts);
	put_rest(out, doc, &p, opts);
}
