/* SPDX-License-Identifier: MIT */
#include "derive/rows/outermost.h"

#include "base/sort.h"

static bool nesting_less(const void *ctx, uint32_t a, uint32_t b)
{
	return wl_is_outer(ctx, a, b);
}

static void deal(uint32_t *row, struct wl_slice *list, size_t n_rows, wl_list_fn *list_of,
		 const void *ctx)
{
	for (uint32_t i = 0; i < n_rows; i++) {
		uint32_t to = list_of(ctx, i);

		if (to != WL_NONE)
			row[list[to].hi++] = i;
	}
}

/* Count into hi; then each list begins where the one before it ends, and is empty. */
static size_t lay_out(struct wl_slice *list, size_t n_lists, size_t n_rows, wl_list_fn *list_of,
		      const void *ctx)
{
	size_t n = 0;

	for (size_t i = 0; i < n_rows; i++) {
		uint32_t to = list_of(ctx, i);

		if (to != WL_NONE)
			list[to].hi++;
	}
	for (size_t i = 0; i < n_lists; i++) {
		size_t length = list[i].hi;

		list[i] = (struct wl_slice){ n, n };
		n += length;
	}
	return n;
}

bool wl_outer_lists_make(const struct wl_trace *trace, enum wl_family_id family, size_t n_lists,
			 wl_list_fn *list_of, const void *ctx, struct wl_arena *arena,
			 struct wl_outer_lists *ret)
{
	struct wl_key_columns keys = wl_family_keys(family);
	bool is_loaded =
		trace->column[keys.start] && trace->column[keys.dur] && trace->column[keys.owner];
	size_t n_rows = is_loaded ? trace->family[family].n : 0;
	struct wl_slice *list = WL_NEW(arena, struct wl_slice, n_lists);
	struct wl_arena scratch;
	uint32_t *row = NULL, *tmp = NULL;
	size_t n;

	*ret = (struct wl_outer_lists){ .family = &trace->family[family],
					.start = trace->column[keys.start],
					.dur = trace->column[keys.dur],
					.list = list };
	wl_arena_init_child(&scratch, arena);
	if (list) {
		n = lay_out(list, n_lists, n_rows, list_of, ctx);
		ret->row = row = WL_NEW(arena, uint32_t, n);
		tmp = WL_NEW(&scratch, uint32_t, n);
	}
	if (row && tmp) {
		deal(row, list, n_rows, list_of, ctx);
		for (size_t i = 0; i < n_lists; i++)
			wl_sort_index(row + list[i].lo, list[i].hi - list[i].lo, tmp, nesting_less,
				      ret);
	}
	wl_arena_release(&scratch);
	return row && tmp;
}
