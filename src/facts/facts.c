/* SPDX-License-Identifier: MIT */
#include "facts/facts.h"

#include <string.h>

const struct wl_facts_table_info wl_facts_tables[WL_FACTS_N_TABLES] = {
#define WL_FACTS_TABLE(TABLE, table, origin, keys, help)                                           \
	{ #table, WL_FACTS_##origin, keys, help, WL_FACTS_FIRST_##TABLE },
#define WL_FACTS_COLUMN(TABLE, COLUMN, column, type, unit, help)
#include "facts/tables.def"
};

const struct wl_facts_column_info wl_facts_columns[WL_FACTS_N_COLUMNS] = {
#define WL_FACTS_TABLE(TABLE, table, origin, keys, help)
#define WL_FACTS_COLUMN(TABLE, COLUMN, column, type, unit, help)                                   \
	{ #column, WL_FACTS_##TABLE, WL_FACTS_##type, WL_FACTS_##unit, help },
#include "facts/tables.def"
};

size_t wl_facts_end(enum wl_facts_table_id table)
{
	return table + 1 < WL_FACTS_N_TABLES ? wl_facts_tables[table + 1].first
					     : WL_FACTS_N_COLUMNS;
}

size_t wl_facts_size(enum wl_facts_column_id column)
{
	switch (wl_facts_columns[column].type) {
	case WL_FACTS_U64:
	case WL_FACTS_I64:
		return 8;
	case WL_FACTS_U32:
	case WL_FACTS_STR:
	case WL_FACTS_RANK:
	case WL_FACTS_OP:
		break;
	}
	return 4;
}

void wl_facts_init(struct wl_facts *facts, struct wl_budget *budget)
{
	*facts = (struct wl_facts){ .budget = budget };
	for (size_t c = 0; c < WL_FACTS_N_COLUMNS; c++)
		wl_vec_init(&facts->column[c], wl_facts_size((enum wl_facts_column_id)c), budget);
	wl_facts_texts_init(&facts->texts, budget);
	wl_facts_answers_init(&facts->answers, budget);
}

void wl_facts_release(struct wl_facts *facts)
{
	if (!facts->budget)
		return;
	for (size_t c = 0; c < WL_FACTS_N_COLUMNS; c++)
		wl_vec_release(&facts->column[c]);
	wl_facts_texts_release(&facts->texts);
	wl_facts_answers_release(&facts->answers);
	*facts = (struct wl_facts){ 0 };
}

/* Set the value that a cell has until one is put. */
static void put_nothing(struct wl_facts *facts, enum wl_facts_column_id column)
{
	static const int64_t no_i64 = WL_FACTS_NONE;
	static const uint64_t no_u64 = UINT64_MAX;
	static const uint32_t no_u32 = WL_NONE, no_text = 0;
	struct wl_vec *v = &facts->column[column];

	switch (wl_facts_columns[column].type) {
	case WL_FACTS_U64:
		wl_vec_push(v, &no_u64);
		break;
	case WL_FACTS_I64:
		wl_vec_push(v, &no_i64);
		break;
	case WL_FACTS_STR:
		wl_vec_push(v, &no_text);
		break;
	case WL_FACTS_U32:
	case WL_FACTS_RANK:
	case WL_FACTS_OP:
		wl_vec_push(v, &no_u32);
		break;
	}
	facts->failed = facts->failed || v->failed;
}

void wl_facts_row(struct wl_facts *facts, enum wl_facts_table_id table)
{
	for (size_t c = wl_facts_tables[table].first; c < wl_facts_end(table); c++)
		put_nothing(facts, (enum wl_facts_column_id)c);
	facts->n[table]++;
}

void wl_facts_put_u64(struct wl_facts *facts, enum wl_facts_column_id column, uint64_t v)
{
	size_t row = facts->n[wl_facts_columns[column].table] - 1;

	if (facts->failed)
		return;
	if (wl_facts_size(column) == 8)
		((uint64_t *)facts->column[column].data)[row] = v;
	else
		((uint32_t *)facts->column[column].data)[row] = (uint32_t)v;
}

void wl_facts_put(struct wl_facts *facts, enum wl_facts_column_id column, int64_t v)
{
	wl_facts_put_u64(facts, column, (uint64_t)v);
}

void wl_facts_put_text(struct wl_facts *facts, enum wl_facts_column_id column, const char *text,
		       size_t n)
{
	uint32_t number = wl_facts_texts_put(&facts->texts, text, n);

	facts->failed = facts->failed || number == WL_NONE;
	wl_facts_put_u64(facts, column, number);
}

void wl_facts_put_str(struct wl_facts *facts, enum wl_facts_column_id column, const char *text)
{
	if (text)
		wl_facts_put_text(facts, column, text, strlen(text));
}

uint32_t wl_facts_u32(const struct wl_facts *facts, enum wl_facts_column_id column, size_t row)
{
	return ((const uint32_t *)facts->column[column].data)[row];
}

uint64_t wl_facts_u64(const struct wl_facts *facts, enum wl_facts_column_id column, size_t row)
{
	return ((const uint64_t *)facts->column[column].data)[row];
}

int64_t wl_facts_i64(const struct wl_facts *facts, enum wl_facts_column_id column, size_t row)
{
	return ((const int64_t *)facts->column[column].data)[row];
}

const char *wl_facts_str(const struct wl_facts *facts, enum wl_facts_column_id column, size_t row)
{
	return wl_facts_text(&facts->texts, wl_facts_u32(facts, column, row));
}

const void *wl_facts_column(const struct wl_facts *facts, enum wl_facts_column_id column)
{
	return facts->column[column].data;
}

uint32_t wl_facts_rank_number(const struct wl_facts *facts, uint32_t rank)
{
	return facts->is_numbered ? wl_facts_u32(facts, WL_FACTS_RANKS_NUMBER, rank) : rank;
}
