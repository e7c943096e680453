/* SPDX-License-Identifier: MIT */
/*
 * fuzz_where.c - the bytes are an expression of --where.
 *
 * An expression is refused with a message, or says of every row whether to keep it. Its
 * negation then says the opposite, unless it is nested too deeply. One that closes
 * more than it has opened, as "a) or (b" does, may be a part of one that is not refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "table/filter.h"

enum { NAME, KIND, CALLS, BEGIN, TIME, SIZE, SHARE, RATE, MEAN, PID, GRAPH, N_COLS };
enum { N_ROWS = 3, MEMORY = 16 << 20, REFUSED = -1, GIVEN_UP = -2 };

static const struct wl_col cols[] = {
	[NAME] = { "name", "Name", WL_T_STR, WL_KEY, "" },
	[KIND] = { "kind", "Kind of row", WL_T_ENUM, WL_PLAIN, "" },
	[CALLS] = { "calls", "Calls", WL_T_COUNT, WL_PLAIN, "" },
	[BEGIN] = { "begin", "Begin", WL_T_TIME, WL_PLAIN, "" },
	[TIME] = { "time", "Time", WL_T_NS, WL_PLAIN, "" },
	[SIZE] = { "size", "Size", WL_T_BYTES, WL_PLAIN, "" },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN, "" },
	[RATE] = { "rate", "Rate", WL_T_RATE, WL_PLAIN, "" },
	[MEAN] = { "mean", "Mean", WL_T_REAL, WL_PLAIN, "" },
	[PID] = { "pid", "PID", WL_T_ID, WL_PLAIN, "" },
	[GRAPH] = { "graph", "Graph", WL_T_BOOL, WL_PLAIN, "" },
};

static void need(bool promised)
{
	if (!promised)
		abort();
}

/* A row with all cells, one without any, and one of extremes. */
static void fill(struct wl_table *t)
{
	wl_table_row(t);
	wl_put_str(t, NAME, "sm80_gemm<f16> 'x'");
	wl_put_str(t, KIND, "compute");
	wl_put_i64(t, CALLS, 1500);
	wl_put_i64(t, BEGIN, 39000000000);
	wl_put_i64(t, TIME, 10000);
	wl_put_i64(t, SIZE, 65536);
	wl_put_f64(t, SHARE, 0.05);
	wl_put_f64(t, RATE, 12.3e9);
	wl_put_f64(t, MEAN, 2.5);
	wl_put_i64(t, PID, 4711);
	wl_put_i64(t, GRAPH, 1);
	wl_table_row(t);
	wl_table_row(t);
	wl_put_str(t, NAME, "");
	wl_put_i64(t, CALLS, INT64_MAX);
	wl_put_i64(t, TIME, INT64_MIN);
	wl_put_f64(t, MEAN, -0.0);
	wl_put_i64(t, GRAPH, 0);
	need(wl_table_ok(t) && t->n_rows == N_ROWS);
}

/* Whether it closes a parenthesis that it has not opened. */
static bool closes_early(const char *expr)
{
	long depth = 0;

	for (; *expr && depth >= 0; expr++)
		depth += (*expr == '(') - (*expr == ')');
	return depth < 0;
}

/* What the expression says of each row: 1 keep, 0 drop, or why it says nothing. */
static void ask(const struct wl_table *t, const char *expr, int *ret)
{
	struct wl_filter f = { .table = NULL };
	struct wl_err err = { .code = WL_OK };
	struct wl_arena arena;
	int r;

	wl_arena_init(&arena, MEMORY);
	r = wl_filter_init(&f, t, expr, &arena, &err);
	need(r == WL_OK || ((r == WL_E_USAGE || r == WL_E_NOMEM) && err.code == r && *err.msg));
	for (size_t row = 0; row < N_ROWS; row++) {
		int keep = r == WL_OK ? wl_filter_match(&f, row, &err) : REFUSED;

		need(r != WL_OK || keep == 0 || keep == 1 || keep == WL_E_TIMEOUT ||
		     keep == WL_E_NOMEM);
		ret[row] = r == WL_OK && keep < 0 ? GIVEN_UP : keep;
	}
	wl_filter_release(&f);
	wl_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct wl_arena arena;
	static struct wl_table table;
	size_t room = size + sizeof("not ()");
	char *expr = malloc(room), *negation = malloc(room);
	int said[N_ROWS], opposite[N_ROWS];

	need(expr && negation);
	if (table.n_rows == 0) {
		wl_arena_init(&arena, MEMORY);
		wl_table_init(&table, &arena, cols, N_COLS);
		fill(&table);
	}
	(void)snprintf(expr, room, "%.*s", (int)size, (const char *)data);
	(void)snprintf(negation, room, "not (%s)", expr);
	ask(&table, expr, said);
	ask(&table, negation, opposite);
	for (size_t row = 0; row < N_ROWS; row++) {
		need(said[row] >= 0 || opposite[row] < 0 || closes_early(expr));
		need(said[row] < 0 || opposite[row] < 0 || said[row] == !opposite[row]);
	}
	free(expr);
	free(negation);
	return 0;
}
