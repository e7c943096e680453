/* SPDX-License-Identifier: MIT */
/* time_funcs.c - what a thread or a process was in at a time: NVTX ranges and steps. */
#include <inttypes.h>

#include "derive/iters/iters.h"
#include "derive/nvtx/ranks.h"
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

/* The third argument; -1: there is none. */
static int64_t rank_of(int n, sqlite3_value **arg)
{
	return n > 2 && !is_null(arg[2]) ? sqlite3_value_int64(arg[2]) : -1;
}

/* ---- nvtx_at ---- */

/* Neighbouring rows ask for one thread as a rule: it is kept. */
struct ranges {
	struct wl_path_memo paths;
	int64_t asked;   /* the thread that was asked for last */
	int64_t rank;    /* with it; -1: none */
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

/* Of the rank that was asked for; -1: of any. */
static bool is_of_rank(const struct wl_sql_view *view, uint32_t process, int64_t rank)
{
	return rank < 0 || view->derived.ranks->of[process] == rank;
}

/* By globalTid or tid; hosts of a job number their threads without each other. */
static uint32_t find_thread(const struct wl_sql_view *view, int64_t asked, int64_t rank,
			    size_t *ret_n)
{
	const struct wl_trace *t = view->derived.trace;
	uint32_t found = WL_NONE;

	*ret_n = 0;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		if ((t->threads[i].global != (uint64_t)asked && t->threads[i].tid != asked) ||
		    !is_of_rank(view, t->threads[i].process, rank))
			continue;
		found = i;
		++*ret_n;
	}
	return found;
}

static uint32_t thread_of(sqlite3_context *to, const struct wl_sql_view *view, int64_t asked,
			  int64_t rank)
{
	struct ranges *r = view->made;
	size_t n;

	if (r->thread != WL_NONE && r->asked == asked && r->rank == rank)
		return r->thread;
	r->thread = find_thread(view, asked, rank, &n);
	r->asked = asked;
	r->rank = rank;
	if (n > 1) {
		r->thread = WL_NONE;
		wl_sql_error(to,
			     "nvtx_at: %zu processes have a thread %" PRId64
			     ": pass its globalTid instead, or the rank: nvtx_at(tid, t, rank)",
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
	thread = thread_of(to, view, sqlite3_value_int64(arg[0]), rank_of(n, arg));
	if (thread == WL_NONE || view->derived.forest->n == 0)
		return;
	node = wl_forest_open_at(view->derived.forest, thread, sqlite3_value_int64(arg[1]));
	if (node != WL_NONE)
		put_path(to, ranges, node);
}

/* ---- iter_of ---- */

/* The process that a pid, or a pid and a rank, names; or the only one that has steps. */
static uint32_t process_of(sqlite3_context *to, const struct wl_sql_view *view, sqlite3_value *pid,
			   int64_t rank)
{
	const struct wl_trace *t = view->derived.trace;
	uint32_t found = WL_NONE;
	size_t n = 0;

	for (uint32_t i = 0; i < t->n_processes; i++) {
		if ((pid ? t->processes[i].pid != sqlite3_value_int64(pid)
			 : view->derived.iterations->process[i].n == 0) ||
		    !is_of_rank(view, i, rank))
			continue;
		found = i;
		n++;
	}
	if (n > 1 && pid)
		wl_sql_error(to,
			     "iter_of: %zu processes of this job have this pid: iter_of(t, pid, "
			     "rank)",
			     n);
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
	process = process_of(to, view, n > 1 ? arg[1] : NULL, rank_of(n, arg));
	if (process == WL_NONE)
		return;
	iters = &view->derived.iterations->process[process];
	step = iters->n ? wl_iteration_around(iters, sqlite3_value_int64(arg[0])) : WL_NONE;
	if (step != WL_NONE)
		sqlite3_result_int64(to, step);
}
