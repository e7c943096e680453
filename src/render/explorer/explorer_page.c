/* SPDX-License-Identifier: MIT */
/* explorer_page.c - style and script of the schema explorer. The page works without either. */
#include "render/explorer/explorer_parts.h"
#include "render/html/page.h"

/* Highlights what a concept is about when it is chosen, with CSS alone. */
static void put_concept_style(FILE *out, const char *key)
{
	static const char *const parts[] = {
		" tr.k-%s > *, :root:has(#k-%s:checked) article.k-%s "
		"{ background: var(--mark) }\n",
		" tr.k-%s > :first-child { box-shadow: inset 4px 0 var(--edge-mark); "
		"text-decoration: underline }\n",
		" details.table:has(tr.k-%s) > summary .called "
		"{ background: var(--mark); text-decoration: underline }\n",
		" .line:not(.k-%s) { opacity: .08 }\n",
		" .line.k-%s { stroke: var(--edge-mark); stroke-width: 2; opacity: 1 }\n",
		" .line.k-%s .tip { fill: var(--edge-mark) }\n",
		" .box.k-%s rect { fill: var(--mark); stroke: var(--edge-mark); "
		"stroke-width: 2 }\n",
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		(void)fprintf(out, ":root:has(#k-%s:checked)", key);
		for (const char *p = parts[i]; *p; p++) {
			if (p[0] == '%' && p[1] == 's') {
				(void)fputs(key, out);
				p++;
			} else {
				(void)fputc(*p, out);
			}
		}
	}
}

void wl_explorer_put_style(FILE *out)
{
	(void)fprintf(out, "<style>\n%s", wl_html_part("explorer.css"));
	for (int i = 0; i < WL_N_CONCEPTS; i++)
		put_concept_style(out, wl_concepts[i].key);
	(void)fputs("</style>\n", out);
}

/* A change to the script changes its hash: the unit test prints the new one. */
const char wl_explorer_hash[] = "sha256-v+RGzYkxvtXPQm9W5l2B2MaR3vOfkGKwRqAjhLvnw4Q=";
