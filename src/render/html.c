/*
 * html.c - a document for a browser or a mail: one page, nothing from elsewhere.
 *
 * Only a page with a tree has a script, which folds it. The page is complete without
 * it, and the policy of the page admits it by its hash: no name can smuggle in another.
 */
#include <inttypes.h>

#include "render/formats.h"
#include "render/frame.h"
#include "render/human.h"

static const char head_begin[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\">\n"
	"<head>\n"
	"<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ";

static const char head_end[] =
	"style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n"
	"<style>\n"
	":root { --fg: #1f2328; --bg: #fff; --soft: #59636e; --line: #d1d9e0; --head: #f6f8fa }\n"
	"@media (prefers-color-scheme: dark) { :root { --fg: #e6edf3; --bg: #0d1117; "
	"--soft: #9198a1; --line: #3d444d; --head: #161b22 } }\n"
	"body { margin: 2rem auto; max-width: 90rem; padding: 0 1rem; color: var(--fg); "
	"background: var(--bg); font: 15px/1.5 system-ui, sans-serif }\n"
	"table { border-collapse: collapse; font-variant-numeric: tabular-nums }\n"
	"caption { text-align: left; color: var(--soft); padding: .25rem 0 }\n"
	"th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; "
	"vertical-align: top }\n"
	"th { background: var(--head); white-space: nowrap }\n"
	".name { min-width: 14rem; overflow-wrap: anywhere }\n"
	".num { text-align: right; white-space: nowrap }\n"
	".frame, .notes, .missing { color: var(--soft); overflow-wrap: anywhere }\n"
	"</style>\n";

/* A level is a step to the right; on paper nothing is folded. */
static const char tree_style[] =
	"<style>\n"
	".node { padding-left: calc(1.8rem + var(--level) * 1rem) }\n"
	".node button { float: left; width: 1.2rem; margin-left: -1.2rem; padding: 0; border: 0; "
	"background: none; color: var(--soft); font: inherit; cursor: pointer }\n"
	"[aria-expanded=true] button::before { content: \"\\25be\" }\n"
	"[aria-expanded=false] button::before { content: \"\\25b8\" }\n"
	"@media print { tr[hidden] { display: table-row } .node button { display: none } "
	".node { padding-left: calc(.6rem + var(--level) * .6rem) } }\n"
	"</style>\n";

/* Whoever changes this changes the hash: the unit test tells the new one. */
static const char tree_script[] =
	"\n"
	"const level = row => row ? +row.getAttribute('aria-level') : 0;\n"
	"const isShut = row => row.getAttribute('aria-expanded') === 'false';\n"
	"function fold(row) {\n"
	"  row.setAttribute('aria-expanded', isShut(row));\n"
	"  let shut = isShut(row) ? level(row) : Infinity;\n"
	"  for (let r = row; level(r = r.nextElementSibling) > level(row);) {\n"
	"    r.hidden = level(r) > shut;\n"
	"    if (!r.hidden)\n"
	"      shut = isShut(r) ? level(r) : Infinity;\n"
	"  }\n"
	"}\n"
	"for (const cell of document.querySelectorAll('.node')) {\n"
	"  const row = cell.parentElement;\n"
	"  if (level(row.nextElementSibling) <= level(row))\n"
	"    continue;\n"
	"  const button = document.createElement('button');\n"
	"  button.setAttribute('aria-label', 'fold');\n"
	"  button.addEventListener('click', () => fold(row));\n"
	"  row.setAttribute('aria-expanded', true);\n"
	"  cell.prepend(button);\n"
	"}\n";

#define TREE_SCRIPT_HASH "sha256-sD06S7OVYBwFcKr02GAMlLqoyrzSVzaPV82v4NIf7cQ="

static const char *escape(uint32_t cp)
{
	switch (cp) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return wl_escape_human(cp);
	}
}

static void put_text(FILE *out, const char *s)
{
	wl_put_escaped(out, s, escape);
}

/* An element around a text of ours or of the trace. */
static void put_element(FILE *out, const char *open, const char *text, const char *close)
{
	(void)fputs(open, out);
	put_text(out, text);
	(void)fputs(close, out);
}

static void put_header(FILE *out, const struct wl_view *v)
{
	(void)fputs("<thead><tr>", out);
	for (size_t i = 0; i < v->n_cols; i++) {
		const struct wl_col *col = &v->table->cols[v->cols[i]];

		(void)fputs("<th scope=\"col\"", out);
		if (wl_human_is_number(col->type))
			(void)fputs(" class=\"num\"", out);
		if (col->help)
			put_element(out, " title=\"", col->help, "\"");
		put_element(out, ">", col->title, "</th>");
	}
	(void)fputs("</tr></thead>\n", out);
}

/* The beginning of a cell, up to its text. */
static void open_cell(FILE *out, const struct wl_view *v, size_t row, size_t col)
{
	const struct wl_col *c = &v->table->cols[col];
	uint32_t level = wl_view_level(v, row, col);

	if (v->levels && col == v->name_col)
		(void)fprintf(out, "<td class=\"name node\" style=\"--level:%" PRIu32 "\">",
			      level < WL_MAX_INDENT ? level : WL_MAX_INDENT);
	else
		(void)fputs(wl_human_is_number(c->type) ? "<td class=\"num\">"
			    : c->type == WL_T_STR       ? "<td class=\"name\">"
							: "<td>",
			    out);
	if (level > WL_MAX_INDENT)
		(void)fprintf(out, "%" PRIu32 ": ", level);
}

