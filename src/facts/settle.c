/* SPDX-License-Identifier: MIT */
/* settle.c - brings texts, ranks and rows into one order, so that equal facts are equal bytes. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/sort.h"
#include "facts/order.h"

static bool is_kept(size_t table)
{
	return wl_facts_tables[table].origin == WL_FACTS_KEPT;
}

static bool text_before(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_facts_texts *t = ctx;

	return strcmp(wl_facts_text(t, a), wl_facts_text(t, b)) < 0;
}

/*
 * The numbers [0, n) in the order of less; NULL without memory. If key is not NULL, numbers with
 * smaller keys come first.
 */
static uint32_t *in_order(size_t n, const uint32_t *key, wl_less *less, const void *ctx,
			  struct wl_arena *arena)
{
	uint32_t *order = WL_NEW(arena, uint32_t, n), *tmp = WL_NEW(arena, uint32_t, n);

	if (!order || !tmp)
		return NULL;
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	if (key)
		wl_sort_by_u32(order, n, tmp, key);
	wl_sort_index(order, n, tmp, less, ctx);
	return order;
}

/* Replace the numbers in all columns of a type by their entries in the map; kept tables only. */
static void renumber(struct wl_facts *f, enum wl_facts_type type, const uint32_t *to)
{
	for (size_t c = 0; c < WL_FACTS_N_COLUMNS; c++) {
		const struct wl_facts_column_info *info = &wl_facts_columns[c];
		uint32_t *v = f->column[c].data;

		if (info->type != type || !is_kept(info->table))
			continue;
		for (size_t i = 0; i < f->n[info->table]; i++)
			v[i] = v[i] == WL_NONE ? WL_NONE : to[v[i]];
	}
}

static void mark_used(const struct wl_facts *f, bool *used)
{
	for (size_t c = 0; c < WL_FACTS_N_COLUMNS; c++) {
		const struct wl_facts_column_info *info = &wl_facts_columns[c];
		const uint32_t *v = f->column[c].data;

		if (info->type != WL_FACTS_STR || !is_kept(info->table))
			continue;
		for (size_t i = 0; i < f->n[info->table]; i++)
			used[v[i]] = true;
	}
}

/* Sort the texts, so that their numbers compare as the texts do. Unused texts are dropped. */
static bool settle_texts(struct wl_facts *f, struct wl_arena *arena)
{
	size_t n = f->texts.at.n;
	uint32_t *order = in_order(n, NULL, text_before, &f->texts, arena);
	uint32_t *to = WL_NEW(arena, uint32_t, n);
	bool *used = WL_NEW(arena, bool, n);
	struct wl_facts_texts sorted;

	if (!order || !to || !used)
		return false;
	memset(used, 0, n * sizeof(*used));
	mark_used(f, used);
	wl_facts_texts_init(&sorted, f->budget);
	for (size_t i = 0; i < n; i++) {
		const char *text = wl_facts_text(&f->texts, order[i]);

		to[order[i]] = 0;
		if (used[order[i]] || order[i] == 0)
			to[order[i]] = wl_facts_texts_put(&sorted, text, strlen(text));
		if (to[order[i]] == WL_NONE) {
			wl_facts_texts_release(&sorted);
			return false;
		}
	}
	renumber(f, WL_FACTS_STR, to);
	wl_facts_texts_release(&f->texts);
	f->texts = sorted;
	return true;
}

struct rows {
	const struct wl_facts *facts;
	enum wl_facts_table_id table;
};

static bool row_before(const void *ctx, uint32_t a, uint32_t b)
{
	const struct rows *r = ctx;

	return wl_facts_compare(r->facts, r->table, a, b) < 0;
}

/* Rearrange the rows of a table by order[0..n), which may leave some out. */
static bool arrange(struct wl_facts *f, const struct rows *r, const uint32_t *order, size_t n,
		    struct wl_arena *arena)
{
	uint64_t *tmp = WL_NEW(arena, uint64_t, n);

	if (!tmp)
		return false;
	for (size_t c = wl_facts_tables[r->table].first; c < wl_facts_end(r->table); c++) {
		struct wl_vec *v = &f->column[c];

		if (v->size == 8) {
			for (size_t i = 0; i < n; i++)
				tmp[i] = ((const uint64_t *)v->data)[order[i]];
		} else {
			for (size_t i = 0; i < n; i++)
				((uint32_t *)tmp)[i] = ((const uint32_t *)v->data)[order[i]];
		}
		if (n)
			memcpy(v->data, tmp, n * v->size);
		v->n = n;
	}
	return true;
}

/* Drop duplicates of rows that are equal in all columns: a merge may bring them from two sets. */
static size_t drop_equal(const struct rows *r, uint32_t *order, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (kept == 0 ||
		    wl_facts_compare(r->facts, r->table, order[kept - 1], order[i]) != 0)
			order[kept++] = order[i];
	}
	return kept;
}

/* For ranks and operations, whose row numbers occur in other tables. */
static bool renumber_rows(struct wl_facts *f, const struct rows *r, const uint32_t *order, size_t n,
			  struct wl_arena *arena)
{
	uint32_t *to = WL_NEW(arena, uint32_t, n), place = 0;

	if (!to)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && wl_facts_compare(f, r->table, order[i - 1], order[i]))
			place++;
		to[order[i]] = place;
	}
	renumber(f, r->table == WL_FACTS_RANKS ? WL_FACTS_RANK : WL_FACTS_OP, to);
	return true;
}

static bool is_identity(const uint32_t *order, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (order[i] != i)
			return false;
	}
	return true;
}

static bool settle_table(struct wl_facts *f, size_t table, struct wl_arena *arena)
{
	const struct rows r = { f, (enum wl_facts_table_id)table };
	/* A rank's rows mostly come from one file, in order: sorting by this key leaves little to
	 * compare. */
	const struct wl_vec *first = &f->column[wl_facts_tables[table].first];
	const uint32_t *key = first->size == sizeof(*key) ? first->data : NULL;
	size_t n = f->n[table];
	uint32_t *order = in_order(n, key, row_before, &r, arena);

	if (!order || ((table == WL_FACTS_RANKS || table == WL_FACTS_OPS) &&
		       !renumber_rows(f, &r, order, n, arena)))
		return false;
	n = drop_equal(&r, order, n);
	if (n == f->n[table] && is_identity(order, n))
		return true;
	f->n[table] = n;
	return arrange(f, &r, order, n, arena);
}

bool wl_facts_settle(struct wl_facts *f)
{
	bool ok = !f->failed;
	struct wl_arena arena;

	/* Texts first, then ranks and operations, then the rest: later orders use the numbers of
	 * earlier ones. */
	wl_arena_init_on(&arena, f->budget);
	ok = ok && (f->texts.at.n == 0 || settle_texts(f, &arena)) &&
	     settle_table(f, WL_FACTS_RANKS, &arena) && settle_table(f, WL_FACTS_OPS, &arena);
	wl_arena_release(&arena);
	for (size_t t = 0; ok && t < WL_FACTS_N_TABLES; t++) {
		if (t == WL_FACTS_RANKS || t == WL_FACTS_OPS || !is_kept(t))
			continue;
		wl_arena_init_on(&arena, f->budget);
		ok = settle_table(f, t, &arena);
		wl_arena_release(&arena);
	}
	wl_facts_answers_settle(&f->answers);
	f->failed = !ok;
	f->is_numbered = ok && wl_facts_has_numbers(f);
	return ok;
}
