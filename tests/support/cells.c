/* SPDX-License-Identifier: MIT */
#include "support/cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct cells *c, const void *from, size_t n)
{
	if (c->room - c->n < n) {
		c->room = (c->n + n) * 2 + 256;
		c->at = realloc(c->at, c->room);
		if (!c->at)
			abort();
	}
	if (n)
		memcpy(c->at + c->n, from, n);
	c->n += n;
}

void cells_release(struct cells *cells)
{
	free(cells->at);
}

void cells_append(struct cells *to, const struct cells *from)
{
	put(to, from->at, from->n);
	to->rows += from->rows;
}

/* What a cell is, whichever way the batch says so. */
static enum wl_cell_state state_of(const struct wl_batch_column *column, size_t row)
{
	if (column->all_ok || column->all_null)
		return column->all_ok ? WL_CELL_OK : WL_CELL_NULL;
	return (enum wl_cell_state)column->state[row];
}

static void take_cell(struct cells *cells, const struct wl_batch *batch, size_t column, size_t row,
		      enum wl_want want)
{
	const struct wl_batch_column *c = &batch->column[column];
	enum wl_cell_state state = state_of(c, row);
	unsigned char byte = (unsigned char)state;

	put(cells, &byte, 1);
	if (state > WL_CELL_MISTYPED)
		cells->broken = "a cell has a state that is none";
	if (want == WL_WANT_PRESENT && state == WL_CELL_MISTYPED)
		cells->broken = "a present cell is mistyped";
	if (want != WL_WANT_PRESENT && state != WL_CELL_OK && c->value[row] != 0)
		cells->broken = "a cell that is not OK has a value";
	if (state != WL_CELL_OK)
		return;
	if (want == WL_WANT_INT)
		put(cells, &c->value[row], sizeof(c->value[row]));
	if (want == WL_WANT_TEXT || want == WL_WANT_BYTES) {
		put(cells, &c->len[row], sizeof(c->len[row]));
		put(cells, batch->text + c->value[row], c->len[row]);
	}
}

int cells_take(void *ctx, const struct wl_batch *batch, struct wl_err *reterr)
{
	struct cells_reading *r = ctx;

	(void)reterr;
	if (batch->n == 0 || batch->n > WL_BATCH_ROWS)
		r->cells->broken = "a batch has too few or too many rows";
	for (size_t row = 0; row < batch->n; row++) {
		for (size_t i = 0; i < r->scan->n_columns; i++)
			take_cell(r->cells, batch, i, row, r->scan->want[i]);
	}
	r->cells->rows += (int64_t)batch->n;
	return WL_OK;
}

void cells_forget(struct cells *cells)
{
	cells->n = 0;
	cells->rows = 0;
	cells->broken = NULL;
}

/* A cell of serialised rows; *at moves behind it. */
struct cell {
	unsigned state;
	const unsigned char *bytes;
	size_t n;
};

static struct cell next_cell(const unsigned char **at, enum wl_want want)
{
	struct cell cell = { .state = *(*at)++ };
	uint32_t len;

	cell.bytes = *at;
	if (cell.state == WL_CELL_OK && want == WL_WANT_INT)
		cell.n = sizeof(int64_t);
	if (cell.state == WL_CELL_OK && (want == WL_WANT_TEXT || want == WL_WANT_BYTES)) {
		memcpy(&len, *at, sizeof(len));
		cell.n = sizeof(len) + len;
	}
	*at += cell.n;
	return cell;
}

static void show(char *out, size_t room, const struct cell *cell, enum wl_want want)
{
	static const char *const states[] = { "null", "ok", "mistyped" };
	size_t n = 0;
	int64_t value;

	(void)snprintf(out, room, "%s", states[cell->state]);
	if (cell->state != WL_CELL_OK || want == WL_WANT_PRESENT)
		return;
	if (want == WL_WANT_INT) {
		memcpy(&value, cell->bytes, sizeof(value));
		(void)snprintf(out, room, "%" PRId64, value);
		return;
	}
	n = (size_t)snprintf(out, room, "%zu bytes", cell->n - sizeof(uint32_t));
	for (size_t i = sizeof(uint32_t); i < cell->n && i < 24; i++)
		n += (size_t)snprintf(out + n, room - n, " %02x", cell->bytes[i]);
}

/* There is a difference: say where. */
static void tell(const struct cells *want, const struct cells *got, const struct wl_scan *scan,
		 char *why, size_t room)
{
	const unsigned char *w_at = want->at, *g_at = got->at;

	for (int64_t row = 0; row < want->rows; row++) {
		for (size_t i = 0; i < scan->n_columns; i++) {
			struct cell w = next_cell(&w_at, scan->want[i]);
			struct cell g = next_cell(&g_at, scan->want[i]);
			char a[160], b[160];

			if (w.state == g.state && w.n == g.n &&
			    (w.n == 0 || memcmp(w.bytes, g.bytes, w.n) == 0))
				continue;
			show(a, sizeof(a), &w, scan->want[i]);
			show(b, sizeof(b), &g, scan->want[i]);
			(void)snprintf(why, room,
				       "table %s, column %s as %d, row %" PRId64
				       ": sqlite has %s, pages %s",
				       scan->table, scan->column[i], (int)scan->want[i], row, a, b);
			return;
		}
	}
	(void)snprintf(why, room, "table %s: the cells differ", scan->table);
}

bool cells_same(const struct cells *want, const struct cells *got, const struct wl_scan *scan,
		char *why, size_t room)
{
	if (want->rows != got->rows) {
		(void)snprintf(why, room, "table %s: sqlite has %" PRId64 " rows, pages %" PRId64,
			       scan->table, want->rows, got->rows);
		return false;
	}
	if (want->n == got->n && (want->n == 0 || memcmp(want->at, got->at, want->n) == 0))
		return true;
	tell(want, got, scan, why, room);
	return false;
}
