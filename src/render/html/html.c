/* SPDX-License-Identifier: MIT */
/*
 * html.c - a document as one self-contained HTML page.
 */
#include "render/chart/chart.h"
#include "render/formats.h"
#include "render/html/front.h"
#include "render/html/html_list.h"
#include "render/html/html_table.h"
#include "render/html/page.h"
#include "render/text/looks.h"
#include "render/words/frame.h"
#include "render/words/markup.h"

static const char *title_of(const struct wl_section *s)
{
	return s->title ? s->title : s->analysis;
}

/* Coverage and notes. A list without items would not be valid. */
static void put_remarks(FILE *out, const struct wl_table *t)
{
	char buf[WL_FRAME_BUF];
	bool any = false;

	for (size_t i = 0; i < t->n_coverage; i++) {
		const char *text = wl_frame_coverage(&t->coverage[i], buf);

		if (!text)
			continue;
		wl_put_element(out, any ? "<li>coverage: " : "<ul class=\"notes\">\n<li>coverage: ",
			       text, "</li>\n");
		any = true;
	}
	for (const struct wl_note *n = t->notes; n; n = n->next) {
		wl_put_element(out, any ? "<li>" : "<ul class=\"notes\">\n<li>", n->text,
			       "</li>\n");
		any = true;
	}
	(void)fputs(any ? "</ul>\n" : "", out);
}

/* Source, definition and limits: foldable here, unless the report lists them once at the end. */
static void put_method(FILE *out, const struct wl_document *doc, const struct wl_section *s)
{
	if (doc->has_front || (!s->from && !s->about))
		return;
	(void)fprintf(out, "<details class=\"from\"><summary>%s</summary>",
		      s->about ? "Definition and limits" : "Source");
	if (s->about)
		wl_put_element(out, "<p>", s->about, "</p>");
	if (s->from)
		wl_put_element(out, "<p>", s->from, "</p>");
	(void)fputs("</details>\n", out);
}

/* The chart of a budget: one bar, whatever is divided. */
static const struct wl_chart budget = {
	.kind = WL_CHART_SIDES,
	.title = "Where a step goes",
	.shows = "The mean step, divided into where its time goes. Shares are of the step.",
	.label = "part",
	.parts = { "time" },
};

/* The section with the chart that its look requires. */
static struct wl_section look_at(const struct wl_section *s)
{
	struct wl_section ret = *s;

	if (s->look == WL_LOOK_BAR && !s->chart)
		ret.chart = &budget;
	return ret;
}

static bool is_drawn(const struct wl_section *s)
{
	const struct wl_section with_chart = look_at(s);

	return wl_chart_is_drawn(&with_chart);
}

static bool is_list(const struct wl_section *s)
{
	return !s->missing && s->look == WL_LOOK_LIST && wl_html_list_fits(&s->view);
}

static void put_strip(FILE *out, const struct wl_view *v)
{
	const struct wl_render_opts opts = { .width = 0 };

	(void)fputs("<p>", out);
	(void)wl_text_strip(out, "", v, true, &opts);
	(void)fputs("</p>\n", out);
}

/* The second picture, if there is one, is drawn whenever the first is. */
static void put_pictures(FILE *out, const struct wl_section *s, unsigned chart,
			 enum wl_timeunit unit)
{
	struct wl_section other = *s;

	other.chart = s->other;
	if (!wl_chart_is_drawn(&other)) {
		wl_chart_put(out, s, chart, unit);
		return;
	}
	(void)fputs("<div class=\"pair\">\n", out);
	wl_chart_put(out, s, chart, unit);
	wl_chart_put(out, &other, chart + 1, unit);
	(void)fputs("</div>\n", out);
}

/* Below a picture or a list the table can be folded; it is folded if there are several sections. */
static void put_body(FILE *out, const struct wl_document *doc, const struct wl_section *s,
		     unsigned chart, const struct wl_render_opts *opts)
{
	const char *open =
		doc->single ? "<details open><summary>Table: " : "<details><summary>Table: ";
	bool is_strip = s->title && s->look == WL_LOOK_STRIP && s->view.n_total > 0;
	bool folded = chart || is_list(s) || is_strip;

	if (s->title && s->view.n_total == 0 && !folded) {
		(void)fputs("<p class=\"missing\">(none)</p>\n", out);
		put_remarks(out, s->view.table);
		return;
	}

	if (chart)
		put_pictures(out, s, chart, opts->timeunit);
	if (is_list(s))
		wl_html_list_put(out, s, opts, doc->has_front);
	if (is_strip)
		put_strip(out, &s->view);
	if (folded)
		put_remarks(out, s->view.table);
	wl_put_element(out, folded ? open : "", folded ? title_of(s) : "",
		       folded ? "</summary>\n" : "");
	wl_html_table_put(out, s, opts->timeunit);
	(void)fputs(folded ? "</details>\n" : "", out);
	if (!folded)
		put_remarks(out, s->view.table);
}

/* Two sections that have or could have a picture are side by side, even if one has no data. */
static bool is_half(const struct wl_section *s)
{
	return s->chart && !s->chart->wide && !s->other;
}

