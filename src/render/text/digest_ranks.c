/* SPDX-License-Identifier: MIT */
/*
 * digest_ranks.c - a line per row of a table whose rows divide their time, such as ranks: all of
 * a few; of many the most telling, and the others as one line with their means.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text/units.h"
#include "render/text/digest.h"
#include "render/words/line.h"

enum { ALL = 12, SOME = 8, LONGEST_NAME = 16, WHY_ROOM = 17, CELL = 64, GAP = 2, MAX_COLUMNS = 20 };

/* Parts that are smaller than this share in all rows are left out. */
static const double smallest = 0.005;

enum kind { NAME, SHARE, LATE, WHY };

struct column {
	enum kind kind;
	size_t at; /* column of the table */
	size_t width;
};

struct lines {
	const struct wl_split *info;
	const struct wl_table *t;
	const struct wl_render_opts *opts;
	size_t whole, late, saving;
	struct wl_precision precision; /* of lateness: that of the latest */
	struct column column[MAX_COLUMNS];
	size_t n_columns;
	size_t row[ALL]; /* those that are shown */
	size_t n_shown;
	size_t n; /* rows that have a whole */
};

static int64_t number(const struct lines *l, size_t row, size_t col)
{
	struct wl_cell cell = wl_table_at(l->t, row, col);

	return cell.set ? cell.i64 : 0;
}

static double share(const struct lines *l, size_t row, size_t col)
{
	return (double)number(l, row, col) / (double)number(l, row, l->whole);
}

/* Rows that a saving is named for come first, then later ones. */
static bool tells_more(const struct lines *l, size_t a, size_t b)
{
	int64_t saving_a = number(l, a, l->saving), saving_b = number(l, b, l->saving);

	if (saving_a != saving_b)
		return saving_a > saving_b;
	return number(l, a, l->late) > number(l, b, l->late);
}

/* All rows in their order, or the most telling of many. */
static void choose_rows(struct lines *l)
{
	for (size_t row = 0; row < l->t->n_rows; row++)
		l->n += number(l, row, l->whole) > 0;
	for (size_t row = 0; row < l->t->n_rows; row++) {
		size_t at = l->n_shown, cap = l->n > ALL ? SOME : ALL;

		if (number(l, row, l->whole) <= 0)
			continue;
		while (l->n > ALL && at > 0 && tells_more(l, row, l->row[at - 1]))
			at--;
		if (at == cap)
			continue;
		l->n_shown += l->n_shown < cap;
		memmove(&l->row[at + 1], &l->row[at], (l->n_shown - 1 - at) * sizeof(*l->row));
		l->row[at] = row;
	}
}

static bool same(const struct lines *l, size_t a, size_t a_col, size_t b, size_t b_col)
{
	struct wl_cell x = wl_table_at(l->t, a, a_col), y = wl_table_at(l->t, b, b_col);
	enum wl_type type = l->t->cols[a_col].type;

	if (!x.set || !y.set || type != l->t->cols[b_col].type)
		return x.set == y.set && type == l->t->cols[b_col].type;
	return type == WL_T_STR ? strcmp(x.str, y.str) == 0 : x.i64 == y.i64;
}

/* It differs from row to row, and does not repeat the first name. */
static bool is_worth_naming(const struct lines *l, size_t col)
{
	bool differs = false, repeats = true;

	for (size_t row = 0; row < l->t->n_rows; row++) {
		differs = differs || !same(l, row, col, 0, col);
		repeats = repeats && same(l, row, col, row, l->column[0].at);
	}
	return differs && !repeats;
}

static bool is_worth_a_share(const struct lines *l, size_t col)
{
	for (size_t row = 0; row < l->t->n_rows; row++) {
		if (number(l, row, l->whole) > 0 && share(l, row, col) >= smallest)
			return true;
	}
	return false;
}

static int64_t find_latest(const struct lines *l)
{
	int64_t latest = 0;

	for (size_t row = 0; row < l->t->n_rows; row++)
		latest = number(l, row, l->late) > latest ? number(l, row, l->late) : latest;
	return latest;
}

static void add(struct lines *l, enum kind kind, size_t at)
{
	if (l->n_columns < MAX_COLUMNS)
		l->column[l->n_columns++] = (struct column){ kind, at, 0 };
}

