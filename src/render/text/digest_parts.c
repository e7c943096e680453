/* SPDX-License-Identifier: MIT */
#include "render/text/digest_parts.h"

#include <inttypes.h>
#include <string.h>

#include "render/text/looks.h"
#include "render/words/frame.h"
#include "render/words/line.h"
#include "render/words/steps.h"

enum { LINE = 512, SHORTEST_PATH = 20 };

static void put_cut(FILE *out, const char *line, const struct wl_render_opts *opts)
{
	(void)wl_line_put_cut(out, line, wl_line_limit(opts), opts->ascii);
	(void)fputc('\n', out);
}

const char *wl_digest_text(const struct wl_view *v, size_t row, size_t col)
{
	struct wl_cell cell = wl_table_at(v->table, v->rows[row], col);

	return cell.set ? cell.str : "";
}

bool wl_digest_was_said(const struct wl_document *doc, size_t before, const char *text)
{
	for (size_t i = 0; i < before; i++) {
		const struct wl_table *t = wl_section_table(&doc->sections[i]);

		for (const struct wl_note *n = t ? t->notes : NULL; n; n = n->next) {
			if (strcmp(n->text, text) == 0)
				return true;
		}
	}
	return false;
}

/* The name that all GPUs of a section have that is by GPU; NULL where they differ or none has one.
 */
static const char *find_model(const struct wl_document *doc)
{
	for (size_t i = 0; i < doc->n_sections; i++) {
		const struct wl_section *s = &doc->sections[i];
		const char *first = NULL;
		size_t col;

		if (s->missing || !s->split || !wl_table_find_col(s->view.table, "name", &col))
			continue;
		for (size_t row = 0; row < s->view.table->n_rows; row++) {
			struct wl_cell cell = wl_table_at(s->view.table, row, col);

			if (!cell.set || (first && strcmp(first, cell.str) != 0))
				return NULL;
			first = cell.str;
		}
		return first;
	}
	return NULL;
}

/* What stands behind the path: " \u00b7 4 GPUs (H100 80GB HBM3) \u00b7 2.813 s"; its width. */
static size_t make_rest(const struct wl_document *doc, const struct wl_frame *f, const char *model,
			const struct wl_render_opts *opts, char rest[LINE])
{
	const char *dot = opts->ascii ? " | " : " \u00b7 ";
	bool is_all = !doc->window_spec || strcmp(doc->window_spec, "all") == 0;
	char length[WL_UNITS_BUF];
	struct wl_doc_window all;
	size_t used = 0;

	rest[0] = '\0';
	for (size_t i = 1; i < f->n && used < LINE; i++) {
		const char *part = f->part[i];

		if (part == f->window && is_all && wl_document_bounds(doc, &all))
			part = wl_fmt_ns(length, wl_frame_length(all), opts->timeunit);
		used += (size_t)snprintf(rest + used, LINE - used, "%s%s", dot, part);
		if (part == f->devices && model && used < LINE)
			used += (size_t)snprintf(rest + used, LINE - used, " (%.40s)", model);
	}
	return wl_line_width(rest);
}

/*
 * The path is cut, so that GPUs and window fit behind it; models give way to it, and what is too
 * long stands below. Returns the lines, or one more; out == NULL only counts them.
 */
static size_t put_trace(FILE *out, const struct wl_document *doc, const struct wl_render_opts *opts)
{
	const size_t limit = wl_line_limit(opts);
	const char *path;
	char rest[LINE];
	struct wl_frame f;
	size_t used;
	bool is_beside;

	wl_frame_init(&f, doc, opts->timeunit);
	path = f.n ? f.part[0] : "";
	used = make_rest(doc, &f, find_model(doc), opts, rest);
	if (used + wl_line_width(path) > limit)
		used = make_rest(doc, &f, NULL, opts, rest);
	is_beside = limit > used + SHORTEST_PATH;
	if (!out)
		return is_beside ? 1 : 2 + used / limit;
	(void)wl_line_put_fitted(out, path, is_beside ? limit - used : limit, opts->ascii);
	if (is_beside)
		(void)wl_line_put_cut(out, rest, limit, opts->ascii);
	(void)fputc('\n', out);
	if (!is_beside) /* without the dot before it */
		wl_line_put_wrapped(out, "", rest + strlen(opts->ascii ? " | " : " \u00b7 "), opts);
	return 1;
}

/* In one line, or in two where they do not fit. Returns the lines; out == NULL only counts them. */
static size_t put_step(FILE *out, const struct wl_doc_step *step, const struct wl_render_opts *opts)
{
	const char *is = step->is_guess > 0 ? "guessed from " : "step = ";
	const char *how = step->is_guess > 0 ? " (--marker)" : "";
	char line[LINE], steps[WL_STEPS_BUF];
	bool fits;

	(void)wl_steps_say(step, opts->timeunit, steps);
	(void)snprintf(line, sizeof(line), "%s%s%s%s%s", steps, step->is_guess > 0 ? ", " : "; ",
		       is, step->what, how);
	fits = wl_line_width(line) <= wl_line_limit(opts);
	if (!fits)
		(void)snprintf(line, sizeof(line), "%s%s%s", is, step->what, how);
	if (out && !fits)
		put_cut(out, steps, opts);
	if (out)
		put_cut(out, line, opts);
	return fits ? 1 : 2;
}

void wl_digest_head(FILE *out, const struct wl_document *doc, const struct wl_section *budget,
		    const struct wl_render_opts *opts)
{
	(void)put_trace(out, doc, opts);
	if (doc->step)
		(void)put_step(out, doc->step, opts);
	else if (budget)
		put_cut(out, "no steps found: shares are of the whole time", opts);
}

