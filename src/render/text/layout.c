/* SPDX-License-Identifier: MIT */
#include "render/text/layout.h"

#include <string.h>

#include "render/words/human.h"
#include "render/words/line.h"
#include "render/words/spelling.h"

enum {
	TEXT_SHRUNK = 72,
	TEXT_MIN = 8,
	TREE_MIN = 20,
	LABEL_MIN = 24,   /* of a name in a tree, */
	LEVELS_MIN = 24,  /* and of the levels before it */
	ANSWER_MIN = 24,  /* of the text of an answer, */
	ANSWER_WIDE = 32, /* and on a line of WIDE columns */
	WIDE = 80,
};

/* What is known of each column of a view before they are fitted. */
struct fitting {
	const struct wl_spelling *spelling;
	const struct wl_view *view;
	struct wl_layout *layout;
	size_t limit;
	size_t cells[WL_MAX_COLS];  /* the widest cell, by column of the view */
	size_t title[WL_MAX_COLS];  /* the whole title */
	size_t broken[WL_MAX_COLS]; /* the title in two lines */
	size_t name;                /* what the column of names would like to have */
	size_t name_min;   /* of a tree, what it keeps while others are left out; 0: as all text */
	size_t answer_min; /* what the text of an answer keeps while others are left out */
	uint64_t out;      /* bits of those that are left out */
	uint64_t empty;    /* and of those that are empty in four fifths of the rows */
};

size_t wl_layout_break(const char *title)
{
	size_t n = strlen(title), best = 0, best_width = n;

	for (size_t i = 1; i + 1 < n; i++) {
		size_t width = i > n - i - 1 ? i : n - i - 1;

		if (title[i] == ' ' && width < best_width) {
			best_width = width;
			best = i;
		}
	}
	return best;
}

static size_t measure_broken(const char *title)
{
	size_t at = wl_layout_break(title);
	size_t rest = wl_line_width(at ? title + at + 1 : title);

	return at > rest ? at : rest;
}

static size_t measure_cells(const struct wl_spelling *spelling, size_t col)
{
	const struct wl_view *v = spelling->view;
	char buf[WL_UNITS_BUF];
	size_t width = 0;

	for (size_t i = 0; i < v->n_rows; i++) {
		size_t level = wl_view_level(v, i, col);
		size_t w = wl_line_width(wl_spelling_cell(spelling, i, col, buf));

		w += (level < WL_MAX_INDENT ? level : WL_MAX_INDENT) * WL_LEVEL_STEP;
		width = w > width ? w : width;
	}
	return width;
}

static size_t least_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * What names of a tree need to be told apart, with their levels: other columns go before they have
 * less. Three fifths of a line at most, where it is narrow.
 */
static size_t measure_names(const struct fitting *f)
{
	const struct wl_view *v = f->view;
	char buf[WL_UNITS_BUF];
	size_t most = 0;

	for (size_t i = 0; v->levels && i < v->n_rows; i++) {
		size_t levels = (size_t)wl_view_level(v, i, v->name_col) * WL_LEVEL_STEP;
		size_t label = wl_line_width(wl_spelling_cell(f->spelling, i, v->name_col, buf));
		size_t need = least_of(levels, LEVELS_MIN) + least_of(label, LABEL_MIN);

		most = need > most ? need : most;
	}
	return least_of(most, f->limit * 3 / 5);
}

/* Text may be cut to fit, unless whole names were asked for. */
static bool may_shrink(const struct wl_table *t, size_t col)
{
	return t->cols[col].type == WL_T_STR && !(t->whole >> col & 1);
}

/* In more than four fifths of the rows. */
static bool is_empty(const struct wl_view *v, size_t col)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n_rows; i++)
		n += !wl_table_at(v->table, v->rows[i], col).set;
	return 5 * n > 4 * v->n_rows;
}

static void measure(struct fitting *f)
{
	size_t most = f->limit > TEXT_MIN ? f->limit : TEXT_MIN;

	f->name_min = measure_names(f);
	f->answer_min = f->limit >= WIDE ? ANSWER_WIDE : ANSWER_MIN;
	for (size_t i = 0; i < f->view->n_cols; i++) {
		size_t col = f->view->cols[i];
		const struct wl_col *c = &f->view->table->cols[col];

		f->empty |= (uint64_t)is_empty(f->view, col) << i;
		f->cells[i] = measure_cells(f->spelling, col);
		if (col == f->view->name_col)
			f->name = f->cells[i];
		/* No text gets more than a line; this also bounds the work of shrink(). */
		if (may_shrink(f->view->table, col) && f->cells[i] > most)
			f->cells[i] = most;
		f->title[i] = wl_line_width(c->title);
		f->broken[i] = measure_broken(c->title);
	}
}

static size_t total(const struct wl_layout *l)
{
	size_t sum = l->n_cols ? (l->n_cols - 1) * WL_COL_GAP : 0;

	for (size_t i = 0; i < l->n_cols; i++)
		sum += l->width[i];
	return sum;
}

/* Take from the widest text column, one by one, down to min or its title. True when it fits. */
static bool shrink(const struct fitting *f, size_t min)
{
	const struct wl_table *t = f->view->table;
	struct wl_layout *l = f->layout;

	for (size_t over = total(l); over > f->limit; over--) {
		size_t *widest = NULL;

		for (size_t i = 0; i < l->n_cols; i++) {
			const struct wl_col *c = &t->cols[l->cols[i]];
			size_t least = l->cols[i] == f->view->name_col && f->name_min > min
					       ? f->name_min
					       : min;

			least = c->flags & WL_ANSWER && f->answer_min > least ? f->answer_min
									      : least;
			if (may_shrink(t, l->cols[i]) && l->width[i] > least &&
			    l->width[i] > measure_broken(c->title) &&
			    (!widest || l->width[i] > *widest))
				widest = &l->width[i];
		}
		if (!widest)
			return false;
		(*widest)--;
	}
	return true;
}

