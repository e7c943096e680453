/* SPDX-License-Identifier: MIT */
#include "render/text/digest_parts.h"

#include <ctype.h>
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

/* The path is cut, so that GPUs and window fit behind it. */
static void put_trace(FILE *out, const struct wl_document *doc, const struct wl_render_opts *opts)
{
	const char *dot = opts->ascii ? " | " : " \u00b7 ";
	bool is_all = !doc->window_spec || strcmp(doc->window_spec, "all") == 0;
	size_t limit = wl_line_limit(opts), used;
	char rest[LINE], length[WL_UNITS_BUF];
	struct wl_doc_window all;
	struct wl_frame f;

	wl_frame_init(&f, doc, opts->timeunit);
	rest[0] = '\0';
	used = 0;
	for (size_t i = 1; i < f.n && used < sizeof(rest); i++) {
		const char *part = f.part[i];

		if (part == f.window && is_all && wl_frame_bounds(doc, &all))
			part = wl_fmt_ns(length, wl_frame_length(all), opts->timeunit);
		used += (size_t)snprintf(rest + used, sizeof(rest) - used, "%s%s", dot, part);
	}
	used = wl_line_width(rest);
	(void)wl_line_put_fitted(out, f.n ? f.part[0] : "",
				 limit > used + SHORTEST_PATH ? limit - used : limit, opts->ascii);
	if (limit <= used + SHORTEST_PATH)
		(void)fputc('\n', out);
	(void)wl_line_put_cut(out, rest, limit, opts->ascii);
	(void)fputc('\n', out);
}

static void put_step(FILE *out, const struct wl_doc_step *step, const struct wl_render_opts *opts)
{
	char line[LINE], steps[WL_STEPS_BUF];

	(void)wl_steps_say(step, opts->timeunit, steps);
	if (step->is_guess > 0)
		(void)snprintf(line, sizeof(line), "%s, guessed from %s (--marker)", steps,
			       step->what);
	else
		(void)snprintf(line, sizeof(line), "%s: step = %s", steps, step->what);
	put_cut(out, line, opts);
}

size_t wl_digest_head_lines(const struct wl_document *doc)
{
	return 2 + (doc->step != NULL);
}

void wl_digest_head(FILE *out, const struct wl_document *doc, const struct wl_render_opts *opts)
{
	put_trace(out, doc, opts);
	if (doc->step)
		put_step(out, doc->step, opts);
}

/* Parts of the bar by name, the others together: they are idle. */
struct shares {
	double compute, comm, copy, idle;
};

static bool find_shares(const struct wl_view *v, struct shares *ret)
{
	size_t name, share;

	*ret = (struct shares){ .compute = 0 };
	if (!wl_table_find_col(v->table, "part", &name) ||
	    !wl_table_find_col(v->table, "share", &share))
		return false;
	for (size_t i = 0; i < v->n_rows; i++) {
		struct wl_cell cell = wl_table_at(v->table, v->rows[i], share);
		const char *part = wl_digest_text(v, i, name);
		double *to = strcmp(part, "compute") == 0        ? &ret->compute
			     : strcmp(part, "exposed_comm") == 0 ? &ret->comm
			     : strcmp(part, "exposed_copy") == 0 ? &ret->copy
								 : &ret->idle;

		*to += cell.set ? cell.f64 : 0;
	}
	return v->n_rows > 0;
}

/* "straggler 12.9%": the first row, where it can be saved; "" where nothing can. */
static void find_biggest(const struct wl_section *list, char *buf, size_t size)
{
	struct wl_list_columns cols;
	char share[WL_UNITS_BUF];
	struct wl_cell cell;
	size_t col, saving;

	buf[0] = '\0';
	if (!list || list->view.n_rows == 0 || !wl_list_find(list->view.table, &cols) ||
	    !wl_table_find_col(list->view.table, "share", &col) ||
	    !wl_table_find_col(list->view.table, "saving", &saving) ||
	    !wl_table_at(list->view.table, list->view.rows[0], saving).set)
		return;
	cell = wl_table_at(list->view.table, list->view.rows[0], col);
	(void)snprintf(buf, size, "%s %s", wl_digest_text(&list->view, 0, cols.code),
		       wl_fmt_ratio(share, cell.set ? cell.f64 : 0));
}

