/* SPDX-License-Identifier: MIT */
/* text_list.c - findings on a terminal: how much, what it is, and what to do. */
#include <string.h>

#include "base/text/shell.h"
#include "known/saves_kinds.h"
#include "render/text/looks.h"
#include "render/words/line.h"

/* Columns before the names of fields, and before the text; between what a finding saves and is. */
enum { GUTTER = 3, TEXT = 10, GAP = 2 };

/* The column whose sentence stands behind what to do, and the first that stands behind savings. */
#define ADVICE "advice"
#define LIMITS "limits"

const char wl_list_is_empty[] = "Nothing: no finding is above 1% of the time.\n";

bool wl_list_find(const struct wl_table *t, struct wl_list_columns *ret)
{
	bool code = false, weight = false, says = false, action = false;

	for (size_t i = 0; i < t->n_cols; i++) {
		const struct wl_col *c = &t->cols[i];
		bool is_prose = (c->flags & WL_PROSE) && !(c->flags & WL_MINOR);

		if (!code && (c->flags & WL_KEY) && !(c->flags & WL_ORIGIN)) {
			ret->code = i;
			code = true;
		} else if (!weight && c->type == WL_T_ENUM && !(c->flags & WL_KEY)) {
			ret->weight = i;
			weight = true;
		} else if (!says && is_prose) {
			ret->says = i;
			says = true;
		} else if (!action && is_prose) {
			ret->action = i;
			action = true;
		}
	}
	return code && weight && says && action;
}

const char *wl_list_fixing(const struct wl_view *v, size_t row)
{
	struct wl_cell cell = { .set = false };
	size_t col;

	if (wl_table_find_col(v->table, "fixing", &col))
		cell = wl_table_at(v->table, v->rows[row], col);
	return cell.set ? cell.str : "";
}

double wl_list_saved(const struct wl_view *v, size_t row)
{
	struct wl_cell cell = { .set = false };
	size_t col;

	if (row < v->n_rows && wl_table_find_col(v->table, "saves_share", &col))
		cell = wl_table_at(v->table, v->rows[row], col);
	return cell.set ? cell.f64 : -1;
}

static bool is_set(const struct wl_view *v, size_t row, const char *key, struct wl_cell *ret)
{
	size_t col;

	*ret = (struct wl_cell){ .set = false };
	if (wl_table_find_col(v->table, key, &col))
		*ret = wl_table_at(v->table, v->rows[row], col);
	return ret->set;
}

bool wl_list_is_unknown(const struct wl_view *v, size_t row)
{
	struct wl_cell severity, saving;

	return is_set(v, row, "severity", &severity) && strcmp(severity.str, "info") != 0 &&
	       strcmp(severity.str, "minor") != 0 && !is_set(v, row, "saving", &saving);
}

static bool is_about(const struct wl_view *v, size_t row, enum wl_saves_kind kind)
{
	struct wl_cell saves, error;

	(void)is_set(v, row, "saves_error", &error);
	return is_set(v, row, "saves", &saves) &&
	       wl_saves_is_about(kind, saves.i64, error.set ? error.i64 : -1);
}

const char *wl_list_saves(const struct wl_view *v, size_t row, bool ascii, char buf[WL_UNITS_BUF])
{
	enum wl_saves_kind kind = WL_SAVES_NOTHING;
	struct wl_cell cell = { .set = false };
	double saved = wl_list_saved(v, row);
	char share[WL_UNITS_BUF];
	size_t col;

	buf[0] = '\0';
	if (saved < 0)
		return buf;
	if (wl_table_find_col(v->table, "saves_kind", &col))
		cell = wl_table_at(v->table, v->rows[row], col);
	if (cell.set)
		kind = wl_saves_kind_named(cell.str);
	if (is_about(v, row, kind))
		kind = WL_SAVES_NO_BOUND;
	if (saved > 0 && saved < WL_LEAST_SHARE) /* "<0.1%" is a bound by itself */
		return wl_fmt_share(buf, saved);
	(void)snprintf(buf, WL_UNITS_BUF, "%s%s", wl_saves_kind_sign(kind, ascii),
		       wl_fmt_ratio(share, saved));
	return buf;
}

