/* SPDX-License-Identifier: MIT */
#include "serve/answers/answer_rows.h"

#include "render/data/json_row.h"

void wl_lane_touching(const struct wl_lane *lane, wl_ns begin, wl_ns end, size_t *lo, size_t *hi)
{
	*lo = wl_lane_from(lane, begin);
	*hi = wl_lane_from(lane, end);
	if (*lo > 0 && wl_lane_end(lane, *lo - 1) > begin)
		--*lo;
}

static void put_columns(struct wl_jsonw *w, const struct wl_view *view)
{
	wl_jsonw_open_array(w, "columns");
	for (size_t i = 0; i < view->n_cols; i++) {
		const struct wl_col *col = &view->table->cols[view->cols[i]];

		wl_jsonw_begin_object(w);
		wl_jsonw_put_str(w, "key", col->key);
		wl_jsonw_put_str(w, "title", col->title);
		wl_jsonw_put_str(w, "type", wl_type_name(col->type));
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
}

static void put_cell(struct wl_jsonw *w, enum wl_type type, struct wl_cell cell, wl_ns origin)
{
	/*
	 * Pages count from the origin of a trace, so that times fit in the 53 bits of a JavaScript
	 * number.
	 */
	if (cell.set && type == WL_T_TIME)
		cell.i64 -= origin;
	wl_json_cell(w, type, cell);
}

static size_t put_rows(struct wl_jsonw *w, const struct wl_view *view, wl_ns origin)
{
	size_t n = view->n_rows < WL_ANSWER_MAX_ROWS ? view->n_rows : WL_ANSWER_MAX_ROWS;

	wl_jsonw_open_array(w, "rows");
	for (size_t i = 0; i < n; i++) {
		wl_jsonw_begin_array(w);
		for (size_t k = 0; k < view->n_cols; k++) {
			size_t col = view->cols[k];

			put_cell(w, view->table->cols[col].type,
				 wl_table_at(view->table, view->rows[i], col), origin);
		}
		wl_jsonw_end_array(w);
	}
	wl_jsonw_end_array(w);
	return n;
}

int wl_answer_rows(struct wl_answer *ret, const struct wl_view *view, wl_ns origin,
		   struct wl_err *reterr)
{
	struct wl_json_answer j;
	size_t n;
	int r = wl_answer_begin_json(ret, &j, reterr);

	if (r < 0)
		return r;
	wl_jsonw_begin_object(&j.json);
	put_columns(&j.json, view);
	n = put_rows(&j.json, view, origin);
	wl_jsonw_put_i64(&j.json, "total", (int64_t)view->n_total);
	wl_jsonw_put_bool(&j.json, "truncated", view->n_total > n);
	wl_jsonw_end_object(&j.json);
	return wl_answer_end_json(ret, &j, reterr);
}
