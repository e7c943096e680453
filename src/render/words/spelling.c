/* SPDX-License-Identifier: MIT */
#include "render/words/spelling.h"

#include <string.h>

#include "base/memory/intern.h"
#include "known/kernels/cuts.h"
#include "known/kernels/labels.h"
#include "render/words/human.h"

/* A screen that needs more shows names as they are. */
#define MAX_BYTES ((size_t)1 << 30)

/* Most names are strings of the trace, so that equal pointers are most of the equal names. */
struct name_key {
	const char *text;
	uint32_t level;
	uint32_t is_kernel;
};

static bool holds_names(const struct wl_table *t, size_t col)
{
	return t->cols[col].type == WL_T_STR && !(t->cols[col].flags & WL_PROSE) &&
	       !(t->whole >> col & 1);
}

/* Whether a column of kernels has one in a row of the view. */
static bool is_kernel(const struct wl_view *v, size_t row, size_t kind)
{
	struct wl_cell cell;

	if (kind == WL_NONE)
		return true;
	cell = wl_table_at(v->table, v->rows[row], kind);
	return cell.set && strcmp(cell.str, "kernel") == 0;
}

/* The column that says what a row is of; WL_NONE for none. */
static size_t kind_column(const struct wl_table *t)
{
	for (size_t i = 0; i < t->n_cols; i++) {
		if (t->cols[i].flags & WL_KIND)
			return i;
	}
	return WL_NONE;
}

/* Number the names of a column; false without memory. */
static bool number_names(const struct wl_view *v, size_t col, struct wl_intern *keys,
			 uint32_t *of_row)
{
	bool has_kernels = v->table->cols[col].flags & WL_KERNEL;
	size_t kind = kind_column(v->table);

	for (size_t i = 0; i < v->n_rows; i++) {
		struct wl_cell cell = wl_table_at(v->table, v->rows[i], col);
		uint32_t level = wl_view_level(v, i, col);
		struct name_key key = { cell.str, level < WL_MAX_INDENT ? level : WL_MAX_INDENT,
					has_kernels && is_kernel(v, i, kind) };

		of_row[i] = cell.set ? wl_intern_put(keys, &key) : WL_NONE;
		if (cell.set && of_row[i] == WL_NONE)
			return false;
	}
	return true;
}

static bool take_names(struct wl_spelling *s, size_t col, const struct wl_intern *keys,
		       const uint32_t *of_row)
{
	const struct name_key *key = keys->items.data;
	size_t n = keys->items.n;
	const char **text = WL_NEW(&s->arena, const char *, n + 1);
	uint32_t *level = WL_NEW(&s->arena, uint32_t, n + 1);
	bool *kernel = WL_NEW(&s->arena, bool, n + 1);

	if (!text || !level || !kernel)
		return false;
	for (size_t i = 0; i < n; i++) {
		text[i] = key[i].text;
		level[i] = key[i].level;
		kernel[i] = key[i].is_kernel;
	}
	s->col[col] =
		(struct wl_spelling_col){ of_row, text, s->view->levels ? level : NULL, kernel, n };
	return true;
}

/* Put the texts of all kernels into text, or take them from there; returns how many. */
static size_t pass_kernels(const struct wl_spelling *s, const char **text, bool takes)
{
	const struct wl_view *v = s->view;
	size_t at = 0;

	for (size_t i = 0; i < v->n_cols; i++) {
		const struct wl_spelling_col *c = &s->col[v->cols[i]];

		for (size_t k = 0; k < c->n; k++) {
			if (!c->kernel[k])
				continue;
			if (takes)
				c->text[k] = text[at];
			else if (text)
				text[at] = c->text[k];
			at++;
		}
	}
	return at;
}

/* Kernels are told apart over all columns of a table: a gap's neighbours, old and new names. */
static void label_kernels(struct wl_spelling *s)
{
	size_t n = pass_kernels(s, NULL, false);
	const char **text = WL_NEW(&s->arena, const char *, n + 1);

	if (!text)
		return;
	(void)pass_kernels(s, text, false);
	if (wl_kernel_labels(text, n, &s->arena, text))
		(void)pass_kernels(s, text, true);
}

void wl_spelling_init(struct wl_spelling *spelling, const struct wl_view *view,
		      enum wl_timeunit unit)
{
	*spelling = (struct wl_spelling){ .view = view };
	wl_arena_init(&spelling->arena, MAX_BYTES);
	for (size_t i = 0; i < view->n_cols; i++) {
		size_t col = view->cols[i];
		struct wl_intern keys;
		uint32_t *of_row;

		wl_figures_fit(&spelling->figures[col], view, col, unit);
		if (!holds_names(view->table, col))
			continue;
		of_row = WL_NEW(&spelling->arena, uint32_t, view->n_rows + 1);
		wl_intern_init(&keys, sizeof(struct name_key), wl_arena_budget(&spelling->arena));
		if (of_row && number_names(view, col, &keys, of_row))
			(void)take_names(spelling, col, &keys, of_row);
		wl_intern_release(&keys);
	}
	label_kernels(spelling);
}

void wl_spelling_release(struct wl_spelling *spelling)
{
	wl_arena_release(&spelling->arena);
}

/* Cut the names of one level; false without memory. */
static bool cut_level(struct wl_spelling *s, struct wl_spelling_col *c, uint32_t level,
		      const struct wl_cut_opts *opts)
{
	const char **name = WL_NEW(&s->arena, const char *, c->n + 1);
	size_t n = 0;

	if (!name)
		return false;
	for (size_t i = 0; i < c->n; i++) {
		if (!c->level || c->level[i] == level)
			name[n++] = c->text[i];
	}
	if (!wl_names_cut(name, n, opts, &s->arena, name))
		return false;
	n = 0;
	for (size_t i = 0; i < c->n; i++) {
		if (!c->level || c->level[i] == level)
			c->text[i] = name[n++];
	}
	return true;
}

void wl_spelling_cut(struct wl_spelling *spelling, size_t col, const struct wl_spelling_width *to)
{
	struct wl_spelling_col *c = &spelling->col[col];

	for (uint32_t level = 0; c->text && level <= (c->level ? WL_MAX_INDENT : 0); level++) {
		size_t indent = level * to->step < to->indent ? level * to->step : to->indent;
		struct wl_cut_opts opts = { to->width - indent, to->ascii };

		if (!cut_level(spelling, c, level, &opts))
			return;
	}
}

const char *wl_spelling_cell(const struct wl_spelling *spelling, size_t row, size_t col,
			     char buf[WL_UNITS_BUF])
{
	const struct wl_table *t = spelling->view->table;
	const struct wl_spelling_col *c = &spelling->col[col];
	struct wl_figures figures = spelling->figures[col];

	if (c->text && c->of_row[row] != WL_NONE)
		return c->text[c->of_row[row]];
	figures.micro = spelling->micro;
	return wl_figures_cell(&figures, &t->cols[col],
			       wl_table_at(t, spelling->view->rows[row], col), buf);
}
