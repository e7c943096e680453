/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include "support/answer.h"
#include "support/unit.h"

enum { PINNED = 1, DEVICE = 2 };

static const char *const by_step[] = { "step" };

static void begin(struct asked *x)
{
	asked_init(x, "memory");
	mem_op(&x->mem, WL_F_KERNELS,
	       &(struct mem_op){ .start = 0, .end = 100, .pid = 100, .name = "gemm" });
}

static void levels_add_up(void **state)
{
	struct asked x;

	(void)state;
	begin(&x);
	mem_allocation(&x.mem, 50, 100, DEVICE, 30, true);
	mem_allocation(&x.mem, 10, 100, DEVICE, 100, false);
	mem_allocation(&x.mem, 20, 100, DEVICE, 30, false);
	mem_allocation(&x.mem, 60, 100, DEVICE, 10, false);
	mem_allocation(&x.mem, 15, 100, PINNED, 7, false);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	assert_string_equal(answer_str(&x.a, 0, "kind"), "pinned");
	assert_string_equal(answer_str(&x.a, 1, "kind"), "device");
	expect_i64(&x.a, 1, "device", 0);
	expect_i64(&x.a, 1, "allocs", 3);
	expect_i64(&x.a, 1, "frees", 1);
	expect_i64(&x.a, 1, "allocated", 140);
	expect_i64(&x.a, 1, "freed", 30);
	expect_i64(&x.a, 1, "in_use", 110);
	expect_i64(&x.a, 1, "peak", 130);
	expect_i64(&x.a, 1, "peak_at", 20);
	expect_i64(&x.a, 1, "largest", 100);
	ask_window(&x, 40, 100);
	expect_i64(&x.a, 1, "before", 130);
	expect_i64(&x.a, 1, "allocs", 1);
	expect_i64(&x.a, 1, "peak", 130);
	assert_false(answer_is_set(&x.a, 1, "peak_at"));
	expect_i64(&x.a, 1, "in_use", 110);
	asked_release(&x);
}

static void what_is_freed_was_there(void **state)
{
	struct asked x;

	(void)state;
	begin(&x);
	mem_allocation(&x.mem, 10, 100, DEVICE, 5, false);
	mem_allocation(&x.mem, 20, 100, DEVICE, 25, true);
	mem_allocation(&x.mem, 30, 100, DEVICE, 8, false);
	ask(&x, NULL);
	expect_i64(&x.a, 0, "before", 20);
	expect_i64(&x.a, 0, "peak", 25);
	expect_i64(&x.a, 0, "peak_at", 10);
	expect_i64(&x.a, 0, "in_use", 8);
	assert_true(answer_has_note(&x.a, "before the recording"));
	asked_release(&x);
}

static void huge_sizes_do_not_overflow(void **state)
{
	struct asked x;

	(void)state;
	begin(&x);
	for (wl_ns i = 0; i < 3; i++)
		mem_allocation(&x.mem, i, 100, DEVICE, INT64_MAX, false);
	for (wl_ns i = 3; i < 6; i++)
		mem_allocation(&x.mem, i, 100, DEVICE, INT64_MAX, true);
	ask(&x, NULL);
	expect_i64(&x.a, 0, "peak", INT64_MAX);
	expect_i64(&x.a, 0, "in_use", 0);
	asked_release(&x);
}

static void a_process_without_operations_has_no_device(void **state)
{
	struct asked x;

	(void)state;
	begin(&x);
	mem_allocation(&x.mem, 10, 200, DEVICE, 5, false);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	assert_false(answer_is_set(&x.a, 0, "device"));
	expect_i64(&x.a, 0, "pid", 200);
	expect_i64(&x.a, 0, "ordinal", 0);
	asked_release(&x);
}

/* A step lasts until the next begins; time before the first has a row if anything happened. */
static void steps_show_what_they_keep(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "memory");
	mem_allocation(&x.mem, 1, 100, DEVICE, 1000, false);
	for (wl_ns i = 1; i <= 6; i++) {
		wl_ns t = 1000 * i;

		mem_nvtx(&x.mem, &(struct mem_range){ .start = t,
						      .end = t + 800,
						      .pid = 100,
						      .tid = 100,
						      .name = "step" });
		mem_api(&x.mem, &(struct mem_call){ .start = t + 10,
						    .end = t + 20,
						    .pid = 100,
						    .tid = 100,
						    .corr = (uint32_t)i,
						    .name = "cudaLaunchKernel" });
		mem_op(&x.mem, WL_F_KERNELS,
		       &(struct mem_op){ .start = t + 100,
					 .end = t + 700,
					 .pid = 100,
					 .corr = (uint32_t)i,
					 .name = "gemm" });
		mem_allocation(&x.mem, t + 50, 100, DEVICE, 64, false);
		mem_allocation(&x.mem, t + 900, 100, DEVICE, 60, true);
	}
	ask(&x, by_step);
	assert_int_equal(x.a.table.n_rows, 7);
	assert_false(answer_is_set(&x.a, 0, "iter"));
	expect_i64(&x.a, 0, "in_use", 1000);
	expect_i64(&x.a, 1, "iter", 0);
	expect_i64(&x.a, 1, "peak", 1064);
	expect_i64(&x.a, 1, "in_use", 1004);
	expect_i64(&x.a, 6, "in_use", 1024);
	expect_i64(&x.a, 6, "pid", 100);
	asked_release(&x);
}

TEST_MAIN(memory)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_add_up),
		cmocka_unit_test(what_is_freed_was_there),
		cmocka_unit_test(huge_sizes_do_not_overflow),
		cmocka_unit_test(a_process_without_operations_has_no_device),
		cmocka_unit_test(steps_show_what_they_keep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
