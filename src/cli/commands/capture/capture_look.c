/* SPDX-License-Identifier: MIT */
#include "cli/commands/capture/capture_look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/sort.h"
#include "cli/answer.h"
#include "cli/commands/asking.h"
#include "cli/commands/report/report.h"
#include "session/open/session.h"

/* Tables of events; those of the second group describe what was recorded. */
static int64_t *counter(struct wl_report_facts *f, const char *table)
{
	if (strcmp(table, "CUPTI_ACTIVITY_KIND_KERNEL") == 0 ||
	    strcmp(table, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE") == 0)
		return &f->n_kernels;
	if (strcmp(table, "CUPTI_ACTIVITY_KIND_RUNTIME") == 0 ||
	    strcmp(table, "CUPTI_ACTIVITY_KIND_DRIVER") == 0)
		return &f->n_cuda;
	return strcmp(table, "NVTX_EVENTS") == 0 ? &f->n_ranges : NULL;
}

static bool has_events(const char *table)
{
	static const char *const names[] = { "CUPTI_ACTIVITY_",  "NVTX_EVENTS",  "OSRT_API",
					     "COMPOSITE_EVENTS", "SCHED_EVENTS", "MPI_",
					     "CUBLAS_EVENTS",    "CUDNN_EVENTS", "GPU_METRICS" };

	for (size_t i = 0; i < WL_COUNT(names); i++) {
		if (strncmp(table, names[i], strlen(names[i])) == 0)
			return true;
	}
	return false;
}

/* By the number of rows of each table: no event is decoded. */
static void count(const struct wl_trace *t, struct wl_report_facts *f)
{
	const uint32_t *names = wl_tables_name(t);
	const int64_t *rows = wl_tables_rows(t);

	for (size_t i = 0; names && rows && i < t->family[WL_F_TABLES].n; i++) {
		const char *table = wl_str(t, names[i]);
		int64_t *n = counter(f, table);

		if (n)
			*n += rows[i];
		if (has_events(table))
			f->n_events += rows[i];
	}
}

int wl_capture_look(void *ctx, const char *database, struct wl_report_facts *ret,
		    struct wl_err *reterr)
{
	static const enum wl_column_id columns[] = { WL_TABLES_NAME, WL_TABLES_ROWS, WL_N_COLUMNS };
	struct wl_visitor visitor = { .name = "capture" };
	const struct wl_request request = { .visitor = &visitor };
	const struct wl_input_opts opts = { .cancel = NULL };
	struct wl_session *session = NULL;
	int r = wl_session_open(database, &opts, &session, reterr);

	(void)ctx;
	*ret = (struct wl_report_facts){ 0 };
	if (r < 0)
		return r;
	wl_want(&visitor.wanted, 0, columns);
	r = wl_session_load(session, &request, reterr);
	if (r == WL_OK)
		count(wl_session_trace(session), ret);
	wl_session_close(session);
	return r;
}

/* Median of what has a period: the last iteration has none. */
static int64_t median_period(const struct wl_table *t, struct wl_arena *arena)
{
	int64_t *period = WL_NEW(arena, int64_t, t->n_rows);
	size_t n = 0, col = 0;

	while (col < t->n_cols && strcmp(t->cols[col].key, "period") != 0)
		col++;
	for (size_t i = 0; period && col < t->n_cols && i < t->n_rows; i++) {
		const struct wl_cell cell = wl_table_at(t, i, col);

		if (cell.set)
			period[n++] = cell.i64;
	}
	if (n == 0)
		return -1;
	wl_sort_i64(period, n);
	return period[wl_rank(n, 50)];
}

/*
 * As iters finds it, so that runs list, the table of a sweep and iters of the trace say the same.
 */
int64_t wl_capture_step(const struct wl_invocation *inv, const char *path)
{
	static const char *const args[WL_MAX_PARAMS];
	struct wl_asking asking = { .inv = inv };
	const struct wl_view *view;
	struct wl_err err;
	int64_t step = -1;

	if (wl_asking_run(&asking, path, wl_analysis_get("iters"), args, &view, &err) == WL_OK)
		step = median_period(view->table, &asking.arena);
	wl_asking_release(&asking);
	return step;
}

/* The command line of another verb about a trace; NULL without memory. */
static struct wl_invocation *as(const struct wl_invocation *inv, const char *verb, const char *path)
{
	struct wl_invocation *one = malloc(sizeof(*one));
	struct wl_err err;

	if (!one)
		return NULL;
	*one = *inv;
	one->operand[0] = path;
	one->n_operands = 1;
	if (wl_opt_as(one, verb, &err) == WL_OK)
		return one;
	free(one);
	return NULL;
}

int wl_capture_open(const struct wl_invocation *inv, const char *path)
{
	struct wl_invocation *one = as(inv, "summary", path);
	int status = one ? wl_answer(one) : 6;

	free(one);
	return status;
}

int wl_capture_report(const struct wl_invocation *inv, const char *path, const char *dir)
{
	struct wl_invocation *one = as(inv, "report", path);
	int status;

	if (!one)
		return 6;
	one->opt.output = dir;
	status = wl_report_run(one, true);
	free(one);
	return status;
}

static bool is_program(const char *dir, size_t n, const char *name)
{
	char path[WL_PATH_CAP];
	const int len = snprintf(path, sizeof(path), "%.*s%s%s", (int)n, dir, n ? "/" : "", name);

	return len > 0 && len < WL_PATH_CAP && access(path, X_OK) == 0;
}

int wl_capture_find_program(const char *name, struct wl_err *reterr)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/')) {
		if (is_program("", 0, name))
			return WL_OK;
		path = NULL;
	}
	while (path && *path) {
		const size_t n = strcspn(path, ":");

		if (is_program(path, n, name))
			return WL_OK;
		path += n + (path[n] == ':');
	}
	return wl_fail(reterr, WL_E_USAGE, "cannot run \"%.200s\": %s", name,
		       strchr(name, '/') ? "it is not a program" : "command not found");
}
