/* SPDX-License-Identifier: MIT */
/*
 * Threads change nothing: every analysis gives one answer on any number of them, and
 * while all others look at the same trace.
 */
#include <stdio.h>
#include <string.h>

#include "analysis/registered.h"
#include "base/process/pool.h"
#include "base/text/json_read.h"
#include "support/answer.h"
#include "support/random.h"
#include "support/unit.h"

enum { N_ROWS = 2000, N_PROCESSES = 3, N_ORDINALS = 4, N_STREAMS = 3, ROUNDS = 5 };

static const struct wl_analysis *const asked[] = {
#define WL_ANALYSIS(name) &wl_analysis_##name,
#define WL_SECTION(name)  &wl_analysis_##name,
#include "analysis/analyses.def"
#undef WL_ANALYSIS
#undef WL_SECTION
};

static void put_op(struct mem *m, uint64_t *seed, unsigned corr)
{
	static const enum wl_family_id families[] = { WL_F_KERNELS, WL_F_KERNELS, WL_F_KERNELS,
						      WL_F_MEMCPYS, WL_F_MEMSETS, WL_F_GRAPHS };
	wl_ns start = random_between(seed, 0, 1000000);
	char name[32];
	struct mem_op op = { .start = start,
			     .end = start + random_between(seed, 0, 2000),
			     .pid = 100 + random_below(seed, N_PROCESSES),
			     .device = random_below(seed, N_ORDINALS),
			     .stream = 7 + random_below(seed, N_STREAMS),
			     .corr = corr,
			     .kind = (uint8_t)random_below(seed, 11),
			     .bytes = random_between(seed, 0, 1 << 20),
			     .name = name };

	(void)snprintf(name, sizeof(name), "%s%u",
		       random_below(seed, 4) ? "gemm" : "ncclDevKernel_", random_below(seed, 40));
	mem_op(m, families[random_below(seed, WL_COUNT(families))], &op);
}

static void put_host(struct mem *m, uint64_t *seed, unsigned corr)
{
	wl_ns start = random_between(seed, 0, 1000000);
	unsigned pid = 100 + random_below(seed, N_PROCESSES);

	mem_api(m, &(struct mem_call){ .start = start,
				       .end = start + random_between(seed, 0, 50),
				       .pid = pid,
				       .corr = corr,
				       .name = corr % 3 ? "cudaLaunchKernel" : "cudaMemcpyAsync" });
	mem_nvtx(m, &(struct mem_range){ .start = start - 10,
					 .end = start + 60,
					 .pid = pid,
					 .name = corr % 2 ? "ncclAllReduce" : "step" });
}

struct asking {
	struct mem mem;
	struct mem_scope scope;
	struct question q[WL_COUNT(asked)];
	const char *args[WL_COUNT(asked)][WL_MAX_PARAMS];
	struct wl_json *docs[WL_COUNT(asked)][WL_MAX_PARAMS];
	struct wl_json *map;
	struct answer want[WL_COUNT(asked)], got[WL_COUNT(asked)];
};

static void put_catalogue(struct mem *m)
{
	mem_message(m, 1, "a warning");
	mem_table(m, "CUPTI_ACTIVITY_KIND_KERNEL", N_ROWS, "start");
}

/* Defaults, and a pattern where there is none. */
static void setup(struct asking *x, uint64_t seed)
{
	static const char map[] = "{\"a\": [\"1\"], \"b\": [\"re:[02]$\"]}";
	const struct wl_trace *t;
	struct wl_err err;

	*x = (struct asking){ .q = { { 0 } } };
	assert_int_equal(wl_json_parse(map, strlen(map), "map", &x->map, &err), WL_OK);
	mem_init(&x->mem);
	put_catalogue(&x->mem);
	for (unsigned i = 1; i <= N_ROWS; i++) {
		put_op(&x->mem, &seed, i);
		put_host(&x->mem, &seed, i);
	}
	t = mem_seal(&x->mem);
	assert_int_equal(t->n_devices, N_PROCESSES * N_ORDINALS);
	mem_scope_whole(&x->scope, t);
	for (size_t i = 0; i < WL_COUNT(asked); i++) {
		const struct wl_analysis *a = asked[i];

		for (size_t k = 0; k < a->n_params; k++) {
			x->args[i][k] = a->params[k].operand ? "." : NULL;
			x->docs[i][k] = strcmp(a->name, "phases") == 0 ? x->map : NULL;
		}
		x->q[i] = (struct question){ .analysis = a->name,
					     .docs = x->docs[i],
					     .marker = "step",
					     .args = x->args[i],
					     .trace = t,
					     .scope = &x->scope.scope };
		answer_within(&x->want[i], &x->q[i], ANSWER_BUDGET);
	}
}

static void teardown(struct asking *x)
{
	for (size_t i = 0; i < WL_COUNT(asked); i++)
		answer_release(&x->want[i]);
	mem_release(&x->mem);
	wl_json_free(x->map);
}

