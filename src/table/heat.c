/* SPDX-License-Identifier: MIT */
#include "table/heat.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/memory/sort.h"

/* A map being read: columns of the table; n_cols of it for none. */
struct reading {
	const struct wl_table *t;
	size_t step, device, rank, whole;
	size_t value[WL_CHART_PARTS], n_values; /* a value is the sum of these */
};

static size_t find(const struct wl_table *t, const char *key)
{
	size_t col = t->n_cols;

	return key && wl_table_find_col(t, key, &col) ? col : t->n_cols;
}

static bool bind(const struct wl_table *t, const struct wl_chart *chart, struct reading *ret)
{
	*ret = (struct reading){ .t = t,
				 .step = find(t, chart->label),
				 .device = find(t, chart->group),
				 .rank = find(t, chart->named[0]),
				 .whole = find(t, chart->also[0]) };
	while (ret->n_values < WL_CHART_PARTS && chart->parts[ret->n_values]) {
		const size_t col = find(t, chart->parts[ret->n_values]);

		if (col == t->n_cols)
			return false;
		ret->value[ret->n_values++] = col;
	}
	return ret->step < t->n_cols && ret->device < t->n_cols && ret->n_values > 0;
}

/* An integer of a row; without one, another. */
static int64_t get(const struct reading *r, size_t row, size_t col, int64_t other)
{
	struct wl_cell cell = { .set = false };

	if (col < r->t->n_cols)
		cell = wl_table_at(r->t, row, col);
	return cell.set ? cell.i64 : other;
}

/* At least 0, and no more than there is. */
static int64_t value_at(const struct reading *r, size_t row)
{
	int64_t sum = 0;

	for (size_t i = 0; i < r->n_values; i++) {
		const int64_t v = get(r, row, r->value[i], 0);

		sum = v <= 0 ? sum : v > INT64_MAX - sum ? INT64_MAX : sum + v;
	}
	return sum;
}

static bool has_step(const struct reading *r, size_t row)
{
	return wl_table_at(r->t, row, r->step).set;
}

bool wl_heat_has(const struct wl_table *t, const struct wl_chart *chart)
{
	struct reading r;
	bool has = false;

	if (!bind(t, chart, &r))
		return false;
	for (size_t row = 0; !has && row < t->n_rows; row++)
		has = has_step(&r, row) && value_at(&r, row) > 0;
	return has;
}

/* The smallest of 1, 2 and 5 times a power of ten that levels up to the top are apart. */
static void set_levels(struct wl_heat *heat, int64_t top)
{
	static const int64_t factors[] = { 1, 2, 5 };
	const int64_t n = WL_HEAT_INKS - 1;
	int64_t power = 1;
	size_t i = 0;

	while (top / (power * factors[i]) > n) {
		i = (i + 1) % WL_COUNT(factors);
		power *= i ? 1 : 10;
	}
	heat->pace = power * factors[i];
	heat->n_levels = (unsigned)(top / heat->pace) + 1;
	heat->n_levels = heat->n_levels < 2 ? 2 : heat->n_levels;
}

unsigned wl_heat_level(const struct wl_heat *heat, int64_t value)
{
	const int64_t level = value / heat->pace;

	/* What is above the 99th percentile is of the last level. */
	return level < heat->n_levels ? (unsigned)level : heat->n_levels - 1;
}

unsigned wl_heat_ink(const struct wl_heat *heat, unsigned level)
{
	const unsigned top = heat->n_levels - 1;

	/* Few levels are spread over all inks, so that the last one is the strongest. */
	return (level * (WL_HEAT_INKS - 1) + top / 2) / top;
}

static bool is_above(const void *ctx, uint32_t a, uint32_t b)
{
	(void)ctx;
	return a < b;
}

