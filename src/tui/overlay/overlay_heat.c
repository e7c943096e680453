/* SPDX-License-Identifier: MIT */
/*
 * overlay_heat.c - a heat map over a view: a row per rank, a column per step, and a cursor.
 *
 * The cursor is a rank and a step. A key moves it by a cell, which is several of them where the map
 * is folded; the cell then stands for the largest in it.
 */
#include <inttypes.h>
#include <string.h>

#include "known/glyphs.h"
#include "table/heat.h"
#include "tui/overlay/overlay.h"

enum { MAX_NAME = 18, LARGEST = 20, HEAD = 1, FOOT = 2, MAX_PITCH = 3 };

struct map {
	struct wl_overlay base;
	struct wl_heat_opts opts;
	size_t subject;
	int64_t step;
	/* As it was drawn last; before that a cell is one rank and one step. */
	struct wl_heat_fold fold; /* without cells */
	struct wl_overlay_box box;
	int name_width, pitch;
	bool is_chosen;
};

static const struct wl_heat *heat_of(const struct map *m)
{
	return m->opts.heat;
}

static size_t row_of(const struct map *m, size_t subject)
{
	return subject / m->fold.per_row;
}

static uint64_t col_of(const struct map *m, int64_t step)
{
	return ((uint64_t)step - (uint64_t)heat_of(m)->first) / m->fold.per_col;
}

/* What the cell of the cursor stands for; WL_NO_ROW for nothing. Linear in the map. */
static uint32_t find_item(const struct map *m)
{
	const struct wl_heat *heat = heat_of(m);
	uint32_t best = WL_NO_ROW;

	for (uint32_t i = 0; i < heat->n_items; i++) {
		const struct wl_heat_item *at = &heat->item[i];

		if (row_of(m, at->subject) == row_of(m, m->subject) &&
		    col_of(m, at->step) == col_of(m, m->step) &&
		    (best == WL_NO_ROW || heat->item[best].value < at->value))
			best = i;
	}
	return best;
}

/* ---- Drawing ---- */

struct drawing {
	struct map *m;
	struct wl_screen *s;
	struct wl_heat_fold fold;
};

static struct wl_style style_of(const struct map *m, unsigned level)
{
	return (struct wl_style){ (uint8_t)(WL_INK_HEAT + wl_heat_ink(heat_of(m), level)),
				  WL_INK_DEFAULT, 0 };
}

/* Higher for more, so that it needs no colour; a dot for the lowest. */
static uint32_t glyph_of(const struct map *m, unsigned level, bool ascii)
{
	if (level == 0)
		return ascii ? '.' : 0xB7;
	return wl_level_glyph((double)level / (heat_of(m)->n_levels - 1), ascii);
}

static void draw_legend(const struct drawing *d)
{
	const struct wl_overlay_box *box = &d->m->box;
	const int end = box->x + box->width;
	int x = box->x;

	for (unsigned i = 0; i < heat_of(d->m)->n_levels; i++) {
		char text[WL_UNITS_BUF];

		wl_screen_put(d->s, x, box->y, glyph_of(d->m, i, d->s->caps.ascii),
			      style_of(d->m, i));
		x += 2;
		x += wl_screen_print(
			d->s, x, box->y, end - x, WL_STYLE_PLAIN, "%s %s", i ? "from" : "below",
			wl_fmt_ns(text, (i ? i : 1) * heat_of(d->m)->pace, WL_UNIT_AUTO));
		x += 2;
	}
}

static void draw_cell(const struct drawing *d, size_t row, size_t col, int y)
{
	const struct map *m = d->m;
	const uint32_t item = wl_heat_cell(&d->fold, row, col);
	const int x = m->box.x + m->name_width + (int)col * m->pitch;
	const unsigned level =
		item == WL_NO_ROW ? 0 : wl_heat_level(heat_of(m), heat_of(m)->item[item].value);

	for (int i = 0; item != WL_NO_ROW && i < m->pitch; i++)
		wl_screen_put(d->s, x + i, y, glyph_of(m, level, d->s->caps.ascii),
			      style_of(m, level));
	if (row == row_of(m, m->subject) && col == col_of(m, m->step))
		wl_screen_mark(d->s, x, y, m->pitch, WL_ATTR_REVERSE);
}

