/* SPDX-License-Identifier: MIT */
#include "derive/rows/outermost.h"

#include "base/memory/sort.h"

static bool nesting_less(const void *ctx, uint32_t a, uint32_t b)
{
	return wl_is_outer(ctx, a, b);
}

/*
 * The second pass of a counting sort: rows reach their list in the order of the family, and
 * list[].hi becomes the end of the list.
 */
static void deal(const struct wl_list_deal *by, size_t n_rows, struct wl_slice *list, uint32_t *row)
{
	for (uint32_t i = 0; i < n_rows; i++) {
		uint32_t to = by->list_of(by->ctx, i);

		if (to != WL_NONE)
			row[list[to].hi++] = i;
	}
}

/* Count into hi; then make each list begin where the previous one ends, and empty. */
static size_t lay_out(const struct wl_list_deal *by, size_t n_rows, struct wl_slice *list)
{
	size_t n = 0;

	for (size_t i = 0; i < n_rows; i++) {
		uint32_t to = by->list_of(by->ctx, i);

		if (to != WL_NONE)
			list[to].hi++;
	}
	for (size_t i = 0; i < by->n_lists; i++) {
		size_t length = list[i].hi;

		list[i] = (struct wl_slice){ n, n };
		n += length;
	}
	return n;
}

bool wl_outer_lists_make(const struct wl_trace *trace, const struct wl_list_deal *by,
			 struct wl_arena *arena, struct wl_outer_lists *ret)
{
	const struct wl_family *family = &trace->family[by->family];
	struct wl_key_columns keys = wl_family_keys(by->family);
	bool is_loaded =
		trace->column[keys.start] && trace->column[keys.dur] && trace->column[keys.owner];
	size_t n_rows = is_loaded ? family->n : 0;
	struct wl_slice *list = WL_NEW(arena, struct wl_slice, by->n_lists);
	struct wl_arena scratch;
	uint32_t *row = NULL, *tmp = NULL;
	size_t n;

	*ret = (struct wl_outer_lists){ .family = family,
					.start = trace->column[keys.start],
					.dur = trace->column[keys.dur],
					.list = list };
	wl_arena_init_child(&scratch, arena);
	if (list) {
		n = lay_out(by, n_rows, list);
		ret->row = row = WL_NEW(arena, uint32_t, n);
		tmp = WL_NEW(&scratch, uint32_t, n);
	}
	if (row && tmp) {
		deal(by, n_rows, list, row);
		for (size_t i = 0; i < by->n_lists; i++)
			wl_sort_index(row + list[i].lo, list[i].hi - list[i].lo, tmp, nesting_less,
				      ret);
	}
	wl_arena_release(&scratch);
	return row && tmp;
}