const char *wl_list_front(const struct wl_view *v, size_t row, bool ascii, char buf[WL_UNITS_BUF])
{
	if (!*wl_list_saves(v, row, ascii, buf))
		(void)snprintf(buf, WL_UNITS_BUF, "%s", wl_list_is_unknown(v, row) ? "?" : "-");
	return buf;
}

/* Where the next word goes. */
struct cursor {
	const struct wl_render_opts *opts;
	size_t indent; /* where lines begin */
	size_t at;     /* columns used on this line */
	bool first;    /* no word stands on it yet */
};

static void begin_line(FILE *out, struct cursor *c)
{
	(void)fputc('\n', out);
	wl_line_put_spaces(out, c->indent);
	c->at = c->indent;
}

/* A word that is wider than the line is cut: it is a name. */
static void put_word(FILE *out, struct cursor *c, const char *word)
{
	size_t limit = wl_line_limit(c->opts), width = wl_line_width(word);

	if (!c->first && c->at + 1 + width > limit) {
		begin_line(out, c);
	} else if (!c->first) {
		(void)fputc(' ', out);
		c->at++;
	}
	c->at += wl_line_put_fitted(out, word, limit > c->indent ? limit - c->indent : 1,
				    c->opts->ascii);
	c->first = false;
}

/* end: what follows the last word at once. */
static void put_words_to(FILE *out, struct cursor *c, const char *s, const char *end)
{
	while (*s) {
		size_t bytes = strcspn(s, " "), next = bytes + strspn(s + bytes, " ");
		char word[256];

		(void)snprintf(word, sizeof(word), "%.*s%s",
			       (int)(bytes < sizeof(word) ? bytes : sizeof(word) - 1), s,
			       s[next] ? "" : end);
		put_word(out, c, word);
		s += next;
	}
}

static void put_words(FILE *out, struct cursor *c, const char *s)
{
	put_words_to(out, c, s, "");
}

static const char *text_at(const struct wl_view *v, size_t row, size_t col)
{
	struct wl_cell cell = wl_table_at(v->table, v->rows[row], col);

	return cell.set ? cell.str : "";
}

/* A word, or an option with its value: these stay on one line. */
static size_t unit_length(const char *line)
{
	size_t n = wl_shell_word_length(line);

	return line[0] == '-' && line[n] == ' ' && line[n + 1] != '-'
		       ? n + 1 + wl_shell_word_length(line + n + 1)
		       : n;
}

/*
 * Words are never cut: one that is wider than the line stands alone on it. Returns the lines; out
 * is NULL to count them.
 */
static size_t put_command(FILE *out, struct cursor *c, const char *line)
{
	const size_t more = 2; /* the space and the backslash */
	size_t n = 1;

	while (*line) {
		size_t bytes = unit_length(line), next = bytes + strspn(line + bytes, " ");
		size_t width = wl_line_part_width(line, bytes);
		bool breaks = !c->first &&
			      c->at + 1 + width + (line[next] ? more : 0) > wl_line_limit(c->opts);

		n += breaks;
		if (out && breaks) {
			(void)fputs(" \\", out);
			begin_line(out, c);
		} else if (out && !c->first) {
			(void)fputc(' ', out);
		}
		c->at = breaks ? c->indent : c->at + !c->first;
		c->at += out ? wl_line_put_part(out, line, bytes, c->opts->ascii) : width;
		c->first = false;
		line += next;
	}
	return n;
}

size_t wl_text_command(FILE *out, size_t column, const char *line,
		       const struct wl_render_opts *opts)
{
	struct cursor c = { opts, column, column, true };

	return put_command(out, &c, line);
}

/* High is red, medium yellow, low cyan: of the eight colours that terminals adapt to themes. */
static const char *weight_look(const char *weight, const struct wl_render_opts *opts)
{
	if (!opts->bold)
		return "";
	if (!opts->colour)
		return "\033[1m";
	return strcmp(weight, "high") == 0     ? "\033[1;31m"
	       : strcmp(weight, "medium") == 0 ? "\033[1;33m"
					       : "\033[1;36m";
}

