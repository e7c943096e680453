/* SPDX-License-Identifier: MIT */
/* head_tables.c - tables of verbs in the head, each with its chart as the markup of a figure. */
#include <stdio.h>
#include <stdlib.h>

#include "render/chart/chart.h"
#include "render/data/json_row.h"
#include "render/words/frame.h"
#include "render/words/spelling.h"
#include "serve/page/head_parts.h"
#include "serve/shown/redact.h"

enum { MAX_ROWS = 500 };

/* What is written, and with what. */
struct writing {
	struct wl_section section; /* its table is that which is shown: hashed where names are */
	unsigned number;           /* of the chart on the page */
	bool redacted;
	struct wl_jsonw *out;
	struct wl_arena *arena;
};

/* ---- Names that are hashed ---- */

static bool put_cell(struct wl_table *to, const struct wl_table *from, size_t row, size_t col,
		     struct wl_arena *arena)
{
	const struct wl_col *c = &from->cols[col];
	const struct wl_cell cell = wl_table_at(from, row, col);

	if (!cell.set)
		return true;
	if (c->flags & WL_KERNEL) {
		const char *name = wl_redact_kernel(cell.str, arena);

		wl_put_str(to, col, name);
		return name != NULL;
	}
	if (wl_type_is_text(c->type))
		wl_put_str(to, col, cell.str);
	else if (wl_type_is_real(c->type))
		wl_put_f64(to, col, cell.f64);
	else
		wl_put_i64(to, col, cell.i64);
	return true;
}

/* The table with its kernels hashed, and without notes, which may name them. */
static bool redact(struct wl_section *s, struct wl_arena *arena)
{
	const struct wl_table *from = s->view.table;
	struct wl_table *to = WL_NEW(arena, struct wl_table, 1);
	bool ok = to != NULL;

	if (ok)
		wl_table_init(to, arena, from->cols, from->n_cols);
	for (size_t row = 0; ok && row < from->n_rows; row++) {
		wl_table_row(to);
		for (size_t col = 0; ok && col < from->n_cols; col++)
			ok = put_cell(to, from, row, col, arena);
	}
	if (!ok || !wl_table_ok(to))
		return false;
	to->hidden = from->hidden;
	s->view.table = to;
	return true;
}

/* ---- A table ---- */

/* The columns that a terminal shows first, and the first rows. */
static bool make_view(const struct writing *w, struct wl_view *ret)
{
	const struct wl_view *all = &w->section.view;
	uint16_t *cols = WL_NEW(w->arena, uint16_t, all->n_cols + 1);

	if (!cols)
		return false;
	*ret = *all;
	ret->cols = cols;
	ret->n_cols = 0;
	ret->n_rows = all->n_rows < MAX_ROWS ? all->n_rows : MAX_ROWS;
	for (size_t i = 0; i < all->n_cols; i++) {
		if (!(all->table->cols[all->cols[i]].flags & WL_MINOR))
			cols[ret->n_cols++] = all->cols[i];
	}
	return true;
}

static void put_rows(const struct writing *w, const struct wl_view *view)
{
	wl_jsonw_open_array(w->out, "rows");
	for (size_t i = 0; i < view->n_rows; i++) {
		wl_jsonw_newline(w->out);
		wl_jsonw_begin_array(w->out);
		for (size_t c = 0; c < view->n_cols; c++)
			wl_json_cell(w->out, view->table->cols[view->cols[c]].type,
				     wl_table_at(view->table, view->rows[i], view->cols[c]));
		wl_jsonw_end_array(w->out);
	}
	wl_jsonw_end_array(w->out);
	wl_jsonw_put_i64(w->out, "total", (int64_t)w->section.view.n_total);
}

/* By row, what screens call its first cell; null where names are redacted. */
static void put_labels(const struct writing *w, const struct wl_view *view)
{
	struct wl_spelling spelling;
	char buf[WL_UNITS_BUF];

	wl_spelling_init(&spelling, view, WL_UNIT_AUTO);
	wl_jsonw_open_array(w->out, "labels");
	for (size_t i = 0; i < view->n_rows; i++)
		wl_jsonw_str(w->out, w->redacted
					     ? NULL
					     : wl_spelling_cell(&spelling, i, view->cols[0], buf));
	wl_jsonw_end_array(w->out);
	wl_spelling_release(&spelling);
}

static void put_notes(const struct writing *w)
{
	const struct wl_table *t = w->section.view.table;
	char buf[WL_FRAME_BUF];

	wl_jsonw_open_array(w->out, "notes");
	for (size_t i = 0; i < t->n_coverage; i++) {
		const char *text = wl_frame_coverage(&t->coverage[i], buf);

		if (text)
			wl_jsonw_str(w->out, text);
	}
	for (const struct wl_note *n = t->notes; n; n = n->next)
		wl_jsonw_str(w->out, n->text);
	wl_jsonw_end_array(w->out);
}

/* The figure of a report; null where there is nothing to draw. */
static bool put_figure(const struct writing *w)
{
	char *text = NULL;
	size_t n;
	FILE *out;
	bool ok;

	wl_jsonw_key(w->out, "figure");
	if (!wl_chart_is_drawn(&w->section)) {
		wl_jsonw_null(w->out);
		return true;
	}
	out = open_memstream(&text, &n);
	if (!out)
		return false;
	wl_chart_put(out, &w->section, w->number, WL_UNIT_AUTO);
	ok = !ferror(out);
	ok = fclose(out) == 0 && ok;
	if (ok)
		wl_jsonw_str(w->out, text);
	free(text);
	return ok;
}

static bool put_table(const struct writing *w)
{
	struct wl_view view;

	wl_jsonw_put_str(w->out, "missing", NULL);
	if (!make_view(w, &view))
		return false;
	wl_json_columns(w->out, &view);
	put_rows(w, &view);
	put_labels(w, &view);
	put_notes(w);
	return put_figure(w);
}

bool wl_head_tables(const struct wl_head *head, size_t scene, struct wl_jsonw *out,
		    struct wl_arena *arena)
{
	const struct wl_section *const all[] = { head->show->scene[scene]->roofline,
						 head->show->scene[scene]->blocks };
	struct writing w = { .redacted = head->naming == WL_NAMES_REDACTED,
			     .out = out,
			     .arena = arena };
	bool ok = true;

	wl_jsonw_open_array(out, "tables");
	for (size_t i = 0; ok && i < WL_COUNT(all); i++) {
		const struct wl_section *s = all[i];

		if (!s)
			continue;
		w.number = (unsigned)(scene * WL_COUNT(all) + i) + 1;
		w.section = *s;
		wl_jsonw_begin_object(out);
		wl_jsonw_put_str(out, "verb", s->analysis);
		wl_jsonw_put_str(out, "title", s->title);
		if (s->missing)
			wl_jsonw_put_str(out, "missing",
					 w.redacted ? "there is no table" : s->missing);
		else
			ok = (!w.redacted || redact(&w.section, arena)) && put_table(&w);
		wl_jsonw_end_object(out);
	}
	wl_jsonw_end_array(out);
	return ok;
}
