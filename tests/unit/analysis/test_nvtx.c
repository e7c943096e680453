/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include <string.h>

#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

static void push(struct asked *x, unsigned tid, wl_ns start, wl_ns end, const char *name)
{
	MEM_NVTX(&x->mem, .start = start, .end = end, .tid = tid, .name = name);
}

/* A call [at, at + 2) and the kernel [start, end) that it launches. */
struct launch {
	unsigned tid, device;
	wl_ns at, start, end;
	unsigned corr;
};

static void launch(struct asked *x, const struct launch *l)
{
	MEM_API(&x->mem, .start = l->at, .end = l->at + 2, .tid = l->tid, .corr = l->corr);
	MEM_OP(&x->mem, WL_F_KERNELS, .start = l->start, .end = l->end, .device = l->device,
	       .corr = l->corr);
}

/* The row of a range; fails the test when there is none. */
static size_t row_of(const struct answer *a, const char *name, const char *style)
{
	for (size_t i = 0; i < a->table.n_rows; i++) {
		if (strcmp(answer_str(a, i, "name"), name) == 0 &&
		    strcmp(answer_str(a, i, "style"), style) == 0)
			return i;
	}
	fail_msg("no row %s %s", name, style);
	return 0;
}

static void expect_cover(const struct answer *a, const char *name, int64_t have, int64_t of)
{
	for (size_t i = 0; i < a->table.n_coverage; i++) {
		if (strcmp(a->table.coverage[i].name, name) == 0) {
			assert_int_equal(a->table.coverage[i].have, have);
			assert_int_equal(a->table.coverage[i].of, of);
			return;
		}
	}
	fail_msg("no coverage %s", name);
}

TEST(host_times_are_summed_by_label)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nvtx"));

	push(&x, 0, 0, 10, "step 1");
	push(&x, 0, 10, 40, "step 2");
	push(&x, 0, 12, 15, "inner");
	push(&x, 0, 50, 50, "zero");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	expect_cells(&x.a, 0,
		     "name=step #; count=2; host_sum=40; host_avg=20; host_p50=10; host_p90=30; "
		     "self=37; gpu_ops=0; projected=0");
	expect_cells(&x.a, 2, "name=zero; count=1; host_sum=0");
	ask(&x, (const char *const[WL_MAX_PARAMS]){ "true", NULL, NULL, NULL, NULL });
	assert_int_equal(x.a.table.n_rows, 4);
	assert_string_equal(answer_str(&x.a, 0, "name"), "step 2");
}

TEST(equal_sums_are_ordered_by_name_then_style)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nvtx"));

	push(&x, 0, 0, 10, "b");
	push(&x, 0, 20, 30, "a");
	MEM_NVTX(&x.mem, .end = 10, .kind = WL_NVTX_START_END, .name = "a");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	expect_cells(&x.a, 0, "name=a; style=push/pop");
	assert_string_equal(answer_str(&x.a, 1, "style"), "start/end");
	assert_string_equal(answer_str(&x.a, 2, "name"), "b");
}

/* A and B cross; the first launch is in both, the second in A only. As nsys projects them. */
TEST(all_ranges_around_a_launch_own_it)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nvtx"));
	size_t a, b;

	push(&x, 0, 0, 300, "root");
	push(&x, 0, 0, 100, "A");
	push(&x, 0, 50, 150, "B");
	launch(&x, &(struct launch){ .at = 60, .start = 70, .end = 90, .corr = 1 });
	launch(&x, &(struct launch){ .at = 20, .start = 30, .end = 40, .corr = 2 });
	launch(&x, &(struct launch){ .at = 99, .start = 200, .end = 210, .corr = 3 });
	ask(&x, NULL);
	a = row_of(&x.a, "A", "push/pop");
	b = row_of(&x.a, "B", "push/pop");
	expect_cells(&x.a, a, "gpu_ops=2; gpu_busy=30; projected=60");
	expect_cells(&x.a, b, "gpu_ops=2; projected=140");
	expect_i64(&x.a, row_of(&x.a, "root", "push/pop"), "gpu_ops", 3);
	expect_i64(&x.a, row_of(&x.a, "root", "push/pop"), "projected", 180);
}

TEST(children_that_cross_are_subtracted_once)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nvtx"));

	push(&x, 0, 0, 100, "parent");
	push(&x, 0, 10, 40, "child");
	push(&x, 0, 30, 60, "child");
	push(&x, 0, 30, 30, "child");
	ask(&x, NULL);
	expect_i64(&x.a, row_of(&x.a, "parent", "push/pop"), "self", 50);
	expect_i64(&x.a, row_of(&x.a, "child", "push/pop"), "self", 60);
}

