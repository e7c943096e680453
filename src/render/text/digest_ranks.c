/* SPDX-License-Identifier: MIT */
/*
 * digest_ranks.c - how rows such as ranks or GPUs divide their time: a line per group of rows that
 * are alike and have the same reason, of many groups the most telling.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text/units.h"
#include "render/text/digest.h"
#include "render/words/line.h"

enum { MOST_GROUPS = 64, SHOWN = 5, MOST_ROWS = 4096, LABEL = 16, WHY_ROOM = 17, CELL = 64 };
enum { GAP = 2, MOST_NAMES = 8, LONGEST_NAME = 16, NO_GROUP = 255 };

/* Parts that are smaller than this share in all rows are left out. */
static const double smallest = 0.005;
/* Rows of a group differ by less than this in every share. */
static const double alike = 0.02;

struct group {
	size_t first; /* row of the table */
	size_t n;
	double least[WL_MAX_SPLIT], most[WL_MAX_SPLIT], sum[WL_MAX_SPLIT];
	int64_t saving, late; /* the most of its rows */
};

struct groups {
	const struct wl_split *info;
	const struct wl_table *t;
	size_t label, whole, late, saving, why; /* columns; n_cols for none */
	size_t part[WL_MAX_SPLIT], n_parts;
	size_t name[MOST_NAMES], n_names; /* columns that name a row besides the label */
	struct group group[MOST_GROUPS];
	size_t n;
	uint8_t of[MOST_ROWS]; /* the group of each row */
	size_t n_rows;
	size_t shown[SHOWN], n_shown; /* groups in their order */
	size_t n_more;                /* rows of groups that are not shown */
};

static int64_t number(const struct groups *g, size_t row, size_t col)
{
	struct wl_cell cell = { .set = false };

	if (col < g->t->n_cols)
		cell = wl_table_at(g->t, row, col);
	return cell.set ? cell.i64 : 0;
}

static const char *why_of(const struct groups *g, size_t row)
{
	struct wl_cell cell = { .set = false };

	if (g->why < g->t->n_cols)
		cell = wl_table_at(g->t, row, g->why);
	return cell.set ? cell.str : "";
}

static double share_of(const struct groups *g, size_t row, size_t part)
{
	return (double)number(g, row, g->part[part]) / (double)number(g, row, g->whole);
}

static size_t find_column(const struct wl_table *t, const char *key)
{
	size_t col;

	return key && wl_table_find_col(t, key, &col) ? col : t->n_cols;
}

static bool find_columns(const struct wl_section *section, struct groups *g)
{
	const struct wl_split *info = section->split;
	const struct wl_table *t = section->view.table;

	*g = (struct groups){ .info = info, .t = t };
	g->label = find_column(t, info->label);
	g->whole = find_column(t, info->whole);
	g->late = find_column(t, info->late);
	g->saving = find_column(t, info->saving);
	g->why = find_column(t, info->why);
	for (size_t i = 0; i < WL_MAX_SPLIT && info->parts[i]; i++) {
		size_t col = find_column(t, info->parts[i]);

		if (col < t->n_cols)
			g->part[g->n_parts++] = col;
	}
	for (size_t i = 0; info->names && info->names[i] && g->n_names < MOST_NAMES; i++) {
		size_t col = find_column(t, info->names[i]);

		if (col < t->n_cols)
			g->name[g->n_names++] = col;
	}
	return g->label < t->n_cols && g->whole < t->n_cols;
}

static bool belongs(const struct groups *g, const struct group *to, size_t row)
{
	if (strcmp(why_of(g, to->first), why_of(g, row)) != 0)
		return false;
	for (size_t p = 0; p < g->n_parts; p++) {
		double share = share_of(g, row, p);

		if (share - to->least[p] >= alike || to->most[p] - share >= alike)
			return false;
	}
	return true;
}

static void join(const struct groups *g, struct group *to, size_t row)
{
	int64_t saving = number(g, row, g->saving), late = number(g, row, g->late);

	for (size_t p = 0; p < g->n_parts; p++) {
		double share = share_of(g, row, p);

		to->least[p] = to->n && to->least[p] < share ? to->least[p] : share;
		to->most[p] = to->n && to->most[p] > share ? to->most[p] : share;
		to->sum[p] += share;
	}
	to->saving = saving > to->saving ? saving : to->saving;
	to->late = late > to->late ? late : to->late;
	to->n++;
}

