/* SPDX-License-Identifier: MIT */
/* explorer_queries.c - queries to copy into sqlite3, adapted to this trace. */

#include "known/exports/queries.h"
#include "render/explorer/explorer_parts.h"
#include "render/words/markup.h"

/* Writes our own SQL: its only controls are line feeds, which are kept. */
static void put_sql(const struct wl_explorer *e, const char *sql)
{
	const char *line;
	size_t n;

	while ((line = wl_sql_line(&sql, wl_explorer_has, e, &n)) != NULL) {
		for (size_t i = 0; i < n; i++) {
			const char *special = line[i] == '<'   ? "&lt;"
					      : line[i] == '>' ? "&gt;"
					      : line[i] == '&' ? "&amp;"
							       : NULL;

			if (special)
				(void)fputs(special, e->out);
			else
				(void)fputc(line[i], e->out);
		}
	}
}

static void put_query(const struct wl_explorer *e, const struct wl_query_fact *q)
{
	wl_put_element(e->out, "<article class=\"query\">\n<h3>", q->title, "</h3>\n");
	wl_put_element(e->out, "<p>", q->answers, "");
	if (*q->verb)
		wl_put_element(e->out, " See also <code>warplens ", q->verb, "</code>.");
	wl_put_element(e->out, "</p>\n<pre tabindex=\"0\" role=\"region\" aria-label=\"", q->title,
		       ": SQL\"><code>");
	put_sql(e, q->sql);
	(void)fputs("</code></pre>\n</article>\n", e->out);
}

/* "Title: needs A or B" */
static void put_refused(const struct wl_explorer *e, const struct wl_query_fact *q,
			const char *lacks)
{
	wl_put_element(e->out, "<li>", q->title, ": needs ");
	for (; *lacks && *lacks != ' '; lacks++) {
		if (*lacks == '|')
			(void)fputs(" or ", e->out);
		else
			(void)fputc(*lacks, e->out);
	}
	(void)fputs("</li>\n", e->out);
}

void wl_explorer_put_queries(const struct wl_explorer *e)
{
	const char *lacks, *before = "<p>Not for this trace:</p>\n<ul class=\"notes\">\n";

	(void)fputs("<section id=\"queries\">\n<h2>Queries</h2>\n"
		    "<p>For the <code>sqlite3</code> shell, as this trace takes them. Times are "
		    "nanoseconds. Open the file with <code>sqlite3 -readonly</code>.</p>\n",
		    e->out);
	for (size_t i = 0; i < wl_n_query_facts; i++) {
		if (!wl_query_lacks(&wl_query_facts[i], wl_explorer_has, e))
			put_query(e, &wl_query_facts[i]);
	}
	for (size_t i = 0; i < wl_n_query_facts; i++) {
		lacks = wl_query_lacks(&wl_query_facts[i], wl_explorer_has, e);
		if (!lacks)
			continue;
		(void)fputs(before, e->out);
		before = "";
		put_refused(e, &wl_query_facts[i], lacks);
	}
	(void)fputs(*before ? "</section>\n" : "</ul>\n</section>\n", e->out);
}