/* The columns but those left out, in their natural widths. */
static void reset(struct fitting *f, bool two_lines)
{
	const struct wl_view *v = f->view;
	struct wl_layout *l = f->layout;

	l->n_cols = 0;
	l->n_left_out = 0;
	l->two_lines = two_lines;
	for (size_t i = 0; i < v->n_cols; i++) {
		size_t title = two_lines ? f->broken[i] : f->title[i];

		if (f->out >> i & 1) {
			l->left_out[l->n_left_out++] = v->cols[i];
			continue;
		}
		l->cols[l->n_cols] = v->cols[i];
		l->width[l->n_cols++] = f->cells[i] > title ? f->cells[i] : title;
	}
}

static bool try(struct fitting *f, size_t min)
{
	for (int two_lines = 0; two_lines < 2; two_lines++) {
		reset(f, two_lines);
		if (total(f->layout) <= f->limit)
			return true;
	}
	reset(f, false);
	if (shrink(f, min))
		return true;
	reset(f, true);
	return shrink(f, min);
}

/* How far text may shrink before other columns go: 36 for a name, 24 each for two. */
static size_t shrink_limit(const struct wl_view *v)
{
	size_t n_text = 1;

	for (size_t i = 0; i < v->n_cols; i++)
		n_text += v->table->cols[v->cols[i]].type == WL_T_STR;
	return TEXT_SHRUNK / n_text;
}

static bool is_fixed(const struct wl_view *v)
{
	return v->chosen_cols && !v->usual_cols;
}

/* Which columns may be left out: minor and empty ones, those that are no answers, or any. */
enum which { MORE, NUMBERS, ANY };

static bool may_leave_out(const struct fitting *f, size_t i, enum which which)
{
	const size_t col = f->view->cols[i];
	const unsigned flags = f->view->table->cols[col].flags;

	if (f->out >> i & 1 || f->view->table->whole >> col & 1)
		return false;
	if (which == ANY)
		return true;
	if (flags & WL_ANSWER)
		return false;
	if (which == NUMBERS)
		return !(flags & WL_KEY);
	return wl_view_is_minor(f->view, col) || (f->empty >> i & 1 && !(flags & WL_KEY));
}

/*
 * Leave out columns from the right until the others fit. Names that were asked for as a whole stay.
 */
static bool leave_out(struct fitting *f, size_t min, enum which which)
{
	for (size_t i = f->view->n_cols; i > 1 && !is_fixed(f->view); i--) {
		if (!may_leave_out(f, i - 1, which))
			continue;
		f->out |= UINT64_C(1) << (i - 1);
		if (try(f, min))
			return true;
	}
	return false;
}

/* Half of a column that is narrower than it would like to be, in whole levels. */
static size_t fit_indent(const struct fitting *f)
{
	const struct wl_layout *l = f->layout;
	size_t all = (size_t)WL_MAX_INDENT * WL_LEVEL_STEP;

	for (size_t i = 0; i < l->n_cols; i++) {
		size_t half = l->width[i] / 2 / WL_LEVEL_STEP * WL_LEVEL_STEP;

		if (l->cols[i] == f->view->name_col && l->width[i] < f->name)
			return half < all ? half : all;
	}
	return all;
}

/* Some title is wider than its column and has a space. */
static bool has_broken(const struct fitting *f)
{
	const struct wl_layout *l = f->layout;

	for (size_t i = 0; i < l->n_cols; i++) {
		const char *title = f->view->table->cols[l->cols[i]].title;

		if (wl_line_width(title) > l->width[i] && wl_layout_break(title))
			return true;
	}
	return false;
}

/* Names of a tree share their column with the levels: other columns go before they get short. */
static bool fit_tree(struct fitting *f)
{
	bool fits = f->view->levels && (try(f, TREE_MIN) || leave_out(f, TREE_MIN, ANY));

	f->name_min = 0;
	return fits;
}

/* Numbers give way to what the table is for. */
static bool fit_answers(struct fitting *f, size_t min)
{
	bool has_answer = false, fits;

	min = min < ANSWER_MIN ? min : ANSWER_MIN;
	for (size_t i = 0; i < f->view->n_cols; i++)
		has_answer = has_answer || f->view->table->cols[f->view->cols[i]].flags & WL_ANSWER;
	fits = has_answer && (try(f, min) || leave_out(f, min, NUMBERS));
	f->answer_min = 0;
	return fits;
}

void wl_layout_fit(const struct wl_spelling *spelling, const struct wl_render_opts *opts,
		   struct wl_layout *ret_layout)
{
	const struct wl_view *view = spelling->view;
	struct fitting f = { .spelling = spelling,
			     .view = view,
			     .layout = ret_layout,
			     .limit = wl_line_limit(opts) };
	const size_t shrunk = shrink_limit(view);

	measure(&f);
	ret_layout->is_too_wide = !try(&f, shrunk) && !leave_out(&f, shrunk, MORE) &&
				  !fit_tree(&f) && !fit_answers(&f, shrunk) && !try(&f, TEXT_MIN) &&
				  !leave_out(&f, TEXT_MIN, ANY) && is_fixed(view);
	ret_layout->indent = fit_indent(&f);
	ret_layout->two_lines = ret_layout->two_lines && has_broken(&f);
}