/* Rows come in their order: the first of a group is its least. */
static void group_rows(struct groups *g)
{
	for (size_t row = 0; row < g->t->n_rows && row < MOST_ROWS; row++) {
		size_t at = 0;

		g->of[row] = NO_GROUP;
		if (number(g, row, g->whole) <= 0)
			continue;
		while (at < g->n && !belongs(g, &g->group[at], row))
			at++;
		g->n_rows++;
		if (at == MOST_GROUPS)
			continue;
		if (at == g->n)
			g->group[g->n++] = (struct group){ .first = row };
		join(g, &g->group[at], row);
		g->of[row] = (uint8_t)at;
	}
}

/* Groups that a saving is named for come first, then later ones. */
static bool tells_more(const struct group *a, const struct group *b)
{
	if (a->saving != b->saving)
		return a->saving > b->saving;
	return a->late > b->late;
}

static void choose_groups(struct groups *g)
{
	size_t n_left = g->n_rows;

	for (size_t i = 0; i < g->n; i++) {
		size_t rank = 0;

		for (size_t k = 0; k < g->n; k++)
			rank += tells_more(&g->group[k], &g->group[i]) ||
				(!tells_more(&g->group[i], &g->group[k]) && k < i);
		if (rank < SHOWN) {
			g->shown[g->n_shown++] = i;
			n_left -= g->group[i].n;
		}
	}
	g->n_more = n_left;
}

static bool is_same(const struct groups *g, size_t a, size_t b, size_t col)
{
	struct wl_cell x = wl_table_at(g->t, a, col), y = wl_table_at(g->t, b, col);

	if (!x.set || !y.set)
		return x.set == y.set;
	return g->t->cols[col].type == WL_T_STR ? strcmp(x.str, y.str) == 0 : x.i64 == y.i64;
}

/* A name is worth a column where each group has one, and they differ, and not as the labels do. */
static bool is_worth_naming(const struct groups *g, size_t col)
{
	bool differs = false, repeats = g->t->cols[col].type != WL_T_STR;

	for (size_t row = 0; row < g->t->n_rows && row < MOST_ROWS; row++) {
		const struct group *of = g->of[row] == NO_GROUP ? NULL : &g->group[g->of[row]];

		if (!of)
			continue;
		if (!is_same(g, row, of->first, col))
			return false;
		differs = differs || !is_same(g, row, g->group[0].first, col);
		repeats = repeats && number(g, row, col) == number(g, row, g->label);
	}
	return differs && !repeats;
}

static void choose_names(struct groups *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n_names; i++) {
		if (is_worth_naming(g, g->name[i]))
			g->name[n++] = g->name[i];
	}
	g->n_names = n;
}

static void choose_parts(struct groups *g)
{
	size_t n = 0;

	for (size_t p = 0; p < g->n_parts; p++) {
		bool is_shown = p == 0;

		for (size_t i = 0; i < g->n; i++)
			is_shown = is_shown || g->group[i].most[p] >= smallest;
		if (!is_shown)
			continue;
		g->part[n] = g->part[p];
		for (size_t i = 0; i < g->n; i++)
			g->group[i].sum[n] = g->group[i].sum[p];
		n++;
	}
	g->n_parts = n;
}

/* False where rows hardly differ and none has a reason. */
static bool find(const struct wl_section *section, struct groups *g)
{
	if (section->missing || !find_columns(section, g))
		return false;
	group_rows(g);
	if (g->n == 0 || (g->n == 1 && !*why_of(g, g->group[0].first)))
		return false;
	choose_groups(g);
	choose_names(g);
	choose_parts(g);
	return true;
}

/* "0-2,4-7" as it grows. */
struct runs {
	char text[CELL];
	size_t used;
	int64_t from, last; /* -1: none yet */
};

static void end_run(struct runs *r)
{
	if (r->last < 0 || r->used >= CELL)
		return;
	r->used += (size_t)snprintf(r->text + r->used, CELL - r->used,
				    r->last > r->from ? "%s%" PRId64 "-%" PRId64 : "%s%" PRId64,
				    r->used ? "," : "", r->from, r->last);
}