/* The rows of a view as the table orders them: those of a subject follow each other. */
static uint32_t *sort_rows(const struct wl_view *view, struct wl_arena *arena)
{
	uint32_t *rows = WL_NEW(arena, uint32_t, 2 * view->n_total + 1);

	for (size_t i = 0; rows && i < view->n_total; i++)
		rows[i] = view->rows[i];
	if (rows)
		wl_sort_index(rows, view->n_total, rows + view->n_total, is_above, NULL);
	return rows;
}

/* Sorts them; 0 of none. */
static int64_t percentile(int64_t *at, size_t n, unsigned percent)
{
	wl_sort_i64(at, n);
	return n ? at[wl_rank(n, percent)] : 0;
}

/* A map being filled. */
struct filling {
	struct reading r;
	struct wl_heat *to;
	struct wl_heat_subject *subject;
	struct wl_heat_item *item;
	int64_t *value, *whole; /* by item */
};

static void put_row(struct filling *f, size_t row)
{
	struct wl_heat *to = f->to;
	const int64_t device = get(&f->r, row, f->r.device, -1);
	const int64_t value = value_at(&f->r, row);
	const int64_t step = get(&f->r, row, f->r.step, 0);

	if (to->n_subjects == 0 || f->subject[to->n_subjects - 1].device != device)
		f->subject[to->n_subjects++] =
			(struct wl_heat_subject){ device, get(&f->r, row, f->r.rank, -1) };
	to->first = to->n_items == 0 || step < to->first ? step : to->first;
	to->last = to->n_items == 0 || step > to->last ? step : to->last;
	f->value[to->n_items] = value;
	f->whole[to->n_items] = get(&f->r, row, f->r.whole, 0);
	f->item[to->n_items] = (struct wl_heat_item){ (uint32_t)to->n_subjects - 1, step, value };
	to->n_items++;
}

static bool fill(struct filling *f, const struct wl_view *view, struct wl_arena *arena,
		 struct wl_arena *scratch)
{
	const uint32_t *rows = sort_rows(view, scratch);
	int64_t top, least;

	f->subject = WL_NEW(arena, struct wl_heat_subject, view->n_total);
	f->item = WL_NEW(arena, struct wl_heat_item, view->n_total);
	f->value = WL_NEW(scratch, int64_t, view->n_total);
	f->whole = WL_NEW(scratch, int64_t, view->n_total);
	if (!rows || !f->subject || !f->item || !f->value || !f->whole)
		return false;
	*f->to = (struct wl_heat){ .subject = f->subject, .item = f->item };
	for (size_t i = 0; i < view->n_total; i++) {
		if (has_step(&f->r, rows[i]))
			put_row(f, rows[i]);
	}
	/*
	 * Not the largest: one step that was late by 6.4 ms left all others of a job pale, in which
	 * two ranks were late by 0.2 ms in each of 1,000 steps of 3.5 ms.
	 */
	top = percentile(f->value, f->to->n_items, 99);
	least = percentile(f->whole, f->to->n_items, 50) / 20;
	set_levels(f->to, top > least ? top : least);
	return true;
}

bool wl_heat_read(const struct wl_view *view, const struct wl_chart *chart, struct wl_arena *arena,
		  struct wl_heat *ret)
{
	struct filling f = { .to = ret };
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	ok = bind(view->table, chart, &f.r) && fill(&f, view, arena, &scratch);
	wl_arena_release(&scratch);
	if (ok)
		ret->says = chart->says;
	return ok;
}

/* ---- Folding ---- */

static size_t col_of(const struct wl_heat *heat, const struct wl_heat_fold *fold, int64_t step)
{
	return (size_t)(((uint64_t)step - (uint64_t)heat->first) / fold->per_col);
}

bool wl_heat_fold(const struct wl_heat *heat, size_t rows, size_t cols, struct wl_arena *arena,
		  struct wl_heat_fold *ret)
{
	/* Steps are numbers of a file: how far they are apart may need all 64 bits. */
	const uint64_t between = (uint64_t)heat->last - (uint64_t)heat->first;
	uint32_t *cell;