static size_t add_share(char *line, size_t n, const char *word, double value)
{
	char share[WL_UNITS_BUF];

	if (value < 0.005 || n >= LINE)
		return n;
	return n + (size_t)snprintf(line + n, LINE - n, "%s%s %s", n ? ", " : "", word,
				    wl_fmt_ratio(share, value));
}

/* In long or in short words; without a list of losses nothing is said of them. */
static void make_headline(const struct shares *s, const char *biggest, bool is_short, bool has_list,
			  char line[LINE])
{
	size_t n = 0;

	n = add_share(line, n, "compute", s->compute);
	n = add_share(line, n, is_short ? "comm" : "exposed comm", s->comm);
	n = add_share(line, n, is_short ? "copies" : "exposed copies", s->copy);
	n = add_share(line, n, "idle", s->idle);
	if (n >= LINE)
		return;
	if (*biggest)
		(void)snprintf(line + n, LINE - n, "; %s: %s", is_short ? "top" : "biggest loss",
			       biggest);
	else if (has_list)
		(void)snprintf(line + n, LINE - n, "; no loss above 1%%");
}

void wl_digest_headline(FILE *out, const struct wl_section *bar, const struct wl_section *list,
			const struct wl_render_opts *opts)
{
	size_t limit = wl_line_limit(opts);
	char line[LINE] = "", biggest[128];
	struct shares s;

	if (!bar || !find_shares(&bar->view, &s))
		return;
	find_biggest(list, biggest, sizeof(biggest));
	make_headline(&s, biggest, false, list != NULL, line);
	if (wl_line_width(line) > limit)
		make_headline(&s, biggest, true, list != NULL, line);
	(void)fputs(opts->bold ? "\033[1m" : "", out);
	(void)wl_line_put_cut(out, line, limit, opts->ascii);
	(void)fputs(opts->bold ? "\033[0m\n" : "\n", out);
}

/* "OS waits": without its explanation. "OS waits (add osrt to --trace)": and with what records it.
 */
static void put_lack(const struct wl_view *v, size_t row, bool has_option, char *buf, size_t size)
{
	const char *what = wl_digest_text(v, row, 0), *option = wl_digest_text(v, row, 1);
	size_t n = strcspn(what, "(");

	while (n > 0 && what[n - 1] == ' ')
		n--;
	if (strstr(option, "add "))
		option = strstr(option, "add ");
	else
		for (const char *next = strstr(option, "--"); next; next = strstr(next + 2, "--"))
			option = next;
	(void)snprintf(buf, size, "%.*s%s%s%s", (int)n, what, has_option ? " (" : "",
		       has_option ? option : "", has_option ? ")" : "");
}

static void make_lacks(const struct wl_view *v, bool has_option, char line[LINE])
{
	size_t n = (size_t)snprintf(line, LINE, "not recorded:");
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

/* Whether a shell takes it as it is. */
static bool is_plain(const char *s)
{
	for (; *s; s++) {
		if (!isalnum((unsigned char)*s) && !strchr("._/-+=:@%,", *s))
			return false;
	}
	return true;
}

void wl_digest_more(FILE *out, const struct wl_document *doc, const struct wl_render_opts *opts)
{
	static const char head[] = "more: warplens ", tail[] = ", or -v";
	const char *path = doc->n_trace && doc->trace[0].str ? doc->trace[0].str : "TRACE";
	size_t taken = strlen(head) + strlen(doc->more) + strlen(tail) + 1;
	char line[LINE];

	/* A command that is cut cannot be typed. */
	if (!is_plain(path) || taken + strlen(path) > wl_line_limit(opts))
		path = "TRACE";
	(void)snprintf(line, sizeof(line), "%s%s %s%s", head, doc->more, path, tail);
	put_cut(out, line, opts);
}
