/* SPDX-License-Identifier: MIT */
/* head_lateness.c - the heat map of a trace in the head: how late each rank is in each step. */
#include "known/palette.h"
#include "serve/page/head_parts.h"

enum { MAX_ROWS = 64, MAX_COLUMNS = 128 };

_Static_assert((int)WL_HEAT_INKS == (int)WL_N_HEATS, "a level has an ink of the palette");

/* Whether the page has the step. */
static bool is_listed(const struct wl_head *head, size_t scene, const struct wl_heat_item *item)
{
	const struct wl_scene *s = head->show->scene[scene];
	const int64_t device = s->lateness.subject[item->subject].device;
	const struct wl_process_iters *iters = wl_device_iters(s, (uint32_t)device);
	const struct wl_interval shown = wl_show_extent(head->show, scene);

	return iters && item->step >= 0 && (uint64_t)item->step < iters->n &&
	       iters->at[item->step].tile.begin < shown.end &&
	       iters->at[item->step].tile.end > shown.begin;
}

/* The steps that the page has. */
static bool find_listed(const struct wl_head *head, size_t scene, struct wl_arena *arena,
			struct wl_heat *ret)
{
	const struct wl_heat *all = &head->show->scene[scene]->lateness;
	struct wl_heat_item *item = WL_NEW(arena, struct wl_heat_item, all->n_items);

	*ret = *all;
	ret->item = item;
	ret->n_items = 0;
	for (size_t i = 0; item && i < all->n_items; i++) {
		const struct wl_heat_item *at = &all->item[i];

		if (!is_listed(head, scene, at))
			continue;
		ret->first = ret->n_items == 0 || at->step < ret->first ? at->step : ret->first;
		ret->last = ret->n_items == 0 || at->step > ret->last ? at->step : ret->last;
		item[ret->n_items++] = *at;
	}
	return item != NULL;
}

static void put_subjects(const struct wl_heat *heat, size_t first_device, struct wl_jsonw *out)
{
	wl_jsonw_open_array(out, "subjects");
	for (size_t i = 0; i < heat->n_subjects; i++) {
		wl_jsonw_begin_array(out);
		wl_jsonw_i64(out, (int64_t)first_device + heat->subject[i].device);
		wl_jsonw_i64(out, heat->subject[i].rank);
		wl_jsonw_end_array(out);
	}
	wl_jsonw_end_array(out);
}

static void put_inks(const struct wl_heat *heat, struct wl_jsonw *out)
{
	wl_jsonw_open_array(out, "inks");
	for (unsigned i = 0; i < heat->n_levels; i++)
		wl_jsonw_i64(out, wl_heat_ink(heat, i));
	wl_jsonw_end_array(out);
}

/* By row and column the largest value, -1 for none; and which of the cells in it that is. */
static void put_cells(const struct wl_heat *heat, const struct wl_heat_fold *fold,
		      struct wl_jsonw *out)
{
	const size_t n = fold->n_rows * fold->n_cols;

	wl_jsonw_open_array(out, "ns");
	for (size_t i = 0; i < n; i++)
		wl_jsonw_i64(out,
			     fold->cell[i] == WL_NO_ROW ? -1 : heat->item[fold->cell[i]].value);
	wl_jsonw_end_array(out);
	wl_jsonw_key(out, "which");
	if (fold->per_row == 1 && fold->per_col == 1) {
		wl_jsonw_null(out);
		return;
	}
	wl_jsonw_begin_array(out);
	for (size_t i = 0; i < n; i++) {
		const struct wl_heat_item *at =
			fold->cell[i] == WL_NO_ROW ? NULL : &heat->item[fold->cell[i]];

		wl_jsonw_i64(out, at ? (int64_t)(at->subject % fold->per_row * fold->per_col +
						 (uint64_t)(at->step - heat->first) % fold->per_col)
				     : 0);
	}
	wl_jsonw_end_array(out);
}

bool wl_head_lateness(const struct wl_head *head, size_t scene, struct wl_jsonw *out,
		      struct wl_arena *arena)
{
	struct wl_heat_fold fold;
	struct wl_heat heat;

	wl_jsonw_key(out, "lateness");
	if (!find_listed(head, scene, arena, &heat))
		return false;
	if (heat.n_items == 0) {
		wl_jsonw_null(out);
		return true;
	}
	if (!wl_heat_fold(&heat, MAX_ROWS, MAX_COLUMNS, arena, &fold))
		return false;
	wl_jsonw_begin_object(out);
	wl_jsonw_put_i64(out, "first", heat.first);
	wl_jsonw_put_i64(out, "last", heat.last);
	wl_jsonw_put_i64(out, "columns", (int64_t)fold.n_cols);
	wl_jsonw_put_i64(out, "perRow", (int64_t)fold.per_row);
	wl_jsonw_put_i64(out, "perColumn", (int64_t)fold.per_col);
	wl_jsonw_put_i64(out, "pace", heat.pace);
	put_inks(&heat, out);
	put_subjects(&heat, wl_show_first_device(head->show, scene), out);
	put_cells(&heat, &fold, out);
	wl_jsonw_end_object(out);
	return true;
}