/* Where no ranges cross, self times add up to the roots. */
TEST(self_times_add_up_to_the_roots)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nvtx"));
	int64_t self = 0;

	for (wl_ns i = 0; i < 5; i++) {
		push(&x, 0, 100 * i, 100 * i + 90, "root");
		push(&x, 0, 100 * i, 100 * i + 30, "a");
		push(&x, 0, 100 * i + 30, 100 * i + 90, "b");
		push(&x, 0, 100 * i + 40, 100 * i + 90, "a");
	}
	for (int windowed = 0; windowed < 2; windowed++) {
		if (windowed)
			ask_window(&x, 45, 355);
		else
			ask(&x, NULL);
		self = 0;
		for (size_t i = 0; i < x.a.table.n_rows; i++)
			self += answer_i64(&x.a, i, "self");
		expect_i64(&x.a, row_of(&x.a, "root", "push/pop"), "host_sum", self);
	}
}

TEST(an_operation_below_two_ranges_of_one_name_counts_once)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nvtx"));
	size_t row;

	push(&x, 0, 0, 100, "recurse");
	push(&x, 0, 10, 90, "recurse");
	launch(&x, &(struct launch){ .at = 20, .start = 200, .end = 230, .corr = 1 });
	launch(&x, &(struct launch){ .at = 30, .start = 220, .end = 250, .corr = 2 });
	launch(&x, &(struct launch){ .at = 95, .start = 300, .end = 310, .corr = 3 });
	ask(&x, NULL);
	row = row_of(&x.a, "recurse", "push/pop");
	expect_i64(&x.a, row, "gpu_ops", 3);
	expect_i64(&x.a, row, "gpu_sum", 70);
	expect_i64(&x.a, row, "gpu_busy", 60);
	expect_i64(&x.a, row, "projected", 110 + 50); /* but each range has its own extent */
}

TEST(devices_have_unions_of_their_own)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nvtx"));

	push(&x, 0, 0, 100, "a");
	launch(&x, &(struct launch){ .at = 10, .start = 200, .end = 300, .corr = 1 });
	launch(&x, &(struct launch){ .at = 20, .start = 250, .end = 320, .corr = 2, .device = 1 });
	launch(&x, &(struct launch){ .at = 30, .start = 100, .end = 110, .corr = 3, .device = 1 });
	ask(&x, NULL);
	expect_cells(&x.a, 0, "gpu_busy=180; projected=220");
}

TEST(other_threads_are_bridged_to_what_is_open_on_the_anchor)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nvtx"));
	size_t row;

	push(&x, 1, 0, 100, "step");
	push(&x, 1, 10, 50, "backward");
	push(&x, 2, 20, 40, "autograd");
	launch(&x, &(struct launch){ .tid = 2, .at = 30, .start = 200, .end = 230, .corr = 1 });
	launch(&x, &(struct launch){ .tid = 2, .at = 60, .start = 220, .end = 260, .corr = 2 });
	launch(&x, &(struct launch){ .tid = 1, .at = 70, .start = 300, .end = 310, .corr = 3 });
	launch(&x, &(struct launch){ .tid = 2, .at = 100, .start = 400, .end = 405, .corr = 4 });
	ask(&x, NULL);
	row = row_of(&x.a, "step", "push/pop");
	expect_i64(&x.a, row, "gpu_ops", 1);
	expect_i64(&x.a, row, "bridged", 2);
	expect_i64(&x.a, row, "bridged_sum", 70);
	expect_i64(&x.a, row, "bridged_busy", 60);
	row = row_of(&x.a, "backward", "push/pop");
	expect_i64(&x.a, row, "gpu_ops", 0);
	expect_i64(&x.a, row, "projected", 0);
	expect_i64(&x.a, row, "bridged", 1);
	row = row_of(&x.a, "autograd", "push/pop");
	expect_i64(&x.a, row, "gpu_ops", 1);
	expect_i64(&x.a, row, "bridged", 0);
	expect_cover(&x.a, "kernels_in_ranges", 40, 85);
	expect_cover(&x.a, "kernels_in_ranges_bridged", 80, 85);
	assert_true(
		answer_has_note(&x.a, "is counted only in \"From other threads\" (bridged_busy)"));
	assert_false(answer_has_note(&x.a, "of the kernels' time"));
	ask(&x, (const char *const[WL_MAX_PARAMS]){ NULL, NULL, "true", NULL, NULL });
	assert_null(wl_table_find_col(&x.a.table, "bridged", &row));
	assert_false(answer_has_note(&x.a, "From other threads"));
	assert_int_equal(x.a.table.n_coverage, 1);
	assert_true(answer_has_note(&x.a, "GPU columns cover 47.1% of the kernel time"));
	ask(&x, (const char *const[WL_MAX_PARAMS]){ NULL, NULL, "true", "0.4", NULL });
	assert_false(answer_has_note(&x.a, "of the kernels' time"));
}