static bool choose_columns(struct lines *l)
{
	const struct wl_split *info = l->info;
	size_t col;

	if (!wl_table_find_col(l->t, info->label, &col) ||
	    !wl_table_find_col(l->t, info->whole, &l->whole) ||
	    !wl_table_find_col(l->t, info->late, &l->late) ||
	    !wl_table_find_col(l->t, info->saving, &l->saving))
		return false;
	add(l, NAME, col);
	for (size_t i = 0; info->names[i]; i++) {
		if (wl_table_find_col(l->t, info->names[i], &col) && is_worth_naming(l, col))
			add(l, NAME, col);
	}
	for (size_t i = 0; i < WL_MAX_SPLIT && info->parts[i]; i++) {
		if (wl_table_find_col(l->t, info->parts[i], &col) &&
		    (i == 0 || is_worth_a_share(l, col)))
			add(l, SHARE, col);
	}
	if (find_latest(l) > 0)
		add(l, LATE, l->late);
	if (wl_table_find_col(l->t, info->why, &col))
		add(l, WHY, col);
	return true;
}

static void spell_name(const struct lines *l, size_t row, size_t col, char to[CELL])
{
	struct wl_cell cell = wl_table_at(l->t, row, col);

	if (!cell.set)
		(void)snprintf(to, CELL, "-");
	else if (l->t->cols[col].type == WL_T_STR)
		(void)snprintf(to, CELL, "%.*s", LONGEST_NAME, cell.str);
	else
		(void)snprintf(to, CELL, "%" PRId64, cell.i64);
}

static void spell(const struct lines *l, size_t row, const struct column *c, char to[CELL])
{
	to[0] = '\0';
	if (c->kind == NAME)
		spell_name(l, row, c->at, to);
	else if (c->kind == SHARE)
		(void)wl_fmt_ratio(to, share(l, row, c->at));
	else if (c->kind == LATE)
		(void)wl_fmt_fixed(to, number(l, row, c->at), l->precision, wl_time_names);
}

/* "56 more", and the means of what they have. */
static void spell_others(const struct lines *l, const struct column *c, char to[CELL])
{
	size_t n = l->n - l->n_shown;
	double sum = 0;

	to[0] = '\0';
	if (c == &l->column[0])
		(void)snprintf(to, CELL, "%zu more", n);
	if (c->kind != SHARE && c->kind != LATE)
		return;
	for (size_t row = 0; row < l->t->n_rows; row++) {
		if (number(l, row, l->whole) > 0)
			sum += c->kind == SHARE ? share(l, row, c->at)
						: (double)number(l, row, c->at);
	}
	for (size_t i = 0; i < l->n_shown; i++)
		sum -= c->kind == SHARE ? share(l, l->row[i], c->at)
					: (double)number(l, l->row[i], c->at);
	sum = sum > 0 ? sum / (double)n : 0;
	if (c->kind == SHARE)
		(void)wl_fmt_ratio(to, sum);
	else
		(void)wl_fmt_fixed(to, (int64_t)sum, l->precision, wl_time_names);
}

/* All parts are exposed: "Exposed copy" is a copy here. */
static const char *title_of(const struct lines *l, const struct column *c)
{
	const struct wl_col *col = &l->t->cols[c->at];

	return c->kind == SHARE && strcmp(col->key, "exposed_copy") == 0 ? "Copy" : col->title;
}

/* Make columns as wide as their cells; the sum of all but the reason. */
static size_t measure(struct lines *l)
{
	size_t sum = 0;

	for (size_t i = 0; i < l->n_columns; i++) {
		struct column *c = &l->column[i];
		char cell[CELL];

		if (c->kind == WHY)
			continue;
		c->width = wl_line_width(title_of(l, c));
		for (size_t k = 0; k < l->n_shown + (l->n > l->n_shown); k++) {
			if (k < l->n_shown)
				spell(l, l->row[k], c, cell);
			else
				spell_others(l, c, cell);
			c->width = wl_line_width(cell) > c->width ? wl_line_width(cell) : c->width;
		}
		sum += c->width + (i ? GAP : 0);
	}
	return sum;
}