static void expect_same(const struct asking *x, size_t i)
{
	/* A random trace may have no data for a question, whatever runs it. */
	if (x->got[i].status != x->want[i].status || x->want[i].status == WL_E_NOMEM)
		fail_msg("%s: %s", asked[i]->name, x->got[i].err.msg);
	if (x->want[i].status == WL_OK && !answer_equals(&x->got[i], &x->want[i]))
		fail_msg("%s answers something else on threads", asked[i]->name);
}

static void every_analysis_answers_alike_on_any_number_of_threads(void **state)
{
	static struct asking x;

	(void)state;
	for (uint64_t seed = 1; seed <= (uint64_t)random_cases(ROUNDS); seed++) {
		setup(&x, seed);
		for (unsigned n = 1; n <= 8; n++) {
			struct wl_pool *pool = wl_pool_new(n);

			assert_non_null(pool);
			for (size_t i = 0; i < WL_COUNT(asked); i++) {
				answer_on(&x.got[i], &x.q[i], ANSWER_BUDGET, pool);
				expect_same(&x, i);
				answer_release(&x.got[i]);
			}
			wl_pool_free(pool);
		}
		teardown(&x);
	}
}

struct crowd {
	struct asking *asking;
	struct wl_pool *pool;
};

static bool ask_one(void *ctx, size_t i, struct wl_arena *arena)
{
	struct crowd *c = ctx;

	(void)arena;
	answer_on(&c->asking->got[i], &c->asking->q[i], ANSWER_BUDGET, c->pool);
	return true;
}

static void all_analyses_may_run_at_once(void **state)
{
	static struct asking x;
	struct crowd c = { .asking = &x, .pool = wl_pool_new(4) };
	struct wl_arena arena;

	(void)state;
	assert_non_null(c.pool);
	wl_arena_init(&arena, 1 << 20);
	for (uint64_t seed = 1; seed <= (uint64_t)random_cases(ROUNDS); seed++) {
		setup(&x, seed);
		assert_true(wl_pool_map(c.pool, WL_COUNT(asked), ask_one, &c, &arena));
		for (size_t i = 0; i < WL_COUNT(asked); i++) {
			expect_same(&x, i);
			answer_release(&x.got[i]);
		}
		teardown(&x);
	}
	wl_arena_release(&arena);
	wl_pool_free(c.pool);
}

/* With less than was used they fail cleanly or make do, and never take more. */
static void no_number_of_threads_exceeds_the_budget(void **state)
{
	struct wl_pool *pool = wl_pool_new(4);
	static struct asking x;

	(void)state;
	assert_non_null(pool);
	setup(&x, 1);
	for (size_t i = 0; i < WL_COUNT(asked); i++) {
		size_t peak = wl_arena_budget(&x.want[i].arena)->peak;

		for (size_t k = 0; k < 40; k++) {
			struct answer *a = &x.got[i];

			answer_on(a, &x.q[i], peak * k / 40, pool);
			if (a->status != WL_E_NOMEM)
				expect_same(&x, i);
			assert_in_range(wl_arena_budget(&a->arena)->peak, 0, peak * k / 40);
			assert_int_equal(wl_arena_budget(&a->arena)->used,
					 a->arena.used + a->derivations.arena.used);
			answer_release(a);
		}
	}
	teardown(&x);
	wl_pool_free(pool);
}

/* Rows that several tasks share: what groups them, and the order that they are in. */
static void many_rows_are_answered_alike(void **state)
{
	enum { MANY = 160000 };
	static const char *const names[] = { "kernels", "api", "launch", "nvtx-kernels" };
	const char *args[WL_MAX_PARAMS] = { NULL };
	struct mem_scope scope;
	uint64_t seed = 9;
	struct mem m;

	(void)state;
	mem_init(&m);
	for (unsigned i = 1; i <= MANY; i++) {
		put_op(&m, &seed, i);
		put_host(&m, &seed, i);
	}
	m.build.pool = wl_pool_new(3);
	mem_scope_whole(&scope, mem_seal(&m));
	for (size_t i = 0; i < WL_COUNT(names); i++) {
		struct question q = { .analysis = names[i],
				      .args = args,
				      .trace = &m.build.trace,
				      .scope = &scope.scope };
		struct answer want, got;

		answer_within(&want, &q, (size_t)2 * ANSWER_BUDGET);
		assert_int_equal(want.status, WL_OK);
		answer_on(&got, &q, (size_t)2 * ANSWER_BUDGET, m.build.pool);
		assert_int_equal(got.status, WL_OK);
		if (!answer_equals(&got, &want))
			fail_msg("%s answers something else on threads", names[i]);
		answer_release(&got);
		answer_release(&want);
	}
	wl_pool_free(m.build.pool);
	mem_release(&m);
}

TEST_MAIN(threads)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_analysis_answers_alike_on_any_number_of_threads),
		cmocka_unit_test(all_analyses_may_run_at_once),
		cmocka_unit_test(no_number_of_threads_exceeds_the_budget),
		cmocka_unit_test(many_rows_are_answered_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
