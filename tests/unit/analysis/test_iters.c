/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include <string.h>

#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

/* Steps that begin at these times; each launches a kernel of 10 that starts 20 later. */
static void put_steps(struct asked *x, unsigned pid, const wl_ns *at, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned corr = i + 1;

		MEM_NVTX(&x->mem, .start = at[i], .end = at[i] + 15, .pid = pid, .tid = 1,
			 .name = "step");
		MEM_API(&x->mem, .start = at[i] + 1, .end = at[i] + 4, .pid = pid, .tid = 1,
			.corr = corr);
		MEM_OP(&x->mem, WL_F_KERNELS, .start = at[i] + 20, .end = at[i] + 30, .pid = pid,
		       .corr = corr,
		       .name = (const char *[]){ "a", "b", "c", "d", "e", "f", "g", "h" }[i]);
	}
}

static const wl_ns even[] = { 0, 100, 200, 300, 400, 500 };

TEST(parts_add_up_to_the_period)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "iters"));

	put_steps(&x, 100, even, 6);
	MEM_OP(&x.mem, WL_F_KERNELS, .start = 125, .end = 135, .stream = 9,
	       .name = "ncclDevKernel_X");
	MEM_OP(&x.mem, WL_F_MEMCPYS, .start = 112, .end = 118, .stream = 9);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 6);
	expect_cells(&x.a, 1,
		     "iter=1; pid=100; start=120; period=100; span=10; compute=10; exposed_comm=5; "
		     "exposed_copy=0; idle=85");
	expect_i64(&x.a, 1, "kernels", 1); /* the other was not launched inside it */
	expect_i64(&x.a, 0, "exposed_copy", 6);
	assert_true(answer_f64(&x.a, 1, "vs_median") == 1);
	assert_false(answer_is_set(&x.a, 1, "rank"));
	assert_string_equal(answer_str(&x.a, 1, "range"), "step");
	assert_true(answer_has_note(&x.a, "step = NVTX range `step` (6 steps, median 100 ns)"));
}

TEST(the_last_one_has_a_span_and_no_period)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "iters"));

	put_steps(&x, 100, even, 6);
	ask(&x, NULL);
	assert_false(answer_is_set(&x.a, 5, "period"));
	assert_false(answer_is_set(&x.a, 5, "vs_median"));
	expect_cells(&x.a, 5, "span=10; compute=10; idle=0; outlier=0");
}

TEST(outliers_are_far_in_both_directions)
{
	/* Periods 100, 96, 106, 90, 104, 100: the median deviation is 4. */
	static const wl_ns at[] = { 0, 100, 196, 302, 392, 496, 596 };
	struct asked x;

	asked_init(&x, "iters");
	put_steps(&x, 100, at, 7);
	ask(&x, NULL);
	expect_i64(&x.a, 1, "outlier", 0);
	expect_i64(&x.a, 2, "outlier", 0); /* 6% but within 3.5 * 1.4826 * 4 */
	expect_i64(&x.a, 3, "outlier", 0);
	asked_release(&x);
	asked_init(&x, "iters");
	put_steps(&x, 100, (const wl_ns[]){ 0, 100, 200, 306, 406, 496, 596 }, 7);
	ask(&x, NULL);
	expect_i64(&x.a, 2, "outlier", 1); /* most are exactly 100 */
	expect_i64(&x.a, 4, "outlier", 1);
	expect_i64(&x.a, 3, "outlier", 0);
	asked_release(&x);
	asked_init(&x, "iters");
	put_steps(&x, 100, (const wl_ns[]){ 0, 100, 200, 305, 405, 500, 600 }, 7);
	ask(&x, NULL);
	expect_i64(&x.a, 2, "outlier", 0); /* 105 and 95: not more than 5% */
	expect_i64(&x.a, 4, "outlier", 0);
	asked_release(&x);
}

