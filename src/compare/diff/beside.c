/* SPDX-License-Identifier: MIT */
#include "compare/diff/beside.h"

#include <stdio.h>
#include <string.h>

#include "base/memory/intern.h"
#include "base/memory/sort.h"
#include "base/num.h"
#include "compare/diff/beside_tree.h"

enum { IN, N_OWN }; /* the first column is our own */
enum { BEFORE, AFTER, CHANGE, N_FIGURES };

/* Which columns of the analysis become which of the result. */
struct layout {
	size_t key[WL_MAX_COLS], n_keys;
	size_t figure[WL_MAX_COLS], n_figures;
	struct wl_col *cols;
	size_t n_cols;
};

/* Times are points, ids and numbers of things are names: their differences mean nothing. */
static bool is_figure(const struct wl_col *c)
{
	bool is_name = c->flags & WL_NUMBER && !(c->flags & WL_CHANGE);

	return !wl_type_is_text(c->type) && c->type != WL_T_TIME && c->type != WL_T_ID &&
	       c->type != WL_T_BOOL && !is_name;
}

static const char *join(struct wl_arena *arena, const char *a, const char *glue, const char *b)
{
	size_t size = strlen(a) + strlen(glue) + strlen(b) + 1;
	char *text = WL_NEW(arena, char, size);

	if (text)
		(void)snprintf(text, size, "%s%s%s", a, glue, b);
	return text;
}

static bool add_figure(struct layout *l, const struct wl_col *from, struct wl_arena *arena)
{
	static const struct {
		const char *ending, *title, *help;
		uint32_t flags;
	} of[N_FIGURES] = {
		[BEFORE] = { "before", "", "Of the first side: ", WL_MINOR },
		[AFTER] = { "after", " after", "Of the second side: ", WL_MINOR },
		[CHANGE] = { "change", " change", "after - before of: ", WL_PLAIN },
	};

	for (size_t i = 0; i < N_FIGURES; i++) {
		struct wl_col *c = &l->cols[l->n_cols++];

		*c = (struct wl_col){ .key = join(arena, from->key, "_", of[i].ending),
				      .title = join(arena, from->title, "", of[i].title),
				      .type = from->type,
				      .flags = of[i].flags | (from->flags & WL_MINOR),
				      .help = join(arena, of[i].help, "", from->help) };
		if (!c->key || !c->title || !c->help)
			return false;
	}
	return true;
}

/* Columns beyond what a table may have are left out, from the end. */
static bool make_layout(const struct wl_table *t, struct wl_arena *arena, struct layout *l)
{
	*l = (struct layout){ .cols = WL_NEW(arena, struct wl_col, WL_MAX_COLS), .n_cols = N_OWN };
	if (!l->cols)
		return false;
	l->cols[IN] = (struct wl_col){ "in", "In", WL_T_ENUM, WL_PLAIN,
				       "Which sides have the row: both, before or after." };
	for (size_t i = 0; i < t->n_cols; i++) {
		if (t->cols[i].flags & WL_KEY && !(t->hidden >> i & 1)) {
			l->key[l->n_keys++] = i;
			l->cols[l->n_cols++] = t->cols[i];
		}
	}
	for (size_t i = 0; i < t->n_cols && l->n_cols + N_FIGURES <= WL_MAX_COLS; i++) {
		if (t->cols[i].flags & WL_KEY || t->hidden >> i & 1 || !is_figure(&t->cols[i]))
			continue;
		l->figure[l->n_figures++] = i;
		if (!add_figure(l, &t->cols[i], arena))
			return false;
	}
	return true;
}

static int compare_cells(enum wl_type type, struct wl_cell a, struct wl_cell b)
{
	if (!a.set || !b.set)
		return a.set - b.set;
	if (wl_type_is_text(type))
		return strcmp(a.str, b.str);
	if (wl_type_is_real(type))
		return (a.f64 > b.f64) - (a.f64 < b.f64);
	return (a.i64 > b.i64) - (a.i64 < b.i64);
}

