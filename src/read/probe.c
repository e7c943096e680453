/* SPDX-License-Identifier: MIT */
#include "read/probe.h"

#include <string.h>

#include "base/memory/bound.h"

#include "base/text/utf8.h"

struct listing {
	struct wl_build *build;
	uint32_t table; /* string of the table listed last */
};

static int put_column(void *ctx, const char *table, const char *column, const char *type,
		      struct wl_err *reterr)
{
	struct listing *l = ctx;
	struct wl_build *b = l->build;
	struct wl_source_column c;
	uint32_t name;

	/* An invalid name would be repaired, and the table would not be found under it. It is not a
	 * table we use. */
	if (!wl_utf8_is_valid(table, strlen(table)))
		return WL_OK;
	name = wl_string_put(&b->strings, table, strlen(table));
	c.name = wl_string_put(&b->strings, column, strlen(column));
	c.type = wl_string_put(&b->strings, type, strlen(type));
	if (name != l->table) {
		wl_vec_push(&b->column[WL_TABLES_NAME], &name);
		b->family[WL_F_TABLES].n = b->column[WL_TABLES_NAME].n;
		l->table = name;
	}
	c.table = (uint32_t)(b->family[WL_F_TABLES].n - 1);
	wl_vec_push(&b->source_columns, &c);
	if (wl_build_failed(b))
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for its schema", b->path);
	return WL_OK;
}

int wl_probe_run(struct wl_probe *probe, struct wl_err *reterr)
{
	struct listing l = { probe->build, WL_NONE };

	wl_columns_add(&probe->build->loaded, WL_TABLES_NAME);
	return probe->reader->ops->list(probe->reader, put_column, &l, reterr);
}

uint32_t wl_probe_table(const struct wl_probe *probe, const char *table)
{
	const struct wl_build *b = probe->build;
	const uint32_t *name = b->column[WL_TABLES_NAME].data;

	for (size_t i = 0; i < b->family[WL_F_TABLES].n; i++) {
		if (strcmp(wl_string_get(&b->strings, name[i]), table) == 0)
			return (uint32_t)i;
	}
	return WL_NONE;
}

/* Columns are listed table by table; NULL if the table has no such column. */
static const struct wl_source_column *find_column(const struct wl_build *b, uint32_t table,
						  const char *column)
{
	const struct wl_source_column *c = b->source_columns.data;
	size_t i = WL_BELOW_BY(wl_source_column, table, c, b->source_columns.n, table);

	for (; i < b->source_columns.n && c[i].table == table; i++) {
		if (strcmp(wl_string_get(&b->strings, c[i].name), column) == 0)
			return &c[i];
	}
	return NULL;
}

bool wl_probe_has(const struct wl_probe *probe, const char *table, const char *column)
{
	return wl_probe_type(probe, table, column) != NULL;
}

const char *wl_probe_type(const struct wl_probe *probe, const char *table, const char *column)
{
	uint32_t index = wl_probe_table(probe, table);
	const struct wl_source_column *found =
		index == WL_NONE ? NULL : find_column(probe->build, index, column);

	return found ? wl_string_get(&probe->build->strings, found->type) : NULL;
}

const char *wl_owner_fallback(const struct wl_probe *probe, const char *table)
{
	static const char *const names[] = { "processId", "pid" };

	for (size_t i = 0; i < WL_COUNT(names); i++) {
		if (wl_probe_has(probe, table, names[i]))
			return names[i];
	}
	return NULL;
}

void wl_probe_scan_init(struct wl_probe_scan *query, const struct wl_probe *probe,
			const char *table)
{
	*query = (struct wl_probe_scan){ .scan = { .table = table },
					 .table = wl_probe_table(probe, table) };
}

int wl_probe_scan_ask(struct wl_probe_scan *query, const struct wl_probe *probe, const char *column,
		      enum wl_want want)
{
	struct wl_scan *s = &query->scan;

	for (size_t i = 0; i < s->n_columns; i++) {
		if (strcmp(s->column[i], column) == 0 && s->want[i] == want)
			return (int)i;
	}
	if (query->table == WL_NONE || !find_column(probe->build, query->table, column))
		return -1;
	if (s->n_columns == WL_SCAN_COLUMNS) {
		query->overflow = true;
		return -1;
	}
	s->column[s->n_columns] = column;
	s->want[s->n_columns] = want;
	return (int)s->n_columns++;
}

int wl_probe_scan_run(const struct wl_probe_scan *query, const struct wl_probe *probe,
		      wl_batch_fn *fn, void *ctx, struct wl_err *reterr)
{
	const struct wl_reader_ops *ops = probe->reader->ops;
	struct wl_scanning *scanning;
	int r;

	if (query->table == WL_NONE || query->scan.n_columns == 0)
		return WL_OK;
	r = ops->begin(probe->reader, &query->scan, 1, &scanning, reterr);
	if (r < 0)
		return r;
	r = ops->read_part(scanning, 0, fn, ctx, reterr);
	ops->end(scanning);
	return r;
}

size_t wl_batch_mistyped(const struct wl_batch *batch, size_t n_columns)
{
	size_t n = 0;

	for (size_t c = 0; c < n_columns; c++) {
		const struct wl_batch_column *column = &batch->column[c];
		bool uniform = column->all_ok || column->all_null;

		for (size_t i = 0; !uniform && i < batch->n; i++)
			n += column->state[i] == WL_CELL_MISTYPED;
	}
	return n;
}

uint32_t wl_cell_string(const struct wl_batch *batch, int column, size_t row,
			struct wl_build *build)
{
	const struct wl_batch_column *c;

	if (!wl_cell_is_set(batch, column, row))
		return WL_NONE;
	c = &batch->column[column];
	return wl_string_put(&build->strings, c->len[row] ? batch->text + c->value[row] : "",
			     c->len[row]);
}
