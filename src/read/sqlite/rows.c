/* SPDX-License-Identifier: MIT */
#include "read/sqlite/rows.h"

#include <string.h>

#include "base/num.h"

static void take_int(sqlite3_stmt *stmt, int i, struct wl_batch_column *c, size_t row)
{
	int type = sqlite3_column_type(stmt, i);

	c->value[row] = 0;
	c->state[row] = WL_CELL_OK;
	if (type == SQLITE_INTEGER)
		c->value[row] = sqlite3_column_int64(stmt, i);
	else if (type == SQLITE_NULL)
		c->state[row] = WL_CELL_NULL;
	else if (type != SQLITE_FLOAT ||
		 !wl_integral(sqlite3_column_double(stmt, i), &c->value[row]))
		c->state[row] = WL_CELL_MISTYPED;
}

static bool take_text(sqlite3_stmt *stmt, int i, bool or_blob, struct wl_batch_column *c,
		      size_t row, struct wl_vec *text)
{
	int type = sqlite3_column_type(stmt, i);
	const void *s;
	void *copy;
	int n;

	c->value[row] = 0;
	c->len[row] = 0;
	c->state[row] = type == SQLITE_NULL ? WL_CELL_NULL : WL_CELL_MISTYPED;
	if (type != SQLITE_TEXT && !(or_blob && type == SQLITE_BLOB))
		return true;
	s = type == SQLITE_TEXT ? (const void *)sqlite3_column_text(stmt, i)
				: sqlite3_column_blob(stmt, i);
	n = sqlite3_column_bytes(stmt, i);
	copy = wl_vec_extend(text, (size_t)n);
	/* SQLite returns NULL for an empty blob. */
	if ((!s && n > 0) || !copy)
		return false;
	if (n > 0)
		memcpy(copy, s, (size_t)n);
	c->value[row] = (int64_t)(text->n - (size_t)n);
	c->len[row] = (uint32_t)n;
	c->state[row] = WL_CELL_OK;
	return true;
}

bool wl_sqlite_row_take(sqlite3_stmt *stmt, const struct wl_scan *scan, size_t row,
			struct wl_batch_column *column, struct wl_vec *text)
{
	for (int i = 0; i < (int)scan->n_columns; i++) {
		switch (scan->want[i]) {
		case WL_WANT_INT:
			take_int(stmt, i, &column[i], row);
			break;
		case WL_WANT_TEXT:
		case WL_WANT_BYTES:
			if (!take_text(stmt, i, scan->want[i] == WL_WANT_BYTES, &column[i], row,
				       text))
				return false;
			break;
		case WL_WANT_PRESENT:
			column[i].value[row] = 0;
			column[i].state[row] = sqlite3_column_type(stmt, i) == SQLITE_NULL
						       ? WL_CELL_NULL
						       : WL_CELL_OK;
			break;
		}
	}
	return true;
}

static bool all_are(const struct wl_batch_column *c, size_t n, enum wl_cell_state state)
{
	size_t same = 0;

	for (size_t i = 0; i < n; i++)
		same += c->state[i] == state;
	return same == n;
}

void wl_sqlite_rows_end(struct wl_batch_column *column, size_t n_columns, size_t n)
{
	for (size_t i = 0; i < n_columns; i++) {
		column[i].all_ok = all_are(&column[i], n, WL_CELL_OK);
		column[i].all_null = all_are(&column[i], n, WL_CELL_NULL);
	}
}
