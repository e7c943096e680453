/* SPDX-License-Identifier: MIT */
#include "render/explorer/explorer.h"

#include <inttypes.h>
#include <string.h>

#include "base/file/file.h"
#include "render/explorer/explorer_parts.h"
#include "render/html/page.h"
#include "render/words/markup.h"

/* The choice of a concept stays visible while scrolling; it works with CSS alone. */
static void put_choice(const struct wl_explorer *e)
{
	(void)fputs("<div class=\"bar\">\n<fieldset>\n<legend>Mark</legend>\n"
		    "<label><input type=\"radio\" name=\"concept\" id=\"k-none\" checked> "
		    "nothing</label>\n",
		    e->out);
	for (int i = 0; i < WL_N_CONCEPTS; i++)
		(void)fprintf(e->out,
			      "<label><input type=\"radio\" name=\"concept\" id=\"k-%s\"> "
			      "%s</label>\n",
			      wl_concepts[i].key, wl_concepts[i].title);
	(void)fputs("</fieldset>\n<div class=\"find\"></div>\n</div>\n", e->out);
}

void wl_explorer_put_concepts(const struct wl_explorer *e)
{
	(void)fputs(
		"<section id=\"concepts\">\n<h2>Concepts</h2>\n"
		"<p>What several tables share. Choose one above: the picture, the tables and the "
		"relations show what belongs to it.</p>\n<div class=\"cards\">\n",
		e->out);
	for (int i = 0; i < WL_N_CONCEPTS; i++) {
		(void)fprintf(e->out, "<article class=\"k-%s\">\n<h3>%s</h3>\n", wl_concepts[i].key,
			      wl_concepts[i].title);
		wl_put_element(e->out, "<p>", wl_concepts[i].text, "</p>\n</article>\n");
	}
	(void)fputs("</div>\n</section>\n", e->out);
}

/* The file's name without its directory, short enough for a heading. */
static const char *name_of(const struct wl_document *doc)
{
	return doc->n_trace && doc->trace[0].str ? wl_path_name(doc->trace[0].str) : "";
}

static void put_top(const struct wl_explorer *e, const struct wl_document *doc)
{
	static const char *const sections[][2] = {
		{ "concepts", "Concepts" },
		{ "relations", "Relations" },
		{ "tables", "Tables" },
		{ "queries", "Queries" },
		{ "absent", "Not in this trace" },
	};
	size_t n_tables = 0;
	int64_t rows = 0;

	for (size_t at = 0; at < e->schema->n_rows; n_tables++) {
		struct wl_explorer_table t = wl_explorer_next(e, &at);

		rows = t.rows > INT64_MAX - rows ? INT64_MAX : rows + t.rows;
	}
	(void)fputs("<header>\n<div class=\"tools\"></div>\n", e->out);
	wl_put_element(e->out, "<h1>Schema of ", name_of(doc), "</h1>\n<p class=\"frame\">");
	for (size_t i = 1; i < doc->n_trace; i++) {
		wl_put_element(e->out, "", doc->trace[i].key, " ");
		wl_put_element(e->out, "", doc->trace[i].str ? doc->trace[i].str : "", " \u00b7 ");
	}
	(void)fprintf(e->out, "%zu tables \u00b7 %zu columns \u00b7 %" PRId64 " rows</p>\n",
		      n_tables, e->schema->n_rows, rows);
	(void)fputs("<nav aria-label=\"Sections\">\n", e->out);
	for (size_t i = 0; i < WL_COUNT(sections); i++)
		(void)fprintf(e->out, "<a href=\"#%s\">%s</a>\n", sections[i][0], sections[i][1]);
	(void)fputs("</nav>\n</header>\n", e->out);
}

static size_t column_of(const struct wl_table *t, const char *key)
{
	size_t ret = 0;

	(void)wl_cols_find(t, key, strlen(key), &ret);
	return ret;
}

void wl_render_explorer(const struct wl_document *doc, const struct wl_explorer_reader *reader,
			FILE *out)
{
	const struct wl_html_page page = { .charts = true,
					   .tools = true,
					   .script = wl_html_part("explorer.js"),
					   .hash = wl_explorer_hash };
	const struct wl_table *t = doc->sections[0].view.table;
	const struct wl_explorer e = { .out = out,
				       .reader = reader,
				       .schema = t,
				       .table = column_of(t, "table"),
				       .rows = column_of(t, "rows"),
				       .column = column_of(t, "column"),
				       .type = column_of(t, "type") };

	wl_html_put_head(out, &page);
	wl_explorer_put_style(out);
	wl_put_element(out, "<title>Schema of ", name_of(doc), "</title>\n</head>\n<body>\n");
	put_top(&e, doc);
	put_choice(&e);
	(void)fputs("<main>\n", out);
	wl_explorer_put_concepts(&e);
	wl_explorer_put_relations(&e);
	wl_explorer_put_tables(&e);
	wl_explorer_put_queries(&e);
	wl_explorer_put_absent(&e);
	(void)fputs(
		"</main>\n<footer class=\"from\">Made by \"warplens schema --html\". Versions are "
		"those of the exports in which a table or column was first and last seen."
		"</footer>\n",
		out);
	wl_html_put_scripts(out, &page);
	(void)fputs("</body>\n</html>\n", out);
}
