/* SPDX-License-Identifier: MIT */
/*
 * load_all.c - read every column that warplens can read from a trace, more than any verb needs.
 *
 * usage: load_all TRACE THREADS
 *
 * Prints lines to standard error as "warplens --stats" does.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/process/pool.h"
#include "read/input.h"

enum { MAX_THREADS = 1024 };

static int load(const char *path, struct wl_pool *pool, int64_t *ret_rows, struct wl_err *reterr)
{
	const struct wl_input_opts opts = { .pool = pool };
	struct wl_columns all = { { 0 } };
	struct wl_input *input;
	int r = wl_input_open(path, &opts, &input, reterr);

	if (r < 0)
		return r;
	for (size_t c = 0; c < WL_N_COLUMNS; c++)
		wl_columns_add(&all, (enum wl_column_id)c);
	r = wl_input_load(input, &all, reterr);
	for (size_t f = 0; f < WL_N_FAMILIES; f++)
		*ret_rows += (int64_t)wl_input_trace(input)->family[f].n;
	wl_input_close(input);
	return r;
}

int main(int argc, char **argv)
{
	int64_t cpu = wl_clock_cpu_ns(), wall = wl_clock_wall_ns(), rows = 0;
	struct wl_err err = { .code = WL_OK };
	long n_threads = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	struct wl_pool *pool;
	int r;

	if (n_threads < 1 || n_threads > MAX_THREADS) {
		(void)fprintf(stderr, "usage: load_all TRACE THREADS\n");
		return 2;
	}
	pool = wl_pool_new((unsigned)n_threads);
	r = pool ? load(argv[1], pool, &rows, &err) : wl_fail(&err, WL_E_NOMEM, "no memory");
	wl_pool_free(pool);
	if (r < 0) {
		(void)fprintf(stderr, "load_all: %s\n", err.msg);
		return 1;
	}
	(void)fprintf(stderr, "stats: rows loaded %" PRId64 "\n", rows);
	(void)fprintf(stderr, "stats: load %.6f s CPU %.6f s wall\n",
		      (double)(wl_clock_cpu_ns() - cpu) / 1e9,
		      (double)(wl_clock_wall_ns() - wall) / 1e9);
	return 0;
}
