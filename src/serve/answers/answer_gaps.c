/* SPDX-License-Identifier: MIT */
/*
 * answer_gaps.c - the gaps of a range, of one GPU or of all of all traces.
 *
 * Each trace is asked by itself, in the range from its own origin; the longest of all are
 * the answer, with GPUs and times as the page counts them.
 */
#include <inttypes.h>
#include <stdio.h>

#include "serve/answers/answer_rows.h"
#include "serve/answers/answer_window.h"

static const char shown[] = "device,start,duration,cause,detail,before,after,opened_by,opened_in";

enum { DEVICE, START, N_COLS = 9 }; /* of the shown ones */

/* What is asked, and what is found. */
struct asking {
	const struct wl_ask *ask;
	struct wl_interval range;
	int64_t min, device; /* device: of all; -1: any */
	struct wl_table table;
	size_t n_total, n_traces; /* gaps that there are; traces that have a say */
};

/* The GPU as the page counts it is one of this trace, or any is asked for. */
static bool is_asked(const struct asking *a, size_t scene)
{
	const struct wl_show *show = &a->ask->served->show;
	int64_t first = (int64_t)wl_show_first_device(show, scene);

	return a->device < 0 || (a->device >= first &&
				 a->device < first + (int64_t)show->scene[scene]->trace->n_devices);
}

static bool make_columns(struct asking *a, const struct wl_view *view)
{
	struct wl_col *cols = WL_NEW(a->ask->arena, struct wl_col, N_COLS);

	for (size_t i = 0; cols && i < N_COLS; i++)
		cols[i] = view->table->cols[view->cols[i]];
	if (cols)
		wl_table_init(&a->table, a->ask->arena, cols, N_COLS);
	return cols != NULL;
}

static void put_cell(struct wl_table *to, size_t col, struct wl_cell cell)
{
	if (!cell.set)
		return;
	if (wl_type_is_text(to->cols[col].type))
		wl_put_str(to, col, cell.str);
	else
		wl_put_i64(to, col, cell.i64);
}

static void put_rows(struct asking *a, size_t scene, const struct wl_view *view)
{
	const struct wl_show *show = &a->ask->served->show;

	for (size_t i = 0; i < view->n_rows; i++) {
		wl_table_row(&a->table);
		for (size_t c = 0; c < N_COLS; c++) {
			struct wl_cell cell =
				wl_table_at(view->table, view->rows[i], view->cols[c]);

			if (c == DEVICE)
				cell.i64 += (int64_t)wl_show_first_device(show, scene);
			else if (c == START)
				cell.i64 -= wl_show_origin(show, scene);
			put_cell(&a->table, c, cell);
		}
	}
}

static int ask_trace(struct asking *a, size_t scene, struct wl_err *reterr)
{
	int64_t first = (int64_t)wl_show_first_device(&a->ask->served->show, scene);
	struct wl_asked_window w = { .which = scene };
	struct wl_document doc;
	char length[32], gpu[32];
	int r;

	wl_window_put(&w, a->ask, scene, &a->range);
	w.request.analysis = wl_analysis_get("gaps");
	w.request.view.columns = shown;
	w.request.view.limit = WL_ANSWER_MAX_ROWS;
	(void)snprintf(length, sizeof(length), "%" PRId64 "ns", a->min);
	w.args[0] = length;
	(void)snprintf(gpu, sizeof(gpu), "%" PRId64, a->device - first);
	if (a->device >= 0)
		w.request.selection.gpu = gpu;
	r = wl_window_run(&w, a->ask, &doc, reterr);
	if (r < 0)
		return r;
	if (doc.n_sections != 1 || doc.sections[0].missing)
		return wl_fail(reterr, WL_E_NODATA, "the trace has no GPU operations");
	if (a->n_traces++ == 0 && !make_columns(a, &doc.sections[0].view))
		return wl_fail(reterr, WL_E_NOMEM, "no memory for gaps");
	a->n_total += doc.sections[0].view.n_total;
	put_rows(a, scene, &doc.sections[0].view);
	return WL_OK;
}

/* A trace without GPU operations is silent, unless all are. */
static int ask_traces(struct asking *a, struct wl_err *reterr)
{
	int r = wl_fail(reterr, WL_E_USAGE, "device: there is no such GPU");

	for (size_t s = 0; s < a->ask->served->show.n; s++) {
		if (!is_asked(a, s))
			continue;
		r = ask_trace(a, s, reterr);
		if (r < 0 && r != WL_E_NODATA)
			return r;
	}
	return a->n_traces > 0 ? WL_OK : r;
}

int wl_answer_gaps(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	struct asking a = { .ask = ask, .device = -1 };
	struct wl_view view;
	int r = wl_ask_range(ask, &a.range, reterr);

	if (r == WL_OK)
		r = wl_query_i64(ask->query, "min", 0, WL_ASK_TIME_MAX, &a.min, reterr);
	if (r == WL_OK)
		r = wl_query_i64(ask->query, "device", -1, UINT32_MAX, &a.device, reterr);
	if (r == WL_OK)
		r = ask_traces(&a, reterr);
	if (r == WL_OK && !wl_table_ok(&a.table))
		r = wl_fail(reterr, WL_E_NOMEM, "no memory for gaps");
	if (r == WL_OK)
		r = wl_view_make(&a.table, &(struct wl_view_opts){ .sort = "duration" }, ask->arena,
				 &view, reterr);
	if (r < 0)
		return r;
	view.n_total = a.n_total;
	return wl_answer_rows(ret, &view, 0, reterr);
}
