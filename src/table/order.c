/* SPDX-License-Identifier: MIT */
#include "table/order.h"

#include <string.h>

#include "base/memory/sort.h"
#include "table/cols.h"

struct sort_key {
	size_t col;
	bool descend;
};

struct order {
	const struct wl_table *table;
	struct sort_key keys[WL_MAX_COLS]; /* as asked, then the key columns; none twice */
	size_t n_keys;
};

int wl_order_compare(enum wl_type type, struct wl_cell a, struct wl_cell b)
{
	if (wl_type_is_text(type))
		return strcmp(a.str, b.str);
	if (wl_type_is_real(type))
		return (a.f64 > b.f64) - (a.f64 < b.f64);
	return (a.i64 > b.i64) - (a.i64 < b.i64);
}

static bool less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct order *o = ctx;

	for (size_t i = 0; i < o->n_keys; i++) {
		const struct sort_key *key = &o->keys[i];
		struct wl_cell x = wl_table_at(o->table, a, key->col);
		struct wl_cell y = wl_table_at(o->table, b, key->col);
		int c;

		/* Last in either direction: a list must not begin with rows that say nothing. */
		if (!x.set || !y.set) {
			if (x.set != y.set)
				return x.set;
			continue;
		}
		c = wl_order_compare(o->table->cols[key->col].type, x, y);
		if (c != 0)
			return key->descend ? c > 0 : c < 0;
	}
	return false;
}

static bool is_listed(const struct order *o, size_t col)
{
	for (size_t i = 0; i < o->n_keys; i++) {
		if (o->keys[i].col == col)
			return true;
	}
	return false;
}

static int parse(struct order *o, const char *spec, struct wl_err *reterr)
{
	const struct wl_table *t = o->table;
	struct wl_col_ref ref;
	int r;

	while ((r = wl_cols_next(t, "--sort", &spec, &ref, reterr)) > 0) {
		/* A column that comes a second time cannot decide anything any more. */
		if (is_listed(o, ref.col))
			continue;
		o->keys[o->n_keys++] = (struct sort_key){
			.col = ref.col,
			/*
			 * The largest numbers matter most, while text is looked up: "-" turns
			 * either round.
			 */
			.descend = wl_type_is_text(t->cols[ref.col].type) == ref.minus,
		};
	}
	if (r == 0 && o->n_keys == 0)
		r = wl_cols_unknown(t, "--sort", "", 0, reterr);
	return r;
}

int wl_order_sort(const struct wl_table *t, const char *spec, uint32_t *rows, size_t n,
		  struct wl_arena *arena, struct wl_err *reterr)
{
	struct order o = { .table = t };
	uint32_t *tmp;
	int r = parse(&o, spec, reterr);

	if (r < 0)
		return r;
	/* Ties are broken by what names a row, so that the order is not that of the analysis. */
	for (size_t col = 0; col < t->n_cols; col++) {
		if (t->cols[col].flags & WL_KEY && !is_listed(&o, col))
			o.keys[o.n_keys++] = (struct sort_key){ .col = col };
	}
	tmp = WL_NEW(arena, uint32_t, n);
	if (!tmp)
		return wl_fail(reterr, WL_E_NOMEM, "no memory to sort %zu rows", n);
	wl_sort_index(rows, n, tmp, less, &o);
	return WL_OK;
}