/* The name of a field in the gutter; the cursor is behind it. */
static struct cursor begin_field(FILE *out, const char *name, const struct wl_render_opts *opts)
{
	size_t width;

	wl_line_put_spaces(out, GUTTER);
	width = wl_line_put_cut(out, name, TEXT - GUTTER - 1, opts->ascii);
	wl_line_put_spaces(out, TEXT - GUTTER - width);
	return (struct cursor){ opts, TEXT, TEXT, true };
}

static bool ends(const char *sentence)
{
	const int last = *sentence ? sentence[strlen(sentence) - 1] : '.';

	return last == '.' || last == ':' || last == '!' || last == '?';
}

/* A clause as a sentence: a plain word at its beginning gets a capital, names keep theirs. */
static void put_sentence(FILE *out, struct cursor *at, const char *clause)
{
	const size_t word = strspn(clause, "abcdefghijklmnopqrstuvwxyz");
	char first[64];

	if (word > 0 && word < sizeof(first) && (clause[word] == ' ' || !clause[word])) {
		(void)snprintf(first, sizeof(first), "%c%.*s", clause[0] - 'a' + 'A', (int)word - 1,
			       clause + 1);
		put_words_to(out, at, first, clause[word] || ends(clause) ? "" : ".");
		clause += word + (clause[word] == ' ');
	}
	put_words_to(out, at, clause, ends(clause) ? "" : ".");
}

/*
 * "1  12.8%  GPU 2 is slow   [straggler]", its saving in bold by its weight; the weight where rows
 * have no savings.
 */
static void put_headline(FILE *out, const struct wl_view *v, size_t row,
			 const struct wl_list_columns *cols, const struct wl_render_opts *opts)
{
	struct cursor at = { opts, TEXT, TEXT, true };
	const char *code = text_at(v, row, cols->code);
	char saves[WL_UNITS_BUF], number[24], what[1024];
	size_t bytes, used, col, limit = wl_line_limit(opts), behind = strlen(code) + 2;
	const char *text = wl_table_parts(v->table, v->rows[row], cols->says, 1, &bytes);

	if (!wl_table_find_col(v->table, "saves_share", &col)) /* of a skill */
		(void)snprintf(saves, sizeof(saves), "%.6s", text_at(v, row, cols->weight));
	else
		(void)wl_list_front(v, row, opts->ascii, saves);
	used = (size_t)snprintf(number, sizeof(number), "%zu", row + 1) + wl_line_width(saves);
	(void)fputs(number, out);
	wl_line_put_spaces(out, used + GAP < TEXT ? TEXT - GAP - used : 1);
	(void)fputs(weight_look(text_at(v, row, cols->weight), opts), out);
	(void)fputs(saves, out);
	(void)fputs(opts->bold ? "\033[0m" : "", out);
	wl_line_put_spaces(out, GAP);
	(void)snprintf(what, sizeof(what), "%.*s", (int)bytes, text);
	put_words(out, &at, what);
	if (at.at + GAP + behind > limit)
		begin_line(out, &at);
	wl_line_put_spaces(out, limit < SIZE_MAX ? limit - at.at - behind : GAP);
	(void)fprintf(out, "[%s]\n", code);
}

/* What to do, and in full how. */
static void put_action(FILE *out, const struct wl_view *v, size_t row, size_t col, bool in_full,
		       const struct wl_render_opts *opts)
{
	const char *action = text_at(v, row, col);
	struct cursor at;
	size_t how;

	if (!*action)
		return;
	at = begin_field(out, "Do", opts);
	put_words_to(out, &at, action, ends(action) ? "" : ".");
	if (in_full && wl_table_find_col(v->table, ADVICE, &how))
		put_words(out, &at, text_at(v, row, how));
	(void)fputc('\n', out);
}

