/* SPDX-License-Identifier: MIT */
/* time_funcs.c - what a thread or a process was in at a time: NVTX ranges and steps. */
#include <inttypes.h>

#include "derive/iters/iters.h"
#include "sql/funcs/funcs_parts.h"
#include "sql/path_memo.h"

static struct wl_sql_view *view_of(sqlite3_context *to, enum wl_sql_need need)
{
	struct wl_sql_view *view;
	struct wl_err err = { .code = WL_OK };
	int r = wl_sql_view_get(sqlite3_user_data(to), 0, need, &view, &err);

	if (r == WL_OK)
		return view;
	if (r == WL_E_NOMEM)
		sqlite3_result_error_nomem(to);
	else
		wl_sql_error(to, "%s", err.msg);
	return NULL;
}

static bool is_null(sqlite3_value *value)
{
	return sqlite3_value_type(value) == SQLITE_NULL;
}

/* ---- nvtx_at ---- */

/* Neighbouring rows ask for one thread as a rule: it is kept. */
struct ranges {
	struct wl_path_memo paths;
	int64_t asked;   /* the thread that was asked for last */
	uint32_t thread; /* its index; WL_NONE before the first */
};

static void unmake_ranges(void *made)
{
	wl_path_memo_release(&((struct ranges *)made)->paths);
}

static bool make_ranges(struct wl_sql_view *view, struct wl_budget *budget)
{
	struct ranges *r = WL_NEW(&view->arena, struct ranges, 1);

	if (!r || !wl_path_memo_make(&r->paths, &view->derived, &view->arena, budget))
		return false;
	r->thread = WL_NONE;
	view->made = r;
	view->unmake = unmake_ranges;
	return true;
}

/* By globalTid, which is unique; else by tid, of which there may be several in a job. */
static uint32_t find_thread(const struct wl_trace *t, int64_t asked, size_t *ret_n)
{
	uint32_t found = WL_NONE;

	*ret_n = 0;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		if (t->threads[i].global == (uint64_t)asked) {
			*ret_n = 1;
			return i;
		}
		if (t->threads[i].tid == asked) {
			found = i;
			++*ret_n;
		}
	}
	return found;
}

static uint32_t thread_of(sqlite3_context *to, const struct wl_trace *t, struct ranges *r,
			  int64_t asked)
{
	size_t n;

	if (r->thread != WL_NONE && r->asked == asked)
		return r->thread;
	r->thread = find_thread(t, asked, &n);
	r->asked = asked;
	if (n > 1) {
		r->thread = WL_NONE;
		wl_sql_error(to,
			     "nvtx_at: %zu processes have a thread %" PRId64
			     ": pass its globalTid instead",
			     n, asked);
	}
	return r->thread;
}

static void put_path(sqlite3_context *to, struct ranges *r, uint32_t node)
{
	const char *path = wl_path_memo_get(&r->paths, r->paths.folds.of_node[node]);

	if (path)
		sqlite3_result_text(to, path, -1, SQLITE_TRANSIENT);
	else
		sqlite3_result_error_nomem(to);
}

void wl_sqlf_nvtx_at(sqlite3_context *to, int n, sqlite3_value **arg)
{
	const struct wl_sql_context *ctx = sqlite3_user_data(to);
	struct wl_sql_view *view;
	struct ranges *ranges;
	uint32_t thread, node;

	(void)n;
	if (is_null(arg[0]) || is_null(arg[1]))
		return;
	view = view_of(to, WL_SQL_RANGES);
	if (!view)
		return;
	if (!view->made && !make_ranges(view, ctx->budget)) {
		sqlite3_result_error_nomem(to);
		return;
	}
	ranges = view->made;
	thread = thread_of(to, view->derived.trace, ranges, sqlite3_value_int64(arg[0]));
	if (thread == WL_NONE || view->derived.forest->n == 0)
		return;
	node = wl_forest_open_at(view->derived.forest, thread, sqlite3_value_int64(arg[1]));
	if (node != WL_NONE)
		put_path(to, ranges, node);
}

/* ---- iter_of ---- */

/* The process that a pid names, or the only one that has steps. */
static uint32_t process_of(sqlite3_context *to, const struct wl_sql_view *view, sqlite3_value *pid)
{
	const struct wl_trace *t = view->derived.trace;
	uint32_t found = WL_NONE;
	size_t n = 0;

	for (uint32_t i = 0; i < t->n_processes; i++) {
		if (pid ? t->processes[i].pid != sqlite3_value_int64(pid)
			: view->derived.iterations->process[i].n == 0)
			continue;
		found = i;
		n++;
	}
	if (n > 1 && pid)
		wl_sql_error(to, "iter_of: %zu processes of this job have this pid", n);
	else if (n > 1)
		wl_sql_error(to, "iter_of: %zu processes have steps of their own: iter_of(t, pid)",
			     n);
	return n == 1 ? found : WL_NONE;
}

void wl_sqlf_iter_of(sqlite3_context *to, int n, sqlite3_value **arg)
{
	const struct wl_process_iters *iters;
	const struct wl_sql_view *view;
	uint32_t process, step;

	if (is_null(arg[0]) || (n > 1 && is_null(arg[1])))
		return;
	view = view_of(to, WL_SQL_STEPS);
	if (!view)
		return;
	process = process_of(to, view, n > 1 ? arg[1] : NULL);
	if (process == WL_NONE)
		return;
	iters = &view->derived.iterations->process[process];
	step = iters->n ? wl_iteration_around(iters, sqlite3_value_int64(arg[0])) : WL_NONE;
	if (step != WL_NONE)
		sqlite3_result_int64(to, step);
}
