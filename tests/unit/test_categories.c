#include "analysis/analysis.h"

#include <string.h>

#include "base/json_read.h"
#include "support/answer.h"
#include "support/unit.h"

enum { N_PARAMS = 5 };

/* A trace, rules of the user's own, and the question asked with them. */
struct ruled {
	struct asked x;
	struct wl_json *docs[N_PARAMS];
};

static void init(struct ruled *r, const char *rules)
{
	struct wl_err err;

	memset(r, 0, sizeof(*r));
	asked_init(&r->x, "categories");
	if (wl_json_parse(rules, strlen(rules), "rules", &r->docs[2], &err) < 0)
		fail_msg("%s", err.msg);
	r->x.q.docs = r->docs;
}

static void release(struct ruled *r)
{
	asked_release(&r->x);
	wl_json_free(r->docs[2]);
}

static void kernel(struct ruled *r, wl_ns start, wl_ns end, unsigned stream, const char *name)
{
	mem_op(&r->x.mem, WL_F_KERNELS,
	       &(struct mem_op){ .start = start, .end = end, .stream = stream, .name = name });
}

static void attribute(struct ruled *r, const char *how)
{
	const char *args[N_PARAMS] = { "mine", NULL, NULL, how, NULL };

	ask(&r->x, args);
}

static void expect_row(const struct ruled *r, size_t row, const char *category, int64_t instances,
		       int64_t active, int64_t exclusive, int64_t elapsed)
{
	const struct answer *a = &r->x.a;

	assert_string_equal(answer_str(a, row, "category"), category);
	expect_i64(a, row, "instances", instances);
	expect_i64(a, row, "active", active);
	expect_i64(a, row, "exclusive", exclusive);
	expect_i64(a, row, "elapsed", elapsed);
}

static const char two_rules[] = "{\"mine\": {\"m\": {\"gemm\": \"g\", \"nccl\": \"c\"}}}";

/*
 *   gemm  [0 ........ 100)
 *   nccl        [50 ....... 151)
 *   other                        [200 210)
 */
static void put_overlap(struct ruled *r)
{
	init(r, two_rules);
	kernel(r, 0, 100, 7, "gemm");
	kernel(r, 50, 151, 8, "nccl");
	kernel(r, 200, 210, 7, "relu");
}

static void time_shared_is_divided_in_equal_parts(void **state)
{
	struct ruled r;

	(void)state;
	put_overlap(&r);
	attribute(&r, "share");
	expect_row(&r, 0, "g", 1, 100, 50, 75);
	expect_row(&r, 1, "c", 1, 101, 51, 76);
	expect_row(&r, 2, "(other)", 1, 10, 10, 10);
	expect_i64(&r.x.a, 0, "busy", 161);
	expect_i64(&r.x.a, 0, "cpu", 49);
	release(&r);
}

static void first_and_last_take_all(void **state)
{
	struct ruled r;

	(void)state;
	put_overlap(&r);
	attribute(&r, "first");
	expect_row(&r, 0, "g", 1, 100, 50, 100);
	expect_row(&r, 1, "c", 1, 101, 51, 51);
	attribute(&r, "last");
	expect_row(&r, 0, "g", 1, 100, 50, 50);
	expect_row(&r, 1, "c", 1, 101, 51, 101);
	release(&r);
}

/* 1 ns among three: the largest remainders are equal, so the first in rule order has it. */
static void a_remainder_goes_to_the_first_rule(void **state)
{
	static const char three[] =
		"{\"mine\": {\"m\": {\"gemm\": \"g\", \"nccl\": \"c\", \"relu\": \"r\"}}}";
	struct ruled r;

	(void)state;
	init(&r, three);
	kernel(&r, 0, 100, 7, "relu");
	kernel(&r, 0, 100, 8, "nccl");
	kernel(&r, 0, 100, 9, "gemm");
	attribute(&r, "share");
	expect_row(&r, 0, "g", 1, 100, 0, 34);
	expect_row(&r, 1, "c", 1, 100, 0, 33);
	expect_row(&r, 2, "r", 1, 100, 0, 33);
	/* They start together: the lowest stream is first, the highest last. */
	attribute(&r, "first");
	expect_i64(&r.x.a, 2, "elapsed", 100);
	attribute(&r, "last");
	expect_i64(&r.x.a, 0, "elapsed", 100);
	release(&r);
}