static void put_fixing(FILE *out, const struct wl_view *v, size_t row,
		       const struct wl_render_opts *opts)
{
	struct cursor at;
	size_t col, bytes;

	if (!*wl_list_fixing(v, row) || !wl_table_find_col(v->table, "fixing", &col))
		return;
	at = begin_field(out, "Saves", opts);
	put_sentence(out, &at, wl_table_parts(v->table, v->rows[row], col, WL_MAX_PARTS, &bytes));
	(void)fputc('\n', out);
}

/*
 * Prose that is minor, of these columns: below its title where that fits the gutter, else behind
 * it.
 */
static void put_more(FILE *out, const struct wl_view *v, size_t row, size_t from, size_t to,
		     const struct wl_render_opts *opts)
{
	for (size_t i = from; i < to; i++) {
		const struct wl_col *c = &v->table->cols[i];
		const bool fits = strlen(c->title) < TEXT - GUTTER;
		struct cursor at;

		if (!(c->flags & WL_PROSE) || !(c->flags & WL_MINOR) || !*text_at(v, row, i) ||
		    strcmp(c->key, ADVICE) == 0)
			continue;
		at = begin_field(out, c->flags & WL_SHELL ? "Check" : fits ? c->title : "", opts);
		if (!fits && !(c->flags & WL_SHELL))
			put_words_to(out, &at, c->title, ":");
		if (c->flags & WL_SHELL)
			(void)put_command(out, &at, text_at(v, row, i));
		else
			put_words(out, &at, text_at(v, row, i));
		(void)fputc('\n', out);
	}
}

static void put_row(FILE *out, const struct wl_view *v, size_t row,
		    const struct wl_list_columns *cols, bool in_full,
		    const struct wl_render_opts *opts)
{
	const char *why = wl_table_beyond(v->table, v->rows[row], cols->says, 1);
	size_t limits = v->table->n_cols;
	struct cursor at;

	put_headline(out, v, row, cols, opts);
	if (*why) {
		at = begin_field(out, "Why", opts);
		put_sentence(out, &at, why);
		(void)fputc('\n', out);
	}
	put_action(out, v, row, cols->action, in_full, opts);
	(void)wl_table_find_col(v->table, LIMITS, &limits);
	if (in_full)
		put_more(out, v, row, 0, limits, opts);
	put_fixing(out, v, row, opts);
	if (in_full)
		put_more(out, v, row, limits, v->table->n_cols, opts);
}

void wl_text_lists(FILE *out, const struct wl_view *v, const struct wl_list_columns *cols,
		   const struct wl_render_opts *opts)
{
	size_t begin = 0;

	for (size_t end = 1; end <= v->n_rows; end++) {
		const char *trace = text_at(v, begin, 0);
		struct wl_view part = *v;

		if (end < v->n_rows && strcmp(text_at(v, end, 0), trace) == 0)
			continue;
		part.rows = v->rows + begin;
		part.n_rows = part.n_total = end - begin;
		(void)fputs(begin ? "\n" : "", out);
		(void)fputs(opts->bold ? "\033[1m" : "", out);
		(void)wl_line_put_fitted(out, trace, wl_line_limit(opts), opts->ascii);
		(void)fputs(opts->bold ? "\033[0m\n" : "\n", out);
		wl_text_list(out, &part, cols, opts, false);
		begin = end;
	}
	if (v->n_rows == 0)
		(void)fputs(wl_list_is_empty, out);
	if (v->n_rows < v->n_total)
		(void)fprintf(out, "%zu of %zu; -n 0 for all\n", v->n_rows, v->n_total);
}

void wl_text_list(FILE *out, const struct wl_view *v, const struct wl_list_columns *cols,
		  const struct wl_render_opts *opts, bool in_full)
{
	for (size_t row = 0; row < v->n_rows; row++) {
		(void)fputs(in_full ? "\n" : "", out);
		put_row(out, v, row, cols, in_full, opts);
	}
	if (v->n_rows == 0)
		(void)fputs(wl_list_is_empty, out);
	if (v->n_rows < v->n_total)
		(void)fprintf(out, "   %zu of %zu; -n 0 for all\n", v->n_rows, v->n_total);
}
