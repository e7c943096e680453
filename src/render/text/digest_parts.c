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

		if (part == f.window && is_all && wl_document_bounds(doc, &all))
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

void wl_digest_head(FILE *out, const struct wl_document *doc, const struct wl_render_opts *opts)
{
	put_trace(out, doc, opts);
	if (doc->step)
		put_step(out, doc->step, opts);
}

/* Parts of the bar by name, the others together: they are idle. */
struct shares {
	double compute, comm, copy, idle;
	bool in_doubt; /* idle is */
	int64_t whole; /* ns */
	/* The part of idle time with most; NULL where it is not the largest part of all. */
	const char *most;
	size_t number; /* of the finding that is mostly of that part, from 1; 0 for none */
};

/* Of the times in a column; false where it has none. */
static bool find_shares(const struct wl_view *v, const char *column, struct shares *ret)
{
	int64_t of[4] = { 0 }, most[4] = { 0 };
	const char *idle = NULL;
	size_t name, time, kind;

	*ret = (struct shares){ .whole = 0 };
	if (!wl_table_find_col(v->table, "part", &name) ||
	    !wl_table_find_col(v->table, column, &time))
		return false;
	for (size_t i = 0; i < v->n_rows; i++) {
		struct wl_cell cell = wl_table_at(v->table, v->rows[i], time);
		const char *part = wl_digest_text(v, i, name);
		int64_t ns = cell.set ? cell.i64 : 0;

		kind = strcmp(part, "compute") == 0        ? 0
		       : strcmp(part, "exposed_comm") == 0 ? 1
		       : strcmp(part, "exposed_copy") == 0 ? 2
							   : 3;
		of[kind] += ns;
		idle = kind == 3 && ns > most[3] ? part : idle;
		most[kind] = ns > most[kind] ? ns : most[kind];
		ret->whole += ns;
	}
	for (kind = 0; kind < 3; kind++)
		idle = most[kind] > most[3] ? NULL : idle;
	ret->most = idle;
	if (ret->whole <= 0)
		return false;
	ret->compute = (double)of[0] / (double)ret->whole;
	ret->comm = (double)of[1] / (double)ret->whole;
	ret->copy = (double)of[2] / (double)ret->whole;
	ret->idle = (double)of[3] / (double)ret->whole;
	return true;
}

static size_t add_share(char *line, size_t n, size_t begin, const char *word, double value)
{
	char share[WL_UNITS_BUF];

	if (value < 0.005 || n >= LINE)
		return n;
	return n + (size_t)snprintf(line + n, LINE - n, "%s%s %s", n > begin ? ", " : "", word,
				    wl_fmt_ratio(share, value));
}

const char wl_digest_doubt[] = " (in doubt: see 1)";

/* In long or in short words. */
static void make_headline(const char *of, const struct shares *s, bool is_short, char line[LINE])
{
	const size_t begin = (size_t)snprintf(line, LINE, "%s: ", of);
	size_t n = begin;

	n = add_share(line, n, begin, "compute", s->compute);
	n = add_share(line, n, begin, is_short ? "comm" : "exposed comm", s->comm);
	n = add_share(line, n, begin, is_short ? "copies" : "exposed copies", s->copy);
	n = add_share(line, n, begin, "idle", s->idle);
	if (s->idle < 0.005 || n >= LINE)
		return;
	if (s->in_doubt)
		(void)snprintf(line + n, LINE - n, "%s", wl_digest_doubt);
	else if (s->number > 1)
		(void)snprintf(line + n, LINE - n, " (mostly %s: see %zu)", s->most, s->number);
}

/* Where it does not fit, in short words, and then without the number of a finding. */
static void put_headline(FILE *out, const char *of, const struct shares *s,
			 const struct wl_render_opts *opts)
{
	struct shares bare = *s;
	char line[LINE];

	bare.number = 0;
	make_headline(of, s, false, line);
	if (wl_line_width(line) > wl_line_limit(opts))
		make_headline(of, s, true, line);
	if (wl_line_width(line) > wl_line_limit(opts))
		make_headline(of, &bare, true, line);
	put_cut(out, line, opts);
}