size_t wl_digest_head_lines(const struct wl_document *doc, const struct wl_section *budget,
			    const struct wl_render_opts *opts)
{
	return put_trace(NULL, doc, opts) + (doc->step ? put_step(NULL, doc->step, opts)
					     : budget  ? 1
						       : 0);
}

/* A finding that saves nothing comes before those that save only where it puts them in doubt. */
bool wl_digest_is_in_doubt(const struct wl_section *list)
{
	return list && list->view.n_rows > 1 && wl_list_saved(&list->view, 0) < 0 &&
	       wl_list_saved(&list->view, 1) >= 0;
}

/* What a finding claims of its part of the bar; 0 for one that is of it and claims nothing. */
static int64_t claims_of_part(const struct wl_section *list, size_t row)
{
	struct wl_cell cell = { .set = false };
	size_t col;

	if (wl_table_find_col(list->view.table, "part_time", &col))
		cell = wl_table_at(list->view.table, list->view.rows[row], col);
	return cell.set && cell.i64 == 0 ? -1 : cell.set ? cell.i64 : 0;
}

size_t wl_digest_explained_by(const struct wl_section *list, const char *part)
{
	int64_t most = -1;
	size_t col, number = 0;

	if (!list || !part || !wl_table_find_col(list->view.table, "part", &col))
		return 0;
	for (size_t i = 0; i < list->view.n_rows; i++) {
		int64_t claims = claims_of_part(list, i);

		if (claims <= most || strcmp(wl_digest_text(&list->view, i, col), part) != 0)
			continue;
		most = claims;
		number = i + 1;
	}
	return number;
}

/* As findings are listed. */
#define LEAST_SAVED 0.01

size_t wl_digest_list_title(FILE *out, const struct wl_section *list, size_t shown,
			    const struct wl_render_opts *opts)
{
	static const char unknown[] = "what a late rank costs is not known";
	bool is_unknown = false, is_about = false, is_bound = false;
	const char *most = opts->ascii ? "<=" : "\u2264";
	char line[LINE], saves[WL_UNITS_BUF];
	size_t n_saving = 0;

	for (size_t i = 0; i < list->view.n_rows; i++) {
		const char *text = wl_list_saves(&list->view, i, opts->ascii, saves);

		is_unknown = is_unknown || wl_list_is_unknown(&list->view, i);
		if (i >= shown)
			continue;
		is_about = is_about || text[0] == '~';
		is_bound = is_bound || strncmp(text, most, strlen(most)) == 0;
		n_saving += wl_list_saved(&list->view, i) >= LEAST_SAVED;
	}
	if (!out)
		return is_unknown ? 2 : 1;
	(void)snprintf(line, sizeof(line), "   Saves  What to fix (%s%s%s)",
		       n_saving > 1 ? "of the run, beyond those above"
		       : n_saving   ? "of the run"
		       : is_unknown ? "no other finding saves 1% of the run"
				    : "no finding saves 1% of the run",
		       is_bound ? opts->ascii ? "; <=: at most" : "; \u2264: at most" : "",
		       is_about ? "; ~: about" : "");
	if (is_unknown)
		put_cut(out, unknown, opts);
	(void)fputs(opts->bold ? "\033[1m" : "", out);
	(void)wl_line_put_cut(out, line, wl_line_limit(opts), opts->ascii);
	(void)fputs(opts->bold ? "\033[0m\n" : "\n", out);
	return is_unknown ? 2 : 1;
}

/* A cell without its lead, as far as its first part. */
static int brief(const struct wl_view *v, size_t row, size_t col, const char **ret)
{
	size_t n = 0;

	*ret = wl_table_at(v->table, v->rows[row], col).set
		       ? wl_table_parts(v->table, v->rows[row], col, 1, &n)
		       : "";
	return (int)n;
}

/* "OS waits": without its explanation. "OS waits (add osrt to --trace)": and with what records it.
 */
static void put_lack(const struct wl_view *v, size_t row, bool has_option, char *buf, size_t size)
{
	const char *what, *option;
	int n_what = brief(v, row, 0, &what), n_option = brief(v, row, 1, &option);

	if (has_option)
		(void)snprintf(buf, size, "%.*s (%.*s)", n_what, what, n_option, option);
	else
		(void)snprintf(buf, size, "%.*s", n_what, what);
}

static void make_lacks(const struct wl_view *v, bool has_option, char line[LINE])
{
	size_t n = (size_t)snprintf(line, LINE, "Not recorded:");
	char lack[128];

	for (size_t i = 0; i < v->n_rows && n < LINE; i++) {
		put_lack(v, i, has_option, lack, sizeof(lack));
		n += (size_t)snprintf(line + n, LINE - n, "%s %s", i ? "," : "", lack);
	}
	if (!has_option && n < LINE)
		(void)snprintf(line + n, LINE - n, " (flags: warplens info)");
}

void wl_digest_lacks(FILE *out, const struct wl_view *v, const struct wl_render_opts *opts)
{
	char line[LINE];

	if (v->n_rows == 0 || v->table->n_cols < 2)
		return;
	make_lacks(v, true, line);
	if (wl_line_width(line) > wl_line_limit(opts))
		make_lacks(v, false, line);
	put_cut(out, line, opts);
}

size_t wl_digest_next(FILE *out, const struct wl_document *doc, const struct wl_render_opts *opts)
{
	enum { MOST = 3 };
	static const char head[] = "Next: ";
	size_t n = wl_text_command(NULL, strlen(head), doc->more, opts);

	if (out) {
		(void)fputs(head, out);
		(void)wl_text_command(out, strlen(head), doc->more, opts);
		(void)fputc('\n', out);
	}
	/* The command of many files runs on below the screen: rows do not give way to it. */
	return n < MOST ? n : MOST;
}
