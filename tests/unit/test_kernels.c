#include "analysis/analysis.h"

#include <string.h>

#include "support/answer.h"
#include "support/unit.h"

static void ask_by(struct asked *x, const char *name, const char *by)
{
	const char *const args[] = { name, by };

	ask(x, args);
}

static void kernel(struct asked *x, wl_ns start, wl_ns dur, const char *name)
{
	mem_op(&x->mem, WL_F_KERNELS,
	       &(struct mem_op){ .start = start, .end = start + dur, .name = name });
}

static void one_kernel_is_all_of_its_statistics(void **state)
{
	static const char *const all[] = { "sum", "avg", "p50", "p90", "p99", "min", "max" };
	struct asked x;

	(void)state;
	asked_init(&x, "kernels");
	kernel(&x, 5, 7, "gemm");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	assert_string_equal(answer_str(&x.a, 0, "name"), "gemm");
	expect_i64(&x.a, 0, "calls", 1);
	for (size_t i = 0; i < WL_COUNT(all); i++)
		assert_int_equal(answer_i64(&x.a, 0, all[i]), 7);
	expect_i64(&x.a, 0, "stddev", 0);
	assert_true(answer_f64(&x.a, 0, "share") == 1.0);
	asked_release(&x);
}

static void the_largest_sum_comes_first_and_ties_by_name(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "kernels");
	kernel(&x, 0, 5, "z");
	kernel(&x, 3, 5, "a"); /* both run at once: a sum is not time used */
	kernel(&x, 4, 3, "m");
	kernel(&x, 5, 3, "m");
	kernel(&x, 9, 0, "nothing");
	ask(&x, NULL);
	assert_string_equal(answer_str(&x.a, 0, "name"), "m");
	assert_string_equal(answer_str(&x.a, 1, "name"), "a");
	assert_string_equal(answer_str(&x.a, 2, "name"), "z");
	assert_string_equal(answer_str(&x.a, 3, "name"), "nothing");
	expect_i64(&x.a, 0, "sum", 6);
	assert_true(answer_f64(&x.a, 0, "share") == 6.0 / 16.0);
	assert_true(answer_f64(&x.a, 3, "share") == 0.0);
	asked_release(&x);
}

static void a_share_of_no_time_is_absent(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "kernels");
	kernel(&x, 0, 0, "a");
	ask(&x, NULL);
	assert_false(answer_is_set(&x.a, 0, "share"));
	expect_i64(&x.a, 0, "calls", 1);
	asked_release(&x);
}

static void put_facets(struct asked *x)
{
	/* Two processes, each on two devices and two streams, in two shapes of two registers. */
	for (unsigned i = 0; i < 32; i++)
		mem_op(&x->mem, WL_F_KERNELS,
		       &(struct mem_op){ .start = i,
					 .end = i + 1,
					 .pid = 100 + i / 16,
					 .device = i / 8 % 2,
					 .stream = 7 + i / 4 % 2,
					 .grid = 1 + i / 2 % 2,
					 .registers = i % 2,
					 .name = "k" });
}

static void kernels_are_grouped_by_each_facet(void **state)
{
	static const struct {
		const char *by;
		uint32_t n_rows;
	} cases[] = {
		{ "name", 1 }, { "device", 4 }, { "pid", 4 }, { "stream", 8 }, { "grid", 8 }
	};
	struct asked x;

	(void)state;
	asked_init(&x, "kernels");
	put_facets(&x);
	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		ask_by(&x, NULL, cases[i].by);
		assert_int_equal(x.a.table.n_rows, cases[i].n_rows);
		for (size_t row = 0; row < x.a.table.n_rows; row++)
			expect_i64(&x.a, row, "calls", 32 / cases[i].n_rows);
	}
	asked_release(&x);
}

static void only_columns_that_are_filled_are_shown(void **state)
{
	static const struct {
		const char *by, *shown;
	} cases[] = { { "name", "" },
		      { "device", "device" },
		      { "pid", "device pid" },
		      { "stream", "device pid stream" },
		      { "grid", "device grid block" } };
	static const char *const facets[] = { "device", "pid", "stream", "grid", "block" };
	struct asked x;

	(void)state;
	asked_init(&x, "kernels");
	put_facets(&x);
	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		ask_by(&x, NULL, cases[i].by);
		for (size_t f = 0; f < WL_COUNT(facets); f++) {
			size_t col;
			bool shown = wl_table_find_col(&x.a.table, facets[f], &col) != NULL;

			assert_int_equal(shown, strstr(cases[i].shown, facets[f]) != NULL);
			if (shown)
				assert_true(answer_is_set(&x.a, 0, facets[f]));
		}
	}
	asked_release(&x);
}

static void ties_are_in_order_of_the_other_keys(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "kernels");
	put_facets(&x);
	ask_by(&x, NULL, "stream");
	for (uint32_t row = 0; row < 8; row++) {
		expect_i64(&x.a, row, "device", row / 2);
		expect_i64(&x.a, row, "pid", 100 + row / 4);
		expect_i64(&x.a, row, "stream", 7 + row % 2);
	}
	ask_by(&x, NULL, "grid");
	for (uint32_t row = 0; row < 8; row++) {
		expect_i64(&x.a, row, "device", row / 2);
		assert_string_equal(answer_str(&x.a, row, "grid"), row % 2 ? "2x1x1" : "1x1x1");
		assert_string_equal(answer_str(&x.a, row, "block"), "128x1x1");
	}
	asked_release(&x);
}