TEST(steady_leaves_one_per_process)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "iters"));

	put_steps(&x, 100, even, 6);
	put_steps(&x, 200, even, 3);
	ask(&x, (const char *[WL_MAX_PARAMS]){ "true" });
	assert_int_equal(x.a.table.n_rows, 2);
	expect_i64(&x.a, 0, "iter", 1);
	expect_cells(&x.a, 1, "pid=200; iter=0");
	assert_true(answer_has_note(&x.a, "fewer than 5"));
}

TEST(a_window_lists_those_that_begin_inside)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "iters"));

	put_steps(&x, 100, even, 6);
	ask_window(&x, 120, 320);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_i64(&x.a, 0, "iter", 1);
	expect_i64(&x.a, 0, "period", 100); /* not clipped */
	expect_i64(&x.a, 1, "iter", 2);
	ask_window(&x, 121, 121);
	assert_int_equal(x.a.table.n_rows, 0);
}

TEST(each_device_of_a_process_has_its_row)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "iters"));

	put_steps(&x, 100, even, 4);
	MEM_OP(&x.mem, WL_F_KERNELS, .start = 120, .end = 125, .device = 1);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 8);
	expect_cells(&x.a, 5, "device=1; iter=1; compute=5; idle=95; start=120");
	x.scope.place_on[1] = false;
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 4);
}

TEST(whole_replays_hide_communication)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "iters"));

	put_steps(&x, 100, even, 4);
	MEM_OP(&x.mem, WL_F_GRAPHS, .start = 150, .end = 160);
	ask(&x, NULL);
	assert_false(answer_is_set(&x.a, 1, "exposed_comm"));
	expect_i64(&x.a, 1, "compute", 20);
	expect_i64(&x.a, 2, "exposed_comm", 0);
	assert_true(answer_has_note(&x.a, "lower bounds"));
}

TEST(without_repetition_there_is_no_answer)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "iters"));

	put_steps(&x, 100, even, 2);
	assert_non_null(strstr(ask_in_vain(&x), "--marker"));
}

TEST(kernels_without_ranges_repeat_with_a_doubt)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "iters"));

	for (unsigned i = 0; i < 12; i++)
		MEM_OP(&x.mem, WL_F_KERNELS, .start = 100 * (wl_ns)(i / 2) + 20 * (wl_ns)(i % 2),
		       .end = 100 * (wl_ns)(i / 2) + 20 * (wl_ns)(i % 2) + 15,
		       .name = i % 2 ? "b" : "a");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 6);
	expect_cells(&x.a, 0, "period=100; kernels=2");
	assert_true(answer_has_note(&x.a, "not a step"));
}

/* Steps of 100 ns beside what one or two outputs of the program say. */
TEST(the_log_of_the_program_is_compared)
{
	static const struct {
		uint64_t step[2];
		const char *note; /* NULL: none */
	} logs[] = {
		{ { 104, 0 }, "the log says 104 ns per step (18 lines), the trace 100 ns" },
		{ { 0, 96 }, "the log says 96 ns per step (18 lines), the trace 100 ns" },
		{ { 790, 0 }, "about 8 trace steps per logged step" },
		{ { 150, 0 }, "the trace 100 ns: the log has other" },
		{ { 30, 0 }, "the trace 100 ns: the log has other" },
		{ { 100, 100 }, NULL }, /* which of them? */
		{ { 0, 0 }, NULL },
		{ { UINT64_MAX, 0 }, NULL },
	};

	for (size_t i = 0; i < WL_COUNT(logs); i++) {
		struct asked x;

		asked_init(&x, "iters");
		put_steps(&x, 100, even, 6);
		mem_output(&x.mem, logs[i].step[0], 18);
		mem_output(&x.mem, logs[i].step[1], 18);
		ask(&x, NULL);
		assert_true(answer_has_note(&x.a, logs[i].note ? logs[i].note : "periods"));
		assert_int_equal(answer_has_note(&x.a, "the log says"), logs[i].note != NULL);
		asked_release(&x);
	}
}
