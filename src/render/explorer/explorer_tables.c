/* SPDX-License-Identifier: MIT */
/* explorer_tables.c - the tables of the trace with their columns, and the tables it lacks. */
#include <inttypes.h>
#include <string.h>

#include "known/exports/schema.h"
#include "render/explorer/explorer_parts.h"
#include "render/words/markup.h"

/* "3.7.2", "3.7.2 to 3.23.3", "to 3.0.0", "all" */
static void put_versions(const struct wl_explorer *e, const char *table, const char *column)
{
	const struct wl_schema_entry *own = wl_schema_find(table, column);
	const struct wl_schema_entry *whole = wl_schema_find(table, NULL);
	const char *since = wl_schema_since(table, column);
	const char *until = own && *own->until ? own->until : whole ? whole->until : "";

	if (!own)
		return;
	if (since)
		(void)fprintf(e->out, "from %s", since);
	if (*until)
		(void)fprintf(e->out, "%sto %s", since ? " " : "", until);
	if (!since && !*until)
		(void)fputs("all", e->out);
}

/* What the values of the column refer to in this trace. */
static void put_targets(const struct wl_explorer *e, const char *table, const char *column)
{
	const char *before = "";

	for (size_t i = 0; i < wl_n_relations; i++) {
		const struct wl_relation *r = &wl_relations[i];
		bool told = false;

		if (strcmp(r->table, table) != 0 || !wl_relation_key_has(r->key, column) ||
		    !wl_explorer_relates(e, r))
			continue;
		for (size_t k = 0; k < i; k++)
			told = told || (strcmp(wl_relations[k].table, table) == 0 &&
					strcmp(wl_relations[k].to_table, r->to_table) == 0 &&
					wl_relation_key_has(wl_relations[k].key, column));
		if (told)
			continue;
		(void)fputs(before, e->out);
		wl_explorer_put_link(e, r->to_table);
		before = ", ";
	}
}

/* For an unknown table, only what SQLite says: a file can have very many of them. */
static void put_unknown(const struct wl_explorer *e, size_t row)
{
	wl_put_element(e->out, "<tr class=\"col\"><th scope=\"row\">",
		       wl_explorer_text(e, row, e->column), "</th>");
	wl_put_element(e->out, "<td>", wl_explorer_text(e, row, e->type),
		       "</td><td></td><td></td><td></td><td></td></tr>\n");
}

static void put_column(const struct wl_explorer *e, const char *table, size_t row)
{
	const char *column = wl_explorer_text(e, row, e->column);
	const char *meaning = wl_schema_meaning(table, column);

	(void)fputs("<tr class=\"col", e->out);
	wl_explorer_put_marks(e, table, column);
	wl_put_element(e->out, "\"><th scope=\"row\">", column, "</th>");
	wl_put_element(e->out, "<td>", wl_explorer_text(e, row, e->type),
		       "</td><td class=\"when\">");
	put_versions(e, table, column);
	(void)fprintf(e->out, "</td><td>%s</td>", e->reader->reads(table, column) ? "yes" : "");
	wl_put_element(e->out, "<td class=\"name\">", meaning ? meaning : "not known to warplens",
		       "</td><td>");
	put_targets(e, table, column);
	(void)fputs("</td></tr>\n", e->out);
}

