/* SPDX-License-Identifier: MIT */
/*
 * What a load costs: bytes per kernel of the columns that "kernels" needs, sorting
 * included, and heap allocations, whose number must not grow with the rows.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/registered.h"
#include "support/answer.h"
#include "support/db.h"
#include "support/unit.h"

enum {
	ROWS = 200000,
	BYTES_PER_ROW = 48, /* what the foundation promises */
	LEAST_PER_ROW = 20, /* start, length, place and name */
	BASE = 1 << 20,     /* strings and catalogue, whatever the rows */
	N_NAMES = 300,
};

/*
 * Every allocation of the program passes here, SQLite's too. AddressSanitizer
 * has an allocator of its own, which counts nothing.
 */
static size_t n_allocations;

#if WL_RED_ZONE
enum { COUNTS = 0 };
#else
enum { COUNTS = 1 };
/* NOLINTBEGIN(readability-identifier-naming): glibc's own names */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nmemb, size_t size);
void *__libc_realloc(void *ptr, size_t size);
/* NOLINTEND(readability-identifier-naming) */

void *malloc(size_t size)
{
	n_allocations++;
	return __libc_malloc(size);
}

void *calloc(size_t nmemb, size_t size)
{
	n_allocations++;
	return __libc_calloc(nmemb, size);
}

void *realloc(void *ptr, size_t size)
{
	n_allocations++;
	return __libc_realloc(ptr, size);
}
#endif

/* Kernels of two processes and 16 streams, in no order; a few last longer than 32 bits. */
static const char *make_trace(void **state, const char *name, int n)
{
	struct db *db = db_open(state, name);

	db_make_tables(db, DB_3_25_0);
	db_run(db,
	       "WITH RECURSIVE i(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < %d)"
	       " INSERT INTO StringIds SELECT x, 'kernel number ' || x FROM i",
	       N_NAMES);
	db_run(db,
	       "WITH RECURSIVE i(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM i WHERE x + 1 < %d)"
	       " INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, globalPid, deviceId,"
	       " contextId, streamId, correlationId, demangledName, shortName, gridX, gridY, gridZ,"
	       " blockX, blockY, blockZ)"
	       " SELECT s, s + CASE x %% 50000 WHEN 7 THEN 5000000000 ELSE 900 END,"
	       " %lld + ((x %% 2) << 24), x %% 3, 1, 7 + x %% 16, x, 1 + x %% %d, 1 + x %% %d,"
	       " 1 + x %% 5, 1, 1, 128, 1, 1"
	       " FROM (SELECT x, (x * 48271 %% 2147483647) * 1000 AS s FROM i)",
	       n, db_pid(0, 100), N_NAMES, N_NAMES);
	return db_close(db);
}

/* Load what kernels needs within a limit. The budget lives as long as the input. */
static int load(const char *path, size_t limit, struct wl_budget *budget, struct wl_input **ret_in)
{
	const struct wl_input_opts opts = { .budget = budget };
	const union wl_arg defaults[WL_MAX_PARAMS] = { { .i64 = 0 } };
	struct wl_wanted wanted = { .from = 0 };
	struct wl_columns want;
	int r;

	wl_analysis_want(&wl_analysis_kernels, defaults, &wanted);
	want = wl_wanted_columns(&wanted);
	*ret_in = NULL;
	*budget = (struct wl_budget){ .limit = limit };
	r = wl_input_open(path, &opts, ret_in, NULL);
	return r < 0 ? r : wl_input_load(*ret_in, &want, NULL);
}

static void a_load_keeps_to_48_bytes_per_kernel(void **state)
{
	const char *path = make_trace(state, "rows", ROWS);
	const struct wl_trace *t;
	struct wl_budget budget;
	struct wl_input *in;

	assert_int_equal(load(path, BASE + (size_t)ROWS * BYTES_PER_ROW, &budget, &in), WL_OK);
	t = wl_input_trace(in);
	assert_int_equal(t->family[WL_F_KERNELS].n, ROWS);
	assert_int_equal(t->family[WL_F_KERNELS].n_long, ROWS / 50000);
	assert_int_equal(t->n_devices, 6);
	wl_input_close(in);
	/* And the limit is one: the columns alone do not fit in less. */
	assert_int_equal(load(path, (size_t)ROWS * LEAST_PER_ROW, &budget, &in), WL_E_NOMEM);
	wl_input_close(in);
}

static void an_answer_needs_four_bytes_per_kernel(void **state)
{
	const char *path = make_trace(state, "rows", ROWS);
	static struct mem_scope scope;
	struct question q = { .analysis = "kernels", .scope = &scope.scope };
	struct answer a;
	struct wl_budget budget;
	struct wl_input *in;

	assert_int_equal(load(path, 0, &budget, &in), WL_OK);
	q.trace = wl_input_trace(in);
	mem_scope_whole(&scope, q.trace);
	answer_within(&a, &q, BASE + (size_t)ROWS * sizeof(uint32_t));
	assert_int_equal(a.status, WL_OK);
	answer_release(&a);
	wl_input_close(in);
}

static size_t count_allocations(const char *path)
{
	struct wl_budget budget;
	struct wl_input *in;
	size_t before = n_allocations;

	assert_int_equal(load(path, 0, &budget, &in), WL_OK);
	wl_input_close(in);
	return n_allocations - before;
}

static void twice_the_rows_need_no_more_allocations(void **state)
{
	size_t half, whole;

	if (!COUNTS)
		skip();
	half = count_allocations(make_trace(state, "half", ROWS / 2));
	whole = count_allocations(make_trace(state, "whole", ROWS));
	assert_in_range(half, 10, ROWS / 20); /* they are counted, and few */
	assert_in_range(whole, 10, half + 100);
}

#define WITH_DB(name) cmocka_unit_test_setup_teardown(name, db_setup, db_teardown)

TEST_MAIN(budget)
{
	const struct CMUnitTest tests[] = {
		WITH_DB(a_load_keeps_to_48_bytes_per_kernel),
		WITH_DB(an_answer_needs_four_bytes_per_kernel),
		WITH_DB(twice_the_rows_need_no_more_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
