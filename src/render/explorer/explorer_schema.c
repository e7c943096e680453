/* SPDX-License-Identifier: MIT */
/* explorer_schema.c - lookups in the trace's schema for the parts of the page. */
#include <string.h>

#include "known/exports/schema.h"
#include "render/explorer/explorer_parts.h"
#include "render/words/markup.h"

const char *wl_explorer_text(const struct wl_explorer *e, size_t row, size_t col)
{
	struct wl_cell cell = wl_table_at(e->schema, row, col);

	return cell.set ? cell.str : "";
}

struct wl_explorer_table wl_explorer_next(const struct wl_explorer *e, size_t *at)
{
	struct wl_explorer_table ret = { .name = wl_explorer_text(e, *at, e->table), .first = *at };

	ret.rows = wl_table_at(e->schema, *at, e->rows).i64;
	while (*at < e->schema->n_rows && strcmp(wl_explorer_text(e, *at, e->table), ret.name) == 0)
		(*at)++;
	ret.n = *at - ret.first;
	return ret;
}

bool wl_explorer_find(const struct wl_explorer *e, const char *table, struct wl_explorer_table *ret)
{
	for (size_t at = 0; at < e->schema->n_rows;) {
		*ret = wl_explorer_next(e, &at);
		if (strcmp(ret->name, table) == 0)
			return true;
	}
	return false;
}

bool wl_explorer_has(const void *explorer, const char *table, const char *column)
{
	const struct wl_explorer *e = explorer;
	struct wl_explorer_table t;

	if (!wl_explorer_find(e, table, &t))
		return false;
	for (size_t i = 0; column && i < t.n; i++) {
		if (strcmp(wl_explorer_text(e, t.first + i, e->column), column) == 0)
			return true;
	}
	return !column;
}

/* Whether the table has all columns of the key that the catalogue knows. */
static bool has_key(const struct wl_explorer *e, const char *table, const char *key)
{
	const struct wl_schema_entry *s = wl_schema_find(table, NULL);

	if (!wl_explorer_has(e, table, NULL))
		return false;
	for (s++; strncmp(table, "ENUM_", 5) != 0 && s < wl_schema + wl_n_schema && !s->table;
	     s++) {
		if (wl_relation_key_has(key, s->column) && !wl_explorer_has(e, table, s->column))
			return false;
	}
	return true;
}

bool wl_explorer_relates(const struct wl_explorer *e, const struct wl_relation *r)
{
	return has_key(e, r->table, r->key) && has_key(e, r->to_table, r->to_key);
}

void wl_explorer_put_link(const struct wl_explorer *e, const char *table)
{
	if (wl_explorer_has(e, table, NULL)) {
		wl_put_element(e->out, "<a href=\"#table-", table, "\">");
		wl_put_element(e->out, "", table, "</a>");
	} else {
		wl_put_markup(e->out, table);
	}
}

void wl_explorer_put_marks(const struct wl_explorer *e, const char *table, const char *column)
{
	for (int i = 0; i < WL_N_CONCEPTS; i++) {
		if (wl_concept_is_about((enum wl_concept_id)i, table, column))
			(void)fprintf(e->out, " k-%s", wl_concepts[i].key);
	}
}
