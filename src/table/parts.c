/* SPDX-License-Identifier: MIT */
/* parts.c - cells whose text is in parts; see table.h. */
#include <assert.h>
#include <string.h>

#include "table/table.h"

/* A text as it is put together; both from the arena of the table. */
struct parted {
	struct wl_parted_cell *cell;
	char *text;
};

/* False where memory is exhausted, which the table remembers. */
static bool init(struct wl_table *t, size_t col, size_t size, struct parted *ret)
{
	ret->cell = WL_NEW(t->arena, struct wl_parted_cell, 1);
	ret->text = WL_NEW(t->arena, char, size + 1);
	if (!ret->cell || !ret->text) {
		t->failed = true;
		return false;
	}
	*ret->cell = (struct wl_parted_cell){ t->n_rows - 1, col, { 0 }, t->parted_cells };
	return true;
}

static void put(struct wl_table *t, size_t col, const struct parted *p)
{
	t->parted_cells = p->cell;
	wl_put_str(t, col, p->text);
}

void wl_put_stops(struct wl_table *t, size_t col, const char *text)
{
	struct parted p;
	size_t n = 0, part = 1;

	assert(col < t->n_cols);
	if (t->failed || !text || !init(t, col, strlen(text), &p))
		return;
	for (; *text; text += *text == *WL_STOP) {
		size_t more = strcspn(text, WL_STOP);

		memcpy(p.text + n, text, more);
		n += more;
		text += more;
		p.cell->end[part] = (uint32_t)n;
		/* Text behind more marks than there are parts is of the last part. */
		part += part + 1 < WL_MAX_PARTS;
	}
	for (; part < WL_MAX_PARTS; part++)
		p.cell->end[part] = (uint32_t)n;
	put(t, col, &p);
}

void wl_put_parts(struct wl_table *t, size_t col, const struct wl_parts *text)
{
	struct parted p;
	size_t n = 0;

	assert(col < t->n_cols);
	if (t->failed || !text->part[0])
		return;
	for (size_t i = 0; i < WL_MAX_PARTS && text->part[i]; i++)
		n += strlen(text->part[i]);
	if (!init(t, col, n, &p))
		return;
	n = 0;
	for (size_t i = 0, is_over = 0; i < WL_MAX_PARTS; i++) {
		size_t more;

		is_over = is_over || !text->part[i];
		more = is_over ? 0 : strlen(text->part[i]);
		memcpy(p.text + n, is_over ? "" : text->part[i], more);
		n += more;
		p.cell->end[i] = (uint32_t)n;
	}
	put(t, col, &p);
}

const char *wl_table_parts(const struct wl_table *t, size_t row, size_t col, size_t n,
			   size_t *ret_bytes)
{
	const char *text = wl_table_at(t, row, col).str;
	const struct wl_parted_cell *cell = t->parted_cells;

	/* Linear in such cells, of which a table has a few for each finding. */
	while (cell && (cell->row != row || cell->col != col))
		cell = cell->next;
	if (!cell) {
		*ret_bytes = strlen(text);
		return text;
	}
	*ret_bytes = cell->end[n < WL_MAX_PARTS ? n : WL_MAX_PARTS - 1] - cell->end[0];
	return text + cell->end[0];
}

const char *wl_table_beyond(const struct wl_table *t, size_t row, size_t col, size_t n)
{
	size_t bytes;
	const char *rest = wl_table_parts(t, row, col, n, &bytes);
	const char *blank = strchr(rest += bytes, ' ');

	return blank ? blank + 1 : rest;
}