/* Further names go, the last first, until there is room for reasons. */
static void fit(struct lines *l)
{
	size_t limit = wl_line_limit(l->opts);

	while (measure(l) + GAP + WHY_ROOM > limit) {
		size_t last = 0;

		while (last + 1 < l->n_columns && l->column[last + 1].kind == NAME)
			last++;
		if (last == 0)
			return;
		memmove(&l->column[last], &l->column[last + 1],
			(l->n_columns - last - 1) * sizeof(*l->column));
		l->n_columns--;
	}
}

static void put_cell(FILE *out, const struct lines *l, size_t i, const char *cell)
{
	bool right = l->t->cols[l->column[i].at].type != WL_T_STR;
	size_t width = wl_line_width(cell), room = l->column[i].width;
	size_t pad = width < room ? room - width : 0;

	wl_line_put_spaces(out, (i ? GAP : 0) + (right ? pad : 0));
	(void)wl_line_put_cut(out, cell, room, l->opts->ascii);
	wl_line_put_spaces(out, right ? 0 : pad);
}

/* Room for what the last column says; 0 for too little. */
static size_t room_for_why(const struct lines *l)
{
	size_t limit = wl_line_limit(l->opts), used = 0;

	for (size_t i = 0; i < l->n_columns && l->column[i].kind != WHY; i++)
		used += l->column[i].width + GAP;
	return used + WHY_ROOM > limit ? 0 : limit - used;
}

static void put_why_words(FILE *out, const struct lines *l, const char *words)
{
	const size_t room = room_for_why(l);

	if (!room)
		return;
	wl_line_put_spaces(out, GAP);
	(void)wl_digest_words(out, words, room, l->opts->ascii);
}

static void put_why(FILE *out, const struct lines *l, size_t row, size_t col)
{
	const size_t room = room_for_why(l);

	if (!room || !wl_table_at(l->t, row, col).set)
		return;
	wl_line_put_spaces(out, GAP);
	(void)wl_digest_claim(out, l->t, row, col, room, l->opts->ascii);
}

static void put_titles(FILE *out, const struct lines *l)
{
	(void)fputs(l->opts->bold ? "\033[1m" : "", out);
	for (size_t i = 0; i < l->n_columns; i++) {
		const char *title = title_of(l, &l->column[i]);

		if (l->column[i].kind == WHY)
			put_why_words(out, l, "Why (shares: of the window)");
		else
			put_cell(out, l, i, title);
	}
	(void)fputs(l->opts->bold ? "\033[0m\n" : "\n", out);
}

static void put_row(FILE *out, const struct lines *l, size_t row)
{
	for (size_t i = 0; i < l->n_columns; i++) {
		const struct column *c = &l->column[i];
		char cell[CELL];

		if (c->kind == WHY) {
			put_why(out, l, row, c->at);
			continue;
		}
		spell(l, row, c, cell);
		put_cell(out, l, i, cell);
	}
	(void)fputc('\n', out);
}

static void put_others(FILE *out, const struct lines *l)
{
	for (size_t i = 0; i < l->n_columns; i++) {
		char cell[CELL];

		spell_others(l, &l->column[i], cell);
		if (l->column[i].kind == WHY)
			put_why_words(out, l, "mean of these");
		else
			put_cell(out, l, i, cell);
	}
	(void)fputc('\n', out);
}

static bool find(const struct wl_section *section, const struct wl_render_opts *opts,
		 struct lines *l)
{
	*l = (struct lines){ .info = section->split, .t = section->view.table, .opts = opts };
	if (!choose_columns(l))
		return false;
	choose_rows(l);
	return l->n_shown > 0;
}

size_t wl_digest_ranks_lines(const struct wl_section *section)
{
	struct lines l;

	return find(section, NULL, &l) ? 1 + l.n_shown + (l.n > l.n_shown) : 0;
}

void wl_digest_ranks(FILE *out, const struct wl_section *section, const struct wl_render_opts *opts)
{
	struct lines l;

	if (!find(section, opts, &l))
		return;
	l.precision = opts->timeunit == WL_UNIT_AUTO
			      ? wl_precision_of((uint64_t)find_latest(&l), wl_time_names)
			      : wl_precision_in((uint64_t)find_latest(&l),
						(int)opts->timeunit - WL_UNIT_NS);
	fit(&l);
	put_titles(out, &l);
	for (size_t i = 0; i < l.n_shown; i++)
		put_row(out, &l, l.row[i]);
	if (l.n > l.n_shown)
		put_others(out, &l);
}