static void put_row(FILE *out, const struct wl_view *v, size_t row, enum wl_timeunit unit)
{
	char buf[WL_UNITS_BUF];

	if (v->levels)
		(void)fprintf(out, "<tr aria-level=\"%" PRIu64 "\">", (uint64_t)v->levels[row] + 1);
	else
		(void)fputs("<tr>", out);
	for (size_t i = 0; i < v->n_cols; i++) {
		const struct wl_col *col = &v->table->cols[v->cols[i]];
		struct wl_cell cell = wl_table_at(v->table, v->rows[row], v->cols[i]);

		open_cell(out, v, row, v->cols[i]);
		put_element(out, "", wl_human_cell(col, cell, unit, buf), "</td>");
	}
	(void)fputs("</tr>\n", out);
}

static void put_table(FILE *out, const struct wl_view *v, enum wl_timeunit unit)
{
	if (v->n_cols == 0)
		return;
	(void)fputs(v->levels ? "<table role=\"treegrid\">\n" : "<table>\n", out);
	if (v->n_rows < v->n_total)
		(void)fprintf(out, "<caption>%zu of %zu rows; -n 0 shows all</caption>\n",
			      v->n_rows, v->n_total);
	else
		(void)fprintf(out, "<caption>%zu row%s</caption>\n", v->n_rows,
			      v->n_rows == 1 ? "" : "s");
	put_header(out, v);
	(void)fputs("<tbody>\n", out);
	for (size_t row = 0; row < v->n_rows; row++)
		put_row(out, v, row, unit);
	if (v->n_rows == 0)
		(void)fprintf(out, "<tr><td colspan=\"%zu\">(no rows)</td></tr>\n", v->n_cols);
	(void)fputs("</tbody>\n</table>\n", out);
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
		put_element(out,
			    any ? "<li>coverage: " : "<ul class=\"notes\">\n<li>coverage: ", text,
			    "</li>\n");
		any = true;
	}
	for (const struct wl_note *n = t->notes; n; n = n->next) {
		put_element(out, any ? "<li>" : "<ul class=\"notes\">\n<li>", n->text, "</li>\n");
		any = true;
	}
	(void)fputs(any ? "</ul>\n" : "", out);
}

static void put_section(FILE *out, const struct wl_section *s, enum wl_timeunit unit)
{
	const char *title = s->title ? s->title : s->analysis;

	(void)fputs("<section>\n", out);
	if (title && *title)
		put_element(out, "<h2>", title, "</h2>\n");
	if (s->missing) {
		put_element(out, "<p class=\"missing\">", s->missing, "</p>\n");
	} else {
		put_table(out, &s->view, unit);
		put_remarks(out, s->view.table);
	}
	(void)fputs("</section>\n", out);
}

static bool has_tree(const struct wl_document *doc)
{
	for (size_t i = 0; i < doc->n_sections; i++) {
		const struct wl_table *t = wl_section_table(&doc->sections[i]);

		if (t && t->is_tree)
			return true;
	}
	return false;
}

static void put_head(FILE *out, const struct wl_document *doc, bool tree)
{
	(void)fputs(head_begin, out);
	(void)fputs(tree ? "script-src '" TREE_SCRIPT_HASH "'; " : "", out);
	(void)fputs(head_end, out);
	(void)fputs(tree ? tree_style : "", out);
	put_element(out, "<title>warplens ", doc->name, "");
	for (size_t i = 0; i < wl_frame_n_traces(doc); i++) {
		const struct wl_document *d = wl_frame_trace(doc, i);

		if (d->n_trace && d->trace[0].str)
			put_element(out, i ? ", " : ": ", d->trace[0].str, "");
	}
	(void)fputs("</title>\n</head>\n", out);
}

static void put_frame(FILE *out, const struct wl_document *doc, enum wl_timeunit unit)
{
	struct wl_frame f;

	wl_frame_init(&f, doc, unit);
	for (size_t i = 0; i < f.n; i++)
		put_element(out, i ? " \u00b7 " : "<p class=\"frame\">", f.part[i], "");
	(void)fputs(f.n ? "</p>\n" : "", out);
}

void wl_render_html(const struct wl_document *doc, const struct wl_render_opts *opts, FILE *out)
{
	bool tree = has_tree(doc);

	put_head(out, doc, tree);
	put_element(out, "<body>\n<h1>warplens ", doc->name, "</h1>\n");
	for (size_t i = 0; i < wl_frame_n_traces(doc); i++)
		put_frame(out, wl_frame_trace(doc, i), opts->timeunit);
	for (size_t i = 0; i < doc->n_sections; i++)
		put_section(out, &doc->sections[i], opts->timeunit);
	if (tree)
		(void)fprintf(out, "<script>%s</script>\n", tree_script);
	(void)fputs("</body>\n</html>\n", out);
}
