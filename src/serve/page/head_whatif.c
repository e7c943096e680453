/* SPDX-License-Identifier: MIT */
/* head_whatif.c - what the run would take if something were different, in the head. */
#include <string.h>

#include "serve/page/head_parts.h"

/* A replay takes time in proportion to the operations: a page of more is written without them. */
enum { MAX_OPS = 150000 };

static size_t n_ops(const struct wl_trace *t)
{
	size_t n = 0;

	for (size_t f = 0; f < WL_N_OP_FAMILIES; f++)
		n += t->family[wl_op_families[f]].n;
	return n;
}

static void put_cell(struct wl_jsonw *out, const struct wl_table *t, size_t row, const char *key)
{
	size_t col;
	const bool is_there = wl_table_find_col(t, key, &col);
	const struct wl_cell cell =
		is_there ? wl_table_at(t, row, col) : (struct wl_cell){ .set = false };

	if (!cell.set)
		wl_jsonw_null(out);
	else if (wl_type_is_text(t->cols[col].type))
		wl_jsonw_str(out, cell.str);
	else
		wl_jsonw_i64(out, cell.i64);
}

/* Reasons may name what a page with hashed names must not. */
static void put_rows(const struct wl_table *t, bool is_redacted, struct wl_jsonw *out)
{
	static const char *const keys[] = { "scenario", "per_step", "saving",
					    "measured", "forecast", "next" };

	for (size_t row = 0; row < t->n_rows; row++) {
		wl_jsonw_begin_array(out);
		for (size_t k = 0; k < WL_COUNT(keys); k++)
			put_cell(out, t, row, keys[k]);
		if (is_redacted)
			wl_jsonw_null(out);
		else
			put_cell(out, t, row, "why");
		wl_jsonw_end_array(out);
	}
}

/* One run of the command for all: most of its time is spent before the first replay. */
static bool put_answers(const struct wl_head *head, const struct wl_scene *scene,
			struct wl_jsonw *out, struct wl_arena *arena)
{
	const struct wl_analysis *whatif = wl_analysis_get("whatif");
	const char *args[WL_MAX_PARAMS] = { NULL };
	struct wl_document doc;
	struct wl_request request = scene->request;
	struct wl_err err;
	int r;

	for (size_t i = 0; i < whatif->n_params; i++) {
		if (strcmp(whatif->params[i].key, "sweep") == 0)
			args[i] = "true";
	}
	/* As of findings: a window sets the first view only, unless the file has nothing else. */
	if (!head->show->in_window)
		request.selection.window = NULL;
	request.analysis = whatif;
	request.args = args;
	r = wl_session_run(scene->session, &request, arena, &doc, &err);
	wl_jsonw_begin_array(out);
	if (r == WL_OK && doc.n_sections > 0 && doc.sections[0].view.table)
		put_rows(doc.sections[0].view.table, head->naming == WL_NAMES_REDACTED, out);
	wl_jsonw_end_array(out);
	return r != WL_E_NOMEM;
}

bool wl_head_whatif(const struct wl_head *head, size_t number, struct wl_jsonw *out,
		    struct wl_arena *arena)
{
	const struct wl_scene *scene = head->show->scene[number];

	wl_jsonw_key(out, "whatif");
	if (scene->session && head->show->n == 1 && n_ops(scene->trace) <= MAX_OPS)
		return put_answers(head, scene, out, arena);
	wl_jsonw_null(out);
	return true;
}