TEST(start_end_ranges_own_the_launches_of_their_thread)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nvtx"));
	size_t row;

	MEM_NVTX(&x.mem, .end = 50, .tid = 1, .kind = WL_NVTX_START_END, .name = "s");
	MEM_NVTX(&x.mem, .start = 10, .end = 60, .tid = 1, .kind = WL_NVTX_START_END, .name = "s");
	MEM_NVTX(&x.mem, .end = 90, .tid = 1, .end_tid = 2, .kind = WL_NVTX_START_END,
		 .name = "elsewhere");
	launch(&x, &(struct launch){ .tid = 1, .at = 20, .start = 200, .end = 230, .corr = 1 });
	launch(&x, &(struct launch){ .tid = 1, .at = 55, .start = 230, .end = 240, .corr = 2 });
	launch(&x, &(struct launch){ .tid = 2, .at = 20, .start = 300, .end = 310, .corr = 3 });
	ask(&x, NULL);
	row = row_of(&x.a, "s", "start/end");
	expect_i64(&x.a, row, "gpu_ops", 2);
	expect_i64(&x.a, row, "gpu_sum", 40);
	expect_i64(&x.a, row, "projected", 30 + 40);
	expect_i64(&x.a, row, "self", 100);
	expect_i64(&x.a, row_of(&x.a, "elsewhere", "start/end"), "gpu_ops", 0);
	expect_cover(&x.a, "kernels_in_ranges", 0, 50);
}

/* The first ends inside the call that the second contains. */
TEST(a_start_end_range_that_ends_in_the_call_does_not_own_it)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nvtx"));

	MEM_NVTX(&x.mem, .end = 21, .tid = 1, .kind = WL_NVTX_START_END, .name = "ends");
	MEM_NVTX(&x.mem, .start = 10, .end = 60, .tid = 1, .kind = WL_NVTX_START_END,
		 .name = "lasts");
	launch(&x, &(struct launch){ .tid = 1, .at = 20, .start = 200, .end = 230, .corr = 1 });
	ask(&x, NULL);
	expect_i64(&x.a, row_of(&x.a, "ends", "start/end"), "gpu_ops", 0);
	expect_i64(&x.a, row_of(&x.a, "lasts", "start/end"), "gpu_ops", 1);
}

TEST(a_long_operation_covers_later_ones)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nvtx"));

	push(&x, 0, 0, 100, "a");
	launch(&x, &(struct launch){ .at = 10, .start = 200, .end = 300, .corr = 1 });
	launch(&x, &(struct launch){ .at = 20, .start = 210, .end = 220, .corr = 2 });
	launch(&x, &(struct launch){ .at = 30, .start = 250, .end = 260, .corr = 3 });
	ask(&x, NULL);
	expect_cells(&x.a, 0, "gpu_sum=120; gpu_busy=100; projected=100");
}

TEST(a_range_outside_the_window_may_own_what_is_inside)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nvtx"));

	push(&x, 0, 0, 100, "early");
	push(&x, 0, 900, 1000, "late");
	launch(&x, &(struct launch){ .at = 10, .start = 200, .end = 300, .corr = 1 });
	ask_window(&x, 250, 950);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_i64(&x.a, 0, "host_sum", 50);
	expect_cells(&x.a, 1, "name=early; count=0");
	assert_false(answer_is_set(&x.a, 1, "host_avg"));
	expect_cells(&x.a, 1, "gpu_ops=1; gpu_sum=50; projected=50");
	ask_window(&x, 2000, 3000);
	assert_int_equal(x.a.table.n_rows, 0);
}

TEST(a_domain_is_chosen_by_name)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nvtx"));

	MEM_NVTX(&x.mem, .kind = WL_NVTX_DOMAIN_CREATE, .domain = 1, .name = "NCCL");
	push(&x, 0, 0, 100, "outer");
	MEM_NVTX(&x.mem, .start = 10, .end = 90, .domain = 1, .name = "send");
	ask(&x, (const char *const[WL_MAX_PARAMS]){ NULL, "NCCL", NULL, NULL, NULL });
	assert_int_equal(x.a.table.n_rows, 1);
	assert_string_equal(answer_str(&x.a, 0, "name"), "NCCL:send");
	ask(&x, (const char *const[WL_MAX_PARAMS]){ NULL, "default", NULL, NULL, NULL });
	assert_int_equal(x.a.table.n_rows, 1);
	expect_i64(&x.a, 0, "self", 100); /* what is not chosen is no child */
	ask(&x, (const char *const[WL_MAX_PARAMS]){ NULL, "no such", NULL, NULL, NULL });
	assert_int_equal(x.a.table.n_rows, 0);
}

TEST(processes_that_are_not_selected_have_no_host_time)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nvtx"));

	push(&x, 0, 0, 100, "a");
	MEM_NVTX(&x.mem, .end = 30, .pid = 999, .name = "a");
	ask(&x, NULL);
	expect_i64(&x.a, 0, "count", 2);
	x.scope.process_on[1] = false;
	ask(&x, NULL);
	expect_cells(&x.a, 0, "count=1; host_sum=100");
}

TEST(marks_alone_are_no_data)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nvtx"));

	MEM_NVTX(&x.mem, .kind = WL_NVTX_MARK, .name = "m");
	assert_non_null(strstr(ask_in_vain(&x), "no ranges"));
}
