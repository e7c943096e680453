/* SPDX-License-Identifier: MIT */
/*
 * Both readers, on any number of threads, give the same model: every column, string and
 * table of the catalogue, byte for byte.
 *
 *   property columns          the traces of $WARPLENS_SHARED/corpus and $WARPLENS_FIXTURES
 *   property columns FILE...  these
 */
#include <stdio.h>

#include "base/process/pool.h"
#include "read/input.h"
#include "read/reader.h"
#include "support/invariants.h"
#include "support/same_trace.h"
#include "support/test_main.h"
#include "support/traces.h"

enum { SKIPPED = 77 };

struct comparing {
	size_t n_traces, n_rows, n_left, n_failed;
};

static struct wl_input *load(const char *path, const struct wl_reader_ops *reader,
			     struct wl_pool *pool, struct wl_err *reterr)
{
	const struct wl_input_opts opts = { .reader = reader, .pool = pool };
	struct wl_columns all = all_columns();
	struct wl_input *in = NULL;

	if (wl_input_open(path, &opts, &in, reterr) < 0)
		return NULL;
	if (wl_input_load(in, &all, reterr) < 0) {
		wl_input_close(in);
		return NULL;
	}
	return in;
}

static void complain(struct comparing *c, const char *trace, unsigned threads, const char *what)
{
	c->n_failed++;
	(void)printf("FAIL %s on %u threads: %s\n", trace, threads, what);
}

static void count(struct comparing *c, const struct wl_trace *t)
{
	for (size_t f = 0; f < WL_N_FAMILIES; f++)
		c->n_rows += t->family[f].n;
	c->n_left += t->detours != NULL;
}

static void compare(void *ctx, const struct test_trace *trace)
{
	static const unsigned threads[] = { 1, 2, 5 };
	struct comparing *c = ctx;
	struct wl_err want_err = { .code = WL_OK };
	struct wl_input *want = load(trace->path, &wl_reader_sqlite, NULL, &want_err);

	c->n_traces++;
	for (size_t i = 0; i < WL_COUNT(threads); i++) {
		struct wl_err err = { .code = WL_OK };
		struct wl_pool *pool = wl_pool_new(threads[i]);
		struct wl_input *got = load(trace->path, &wl_reader_pages, pool, &err);
		const char *what = NULL;

		if (!want != !got || want_err.code != err.code)
			what = got ? want_err.msg : err.msg;
		else if (want)
			what = trace_difference(wl_input_trace(want), wl_input_trace(got));
		if (got)
			count(c, wl_input_trace(got));
		if (what)
			complain(c, trace->name, threads[i], what);
		wl_input_close(got);
		wl_pool_free(pool);
	}
	wl_input_close(want);
}

TEST_MAIN(columns)
{
	struct comparing c = { .n_traces = 0 };
	struct test_traces seen = { .n_real = 1 };

	for (int i = 1; i < argc; i++) {
		struct test_trace t = { .path = argv[i] };

		(void)snprintf(t.name, sizeof(t.name), "%.200s", argv[i]);
		compare(&c, &t);
	}
	if (argc == 1)
		seen = for_each_trace(compare, &c);
	(void)printf("%zu traces, %zu rows compared, %zu with tables left to sqlite, %zu failed\n",
		     c.n_traces, c.n_rows, c.n_left, c.n_failed);
	if (c.n_failed || seen.n_failed)
		return 1;
	return seen.n_real ? 0 : SKIPPED;
}