/* Its name, its cells, and the largest value with its step. */
static void draw_row(const struct drawing *d, size_t row)
{
	const struct map *m = d->m;
	const struct wl_heat *heat = heat_of(m);
	const int y = m->box.y + HEAD + (int)row;
	uint32_t best = WL_NO_ROW;
	char name[WL_HEAT_TEXT];

	(void)wl_screen_label(d->s, m->box.x, y, m->name_width - 1, WL_STYLE_PLAIN,
			      wl_heat_row_name(heat, &d->fold, row, name));
	for (size_t i = 0; i < d->fold.n_cols; i++) {
		const uint32_t item = wl_heat_cell(&d->fold, row, i);

		draw_cell(d, row, i, y);
		if (item != WL_NO_ROW &&
		    (best == WL_NO_ROW || heat->item[best].value < heat->item[item].value))
			best = item;
	}
	if (best != WL_NO_ROW) {
		char late[WL_UNITS_BUF];

		(void)wl_screen_print(d->s,
				      m->box.x + m->name_width + (int)d->fold.n_cols * m->pitch + 1,
				      y, LARGEST - 1, WL_STYLE_PLAIN, "%s, step %" PRId64,
				      wl_fmt_ns(late, heat->item[best].value, WL_UNIT_AUTO),
				      heat->item[best].step);
	}
}

/* Steps under the map, as many as have room, and what the cursor is on. */
static void draw_foot(const struct drawing *d)
{
	const struct map *m = d->m;
	const int y = m->box.y + HEAD + (int)d->fold.n_rows;
	const struct wl_style dim = { WL_INK_DIM, WL_INK_DEFAULT, 0 };
	struct wl_style bold = WL_STYLE_PLAIN;
	const uint32_t item = find_item(m);
	char text[WL_HEAT_TEXT], note[WL_HEAT_TEXT];
	int next = 0;

	(void)wl_screen_text(d->s, m->box.x, y, m->name_width - 1, dim, "step");
	for (size_t i = 0; i < d->fold.n_cols; i++) {
		const int x = (int)i * m->pitch;

		if (x >= next && i % 5 == 0)
			next = x + 2 +
			       wl_screen_print(d->s, m->box.x + m->name_width + x, y, LARGEST, dim,
					       "%" PRId64,
					       heat_of(m)->first + (int64_t)(i * d->fold.per_col));
	}
	bold.attrs = WL_ATTR_BOLD;
	next = wl_screen_label(d->s, m->box.x, y + 1, m->box.width, bold,
			       item == WL_NO_ROW
				       ? "no such step"
				       : wl_heat_say(heat_of(m), item, WL_UNIT_AUTO, text));
	(void)wl_screen_label(d->s, m->box.x + next + 2, y + 1, m->box.width - next - 2, dim,
			      wl_heat_fold_note(&d->fold, note));
}

/* How wide the names of rows are, with a blank behind them. */
static int name_width(const struct map *m, const struct wl_heat_fold *fold)
{
	char name[WL_HEAT_TEXT];
	int width = (int)strlen("step");

	for (size_t i = 0; i < fold->n_rows; i++) {
		const int n = (int)strlen(wl_heat_row_name(heat_of(m), fold, i, name));

		width = n > width ? n : width;
	}
	return (width < MAX_NAME ? width : MAX_NAME) + 1;
}

static void draw_map(struct drawing *d, struct wl_arena *scratch)
{
	struct map *m = d->m;
	const int rows = m->box.height - HEAD - FOOT;
	const int cols = m->box.width - MAX_NAME - LARGEST;

	if (rows < 1 || cols < 1 ||
	    !wl_heat_fold(heat_of(m), (size_t)rows, (size_t)cols, scratch, &d->fold)) {
		(void)wl_screen_label(d->s, m->box.x, m->box.y, m->box.width, WL_STYLE_PLAIN,
				      "there is no room for the map");
		return;
	}
	m->fold = d->fold;
	m->fold.cell = NULL;
	m->name_width = name_width(m, &d->fold);
	m->pitch = (m->box.width - m->name_width - LARGEST) / (int)d->fold.n_cols;
	m->pitch = m->pitch < MAX_PITCH ? m->pitch : MAX_PITCH;
	draw_legend(d);
	for (size_t i = 0; i < d->fold.n_rows; i++)
		draw_row(d, i);
	draw_foot(d);
}

