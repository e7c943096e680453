/* SPDX-License-Identifier: MIT */
/* traces.h - every trace that tests have: fixtures, and the corpus where it is. */
#ifndef WL_TESTS_TRACES_H
#define WL_TESTS_TRACES_H

#include <stdbool.h>
#include <stddef.h>

struct wl_trace;

/* A trace: DIR.FILE of corpus/DIR/FILE.sqlite.zst, or fixture.NAME. */
struct test_trace {
	char name[256];
	const char *path; /* of the database, unpacked */
	bool damaged;     /* it must be refused */
};

typedef void test_trace_fn(void *ctx, const struct test_trace *trace);

struct test_traces {
	size_t n_fixtures, n_real; /* traces that fn saw */
	size_t n_failed;           /* that could not be unpacked; said on standard output */
};

/*
 * One after the other: $WARPLENS_FIXTURES and $WARPLENS_SHARED/corpus. Says so where
 * there is no corpus.
 */
struct test_traces for_each_trace(test_trace_fn *fn, void *ctx);

/* The same with a loaded trace; unreadable traces are left to other tests. */
typedef void loaded_trace_fn(void *ctx, const char *name, const struct wl_trace *trace);

/*
 * For tests that take files on their command line: these, each named on standard output; else all
 * traces. The status of the test as far as this goes: 0, 1, or 77 where no real trace was seen.
 */
int for_each_loaded_trace(int argc, char **argv, loaded_trace_fn *fn, void *ctx);

/* Only the fixtures. */
struct test_traces for_each_fixture(test_trace_fn *fn, void *ctx);

#endif