static int compare_rows(const struct layout *l, const struct wl_table *t, size_t row,
			const struct wl_table *u, size_t other)
{
	for (size_t i = 0; i < l->n_keys; i++) {
		int c = compare_cells(t->cols[l->key[i]].type, wl_table_at(t, row, l->key[i]),
				      wl_table_at(u, other, l->key[i]));

		if (c != 0)
			return c;
	}
	return 0;
}

struct sorting {
	const struct layout *l;
	const struct wl_table *t;
};

static bool row_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sorting *s = ctx;

	return compare_rows(s->l, s->t, a, s->t, b) < 0;
}

static uint32_t *sort_rows(const struct layout *l, const struct wl_table *t, struct wl_arena *arena)
{
	const struct sorting s = { l, t };
	uint32_t *order = WL_NEW(arena, uint32_t, 2 * t->n_rows);

	if (order)
		wl_sort_all(order, t->n_rows, row_less, &s);
	return order;
}

static void put_cell(struct wl_table *out, size_t col, enum wl_type type, struct wl_cell cell)
{
	if (!cell.set)
		return;
	if (wl_type_is_text(type))
		wl_put_str(out, col, cell.str);
	else if (wl_type_is_real(type))
		wl_put_f64(out, col, cell.f64);
	else
		wl_put_i64(out, col, cell.i64);
}

/* Differences of what both sides have; an integer that does not fit is left out. */
static void put_change(struct wl_table *out, size_t col, enum wl_type type, struct wl_cell a,
		       struct wl_cell b)
{
	int64_t change;

	if (!a.set || !b.set)
		return;
	if (wl_type_is_real(type))
		wl_put_f64(out, col, b.f64 - a.f64);
	else if (wl_sub_i64(b.i64, a.i64, &change))
		wl_put_i64(out, col, change);
}

/* Both tables, and how they are laid out beside each other. */
struct beside {
	const struct wl_table *before, *after;
	struct layout layout;
};

/* One row; WL_NONE for a side that does not have it. */
static void put_row(const struct beside *both, uint32_t in_before, uint32_t in_after,
		    struct wl_table *out)
{
	const struct layout *l = &both->layout;
	const struct wl_table *of = in_after == WL_NONE ? both->before : both->after;
	uint32_t row = in_after == WL_NONE ? in_before : in_after;

	wl_table_row(out);
	wl_put_str(out, IN,
		   in_before == WL_NONE  ? "after"
		   : in_after == WL_NONE ? "before"
					 : "both");
	for (size_t i = 0; i < l->n_keys; i++)
		put_cell(out, N_OWN + i, of->cols[l->key[i]].type, wl_table_at(of, row, l->key[i]));
	for (size_t i = 0; i < l->n_figures; i++) {
		size_t from = l->figure[i], to = N_OWN + l->n_keys + N_FIGURES * i;
		enum wl_type type = of->cols[from].type;
		struct wl_cell a = { .set = false }, b = { .set = false };

		if (in_before != WL_NONE)
			a = wl_table_at(both->before, in_before, from);
		if (in_after != WL_NONE)
			b = wl_table_at(both->after, in_after, from);
		put_cell(out, to + BEFORE, type, a);
		put_cell(out, to + AFTER, type, b);
		put_change(out, to + CHANGE, type, a, b);
	}
}

