/* SPDX-License-Identifier: MIT */
#include "render/html/front.h"

#include <inttypes.h>
#include <string.h>

#include "render/text/looks.h"
#include "render/words/frame.h"
#include "render/words/markup.h"
#include "render/words/steps.h"

void wl_section_put_id(FILE *out, const struct wl_document *doc, size_t section)
{
	size_t before = 0;

	for (size_t i = 0; i < section; i++)
		before += strcmp(doc->sections[i].analysis, doc->sections[section].analysis) == 0;
	wl_put_markup(out, doc->sections[section].analysis);
	if (before)
		(void)fprintf(out, "-%zu", before + 1);
}

/* The analysis's first section that has a table; n_sections if none. */
static size_t find_section(const struct wl_document *doc, const char *analysis)
{
	size_t i = 0;

	while (i < doc->n_sections && (strcmp(doc->sections[i].analysis, analysis) != 0 ||
				       !wl_section_table(&doc->sections[i])))
		i++;
	return i;
}

/* The table of that section; NULL if none. */
static const struct wl_table *find_table(const struct wl_document *doc, const char *analysis)
{
	const size_t i = find_section(doc, analysis);

	return i < doc->n_sections ? wl_section_table(&doc->sections[i]) : NULL;
}

size_t wl_front_order(const struct wl_document *doc, size_t i)
{
	const size_t first = doc->has_front ? find_section(doc, "budget") : doc->n_sections;

	if (first == doc->n_sections || i > first)
		return i;
	return i == 0 ? first : i - 1;
}

/* ---- Steps ---- */

/* The range from the shortest to the longest period; nothing if there are no periods. */
static void put_spread(FILE *out, const struct wl_document *doc, enum wl_timeunit unit)
{
	const struct wl_table *t = find_table(doc, "iters");
	char least[WL_UNITS_BUF], most[WL_UNITS_BUF];
	int64_t limits[2] = { INT64_MAX, INT64_MIN };
	size_t col;

	if (!t || !wl_table_find_col(t, "period", &col))
		return;
	for (size_t row = 0; row < t->n_rows; row++) {
		const struct wl_cell cell = wl_table_at(t, row, col);

		if (!cell.set)
			continue;
		limits[0] = cell.i64 < limits[0] ? cell.i64 : limits[0];
		limits[1] = cell.i64 > limits[1] ? cell.i64 : limits[1];
	}
	if (limits[0] <= limits[1])
		(void)fprintf(out, "; from %s to %s", wl_fmt_ns(least, limits[0], unit),
			      wl_fmt_ns(most, limits[1], unit));
}

static void put_step(FILE *out, const struct wl_document *doc, enum wl_timeunit unit)
{
	const struct wl_doc_step *step = doc->step;
	const struct wl_step_part all = { step->count == 1 ? "step" : "steps", step->count,
					  step->median };
	/* A median over several kinds would be that of no kind. */
	const struct wl_step_part *big = step->has_kinds ? &step->part[0] : &all;
	char text[WL_STEPS_BUF];

	(void)fprintf(out, "<h2>Step time</h2>\n<p class=\"big\">%s</p>\n",
		      wl_fmt_ns(text, big->median, unit));
	(void)fprintf(out, "<p>median of %" PRId64 " %s", big->n, big->name);
	if (step->has_kinds)
		(void)fprintf(out, "; %s", wl_steps_say_parts(step, 1, unit, text));
	put_spread(out, doc, unit);
	wl_put_element(out, "</p>\n<p class=\"saving\">step = ", step->what ? step->what : "",
		       step->is_guess > 0 ? "; it may be a layer and not a step</p>\n" : "</p>\n");
	if (step->part[0].name && !step->has_kinds)
		(void)fprintf(out, "<p>steps have two lengths: %s</p>\n",
			      wl_steps_say_parts(step, 0, unit, text));
	if (step->outer.name)
		wl_put_element(out, "<p>", wl_steps_say(step, unit, text), "</p>\n");
}

/* ---- Without steps ---- */

static double sum_of(const struct wl_table *t, const char *key)
{
	double sum = 0;
	size_t col;

	if (!wl_table_find_col(t, key, &col))
		return 0;
	for (size_t row = 0; row < t->n_rows; row++) {
		const struct wl_cell cell = wl_table_at(t, row, col);

		sum += cell.set ? (double)cell.i64 : 0;
	}
	return sum;
}

