/* SPDX-License-Identifier: MIT */
#include "cli/shell/box.h"

#include <string.h>

#include "base/text/utf8.h"
#include "render/words/human.h"
#include "render/words/line.h"

enum {
	LEAST_TEXT = 8, /* columns that a text keeps */
	EDGES = 3,      /* what a column takes besides its cells: two blanks and a line */
};

/* Lines and corners, in ASCII and not. */
struct strokes {
	const char *line, *bar;
	const char *top[3], *middle[3], *bottom[3]; /* left, between, right */
	const char *dots;
};

static const struct strokes drawn = {
	.line = "─",
	.bar = "│",
	.top = { "┌", "┬", "┐" },
	.middle = { "├", "┼", "┤" },
	.bottom = { "└", "┴", "┘" },
	.dots = "·",
};

static const struct strokes typed = {
	.line = "-",
	.bar = "|",
	.top = { "+", "+", "+" },
	.middle = { "+", "+", "+" },
	.bottom = { "+", "+", "+" },
	.dots = ".",
};

struct box {
	const struct wl_table *t;
	const struct wl_box_opts *opts;
	const struct strokes *strokes;
	FILE *out;
	size_t col[WL_MAX_COLS]; /* of the table, those shown */
	size_t width[WL_MAX_COLS];
	size_t n_cols;
	size_t gap;            /* index in col before which columns are left out; 0: none are */
	size_t n_head, n_tail; /* rows that are shown */
};

/* NULL is a word of its own, which no text is mistaken for where types are known. */
static const char *text_of(const struct box *b, size_t row, size_t col, char buf[WL_UNITS_BUF])
{
	struct wl_cell cell = wl_table_at(b->t, row, col);

	if (!cell.set)
		return "NULL";
	return wl_human_cell(&b->t->cols[col], cell, b->opts->look.timeunit, buf);
}

/* ---- Layout ---- */

static void choose_rows(struct box *b)
{
	size_t n = b->t->n_rows, shown = b->opts->rows;

	b->n_head = n;
	b->n_tail = 0;
	if (shown == 0 || n <= shown)
		return;
	b->n_head = (shown + 1) / 2;
	b->n_tail = shown - b->n_head;
}

/* The row of the table that is shown as the i-th. */
static size_t row_at(const struct box *b, size_t i)
{
	return i < b->n_head ? i : b->t->n_rows - b->n_tail + (i - b->n_head);
}

/*
 * Of the rows that are shown: a result of 100,000 rows is not formatted twice for the 40 on the
 * screen.
 */
static size_t widest(const struct box *b, size_t col)
{
	char buf[WL_UNITS_BUF];
	size_t name = wl_line_width(b->t->cols[col].key);
	size_t type = strlen(wl_type_name(b->t->cols[col].type));
	size_t most = name > type ? name : type;

	for (size_t i = 0; i < b->n_head + b->n_tail; i++) {
		size_t w = wl_line_width(text_of(b, row_at(b, i), col, buf));

		most = w > most ? w : most;
	}
	return most ? most : 1;
}

static size_t total(const struct box *b)
{
	size_t sum = 1;

	for (size_t i = 0; i < b->n_cols; i++)
		sum += b->width[i] + EDGES;
	return sum + (b->gap ? 1 + EDGES : 0);
}

/* The widest text that can still give a column; n_cols: none. */
static size_t to_shrink(const struct box *b)
{
	size_t best = b->n_cols;

	for (size_t i = 0; i < b->n_cols; i++) {
		if (!wl_type_is_text(b->t->cols[b->col[i]].type) || b->width[i] <= LEAST_TEXT)
			continue;
		if (best == b->n_cols || b->width[i] > b->width[best])
			best = i;
	}
	return best;
}

/* Leave out the column before the last. */
static void drop_column(struct box *b)
{
	size_t last = b->n_cols - 1;

	b->col[last - 1] = b->col[last];
	b->width[last - 1] = b->width[last];
	b->n_cols--;
	b->gap = b->n_cols - 1;
}

static void fit(struct box *b)
{
	size_t width = (size_t)b->opts->look.width;

	while (width && total(b) > width) {
		size_t i = to_shrink(b);

		if (i < b->n_cols)
			b->width[i]--;
		else if (b->n_cols > 2)
			drop_column(b);
		else
			return;
	}
}

static void lay_out(struct box *b)
{
	choose_rows(b);
	for (size_t i = 0; i < b->t->n_cols; i++) {
		b->col[i] = i;
		b->width[i] = widest(b, i);
	}
	b->n_cols = b->t->n_cols;
	fit(b);
}

/* ---- Drawing ---- */

static void repeat(const struct box *b, const char *text, size_t n)
{
	while (n-- > 0)
		(void)fputs(text, b->out);
}

static void draw_line(const struct box *b, const char *const ends[3])
{
	(void)fputs(ends[0], b->out);
	for (size_t i = 0; i < b->n_cols; i++) {
		if (i && i == b->gap) {
			repeat(b, b->strokes->line, EDGES);
			(void)fputs(ends[1], b->out);
		}
		repeat(b, b->strokes->line, b->width[i] + 2);
		(void)fputs(i + 1 < b->n_cols ? ends[1] : ends[2], b->out);
	}
	(void)fputc('\n', b->out);
}