	ret->per_row = (heat->n_subjects + rows - 1) / rows;
	ret->per_row += ret->per_row == 0;
	ret->n_rows = (heat->n_subjects + ret->per_row - 1) / ret->per_row;
	ret->per_col = between / cols + 1;
	ret->n_cols = (size_t)(between / ret->per_col) + 1;
	ret->cell = cell = WL_NEW(arena, uint32_t, ret->n_rows * ret->n_cols);
	if (!cell)
		return false;
	for (size_t i = 0; i < ret->n_rows * ret->n_cols; i++)
		cell[i] = WL_NO_ROW;
	for (uint32_t i = 0; i < heat->n_items; i++) {
		const struct wl_heat_item *item = &heat->item[i];
		uint32_t *at = &cell[item->subject / ret->per_row * ret->n_cols +
				     col_of(heat, ret, item->step)];

		/*
		 * The largest and not the mean: one late rank of many must not vanish in its cell.
		 */
		if (*at == WL_NO_ROW || heat->item[*at].value < item->value)
			*at = i;
	}
	return true;
}

/* ---- Words ---- */

static const char *say_span(const char *what, int64_t from, int64_t to, char buf[WL_HEAT_TEXT])
{
	if (from == to)
		(void)snprintf(buf, WL_HEAT_TEXT, "%s %" PRId64, what, from);
	else
		(void)snprintf(buf, WL_HEAT_TEXT, "%ss %" PRId64 "-%" PRId64, what, from, to);
	return buf;
}

const char *wl_heat_row_name(const struct wl_heat *heat, const struct wl_heat_fold *fold,
			     size_t row, char buf[WL_HEAT_TEXT])
{
	const size_t last = (row + 1) * fold->per_row - 1;
	const struct wl_heat_subject *a = &heat->subject[row * fold->per_row];
	const struct wl_heat_subject *b =
		&heat->subject[last < heat->n_subjects ? last : heat->n_subjects - 1];

	if (a->rank >= 0 && b->rank >= 0)
		return say_span("rank", a->rank, b->rank, buf);
	return say_span("GPU", a->device, b->device, buf);
}

const char *wl_heat_col_name(const struct wl_heat *heat, const struct wl_heat_fold *fold,
			     size_t col, char buf[WL_HEAT_TEXT])
{
	const uint64_t from = (uint64_t)heat->first + col * fold->per_col;
	const uint64_t left = (uint64_t)heat->last - from;

	return say_span("step", (int64_t)from,
			left < fold->per_col ? heat->last : (int64_t)(from + fold->per_col - 1),
			buf);
}

const char *wl_heat_say(const struct wl_heat *heat, uint32_t item, enum wl_timeunit unit,
			char buf[WL_HEAT_TEXT])
{
	const struct wl_heat_item *at = &heat->item[item];
	const struct wl_heat_subject *s = &heat->subject[at->subject];
	char late[WL_UNITS_BUF];

	(void)snprintf(buf, WL_HEAT_TEXT, "%s %" PRId64 ", step %" PRId64 ": %s %s",
		       s->rank >= 0 ? "rank" : "GPU", s->rank >= 0 ? s->rank : s->device, at->step,
		       wl_fmt_ns(late, at->value, unit), heat->says ? heat->says : "late");
	return buf;
}

const char *wl_heat_fold_note(const struct wl_heat_fold *fold, char buf[WL_HEAT_TEXT])
{
	char steps[48], rows[48];

	(void)snprintf(steps, sizeof(steps), "%" PRIu64 " step%s", fold->per_col,
		       fold->per_col == 1 ? "" : "s");
	(void)snprintf(rows, sizeof(rows), "%zu GPU%s", fold->per_row,
		       fold->per_row == 1 ? "" : "s");
	buf[0] = '\0';
	if (fold->per_row > 1 || fold->per_col > 1)
		(void)snprintf(buf, WL_HEAT_TEXT, "A cell is the largest of %s and %s.", rows,
			       steps);
	return buf;
}
