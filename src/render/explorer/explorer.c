/* SPDX-License-Identifier: MIT */
#include "render/explorer/explorer.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "known/schema.h"
#include "render/explorer/explorer_parts.h"
#include "render/html/page.h"
#include "render/words/markup.h"
#include "table/cols.h"

const char *wl_explorer_text(const struct wl_explorer *e, size_t row, size_t col)
{
	struct wl_cell cell = wl_table_at(e->schema, row, col);

	return cell.set ? cell.str : "";
}

struct wl_explorer_table wl_explorer_next(const struct wl_explorer *e, size_t *at)
{
	struct wl_explorer_table ret = { .name = wl_explorer_text(e, *at, e->table), .first = *at };

	ret.rows = wl_table_at(e->schema, *at, e->rows).i64;
	while (*at < e->schema->n_rows && strcmp(wl_explorer_text(e, *at, e->table), ret.name) == 0)
		(*at)++;
	ret.n = *at - ret.first;
	return ret;
}

bool wl_explorer_find(const struct wl_explorer *e, const char *table, struct wl_explorer_table *ret)
{
	for (size_t at = 0; at < e->schema->n_rows;) {
		*ret = wl_explorer_next(e, &at);
		if (strcmp(ret->name, table) == 0)
			return true;
	}
	return false;
}

bool wl_explorer_has(const void *explorer, const char *table, const char *column)
{
	const struct wl_explorer *e = explorer;
	struct wl_explorer_table t;

	if (!wl_explorer_find(e, table, &t))
		return false;
	for (size_t i = 0; column && i < t.n; i++) {
		if (strcmp(wl_explorer_text(e, t.first + i, e->column), column) == 0)
			return true;
	}
	return !column;
}

/* All columns of the key that the catalogue knows are in the table. */
static bool has_key(const struct wl_explorer *e, const char *table, const char *key)
{
	const struct wl_schema_entry *s = wl_schema_find(table, NULL);

	if (!wl_explorer_has(e, table, NULL))
		return false;
	for (s++; strncmp(table, "ENUM_", 5) != 0 && s < wl_schema + wl_n_schema && !s->table;
	     s++) {
		if (wl_relation_key_has(key, s->column) && !wl_explorer_has(e, table, s->column))
			return false;
	}
	return true;
}

bool wl_explorer_relates(const struct wl_explorer *e, const struct wl_relation *r)
{
	return has_key(e, r->table, r->key) && has_key(e, r->to_table, r->to_key);
}

void wl_explorer_put_link(const struct wl_explorer *e, const char *table)
{
	if (wl_explorer_has(e, table, NULL)) {
		wl_put_element(e->out, "<a href=\"#table-", table, "\">");
		wl_put_element(e->out, "", table, "</a>");
	} else {
		wl_put_markup(e->out, table);
	}
}

void wl_explorer_put_marks(const struct wl_explorer *e, const char *table, const char *column)
{
	for (int i = 0; i < WL_N_CONCEPTS; i++) {
		if (wl_concept_is_about((enum wl_concept_id)i, table, column))
			(void)fprintf(e->out, " k-%s", wl_concepts[i].key);
	}
}

/* The choice stays in sight; it works by style alone. */
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

/* The file's name without its directory: what a heading has room for. */
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
					   .script = wl_explorer_script,
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