/* The compute share of the time of all GPUs; false if there is no GPU work. */
static bool put_compute(FILE *out, const struct wl_document *doc, enum wl_timeunit unit)
{
	const struct wl_table *t = find_table(doc, "overlap");
	const double whole = t ? sum_of(t, "window") : 0;
	char share[WL_UNITS_BUF], length[WL_UNITS_BUF];

	if (whole <= 0)
		return false;
	(void)fprintf(out,
		      "<h2>Compute</h2>\n<p class=\"big\">%s</p>\n<p>of %s on %zu GPU%s; no steps "
		      "were found</p>\n",
		      wl_fmt_ratio(share, sum_of(t, "compute") / whole),
		      wl_fmt_ns(length, (int64_t)(whole / (double)t->n_rows), unit), t->n_rows,
		      t->n_rows == 1 ? "" : "s");
	return true;
}

/* ---- Both ---- */

static void put_finding(FILE *out, const struct wl_document *doc)
{
	const size_t i = find_section(doc, "findings");
	const struct wl_view *v = i < doc->n_sections ? &doc->sections[i].view : NULL;
	struct wl_list_columns cols;
	struct wl_cell cell;

	if (!v || v->n_rows == 0 || !wl_list_find(v->table, &cols))
		return;
	cell = wl_table_at(v->table, v->rows[0], cols.says);
	if (cell.set)
		wl_put_element(out, "<p>first finding: <a href=\"#finding-1\">", cell.str,
			       "</a></p>\n");
	cell = wl_table_at(v->table, v->rows[0], cols.action);
	if (cell.set)
		wl_put_element(out, "<p><b>\u2192 ", cell.str, "</b></p>\n");
}

void wl_front_put(FILE *out, const struct wl_document *doc, enum wl_timeunit unit)
{
	const bool has_steps = doc->step && doc->step->median > 0;
	const bool is_half = find_section(doc, "budget") < doc->n_sections;

	if (!doc->has_front || (!has_steps && !find_table(doc, "overlap")))
		return;
	(void)fprintf(out, "<section id=\"step\" class=\"front%s\">\n", is_half ? " half" : "");
	if (has_steps)
		put_step(out, doc, unit);
	else
		(void)put_compute(out, doc, unit);
	put_finding(out, doc);
	(void)fputs("</section>\n", out);
}

/* ---- Definitions ---- */

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_defined_as(const struct wl_section *a, const struct wl_section *b)
{
	return is_same(a->about, b->about) && is_same(a->from, b->from);
}

static bool is_first(const struct wl_document *doc, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (is_defined_as(&doc->sections[k], &doc->sections[i]))
			return false;
	}
	return true;
}

/* Links with the titles of all sections that share the i-th one's definition. */
static void put_titles(FILE *out, const struct wl_document *doc, size_t i)
{
	for (size_t k = i; k < doc->n_sections; k++) {
		const struct wl_section *s = &doc->sections[k];

		if (!is_defined_as(s, &doc->sections[i]))
			continue;
		(void)fputs(k > i ? ", <a href=\"#" : "<dt><a href=\"#", out);
		wl_section_put_id(out, doc, k);
		wl_put_element(out, "\">", s->title ? s->title : s->analysis, "</a>");
	}
	(void)fputs("</dt>\n", out);
}

void wl_front_put_methods(FILE *out, const struct wl_document *doc)
{
	if (!doc->has_front)
		return;
	(void)fputs("<section id=\"definitions\">\n<h2>Definitions and sources</h2>\n<dl "
		    "class=\"from\">\n",
		    out);
	for (size_t i = 0; i < doc->n_sections; i++) {
		const struct wl_section *s = &doc->sections[i];

		if ((!s->about && !s->from) || !is_first(doc, i))
			continue;
		put_titles(out, doc, i);
		if (s->about)
			wl_put_element(out, "<dd>", s->about, "</dd>\n");
		if (s->from)
			wl_put_element(out, "<dd>", s->from, "</dd>\n");
	}
	(void)fputs("</dl>\n</section>\n", out);
}
