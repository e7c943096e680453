/* SPDX-License-Identifier: MIT */
#include "render/text/layout.h"

#include "render/words/human.h"
#include "render/words/line.h"
#include "render/words/spelling.h"

enum { TEXT_SHRUNK = 72, TEXT_MIN = 8 };

static size_t measure_col(const struct wl_spelling *spelling, size_t col, enum wl_timeunit unit)
{
	const struct wl_view *v = spelling->view;
	size_t width = wl_line_width(v->table->cols[col].title);
	char buf[WL_UNITS_BUF];

	for (size_t i = 0; i < v->n_rows; i++) {
		size_t level = wl_view_level(v, i, col);
		size_t w = wl_line_width(wl_spelling_cell(spelling, i, col, unit, buf));

		w += (level < WL_MAX_INDENT ? level : WL_MAX_INDENT) * WL_LEVEL_STEP;
		width = w > width ? w : width;
	}
	return width;
}

static size_t total(const struct wl_layout *l)
{
	size_t sum = l->n_cols ? (l->n_cols - 1) * WL_COL_GAP : 0;

	for (size_t i = 0; i < l->n_cols; i++)
		sum += l->width[i];
	return sum;
}

/* Text may be cut to fit, unless whole names were asked for. */
static bool may_shrink(const struct wl_table *t, size_t col)
{
	return t->cols[col].type == WL_T_STR && !(t->whole >> col & 1);
}

/* Take from the widest text column, one by one, down to min. True when it fits. */
static bool shrink(const struct wl_view *v, struct wl_layout *l, size_t limit, size_t min)
{
	for (size_t over = total(l); over > limit; over--) {
		size_t *widest = NULL;

		for (size_t i = 0; i < l->n_cols; i++) {
			if (may_shrink(v->table, l->cols[i]) && l->width[i] > min &&
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
static void reset(const struct wl_view *v, const size_t *natural, uint64_t out, struct wl_layout *l)
{
	l->n_cols = 0;
	l->n_left_out = 0;
	for (size_t i = 0; i < v->n_cols; i++) {
		if (out >> i & 1) {
			l->left_out[l->n_left_out++] = v->cols[i];
			continue;
		}
		l->cols[l->n_cols] = v->cols[i];
		l->width[l->n_cols++] = natural[i];
	}
}

/* How far text may shrink before other columns go: 36 for a name, 24 each for two. */
static size_t shrink_limit(const struct wl_view *v)
{
	size_t n_text = 1;

	for (size_t i = 0; i < v->n_cols; i++)
		n_text += v->table->cols[v->cols[i]].type == WL_T_STR;
	return TEXT_SHRUNK / n_text;
}

static void fit_columns(const struct wl_view *view, const struct wl_render_opts *opts,
			const size_t *natural, struct wl_layout *ret_layout)
{
	size_t limit = wl_line_limit(opts);
	size_t shrunk = shrink_limit(view);
	uint64_t out = 0;

	reset(view, natural, out, ret_layout);
	if (shrink(view, ret_layout, limit, shrunk))
		return;
	for (size_t i = view->n_cols; i > 0 && !view->chosen_cols; i--) {
		if (!wl_view_is_minor(view, view->cols[i - 1]))
			continue;
		out |= UINT64_C(1) << (i - 1);
		reset(view, natural, out, ret_layout);
		if (shrink(view, ret_layout, limit, shrunk))
			return;
	}
	(void)shrink(view, ret_layout, limit, TEXT_MIN);
}

/* Half of a column that is narrower than it would like to be, in whole levels. */
static size_t fit_indent(const struct wl_view *v, const struct wl_layout *l, size_t natural)
{
	size_t all = (size_t)WL_MAX_INDENT * WL_LEVEL_STEP;

	for (size_t i = 0; i < l->n_cols; i++) {
		size_t half = l->width[i] / 2 / WL_LEVEL_STEP * WL_LEVEL_STEP;

		if (l->cols[i] == v->name_col && l->width[i] < natural)
			return half < all ? half : all;
	}
	return all;
}

void wl_layout_fit(const struct wl_spelling *spelling, const struct wl_render_opts *opts,
		   struct wl_layout *ret_layout)
{
	const struct wl_view *view = spelling->view;
	size_t natural[WL_MAX_COLS], name = 0;
	size_t limit = wl_line_limit(opts);
	size_t most = limit > TEXT_MIN ? limit : TEXT_MIN;

	for (size_t i = 0; i < view->n_cols; i++) {
		size_t width = measure_col(spelling, view->cols[i], opts->timeunit);

		if (view->cols[i] == view->name_col)
			name = width;
		/* No text gets more than a line; this also bounds the work of shrink(). */
		natural[i] = may_shrink(view->table, view->cols[i]) && width > most ? most : width;
	}
	fit_columns(view, opts, natural, ret_layout);
	ret_layout->indent = fit_indent(view, ret_layout, name);
}