/* Names differ at both ends: they are cut in the middle, prose at its end. */
static void draw_cell(const struct box *b, size_t i, const char *text)
{
	const struct wl_col *col = &b->t->cols[b->col[i]];
	size_t w = wl_line_width(text), blanks = w < b->width[i] ? b->width[i] - w : 0;
	bool to_the_right = wl_human_is_number(col->type);

	(void)fputc(' ', b->out);
	wl_line_put_spaces(b->out, to_the_right ? blanks : 0);
	if (col->flags & WL_PROSE)
		w = wl_line_put_cut(b->out, text, b->width[i], b->opts->look.ascii);
	else
		w = wl_line_put_fitted(b->out, text, b->width[i], b->opts->look.ascii);
	wl_line_put_spaces(b->out, to_the_right ? 1 : b->width[i] - w + 1);
	(void)fputs(b->strokes->bar, b->out);
}

/* Begins a cell; those that are left out are one with dots. */
static void draw_bar(const struct box *b, size_t i)
{
	if (i == 0)
		(void)fputs(b->strokes->bar, b->out);
	else if (i == b->gap)
		(void)fprintf(b->out, " %s %s", b->strokes->dots, b->strokes->bar);
}

static void draw_head(const struct box *b, bool types)
{
	for (size_t i = 0; i < b->n_cols; i++) {
		const struct wl_col *col = &b->t->cols[b->col[i]];

		draw_bar(b, i);
		draw_cell(b, i, types ? wl_type_name(col->type) : col->key);
	}
	(void)fputc('\n', b->out);
}

static void draw_row(const struct box *b, size_t row)
{
	char buf[WL_UNITS_BUF];

	for (size_t i = 0; i < b->n_cols; i++) {
		draw_bar(b, i);
		draw_cell(b, i, text_of(b, row, b->col[i], buf));
	}
	(void)fputc('\n', b->out);
}

static void draw_gap(const struct box *b)
{
	for (size_t i = 0; i < b->n_cols; i++) {
		draw_bar(b, i);
		draw_cell(b, i, b->strokes->dots);
	}
	(void)fputc('\n', b->out);
}

/* "(1,234 rows, 40 shown)", "(1 row)", "(more than 100,000 rows, 40 shown; 12 of 23 columns)" */
static void draw_count(const struct box *b)
{
	size_t n = b->t->n_rows, shown = b->n_head + b->n_tail;
	char buf[WL_UNITS_BUF];

	(void)fprintf(b->out, "(%s%s row%s", b->opts->has_more ? "more than " : "",
		      wl_fmt_count(buf, (int64_t)n), n == 1 ? "" : "s");
	if (shown < n)
		(void)fprintf(b->out, ", %zu shown", shown);
	if (b->n_cols < b->t->n_cols)
		(void)fprintf(b->out, "; %zu of %zu columns", b->n_cols, b->t->n_cols);
	(void)fputs(")\n", b->out);
}

void wl_box_print(const struct wl_table *table, const struct wl_box_opts *opts, FILE *out)
{
	struct box b = {
		.t = table, .opts = opts, .strokes = opts->look.ascii ? &typed : &drawn, .out = out
	};

	lay_out(&b);
	draw_line(&b, b.strokes->top);
	draw_head(&b, false);
	draw_head(&b, true);
	draw_line(&b, b.strokes->middle);
	for (size_t i = 0; i < b.n_head + b.n_tail; i++) {
		if (b.n_tail && i == b.n_head)
			draw_gap(&b);
		draw_row(&b, row_at(&b, i));
	}
	draw_line(&b, b.strokes->bottom);
	draw_count(&b);
}

/* ---- A line per cell ---- */

static void put_exact(const struct wl_col *col, struct wl_cell cell, FILE *out)
{
	char buf[WL_UNITS_BUF];

	if (!cell.set)
		(void)fputs("NULL", out);
	else if (wl_type_is_text(col->type))
		wl_put_escaped(out, cell.str, wl_escape_human);
	else if (wl_type_is_real(col->type))
		(void)fputs(wl_fmt_f64(buf, cell.f64), out);
	else
		(void)fputs(wl_fmt_i64(buf, cell.i64), out);
}

void wl_box_print_lines(const struct wl_table *table, FILE *out)
{
	size_t most = 0;

	for (size_t c = 0; c < table->n_cols; c++) {
		size_t w = wl_utf8_width(table->cols[c].key);

		most = w > most ? w : most;
	}
	for (size_t row = 0; row < table->n_rows; row++) {
		if (row)
			(void)fputc('\n', out);
		for (size_t c = 0; c < table->n_cols; c++) {
			size_t w = wl_utf8_width(table->cols[c].key);

			(void)fprintf(out, "%*s", (int)(most - w), "");
			wl_put_escaped(out, table->cols[c].key, wl_escape_human);
			(void)fputs(" = ", out);
			put_exact(&table->cols[c], wl_table_at(table, row, c), out);
			(void)fputc('\n', out);
		}
	}
}