static void put_section(FILE *out, const struct wl_document *doc, size_t i, unsigned chart,
			const struct wl_render_opts *opts)
{
	struct wl_section with_chart = look_at(&doc->sections[i]);
	const struct wl_section *s = &with_chart;
	const char *title = title_of(s);
	char window[WL_FRAME_BUF];

	/* A map of one GPU is of no use. */
	if (doc->n_devices == 1)
		with_chart.other = NULL;
	(void)fputs("<section id=\"", out);
	wl_section_put_id(out, doc, i);
	(void)fputs(is_half(s) ? "\" class=\"half\">\n" : "\">\n", out);
	if (title && *title)
		wl_put_element(out, "<h2>", title, "</h2>\n");
	if (wl_frame_section_window(s, opts->timeunit, window))
		wl_put_element(out, "<p class=\"frame\">", window, "</p>\n");
	if (s->missing)
		wl_put_element(out, "<p class=\"missing\">", s->missing, "</p>\n");
	else
		put_body(out, doc, s, chart, opts);
	put_method(out, doc, s);
	(void)fputs("</section>\n", out);
}

static struct wl_html_page page_of(const struct wl_document *doc)
{
	struct wl_html_page page = { .tools = !doc->single, .report = doc->has_front };

	for (size_t i = 0; i < doc->n_sections; i++) {
		const struct wl_section *s = &doc->sections[i];
		const struct wl_table *t = wl_section_table(s);

		page.tree = page.tree || (t && t->is_tree);
		page.charts = page.charts || is_drawn(s) || is_list(s);
	}
	page.charts = page.charts || page.tools;
	return page;
}

static void put_head(FILE *out, const struct wl_document *doc, const struct wl_html_page *page)
{
	wl_html_put_head(out, page);
	if (doc->title)
		wl_put_element(out, "<title>", doc->title, "");
	else
		wl_put_element(out, "<title>warplens ", doc->name, "");
	for (size_t i = 0; i < wl_frame_n_traces(doc); i++) {
		const struct wl_document *d = wl_frame_trace(doc, i);

		if (d->n_trace && d->trace[0].str)
			wl_put_element(out, i ? ", " : ": ", d->trace[0].str, "");
	}
	(void)fputs("</title>\n</head>\n", out);
}

static void put_frame(FILE *out, const struct wl_document *doc, enum wl_timeunit unit)
{
	struct wl_frame f;

	wl_frame_init(&f, doc, unit);
	for (size_t i = 0; i < f.n; i++)
		wl_put_element(out, i ? " \u00b7 " : "<p class=\"frame\">", f.part[i], "");
	/* Details of the trace besides its path, for a document that is read on its own. */
	for (size_t i = 1; f.n && doc->in_detail && i < doc->n_trace; i++) {
		wl_put_element(out, " \u00b7 ", doc->trace[i].key, " ");
		wl_put_markup(out, doc->trace[i].str ? doc->trace[i].str : "");
	}
	(void)fputs(f.n ? "</p>\n" : "", out);
}

static void put_nav(FILE *out, const struct wl_document *doc)
{
	(void)fputs("<nav aria-label=\"Sections\">\n", out);
	for (size_t i = 0; i < doc->n_sections; i++) {
		const size_t at = wl_front_order(doc, i);
		const char *title = title_of(&doc->sections[at]);

		(void)fputs("<a href=\"#", out);
		wl_section_put_id(out, doc, at);
		wl_put_element(out, "\">", title ? title : "", "</a>\n");
	}
	if (doc->has_front)
		(void)fputs("<a href=\"#definitions\">Definitions and sources</a>\n", out);
	(void)fputs("</nav>\n", out);
}

static void put_bottom(FILE *out, const struct wl_document *doc)
{
	if (!doc->data)
		return;
	wl_put_element(out, "<footer class=\"from\">All rows of all sections are in <a href=\"",
		       doc->data, "\">");
	wl_put_element(out, "", doc->data, "</a>. Made by \"warplens ");
	wl_put_element(out, "", doc->name, "\".</footer>\n");
}

static void put_top(FILE *out, const struct wl_document *doc, enum wl_timeunit unit)
{
	(void)fputs(doc->single ? "<header>\n" : "<header>\n<div class=\"tools\"></div>\n", out);
	if (doc->title)
		wl_put_element(out, "<h1>", doc->title, "</h1>\n");
	else
		wl_put_element(out, "<h1>warplens ", doc->name, "</h1>\n");
	if (doc->lead)
		wl_put_element(out, "<p class=\"lead\">", doc->lead, "</p>\n");
	if (doc->reason && *doc->reason)
		wl_put_element(out, "<p>", doc->reason, "</p>\n");
	for (size_t i = 0; i < wl_frame_n_traces(doc); i++)
		put_frame(out, wl_frame_trace(doc, i), unit);
	if (!doc->single)
		put_nav(out, doc);
	(void)fputs("</header>\n", out);
}

void wl_render_html(const struct wl_document *doc, const struct wl_render_opts *opts, FILE *out)
{
	const struct wl_html_page page = page_of(doc);
	unsigned n_charts = 0;

	put_head(out, doc, &page);
	(void)fputs(doc->has_front ? "<body class=\"report\">\n" : "<body>\n", out);
	put_top(out, doc, opts->timeunit);
	(void)fputs("<main class=\"grid\">\n", out);
	wl_front_put(out, doc, opts->timeunit);
	for (size_t i = 0; i < doc->n_sections; i++) {
		const size_t at = wl_front_order(doc, i);
		const unsigned n = !is_drawn(&doc->sections[at]) ? 0
				   : doc->sections[at].other     ? 2
								 : 1;

		put_section(out, doc, at, n ? n_charts + 1 : 0, opts);
		n_charts += n;
	}
	wl_front_put_methods(out, doc);
	(void)fputs("</main>\n", out);
	put_bottom(out, doc);
	wl_html_put_scripts(out, &page);
	(void)fputs("</body>\n</html>\n", out);
}