/* "mean of 18 steps, 53.37 ms", or "whole window" where the times are totals. */
static void say_whole(const struct wl_view *v, int64_t whole, enum wl_timeunit unit, char buf[LINE])
{
	struct wl_cell steps = { .set = false };
	char n[WL_UNITS_BUF], mean[WL_UNITS_BUF];
	size_t col;

	if (wl_table_find_col(v->table, "steps", &col))
		steps = wl_table_at(v->table, v->rows[0], col);
	if (steps.set)
		(void)snprintf(buf, LINE, "mean of %s step%s, %s", wl_fmt_count(n, steps.i64),
			       steps.i64 == 1 ? "" : "s", wl_fmt_ns(mean, whole, unit));
	else
		(void)snprintf(buf, LINE, "whole window");
}

/* "decodes, mean 2.05 ms"; of two lengths "shorter". */
static void say_sort(const struct wl_doc_step *step, size_t i, int64_t whole, enum wl_timeunit unit,
		     char buf[LINE])
{
	const char *name = step && step->has_kinds && step->part[i].name ? step->part[i].name
			   : i == 0                                      ? "shorter"
									 : "longer";
	char mean[WL_UNITS_BUF];

	(void)snprintf(buf, LINE, "  %s, mean %s", name, wl_fmt_ns(mean, whole, unit));
}

static const char *const sorts[] = { "first", "second" };

size_t wl_digest_head_lines(const struct wl_document *doc, const struct wl_section *bar)
{
	struct shares s;
	size_t n = 1;

	n += doc->step != NULL;
	n += bar != NULL;
	for (size_t i = 0; bar && i < WL_COUNT(sorts); i++)
		n += find_shares(&bar->view, sorts[i], &s);
	return n;
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

/* The number, from 1, of the finding that claims most of a part of the bar; 0 for none. */
static size_t explained_by(const struct wl_section *list, const char *part)
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

void wl_digest_headlines(FILE *out, const struct wl_document *doc, const struct wl_section *bar,
			 const struct wl_section *list, const struct wl_render_opts *opts)
{
	char of[LINE];
	struct shares s;

	if (!bar || !find_shares(&bar->view, "time", &s))
		return;
	(void)fputs(opts->bold ? "\033[1m" : "", out);
	say_whole(&bar->view, s.whole, opts->timeunit, of);
	s.in_doubt = wl_digest_is_in_doubt(list);
	s.number = explained_by(list, s.most);
	put_headline(out, of, &s, opts);
	(void)fputs(opts->bold ? "\033[0m" : "", out);
	for (size_t i = 0; i < WL_COUNT(sorts); i++) {
		if (!find_shares(&bar->view, sorts[i], &s))
			continue;
		s.in_doubt = wl_digest_is_in_doubt(list);
		say_sort(doc->step, i, s.whole, opts->timeunit, of);
		put_headline(out, of, &s, opts);
	}
}

/* As findings are listed. */
#define LEAST_SAVED 0.01

void wl_digest_list_title(FILE *out, const struct wl_section *list,
			  const struct wl_render_opts *opts)
{
	static const char unknown[] = "what a late rank costs is not known";
	bool of_steps = false, is_unknown = false;
	size_t n_saving = 0;
	char line[LINE], saves[WL_UNITS_BUF];
	bool is_about = false;

	for (size_t i = 0; i < list->view.n_rows; i++) {
		is_about = is_about || wl_list_saves(&list->view, i, true, saves)[0] == '~';
		n_saving += wl_list_saved(&list->view, i) >= LEAST_SAVED;
		of_steps = of_steps || wl_list_bounds_steps(&list->view, i);
		is_unknown = is_unknown || wl_list_is_unknown(&list->view, i);
	}
	(void)snprintf(line, sizeof(line),
		       n_saving > 1
			       ? "fixing saves besides those above, of the run (%s: at most%s%s)"
		       : n_saving   ? "fixing saves, of the run (%s: at most%s%s)"
		       : is_unknown ? "no other finding saves 1%% of the run"
				    : "no finding saves 1%% of the run",
		       opts->ascii ? "<=" : "\u2264", is_about ? ", ~: about" : "",
		       of_steps ? ", in its whole steps" : "");
	if (is_unknown)
		put_cut(out, unknown, opts);
	put_cut(out, line, opts);
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

size_t wl_digest_next(FILE *out, const struct wl_document *doc, const struct wl_render_opts *opts)
{
	enum { MOST = 3 };
	static const char head[] = "next: ";
	size_t n = wl_text_command(NULL, strlen(head), doc->more, opts);

	if (out) {
		(void)fputs(head, out);
		(void)wl_text_command(out, strlen(head), doc->more, opts);
		(void)fputc('\n', out);
	}
	/* The command of many files runs on below the screen: rows do not give way to it. */
	return n < MOST ? n : MOST;
}