/* By row of after the row of before, and which rows of before have none. */
static bool match(const struct beside *both, struct wl_arena *arena, uint32_t *partner,
		  bool *is_matched)
{
	const struct layout *l = &both->layout;
	const struct wl_table *before = both->before, *after = both->after;
	const uint32_t *a = sort_rows(l, before, arena), *b = sort_rows(l, after, arena);
	size_t i = 0, k = 0;

	if (!a || !b)
		return false;
	for (size_t row = 0; row < after->n_rows; row++)
		partner[row] = WL_NONE;
	while (i < before->n_rows && k < after->n_rows) {
		int c = compare_rows(l, before, a[i], after, b[k]);

		if (c == 0) {
			partner[b[k]] = a[i];
			is_matched[a[i]] = true;
		}
		/*
		 * A merge of two sorted lists: equal keys advance both, so that each row has at
		 * most one partner.
		 */
		i += c <= 0;
		k += c >= 0;
	}
	return true;
}

/* By row of both tables a number that equal keys share. */
static bool number_keys(const struct beside *both, struct wl_arena *arena, uint32_t *of_before,
			uint32_t *of_after)
{
	const struct layout *l = &both->layout;
	const struct wl_table *before = both->before, *after = both->after;
	const uint32_t *a = sort_rows(l, before, arena), *b = sort_rows(l, after, arena);
	size_t i = 0, k = 0;
	uint32_t n = 0;

	if (!a || !b)
		return false;
	/* Each turn takes all rows of the smallest key that is left. */
	for (; i < before->n_rows || k < after->n_rows; n++) {
		bool is_after =
			i == before->n_rows ||
			(k < after->n_rows && compare_rows(l, after, b[k], before, a[i]) < 0);
		const struct wl_table *of = is_after ? after : before;
		uint32_t least = is_after ? b[k] : a[i];

		for (; i < before->n_rows && compare_rows(l, before, a[i], of, least) == 0; i++)
			of_before[a[i]] = n;
		for (; k < after->n_rows && compare_rows(l, after, b[k], of, least) == 0; k++)
			of_after[b[k]] = n;
	}
	return true;
}

static bool join_trees(const struct beside *both, struct wl_arena *arena, struct wl_table *out)
{
	uint32_t *of_before = WL_NEW(arena, uint32_t, both->before->n_rows);
	uint32_t *of_after = WL_NEW(arena, uint32_t, both->after->n_rows);
	const struct wl_beside_side sides[] = { { both->before, of_before },
						{ both->after, of_after } };
	struct wl_beside_node *node;
	size_t n;

	if (!of_before || !of_after || !number_keys(both, arena, of_before, of_after) ||
	    !wl_trees_beside(&sides[0], &sides[1], arena, &node, &n))
		return false;
	wl_table_tree(out);
	for (size_t i = 0; i < n; i++) {
		put_row(both, node[i].before, node[i].after, out);
		if (node[i].parent != WL_NONE)
			wl_put_parent(out, node[i].parent);
	}
	return true;
}

static bool join_rows(const struct beside *both, struct wl_arena *arena, struct wl_table *out)
{
	uint32_t *partner = WL_NEW(arena, uint32_t, both->after->n_rows);
	bool *is_matched = WL_NEW(arena, bool, both->before->n_rows);

	if (!partner || !is_matched || !match(both, arena, partner, is_matched))
		return false;
	for (uint32_t i = 0; i < both->after->n_rows; i++)
		put_row(both, partner[i], i, out);
	for (uint32_t i = 0; i < both->before->n_rows; i++) {
		if (!is_matched[i])
			put_row(both, i, WL_NONE, out);
	}
	return true;
}

int wl_tables_beside(const struct wl_table *before, const struct wl_table *after,
		     struct wl_arena *arena, struct wl_table *out, struct wl_err *reterr)
{
	struct beside both = { .before = before, .after = after };
	bool ok = make_layout(after, arena, &both.layout);

	if (ok) {
		wl_table_init(out, arena, both.layout.cols, both.layout.n_cols);
		ok = before->is_tree && after->is_tree ? join_trees(&both, arena, out)
						       : join_rows(&both, arena, out);
	}
	return ok && wl_table_ok(out)
		       ? WL_OK
		       : wl_fail(reterr, WL_E_NOMEM, "diff: no memory for the tables");
}