/* Whether a link can contain the name without escapes. Other tables are not linked. */
static bool is_plain(const char *name)
{
	return name[strspn(name,
			   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")] ==
	       '\0';
}

static bool is_blank(const char *name)
{
	return name[strspn(name, " ")] == '\0';
}

static bool is_read(const struct wl_explorer *e, const struct wl_explorer_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		if (e->reader->reads(t->name, wl_explorer_text(e, t->first + i, e->column)))
			return true;
	}
	return false;
}

/* Tables that warplens reads are unfolded. */
static void put_table(const struct wl_explorer *e, const struct wl_explorer_table *t)
{
	const char *meaning = wl_schema_meaning(t->name, NULL);

	(void)fputs("<details class=\"table\"", e->out);
	if (is_plain(t->name) && *t->name)
		(void)fprintf(e->out, " id=\"table-%s\"", t->name);
	(void)fputs(t->rows > 0 && meaning && is_read(e, t) ? " open><summary>" : "><summary>",
		    e->out);
	wl_put_element(e->out, "<span class=\"called\">", is_blank(t->name) ? "(blank)" : t->name,
		       "</span> ");
	(void)fprintf(e->out, "<span class=\"count\">%" PRId64 " row%s</span> ", t->rows,
		      t->rows == 1 ? "" : "s");
	wl_put_element(e->out, "<span class=\"means\">",
		       meaning ? meaning : "unknown: warplens ignores it", "</span></summary>\n");
	wl_put_element(e->out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"",
		       t->name, ": columns\">\n<table>\n");
	(void)fputs("<thead><tr><th scope=\"col\">Column</th><th scope=\"col\">Type</th>"
		    "<th scope=\"col\">Schema</th><th scope=\"col\">Read</th>"
		    "<th scope=\"col\">Meaning</th><th scope=\"col\">Leads to</th></tr></thead>\n"
		    "<tbody>\n",
		    e->out);
	for (size_t i = 0; i < t->n; i++) {
		if (meaning)
			put_column(e, t->name, t->first + i);
		else
			put_unknown(e, t->first + i);
	}
	(void)fputs("</tbody>\n</table>\n</div>\n</details>\n", e->out);
}

/* In catalogue order, which begins with the GPU; then tables of codes, then unknown tables. */
void wl_explorer_put_tables(const struct wl_explorer *e)
{
	struct wl_explorer_table t;

	(void)fputs("<section id=\"tables\">\n<h2>Tables</h2>\n"
		    "<p>Schema: the versions that have the column. Read: warplens uses it.</p>\n",
		    e->out);
	for (size_t i = 0; i < wl_n_schema; i++) {
		if (wl_schema[i].table && wl_explorer_find(e, wl_schema[i].table, &t))
			put_table(e, &t);
	}
	for (int unknown = 0; unknown < 2; unknown++) {
		for (size_t at = 0; at < e->schema->n_rows;) {
			bool is_enum;

			t = wl_explorer_next(e, &at);
			is_enum = strncmp(t.name, "ENUM_", 5) == 0;
			if (unknown ? !wl_schema_find(t.name, NULL) : is_enum)
				put_table(e, &t);
		}
	}
	(void)fputs("<p class=\"missing nothing\" hidden>No table and no column is called so.</p>\n"
		    "</section>\n",
		    e->out);
}

static void put_absent_row(const struct wl_explorer *e, const struct wl_schema_entry *s)
{
	const char *capture = e->reader->capture(s->table);

	wl_put_element(e->out, "<tr class=\"gone\"><th scope=\"row\">", s->table, "</th><td>");
	wl_put_element(e->out, "", s->meaning, "</td><td class=\"when\">");
	put_versions(e, s->table, NULL);
	wl_put_element(e->out, "</td><td>", capture ? capture : "", "</td></tr>\n");
}

/* Whether the trace lacks the table, and the way to record it is known, or unknown. */
static bool is_absent(const struct wl_explorer *e, const struct wl_schema_entry *s, bool recordable)
{
	return s->table && (e->reader->capture(s->table) != NULL) == recordable &&
	       !wl_explorer_has(e, s->table, NULL);
}

static void put_absent_rows(const struct wl_explorer *e, bool recordable)
{
	bool any = false;

	for (size_t i = 0; i < wl_n_schema; i++)
		any = any || is_absent(e, &wl_schema[i], recordable);
	if (!any)
		return;
	if (!recordable)
		(void)fputs("<details><summary>Other tables that warplens knows</summary>\n",
			    e->out);
	(void)fprintf(
		e->out,
		"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">\n"
		"<table>\n<thead><tr><th scope=\"col\">Table</th><th scope=\"col\">Meaning</th>"
		"<th scope=\"col\">Schema</th><th scope=\"col\">Recorded by</th></tr></thead>\n"
		"<tbody>\n",
		recordable ? "Absent tables that can be recorded" : "Other absent tables");
	for (size_t i = 0; i < wl_n_schema; i++) {
		if (is_absent(e, &wl_schema[i], recordable))
			put_absent_row(e, &wl_schema[i]);
	}
	(void)fputs(recordable ? "</tbody>\n</table>\n</div>\n"
			       : "</tbody>\n</table>\n</div>\n</details>\n",
		    e->out);
}

void wl_explorer_put_absent(const struct wl_explorer *e)
{
	(void)fputs(
		"<section id=\"absent\">\n<h2>Not in this trace</h2>\n"
		"<p>Exports leave out tables without rows, so an absent table means that nothing "
		"was recorded.</p>\n",
		e->out);
	put_absent_rows(e, true);
	put_absent_rows(e, false);
	(void)fputs("</section>\n", e->out);
}