/* The labels of a group, or how many there are where they take more room. */
static void spell_labels(const struct groups *g, size_t group, char buf[CELL])
{
	struct runs r = { .from = -1, .last = -1 };

	for (size_t row = 0; row < g->t->n_rows && row < MOST_ROWS; row++) {
		int64_t label = number(g, row, g->label);

		if (g->of[row] != group)
			continue;
		if (r.last < 0 || label != r.last + 1) {
			end_run(&r);
			r.from = label;
		}
		r.last = label;
	}
	end_run(&r);
	if (r.used <= LABEL)
		(void)snprintf(buf, CELL, "%s", r.text);
	else
		(void)snprintf(buf, CELL, "%zu of %zu", g->group[group].n, g->n_rows);
}

/* All parts are exposed: "Exposed copy" is a copy beside waits. */
static const char *title_of(const struct groups *g, size_t part)
{
	const struct wl_col *col = &g->t->cols[g->part[part]];

	return g->info->why && strcmp(col->key, "exposed_copy") == 0 ? "Copy" : col->title;
}

static void spell_name(const struct groups *g, size_t group, size_t col, char to[CELL])
{
	struct wl_cell cell = wl_table_at(g->t, g->group[group].first, col);

	if (!cell.set)
		(void)snprintf(to, CELL, "-");
	else if (g->t->cols[col].type == WL_T_STR)
		(void)snprintf(to, CELL, "%.*s", LONGEST_NAME, cell.str);
	else
		(void)snprintf(to, CELL, "%" PRId64, cell.i64);
}

/* A line of the table as it is laid out: the same cells are measured and written. */
struct lines {
	const struct groups *g;
	const struct wl_render_opts *opts;
	size_t width_of_label, width_of_name[MOST_NAMES];
	size_t used; /* columns before the reason */
};

static void put_padded(FILE *out, const char *text, size_t width, bool is_right, bool ascii)
{
	size_t taken = wl_line_width(text), pad = taken < width ? width - taken : 0;

	wl_line_put_spaces(out, is_right ? pad : 0);
	(void)wl_line_put_cut(out, text, width, ascii);
	wl_line_put_spaces(out, is_right ? 0 : pad);
}

static size_t width_of_share(const struct groups *g, size_t part)
{
	enum { LEAST = sizeof("100.0%") - 1 };
	size_t width = wl_line_width(title_of(g, part));

	return width > LEAST ? width : LEAST;
}

static void measure(struct lines *l)
{
	const struct groups *g = l->g;
	char cell[CELL];

	l->width_of_label = wl_line_width(g->info->subject);
	for (size_t i = 0; i < g->n_shown; i++) {
		spell_labels(g, g->shown[i], cell);
		l->width_of_label = wl_line_width(cell) > l->width_of_label ? wl_line_width(cell)
									    : l->width_of_label;
	}
	if (g->n_more) {
		size_t width = (size_t)snprintf(cell, CELL, "%zu more", g->n_more);

		l->width_of_label = width > l->width_of_label ? width : l->width_of_label;
	}
	l->used = l->width_of_label;
	for (size_t k = 0; k < g->n_names; k++) {
		l->width_of_name[k] = wl_line_width(g->t->cols[g->name[k]].title);
		for (size_t i = 0; i < g->n_shown; i++) {
			spell_name(g, g->shown[i], g->name[k], cell);
			l->width_of_name[k] = wl_line_width(cell) > l->width_of_name[k]
						      ? wl_line_width(cell)
						      : l->width_of_name[k];
		}
		l->used += GAP + l->width_of_name[k];
	}
	for (size_t p = 0; p < g->n_parts; p++)
		l->used += GAP + width_of_share(g, p);
}

/* Names go, the last first, until there is room for reasons. */
static void fit(struct lines *l, struct groups *g)
{
	const size_t why = g->info->why ? GAP + WHY_ROOM : 0;

	measure(l);
	while (g->n_names && l->used + why > wl_line_limit(l->opts)) {
		g->n_names--;
		measure(l);
	}
}

