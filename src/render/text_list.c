/* text_list.c - findings on a terminal: how much, what it is, and what to do. */
#include <string.h>

#include "render/human.h"
#include "render/line.h"
#include "render/looks.h"

/* Columns before the text: number and weight. */
enum { NUMBER = 3, WEIGHT = 8 };

bool wl_list_find(const struct wl_table *t, struct wl_list_columns *ret)
{
	bool code = false, weight = false, says = false, action = false;

	for (size_t i = 0; i < t->n_cols; i++) {
		const struct wl_col *c = &t->cols[i];
		bool is_prose = (c->flags & WL_PROSE) && !(c->flags & WL_MINOR);

		if (!code && (c->flags & WL_KEY)) {
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

/*
 * Words of s in lines that begin at a column; on the first one so much is written already
 * beyond that.
 */
static void put_words(FILE *out, const char *s, size_t at, size_t before,
		      const struct wl_render_opts *opts)
{
	size_t limit = wl_line_limit(opts), used = at + before;
	bool first = true;

	while (*s) {
		size_t bytes = strcspn(s, " "), width;
		char word[256];

		(void)snprintf(word, sizeof(word), "%.*s",
			       (int)(bytes < sizeof(word) ? bytes : sizeof(word) - 1), s);
		width = wl_line_width(word);
		if (!first && used + 1 + width > limit) {
			(void)fputc('\n', out);
			wl_line_put_spaces(out, at);
			used = at;
		} else if (!first) {
			(void)fputc(' ', out);
			used++;
		}
		/* A word that is wider than the line is cut: it is a name. */
		used += wl_line_put_fitted(out, word, limit > at ? limit - at : 1, opts->ascii);
		first = false;
		s += bytes;
		s += strspn(s, " ");
	}
	(void)fputc('\n', out);
}

static const char *text_at(const struct wl_view *v, size_t row, size_t col)
{
	struct wl_cell cell = wl_table_at(v->table, v->rows[row], col);

	return cell.set ? cell.str : "";
}

/* Prose that is minor: "How: ..." */
static void put_more(FILE *out, const struct wl_view *v, size_t row,
		     const struct wl_render_opts *opts)
{
	for (size_t i = 0; i < v->table->n_cols; i++) {
		const struct wl_col *c = &v->table->cols[i];
		size_t width;

		if (!(c->flags & WL_PROSE) || !(c->flags & WL_MINOR) || !*text_at(v, row, i))
			continue;
		wl_line_put_spaces(out, NUMBER + WEIGHT);
		width = wl_line_put_cut(out, c->title, SIZE_MAX, opts->ascii);
		(void)fputs(": ", out);
		put_words(out, text_at(v, row, i), NUMBER + WEIGHT, width + 2, opts);
	}
}

static void put_row(FILE *out, const struct wl_view *v, size_t row,
		    const struct wl_list_columns *cols, const struct wl_render_opts *opts)
{
	const char *weight = text_at(v, row, cols->weight), *code = text_at(v, row, cols->code);
	size_t width;

	(void)fprintf(out, "%2zu ", row + 1);
	(void)fputs(opts->bold ? "\033[1m" : "", out);
	width = wl_line_put_fitted(out, weight, WEIGHT - 1, opts->ascii);
	(void)fputs(opts->bold ? "\033[0m" : "", out);
	wl_line_put_spaces(out, WEIGHT - width);
	put_words(out, text_at(v, row, cols->says), NUMBER + WEIGHT, 0, opts);
	wl_line_put_spaces(out, NUMBER + WEIGHT);
	(void)fputs(opts->ascii ? "-> " : "\u2192 ", out);
	width = wl_line_put_cut(out, text_at(v, row, cols->action), 64, opts->ascii);
	/* The code stands at the right, where there is room for it. */
	if (NUMBER + WEIGHT + 3 + width + 4 + wl_line_width(code) <= wl_line_limit(opts)) {
		(void)fputs("  [", out);
		(void)wl_line_put_fitted(out, code, wl_line_width(code), opts->ascii);
		(void)fputc(']', out);
	}
	(void)fputc('\n', out);
}

void wl_text_list(FILE *out, const struct wl_view *v, const struct wl_list_columns *cols,
		  const struct wl_render_opts *opts, bool in_full)
{
	for (size_t row = 0; row < v->n_rows; row++) {
		put_row(out, v, row, cols, opts);
		if (in_full)
			put_more(out, v, row, opts);
	}
	if (v->n_rows == 0)
		(void)fputs("Nothing: no finding is above 1% of the time.\n", out);
	if (v->n_rows < v->n_total)
		(void)fprintf(out, "   %zu of %zu; -n 0 for all\n", v->n_rows, v->n_total);
}
