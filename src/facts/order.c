/* SPDX-License-Identifier: MIT */
#include "facts/order.h"

#include <string.h>

static int compare_cells(const struct wl_facts *f, size_t column, size_t a, size_t b)
{
	const void *data = f->column[column].data;

	if (wl_facts_columns[column].type == WL_FACTS_I64) {
		const int64_t *v = data;

		return (v[a] > v[b]) - (v[a] < v[b]);
	}
	if (wl_facts_columns[column].type == WL_FACTS_U64) {
		const uint64_t *v = data;

		return (v[a] > v[b]) - (v[a] < v[b]);
	}
	return (((const uint32_t *)data)[a] > ((const uint32_t *)data)[b]) -
	       (((const uint32_t *)data)[a] < ((const uint32_t *)data)[b]);
}

int wl_facts_compare(const struct wl_facts *f, enum wl_facts_table_id table, size_t a, size_t b)
{
	int order = 0;

	for (size_t c = wl_facts_tables[table].first; order == 0 && c < wl_facts_end(table); c++)
		order = compare_cells(f, c, a, b);
	return order;
}

/* Whether all numbers of a column are below n, or unknown if may_miss. */
static bool is_within(const struct wl_facts *f, size_t column, size_t n, bool may_miss)
{
	const uint32_t *v = f->column[column].data;

	for (size_t i = 0; i < f->n[wl_facts_columns[column].table]; i++) {
		if (v[i] >= n && !(may_miss && v[i] == WL_NONE))
			return false;
	}
	return true;
}

static bool has_valid_cells(const struct wl_facts *f, size_t column)
{
	switch (wl_facts_columns[column].type) {
	case WL_FACTS_STR: /* without texts, every cell must be "" */
		return is_within(f, column, f->texts.at.n ? f->texts.at.n : 1, false);
	case WL_FACTS_RANK:
		return is_within(f, column, f->n[WL_FACTS_RANKS], false);
	case WL_FACTS_OP:
		return is_within(f, column, f->n[WL_FACTS_OPS], false);
	case WL_FACTS_U32:
	case WL_FACTS_U64:
	case WL_FACTS_I64:
		break;
	}
	return true;
}

static bool is_table_settled(const struct wl_facts *f, enum wl_facts_table_id table)
{
	for (size_t c = wl_facts_tables[table].first; c < wl_facts_end(table); c++) {
		if (!has_valid_cells(f, c))
			return false;
	}
	for (size_t i = 1; i < f->n[table]; i++) {
		if (wl_facts_compare(f, table, i - 1, i) >= 0)
			return false;
	}
	return true;
}

bool wl_facts_has_numbers(const struct wl_facts *f)
{
	const uint32_t *number = wl_facts_column(f, WL_FACTS_RANKS_NUMBER);

	for (size_t i = 0; i < f->n[WL_FACTS_RANKS]; i++) {
		if (number[i] == WL_NONE || (i > 0 && number[i] == number[i - 1]))
			return false;
	}
	return true;
}

bool wl_facts_is_settled(struct wl_facts *f)
{
	for (uint32_t i = 1; i < f->texts.at.n; i++) {
		if (strcmp(wl_facts_text(&f->texts, i - 1), wl_facts_text(&f->texts, i)) >= 0)
			return false;
	}
	for (size_t t = 0; t < WL_FACTS_N_TABLES; t++) {
		if (wl_facts_tables[t].origin == WL_FACTS_KEPT &&
		    !is_table_settled(f, (enum wl_facts_table_id)t))
			return false;
	}
	f->is_numbered = wl_facts_has_numbers(f);
	return wl_facts_answers_are_settled(&f->answers);
}