static void put_titles(FILE *out, const struct lines *l)
{
	const struct groups *g = l->g;
	const size_t limit = wl_line_limit(l->opts);

	(void)fputs(l->opts->bold ? "\033[1m" : "", out);
	put_padded(out, g->info->subject, l->width_of_label, false, l->opts->ascii);
	for (size_t k = 0; k < g->n_names; k++) {
		const struct wl_col *col = &g->t->cols[g->name[k]];

		wl_line_put_spaces(out, GAP);
		put_padded(out, col->title, l->width_of_name[k], col->type != WL_T_STR,
			   l->opts->ascii);
	}
	for (size_t p = 0; p < g->n_parts; p++) {
		wl_line_put_spaces(out, GAP);
		put_padded(out, title_of(g, p), width_of_share(g, p), true, l->opts->ascii);
	}
	if (l->used + GAP + WHY_ROOM <= limit) {
		wl_line_put_spaces(out, GAP);
		(void)wl_digest_words(out,
				      g->info->why ? "Why (shares of the window)" : "of the window",
				      limit - l->used - GAP, l->opts->ascii);
	}
	(void)fputs(l->opts->bold ? "\033[0m\n" : "\n", out);
}

static void put_shares(FILE *out, const struct groups *g, const double sum[WL_MAX_SPLIT], size_t n)
{
	char share[WL_UNITS_BUF];

	for (size_t p = 0; p < g->n_parts; p++) {
		wl_line_put_spaces(out, GAP);
		put_padded(out, wl_fmt_ratio(share, sum[p] / (double)n), width_of_share(g, p), true,
			   true);
	}
}

static void put_group(FILE *out, const struct lines *l, size_t at)
{
	const struct groups *g = l->g;
	const struct group *group = &g->group[at];
	const size_t limit = wl_line_limit(l->opts);
	char cell[CELL];

	spell_labels(g, at, cell);
	put_padded(out, cell, l->width_of_label, false, l->opts->ascii);
	for (size_t k = 0; k < g->n_names; k++) {
		spell_name(g, at, g->name[k], cell);
		wl_line_put_spaces(out, GAP);
		put_padded(out, cell, l->width_of_name[k], g->t->cols[g->name[k]].type != WL_T_STR,
			   l->opts->ascii);
	}
	put_shares(out, g, group->sum, group->n);
	if (*why_of(g, group->first) && l->used + GAP + WHY_ROOM <= limit) {
		wl_line_put_spaces(out, GAP);
		(void)wl_digest_claim(out, g->t, group->first, g->why, limit - l->used - GAP,
				      l->opts->ascii);
	}
	(void)fputc('\n', out);
}

/* "56 more", and the means of what they have. */
static void put_others(FILE *out, const struct lines *l)
{
	const struct groups *g = l->g;
	double sum[WL_MAX_SPLIT] = { 0 };
	char cell[CELL];

	for (size_t row = 0; row < g->t->n_rows; row++) {
		bool is_shown = number(g, row, g->whole) <= 0;

		for (size_t i = 0; i < g->n_shown && row < MOST_ROWS; i++)
			is_shown = is_shown || g->of[row] == g->shown[i];
		for (size_t p = 0; p < g->n_parts && !is_shown; p++)
			sum[p] += share_of(g, row, p);
	}
	(void)snprintf(cell, CELL, "%zu more", g->n_more);
	put_padded(out, cell, l->width_of_label, false, true);
	for (size_t k = 0; k < g->n_names; k++)
		wl_line_put_spaces(out, GAP + l->width_of_name[k]);
	put_shares(out, g, sum, g->n_more);
	(void)fputs("  (mean)\n", out);
}

size_t wl_digest_ranks_lines(const struct wl_section *section)
{
	struct groups g;

	return find(section, &g) ? 1 + g.n_shown + (g.n_more > 0) : 0;
}

void wl_digest_ranks(FILE *out, const struct wl_section *section, const struct wl_render_opts *opts)
{
	struct lines l = { .opts = opts };
	struct groups g;

	if (!find(section, &g))
		return;
	l.g = &g;
	fit(&l, &g);
	put_titles(out, &l);
	for (size_t i = 0; i < g.n_shown; i++)
		put_group(out, &l, g.shown[i]);
	if (g.n_more)
		put_others(out, &l);
}