static void the_first_rule_that_fits_counts(void **state)
{
	static const char rules[] =
		"{\"mine\": {\"m\": {\"_bwd\": \"b\", \"(?i)FLASH\": \"f\", \"CUDA mem\": \"m\"}}}";
	struct ruled r;

	(void)state;
	init(&r, rules);
	kernel(&r, 0, 10, 7, "flash_bwd");
	kernel(&r, 10, 20, 7, "flash_fwd");
	kernel(&r, 20, 30, 7, "FLASH_BWD"); /* case counts unless the rule says */
	mem_op(&r.x.mem, WL_F_MEMCPYS, &(struct mem_op){ .start = 30, .end = 40, .kind = 1 });
	mem_op(&r.x.mem, WL_F_MEMSETS, &(struct mem_op){ .start = 40, .end = 50 });
	mem_op(&r.x.mem, WL_F_GRAPHS, &(struct mem_op){ .start = 50, .end = 60 });
	attribute(&r, "share");
	expect_row(&r, 0, "b", 1, 10, 10, 10);
	expect_row(&r, 1, "f", 2, 20, 20, 20);
	expect_row(&r, 2, "m", 2, 20, 20, 20);
	expect_row(&r, 3, "(graph)", 1, 10, 10, 10);
	assert_true(answer_has_note(&r.x.a, "recorded whole"));
	release(&r);
}

static void a_wall_below_busy_tells_nothing(void **state)
{
	const char *args[N_PARAMS] = { "mine", NULL, NULL, "share", "100ns" };
	struct ruled r;

	(void)state;
	put_overlap(&r);
	ask(&r.x, args);
	assert_false(answer_is_set(&r.x.a, 0, "cpu"));
	assert_true(answer_has_note(&r.x.a, "shorter than the busy time"));
	args[4] = "1000ns";
	ask(&r.x, args);
	expect_i64(&r.x.a, 0, "cpu", 839);
	release(&r);
}

static void the_window_cuts(void **state)
{
	struct ruled r;

	(void)state;
	put_overlap(&r);
	attribute(&r, "share");
	mem_scope_window(&r.x.scope, r.x.q.trace, 90, 205);
	attribute(&r, "share");
	expect_row(&r, 0, "g", 1, 10, 0, 5);
	expect_row(&r, 1, "c", 1, 61, 51, 56);
	expect_row(&r, 2, "(other)", 1, 5, 5, 5);
	release(&r);
}

static void refuse(const char *rules, const char *engine, const char *words)
{
	const char *args[N_PARAMS] = { engine, NULL, NULL, NULL, NULL };
	struct ruled r;
	struct answer a = { .status = WL_OK };

	init(&r, rules);
	kernel(&r, 0, 100, 7, "gemm");
	r.x.q.trace = mem_seal(&r.x.mem);
	mem_scope_whole(&r.x.scope, r.x.q.trace);
	r.x.q.args = args;
	answer_within(&a, &r.x.q, ANSWER_BUDGET);
	assert_int_equal(a.status, WL_E_USAGE);
	if (!strstr(a.err.msg, words))
		fail_msg("%s", a.err.msg);
	answer_release(&a);
	mem_release(&r.x.mem);
	wl_json_free(r.docs[2]);
}

static void malformed_rules_are_refused(void **state)
{
	(void)state;
	refuse(two_rules, "yours", "yours");
	refuse("{\"mine\": {\"m\": {\"(\": \"g\"}}}", "mine", "(");
	refuse("{\"mine\": {\"m\": {\"gemm\": 1}}}", "mine", "gemm");
	refuse("{\"mine\": [1]}", "mine", "must be");
	refuse("[]", "mine", "no rules");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_shared_is_divided_in_equal_parts),
		cmocka_unit_test(first_and_last_take_all),
		cmocka_unit_test(a_remainder_goes_to_the_first_rule),
		cmocka_unit_test(the_first_rule_that_fits_counts),
		cmocka_unit_test(a_wall_below_busy_tells_nothing),
		cmocka_unit_test(the_window_cuts),
		cmocka_unit_test(malformed_rules_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
