/* SPDX-License-Identifier: MIT */
#include "cli/commands/capture_ncu.h"

#include <string.h>

#include "session/session.h"

enum { MOST_LAUNCHES = 3 };

/* "kernels --name base --by device" as arguments of the analysis. */
static void set_args(const struct wl_analysis *a, const char *text[WL_MAX_PARAMS])
{
	for (size_t i = 0; i < a->n_params; i++) {
		if (strcmp(a->params[i].key, "name") == 0)
			text[i] = "base";
		else if (strcmp(a->params[i].key, "by") == 0)
			text[i] = "device";
	}
}

struct columns {
	size_t name, category, calls;
};

static bool find_columns(const struct wl_table *t, struct columns *ret)
{
	return wl_table_find_col(t, "name", &ret->name) &&
	       wl_table_find_col(t, "category", &ret->category) &&
	       wl_table_find_col(t, "calls", &ret->calls);
}

static bool is_chosen(const struct wl_chosen_kernels *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++) {
		if (strcmp(c->kernel[i].name, name) == 0)
			return true;
	}
	return false;
}

/* A kernel of several GPUs has a row for each: the first is that with most time. */
static int take_row(const struct wl_table *t, size_t row, const struct columns *cols,
		    struct wl_arena *arena, struct wl_chosen_kernels *ret, struct wl_err *reterr)
{
	const struct wl_cell name = wl_table_at(t, row, cols->name);
	const struct wl_cell category = wl_table_at(t, row, cols->category);
	const struct wl_cell calls = wl_table_at(t, row, cols->calls);
	struct wl_plan_kernel k = { .skip = calls.i64 / 2 };

	if (!name.set || !calls.set || calls.i64 < 1 || is_chosen(ret, name.str) ||
	    (category.set && strcmp(category.str, "communication") == 0))
		return WL_OK;
	k.name = wl_arena_strdup(arena, name.str);
	k.count = calls.i64 - k.skip < MOST_LAUNCHES ? calls.i64 - k.skip : MOST_LAUNCHES;
	if (!k.name)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the names of kernels");
	ret->kernel[ret->n++] = k;
	return WL_OK;
}

static int choose(struct wl_session *session, size_t n, struct wl_arena *arena,
		  struct wl_chosen_kernels *ret, struct wl_err *reterr)
{
	const char *text[WL_MAX_PARAMS] = { NULL };
	const struct wl_request request = { .analysis = wl_analysis_get("kernels"), .args = text };
	struct wl_document doc;
	struct columns cols;
	const struct wl_view *v;
	int r;

	set_args(request.analysis, text);
	r = wl_session_load(session, &request, reterr);
	if (r == WL_OK)
		r = wl_session_run(session, &request, arena, &doc, reterr);
	if (r < 0)
		return r;
	v = &doc.sections[0].view;
	if (!find_columns(v->table, &cols))
		return wl_fail(reterr, WL_E_NODATA, "the table of kernels lacks a column");
	for (size_t i = 0; r == WL_OK && ret->n < n && i < v->n_rows; i++)
		r = take_row(v->table, v->rows[i], &cols, arena, ret, reterr);
	return r;
}

int wl_choose_kernels(const char *database, size_t n, struct wl_arena *arena,
		      struct wl_chosen_kernels *ret, struct wl_err *reterr)
{
	const struct wl_input_opts opts = { .cancel = NULL };
	struct wl_session *session = NULL;
	int r;

	*ret = (struct wl_chosen_kernels){ .kernel = WL_NEW(arena, struct wl_plan_kernel, n) };
	if (!ret->kernel)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the names of kernels");
	r = wl_session_open(database, &opts, &session, reterr);
	if (r < 0)
		return r;
	r = choose(session, n, arena, ret, reterr);
	wl_session_close(session);
	if (r == WL_OK && ret->n == 0)
		r = wl_fail(reterr, WL_E_NODATA,
			    "the trace has no kernel for ncu besides communication");
	return r;
}