static void processes_on_one_gpu_are_told_apart(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "kernels");
	for (unsigned pid = 103; pid > 100; pid--) {
		wl_vec_push(&x.mem.build.cuda_devices,
			    &(struct wl_cuda_device){ pid, 0, 5, WL_NONE });
		mem_op(&x.mem, WL_F_KERNELS,
		       &(struct mem_op){
			       .start = 103 - (wl_ns)pid, .end = 110 - (wl_ns)pid, .pid = pid });
	}
	ask_by(&x, NULL, "device");
	assert_int_equal(x.a.table.n_rows, 1);
	ask_by(&x, NULL, "pid");
	assert_int_equal(x.a.table.n_rows, 3);
	for (uint32_t row = 0; row < 3; row++) {
		expect_i64(&x.a, row, "device", 0);
		expect_i64(&x.a, row, "pid", 101 + row);
		expect_i64(&x.a, row, "sum", 7);
	}
	asked_release(&x);
}

static void names_are_grouped_as_asked(void **state)
{
	static const struct {
		const char *naming;
		size_t n_rows;
		const char *first;
	} cases[] = { { "demangled", 3, "void n::f<2>(int)" },
		      { "short", 2, "f" },
		      { "mangled", 3, "_2" },
		      { "base", 2, "n::f" } };
	struct asked x;

	(void)state;
	asked_init(&x, "kernels");
	mem_op(&x.mem, WL_F_KERNELS,
	       &(struct mem_op){
		       .end = 2, .name = "void n::f<1>(int)", .brief = "f", .mangled = "_1" });
	mem_op(&x.mem, WL_F_KERNELS,
	       &(struct mem_op){
		       .end = 9, .name = "void n::f<2>(int)", .brief = "f", .mangled = "_2" });
	mem_op(&x.mem, WL_F_KERNELS, &(struct mem_op){ .end = 1, .name = "g" });
	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		ask_by(&x, cases[i].naming, NULL);
		assert_int_equal(x.a.table.n_rows, cases[i].n_rows);
		assert_string_equal(answer_str(&x.a, 0, "name"), cases[i].first);
		expect_i64(&x.a, 0, "sum", cases[i].n_rows == 2 ? 11 : 9);
	}
	asked_release(&x);
}

static void the_window_cuts_durations_and_selections_leave_out(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "kernels");
	kernel(&x, 0, 20, "a");
	kernel(&x, 15, 100, "a");
	kernel(&x, 40, 5, "b");
	mem_op(&x.mem, WL_F_KERNELS, &(struct mem_op){ .start = 12, .end = 14, .stream = 9 });
	ask_window(&x, 10, 30);
	assert_int_equal(x.a.table.n_rows, 2);
	assert_string_equal(answer_str(&x.a, 0, "name"), "a");
	expect_i64(&x.a, 0, "calls", 2);
	expect_i64(&x.a, 0, "sum", 25);
	expect_i64(&x.a, 0, "min", 10);
	expect_i64(&x.a, 0, "max", 15);
	x.scope.place_on[1] = false; /* stream 9 */
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	assert_true(answer_f64(&x.a, 0, "share") == 1.0);
	asked_release(&x);
}

static void durations_beyond_32_bits_are_whole(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "kernels");
	kernel(&x, 0, (wl_ns)1 << 40, "a");
	kernel(&x, 0, 1, "a");
	ask(&x, NULL);
	expect_i64(&x.a, 0, "sum", ((wl_ns)1 << 40) + 1);
	expect_i64(&x.a, 0, "max", (wl_ns)1 << 40);
	expect_i64(&x.a, 0, "p50", 1);
	expect_i64(&x.a, 0, "p99", (wl_ns)1 << 40);
	asked_release(&x);
}

static void replays_are_named_and_counted_as_not_seen(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "kernels");
	kernel(&x, 0, 1, "a");
	mem_op(&x.mem, WL_F_GRAPHS, &(struct mem_op){ .start = 5, .end = 10 });
	mem_op(&x.mem, WL_F_GRAPHS, &(struct mem_op){ .start = 15, .end = 20 });
	mem_op(&x.mem, WL_F_GRAPHS, &(struct mem_op){ .start = 25, .end = 30 });
	ask(&x, NULL);
	assert_true(answer_has_note(&x.a, "--cuda-graph-trace=node"));
	assert_int_equal(x.a.table.n_coverage, 1);
	assert_int_equal(x.a.table.coverage[0].have, 1);
	assert_int_equal(x.a.table.coverage[0].of, 4);
	asked_release(&x);
}

static void replays_alone_are_no_data(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "kernels");
	mem_op(&x.mem, WL_F_GRAPHS, &(struct mem_op){ .start = 5, .end = 10 });
	assert_non_null(strstr(ask_in_vain(&x), "--cuda-graph-trace=node"));
	asked_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_kernel_is_all_of_its_statistics),
		cmocka_unit_test(the_largest_sum_comes_first_and_ties_by_name),
		cmocka_unit_test(a_share_of_no_time_is_absent),
		cmocka_unit_test(kernels_are_grouped_by_each_facet),
		cmocka_unit_test(only_columns_that_are_filled_are_shown),
		cmocka_unit_test(ties_are_in_order_of_the_other_keys),
		cmocka_unit_test(processes_on_one_gpu_are_told_apart),
		cmocka_unit_test(names_are_grouped_as_asked),
		cmocka_unit_test(the_window_cuts_durations_and_selections_leave_out),
		cmocka_unit_test(durations_beyond_32_bits_are_whole),
		cmocka_unit_test(replays_are_named_and_counted_as_not_seen),
		cmocka_unit_test(replays_alone_are_no_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