static void draw(struct wl_overlay *o, struct wl_screen *s)
{
	struct map *m = (struct map *)o;
	struct drawing d = { .m = m, .s = s };
	const uint64_t steps = (uint64_t)heat_of(m)->last - (uint64_t)heat_of(m)->first;
	const int width = steps < WL_SCREEN_MAX ? (int)(steps + 1) * MAX_PITCH : WL_SCREEN_MAX;
	struct wl_arena scratch;

	m->box = wl_overlay_frame(s, m->opts.title, "arrows move  Enter goes there  Esc close",
				  MAX_NAME + LARGEST + (width > 40 ? width : 40),
				  HEAD + FOOT +
					  (heat_of(m)->n_subjects < WL_SCREEN_MAX
						   ? (int)heat_of(m)->n_subjects
						   : WL_SCREEN_MAX));
	wl_arena_init_child(&scratch, &o->arena);
	draw_map(&d, &scratch);
	wl_arena_release(&scratch);
}

/* ---- Moving ---- */

static void move_row(struct map *m, int64_t by)
{
	const size_t n = heat_of(m)->n_subjects, step = m->fold.per_row;

	if (by < 0)
		m->subject -= m->subject < step ? m->subject : step;
	else
		m->subject += n - 1 - m->subject < step ? n - 1 - m->subject : step;
}

static void move_col(struct map *m, int64_t by)
{
	const uint64_t before = (uint64_t)m->step - (uint64_t)heat_of(m)->first;
	const uint64_t after = (uint64_t)heat_of(m)->last - (uint64_t)m->step;
	const uint64_t step = m->fold.per_col;

	if (by < 0)
		m->step -= (int64_t)(before < step ? before : step);
	else
		m->step += (int64_t)(after < step ? after : step);
}

static bool choose(struct map *m)
{
	m->is_chosen = find_item(m) != WL_NO_ROW;
	return !m->is_chosen;
}

static bool key(struct wl_overlay *o, uint32_t k)
{
	struct map *m = (struct map *)o;

	switch (k) {
	case WL_KEY_UP:
	case 'k':
		move_row(m, -1);
		return true;
	case WL_KEY_DOWN:
	case 'j':
		move_row(m, 1);
		return true;
	case WL_KEY_LEFT:
		move_col(m, -1);
		return true;
	case WL_KEY_RIGHT:
		move_col(m, 1);
		return true;
	case WL_KEY_HOME:
		m->step = heat_of(m)->first;
		return true;
	case WL_KEY_END:
		m->step = heat_of(m)->last;
		return true;
	case WL_KEY_PGUP:
		m->subject = 0;
		return true;
	case WL_KEY_PGDN:
		m->subject = heat_of(m)->n_subjects - 1;
		return true;
	case WL_KEY_ENTER:
		return choose(m);
	default:
		return k != WL_KEY_ESC && k != 'q';
	}
}

static bool mouse(struct wl_overlay *o, const struct wl_event *e)
{
	struct map *m = (struct map *)o;
	const int x = e->x - m->box.x - m->name_width, y = e->y - m->box.y - HEAD;

	if (e->mouse == WL_MOUSE_WHEEL_UP || e->mouse == WL_MOUSE_WHEEL_DOWN) {
		move_row(m, e->mouse == WL_MOUSE_WHEEL_UP ? -1 : 1);
		return true;
	}
	if (e->mouse != WL_MOUSE_PRESS)
		return true;
	if (!wl_overlay_box_has(&m->box, e->x, e->y))
		return false;
	if (m->pitch < 1 || x < 0 || y < 0 || (size_t)y >= m->fold.n_rows ||
	    (size_t)(x / m->pitch) >= m->fold.n_cols)
		return true;
	m->subject = (size_t)y * m->fold.per_row;
	m->step = heat_of(m)->first + (int64_t)((uint64_t)(x / m->pitch) * m->fold.per_col);
	return choose(m);
}

static void end(struct wl_overlay *o)
{
	struct map *m = (struct map *)o;

	if (m->is_chosen)
		m->opts.chosen(m->opts.ctx, find_item(m));
}

static const struct wl_overlay_ops ops = {
	.name = "map", .draw = draw, .key = key, .mouse = mouse, .end = end
};

struct wl_overlay *wl_heat_new(const struct wl_heat_opts *opts, struct wl_budget *budget)
{
	struct map *m = wl_overlay_alloc(&ops, sizeof(*m), budget);
	const struct wl_heat_item *best = opts->heat->item;

	if (!m)
		return NULL;
	m->opts = *opts;
	m->fold = (struct wl_heat_fold){ .per_row = 1, .per_col = 1 };
	for (size_t i = 1; i < opts->heat->n_items; i++)
		best = opts->heat->item[i].value > best->value ? &opts->heat->item[i] : best;
	m->subject = best->subject;
	m->step = best->step;
	return &m->base;
}
