/* SPDX-License-Identifier: MIT */
/* explorer_relations.c - the relations between the tables of this trace, as a diagram and a
 * list. */
#include "render/explorer/explorer_parts.h"
#include "render/words/markup.h"

static void put_relation(const struct wl_explorer *e, const struct wl_relation *r)
{
	const struct wl_concept *c = &wl_concepts[r->concept];

	(void)fprintf(e->out, "<tr class=\"col k-%s\"><th scope=\"row\">", c->key);
	wl_explorer_put_link(e, r->table);
	wl_put_element(e->out, "</th><td><code>", r->key, "</code></td><td>");
	wl_explorer_put_link(e, r->to_table);
	wl_put_element(e->out, "</td><td><code>", r->to_key, "</code></td>");
	wl_put_element(e->out, "<td>", r->note, "</td>");
	(void)fprintf(e->out, "<td>%s</td></tr>\n", r->holds_for_all ? "all" : "some");
}

void wl_explorer_put_relations(const struct wl_explorer *e)
{
	bool any = false;

	(void)fputs("<section id=\"relations\">\n<h2>Relations</h2>\n", e->out);
	for (size_t i = 0; i < wl_n_relations; i++)
		any = any || wl_explorer_relates(e, &wl_relations[i]);
	if (!any) {
		(void)fputs(
			"<p class=\"missing\">No two tables of this trace belong together.</p>\n"
			"</section>\n",
			e->out);
		return;
	}
	wl_explorer_put_map(e);
	(void)fputs(
		"<details><summary>Table: relations</summary>\n"
		"<p>Rows belong together where all expressions are equal; no schema declares it. "
		"Found: whether each row finds one, or only some do.</p>\n"
		"<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
		"aria-label=\"Relations: table\">\n<table>\n"
		"<thead><tr><th scope=\"col\">Table</th><th scope=\"col\">Key</th>"
		"<th scope=\"col\">leads to</th><th scope=\"col\">by</th>"
		"<th scope=\"col\">What it finds</th><th scope=\"col\">Found</th></tr></thead>\n"
		"<tbody>\n",
		e->out);
	for (size_t i = 0; i < wl_n_relations; i++) {
		if (wl_explorer_relates(e, &wl_relations[i]))
			put_relation(e, &wl_relations[i]);
	}
	(void)fputs("</tbody>\n</table>\n</div>\n</details>\n</section>\n", e->out);
}
