/* SPDX-License-Identifier: MIT */
/* parts.c - cells whose text is in parts; see table.h. */
#include <assert.h>
#include <string.h>

#include "table/table.h"

void wl_put_parts(struct wl_table *t, size_t col, const struct wl_parts *text)
{
	struct wl_parted_cell *cell;
	size_t n = 0;
	char *all;

	assert(col < t->n_cols);
	if (t->failed || !text->part[0])
		return;
	for (size_t i = 0; i < WL_MAX_PARTS && text->part[i]; i++)
		n += strlen(text->part[i]);
	cell = WL_NEW(t->arena, struct wl_parted_cell, 1);
	all = WL_NEW(t->arena, char, n + 1);
	if (!cell || !all) {
		t->failed = true;
		return;
	}
	*cell = (struct wl_parted_cell){ t->n_rows - 1, col, { 0 }, t->parted_cells };
	n = 0;
	for (size_t i = 0, is_over = 0; i < WL_MAX_PARTS; i++) {
		size_t more;

		is_over = is_over || !text->part[i];
		more = is_over ? 0 : strlen(text->part[i]);
		memcpy(all + n, is_over ? "" : text->part[i], more);
		n += more;
		cell->end[i] = (uint32_t)n;
	}
	t->parted_cells = cell;
	wl_put_str(t, col, all);
}

const char *wl_table_parts(const struct wl_table *t, size_t row, size_t col, size_t n,
			   size_t *ret_bytes)
{
	const char *text = wl_table_at(t, row, col).str;
	const struct wl_parted_cell *cell = t->parted_cells;

	while (cell && (cell->row != row || cell->col != col))
		cell = cell->next;
	if (!cell) {
		*ret_bytes = strlen(text);
		return text;
	}
	*ret_bytes = cell->end[n < WL_MAX_PARTS ? n : WL_MAX_PARTS - 1] - cell->end[0];
	return text + cell->end[0];
}
