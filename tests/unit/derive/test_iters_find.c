/* SPDX-License-Identifier: MIT */
/* Iterations as they are found, apart from the verb that lists them. */
#include <string.h>

#include "derive/iters/iters.h"
#include "derive/nvtx/conventions.h"
#include "known/exports/codes.h"
#include "support/found.h"
#include "support/unit.h"

static const struct wl_derived_opts plain = { .marker = NULL };

/* Five steps of 100 with two kernels each, of different names. */
static void put_steps(struct found *f, const char *const *names)
{
	static const char *const kernels[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" };

	for (unsigned i = 0; i < 5; i++) {
		wl_ns t = 1000 + 100 * (wl_ns)i;

		found_range(f, t, t + 90, names[i]);
		found_launch(f, t + 10, 1, kernels[2 * (size_t)i]);
		found_launch(f, t + 50, 2, kernels[2 * (size_t)i + 1]);
	}
}

static const char *const counted[] = { "step 0", "step 1", "step 2", "step 3", "step 4" };

TEST(a_repeated_label_is_an_iteration)
{
	WITH(struct found, f, found_end, found_begin(&f));

	put_steps(&f, counted);
	found_find(&f, &plain);
	assert_int_equal(f.all->n_found, 1);
	assert_int_equal(f.p->method, WL_ITER_NVTX);
	assert_string_equal(f.p->what, "step #");
	assert_int_equal(f.p->n, 5);
	assert_int_equal(f.p->at[0].tile.begin, 1030);
	assert_int_equal(f.p->at[0].tile.end, 1130);
	assert_int_equal(f.p->at[0].last_end, 1080);
	assert_false(f.p->at[3].is_last);
	assert_true(f.p->at[4].is_last);
	assert_int_equal(f.p->at[4].tile.end, 1480);
	assert_int_equal(f.p->median, 100);
	assert_int_equal(f.p->steady, 1);
	assert_int_equal(f.p->n_dropped, 0);
	assert_null(f.p->outer.label);
}

TEST(operations_belong_to_the_marker_of_their_launch)
{
	WITH(struct found, f, found_end, found_begin(&f));
	const uint32_t *links;

	put_steps(&f, counted);
	found_launch(&f, 1095, 1, "outside");
	found_find(&f, &plain);
	links = f.derived.links->of[WL_OP_KERNEL];
	/* Kernels by start: of step 0 at 1030 and 1070, the one outside at 1115, of step 1 at 1130.
	 */
	assert_int_equal(wl_iteration_of(f.trace, f.p, 1030, links[0]), 0);
	assert_int_equal(wl_iteration_of(f.trace, f.p, 1070, links[1]), 0);
	assert_int_equal(wl_iteration_of(f.trace, f.p, 1115, links[2]), WL_NONE);
	assert_int_equal(wl_iteration_of(f.trace, f.p, 1130, links[3]), 1);
	assert_int_equal(wl_iteration_of(f.trace, f.p, 1130, WL_NONE), WL_NONE);
}

TEST(a_marker_is_taken_before_anything_else)
{
	WITH(struct found, f, found_end, found_begin(&f));

	put_steps(&f, counted);
	found_range(&f, 1205, 1240, "Special");
	found_range(&f, 1245, 1249, "special, but idle");
	found_range(&f, 1210, 1300, "special inside");
	found_find(&f, &(struct wl_derived_opts){ .marker = "special" });
	assert_int_equal(f.p->method, WL_ITER_MARKER);
	assert_string_equal(f.p->what, "special");
	assert_int_equal(f.p->n, 1);
	assert_int_equal(f.p->n_dropped, 1);
	assert_int_equal(f.p->at[0].tile.begin, 1230);
	assert_int_equal(f.p->at[0].tile.end, 1240);
	assert_int_equal(f.p->steady, WL_NONE);
	assert_int_equal(f.p->median, 0);
}

/* Markers that touch are all there; a launch where one ends is of the next one, or of none. */
TEST(a_marker_does_not_own_its_end)
{
	WITH(struct found, f, found_end, found_begin(&f));
	const uint32_t *links;

	for (unsigned i = 0; i < 4; i++) {
		wl_ns t = 1000 + 100 * (wl_ns)i;

		found_range(&f, t, t + 100, "step");
		found_launch(&f, t, 1, "k");
	}
	found_launch(&f, 1400, 1, "after");
	found_find(&f, &(struct wl_derived_opts){ .marker = "step" });
	assert_int_equal(f.p->n, 4);
	assert_int_equal(f.p->at[1].tile.begin, 1120);
	assert_int_equal(f.p->at[3].tile.end, 1330);
	links = f.derived.links->of[WL_OP_KERNEL];
	assert_int_equal(wl_iteration_of(f.trace, f.p, 1120, links[1]), 1);
	assert_int_equal(wl_iteration_of(f.trace, f.p, 1420, links[4]), WL_NONE);
}

TEST(an_operation_without_length_is_an_operation)
{
	WITH(struct found, f, found_end, found_begin(&f));

	found_range(&f, 1000, 1010, "step");
	MEM_API(&f.m, .start = 1001, .end = 1002, .tid = 1, .corr = 1);
	MEM_OP(&f.m, WL_F_MEMSETS, .start = 1020, .end = 1020, .corr = 1);
	found_range(&f, 1100, 1110, "step"); /* has none */
	found_find(&f, &(struct wl_derived_opts){ .marker = "step" });
	assert_int_equal(f.p->n, 1);
	assert_int_equal(f.p->n_dropped, 1);
	assert_int_equal(f.p->at[0].tile.begin, 1020);
	assert_int_equal(f.p->at[0].tile.end, 1020);
}

/* Iterations are in the order in which the GPU began them, not in that of the markers. */
TEST(the_gpu_may_begin_a_later_marker_first)
{
	WITH(struct found, f, found_end, found_begin(&f));
	static const wl_ns start[] = { 2100, 2000, 2200 };

	for (unsigned i = 0; i < 3; i++) {
		wl_ns t = 1000 + 100 * (wl_ns)i;

		found_range(&f, t, t + 50, "step");
		MEM_API(&f.m, .start = t, .end = t + 5, .tid = 1, .corr = i + 1);
		MEM_OP(&f.m, WL_F_KERNELS, .start = start[i], .end = start[i] + 10, .corr = i + 1);
	}
	found_find(&f, &(struct wl_derived_opts){ .marker = "step" });
	assert_int_equal(f.p->n, 3);
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t call = f.derived.links->of[WL_OP_KERNEL][i];

		assert_int_equal(f.p->at[i].tile.begin, 2000 + 100 * (wl_ns)i);
		assert_int_equal(wl_iteration_of(f.trace, f.p, 0, call), i);
	}
}

TEST(a_marker_that_matches_nothing_leaves_the_other_ways)
{
	struct found f;

	found_begin(&f);
	put_steps(&f, counted);
	found_find(&f, &(struct wl_derived_opts){ .marker = "re:^none$" });
	assert_int_equal(f.p->method, WL_ITER_NVTX);
	assert_non_null(strstr(f.all->problem, "there are: `step #` (5)"));
	found_end(&f);
	found_begin(&f);
	put_steps(&f, counted);
	found_find(&f, &(struct wl_derived_opts){ .marker = "re:(" });
	assert_non_null(f.all->problem);
	found_end(&f);
}

TEST(anchors_of_the_convention_come_second)
{
	WITH(struct found, f, found_end, found_begin(&f));
	static const char *const names[] = { "ProfilerStep#7", "ProfilerStep#8", "ProfilerStep#9",
					     "ProfilerStep#10", "other" };

	put_steps(&f, names);
	found_find(&f, &plain);
	assert_int_equal(f.p->method, WL_ITER_CONVENTIONS);
	assert_string_equal(f.p->what, "pytorch");
	assert_int_equal(f.p->n, 4);
}

TEST(start_end_ranges_may_mark)
{
	WITH(struct found, f, found_end, found_begin(&f));

	for (unsigned i = 0; i < 4; i++) {
		wl_ns t = 1000 + 100 * (wl_ns)i;

		MEM_NVTX(&f.m, .start = t, .end = t + 100, .tid = 1, .kind = WL_NVTX_START_END,
			 .name = "span");
		MEM_NVTX(&f.m, .start = t, .end = t + 100, .tid = 1, .end_tid = 2,
			 .kind = WL_NVTX_START_END, .name = "elsewhere");
		found_launch(&f, t + 10, 1, (const char *[]){ "a", "b", "c", "d" }[i]);
	}
	found_find(&f, &plain);
	assert_int_equal(f.p->method, WL_ITER_NVTX);
	assert_string_equal(f.p->what, "span");
}

TEST(ties_go_to_the_outermost_label)
{
	WITH(struct found, f, found_end, found_begin(&f));

	for (unsigned i = 0; i < 4; i++) {
		wl_ns t = 1000 + 100 * (wl_ns)i;

		found_range(&f, t, t + 90, "outer");
		found_range(&f, t + 1, t + 89, "inner");
		found_range(&f, t + 2, t + 40, "half");
		found_launch(&f, t + 10, 1, (const char *[]){ "a", "b", "c", "d" }[i]);
		found_launch(&f, t + 50, 1, (const char *[]){ "e", "f", "g", "h" }[i]);
	}
	found_find(&f, &plain);
	assert_string_equal(f.p->what, "outer");
}

static void kernel(struct found *f, wl_ns call, wl_ns start, wl_ns end)
{
	f->corr++;
	MEM_API(&f->m, .start = call, .end = call + 1, .tid = 1, .corr = f->corr);
	MEM_OP(&f->m, WL_F_KERNELS, .start = start, .end = end, .corr = f->corr);
}

/* Deep owns all of 400 and a rest, top 400 of it: within 1% that is a tie, which top wins. */
TEST(shares_within_one_percent_are_ties)
{
	for (wl_ns rest = 4; rest <= 5; rest++) {
		struct found f;

		found_begin(&f);
		MEM_NVTX(&f.m, .start = 900, .end = 2000, .tid = 2, .name = "whole");
		for (unsigned i = 0; i < 4; i++) {
			wl_ns t = 1000 + 200 * (wl_ns)i;

			MEM_NVTX(&f.m, .start = t, .end = t + 150, .tid = 2, .name = "deep");
			found_range(&f, t + 10, t + 100, "top");
			kernel(&f, t + 20, t + 25, t + 125);
		}
		kernel(&f, 1120, 1130, 1130 + rest);
		found_find(&f, &plain);
		assert_string_equal(f.p->what, rest == 4 ? "top" : "deep");
		found_end(&f);
	}
}

/* Both own everything; the start/end ranges are longer, but inside of a push/pop range. */
TEST(a_start_end_range_has_the_depth_of_what_is_around_it)
{
	WITH(struct found, f, found_end, found_begin(&f));

	found_range(&f, 900, 1500, "whole");
	for (unsigned i = 0; i < 4; i++) {
		wl_ns t = 1000 + 100 * (wl_ns)i;

		MEM_NVTX(&f.m, .start = t, .end = t + 90, .tid = 1, .kind = WL_NVTX_START_END,
			 .name = "span");
		MEM_NVTX(&f.m, .start = t + 5, .end = t + 40, .tid = 2, .name = "outermost");
		found_launch(&f, t + 10, 1, (const char *[]){ "a", "b", "c", "d" }[i]);
	}
	found_find(&f, &plain);
	assert_string_equal(f.p->what, "outermost");
}

TEST(labels_that_own_too_little_are_none)
{
	WITH(struct found, f, found_end, found_begin(&f));

	for (unsigned i = 0; i < 4; i++) {
		wl_ns t = 1000 + 100 * (wl_ns)i;

		found_range(&f, t, t + 40, "half");
		found_launch(&f, t + 10, 1, (const char *[]){ "a", "b", "c", "d" }[i]);
		found_launch(&f, t + 50, 1, (const char *[]){ "e", "f", "g", "h" }[i]);
	}
	found_find(&f, &plain);
	assert_int_equal(f.p->method, WL_ITER_NONE);
	assert_int_equal(f.all->n_found, 0);
	assert_int_equal(f.p->n, 0);
}

/* The steps keep the GPU busy for 100, all of their stretch; that is half of everything, or less.
 */
TEST(half_of_the_busy_time_is_enough)
{
	for (wl_ns rest = 100; rest <= 101; rest++) {
		struct found f;

		found_begin(&f);
		put_steps(&f, counted);
		MEM_OP(&f.m, WL_F_KERNELS, .start = 3000, .end = 3000 + rest, .name = "rest");
		found_find(&f, &plain);
		assert_int_equal(f.p->method, rest == 100 ? WL_ITER_NVTX : WL_ITER_NONE);
		found_end(&f);
	}
}

/* The stretch is [1030, 1480): what runs into it, or out of it, counts only as far as it is inside.
 */
TEST(the_rest_counts_only_inside_the_stretch)
{
	static const wl_ns rest[][2] = { { 950, 1035 }, { 1475, 1555 } };

	for (size_t i = 0; i < WL_COUNT(rest); i++) {
		struct found f;

		found_begin(&f);
		put_steps(&f, counted);
		MEM_OP(&f.m, WL_F_KERNELS, .start = rest[i][0], .end = rest[i][1], .stream = 9,
		       .name = "rest");
		found_find(&f, &plain);
		assert_int_equal(f.p->method, WL_ITER_NVTX);
		assert_int_equal(f.p->n, 5);
		found_end(&f);
	}
}

TEST(overlapping_instances_are_no_iterations)
{
	WITH(struct found, f, found_end, found_begin(&f));

	put_steps(&f, counted);
	found_range(&f, 1080, 1120, "step 9");
	found_find(&f, &plain);
	assert_int_equal(f.p->method, WL_ITER_NONE);
}

TEST(at_most_two_instances_may_own_nothing)
{
	for (unsigned n_idle = 2; n_idle <= 3; n_idle++) {
		struct found f;

		(void)state;
		found_begin(&f);
		put_steps(&f, counted);
		for (unsigned i = 0; i < n_idle; i++)
			found_range(&f, 2000 + 10 * (wl_ns)i, 2005 + 10 * (wl_ns)i, "step 7");
		found_find(&f, &plain);
		assert_int_equal(f.p->method, n_idle == 2 ? WL_ITER_NVTX : WL_ITER_NONE);
		assert_int_equal(f.p->n_dropped, n_idle == 2 ? 2 : 0);
		found_end(&f);
	}
}

/* Ten kernels, of a period of three, a longer wait before each "x". */
static void put_sequence(struct found *f)
{
	wl_ns t = 1000;

	for (unsigned i = 0; i < 10; i++) {
		t += i % 3 == 1 ? 50 : 12;
		MEM_OP(&f->m, WL_F_KERNELS, .start = t, .end = t + 10,
		       .name = (const char *[]){ "z", "x", "y" }[i % 3]);
	}
}

TEST(kernel_names_that_repeat_are_the_last_way)
{
	WITH(struct found, f, found_end, found_begin(&f));

	put_sequence(&f);
	/* A copy on another stream belongs to the iteration that it starts in. */
	MEM_OP(&f.m, WL_F_MEMCPYS, .start = 1100, .end = 1400, .stream = 9);
	found_find(&f, &plain);
	assert_int_equal(f.p->method, WL_ITER_SEQUENCE);
	assert_string_equal(f.p->what, "period of 3 kernels, 100.0 % repeated");
	assert_int_equal(f.p->n, 3);
	assert_int_equal(f.p->at[0].tile.begin, 1062);
	assert_int_equal(f.p->at[1].tile.begin, 1136);
	assert_int_equal(f.p->at[0].last_end, 1400);
	assert_int_equal(f.p->at[0].marker, WL_NONE);
	assert_int_equal(wl_iteration_of(f.trace, f.p, 1061, WL_NONE), WL_NONE);
	assert_int_equal(wl_iteration_of(f.trace, f.p, 1135, WL_NONE), 0);
	assert_int_equal(wl_iteration_of(f.trace, f.p, 9999, WL_NONE), 2);
}

/* Before the first kernel nothing is known: of x the idle times are 10, 50 and 50, of y 30. */
TEST(the_first_kernel_has_no_idle_time_before_it)
{
	WITH(struct found, f, found_end, found_begin(&f));
	static const wl_ns idle[] = { 0, 30, 10, 30, 50, 30, 50, 30 };
	wl_ns t = 1000;

	for (size_t i = 0; i < WL_COUNT(idle); i++) {
		t += idle[i];
		MEM_OP(&f.m, WL_F_KERNELS, .start = t, .end = t + 10, .name = i % 2 ? "y" : "x");
		t += 10;
	}
	found_find(&f, &plain);
	assert_int_equal(f.p->method, WL_ITER_SEQUENCE);
	assert_int_equal(f.p->n, 4);
	assert_int_equal(f.p->at[0].tile.begin, 1000);
}

TEST(nothing_is_found_where_nothing_is)
{
	struct found f;

	found_begin(&f);
	found_find(&f, &plain);
	assert_int_equal(f.all->n_found, 0);
	found_end(&f);
	found_begin(&f);
	found_range(&f, 0, 10, "step");
	found_range(&f, 10, 20, "step");
	found_range(&f, 20, 30, "step");
	found_find(&f, &plain);
	assert_int_equal(f.all->n_found, 0);
	found_end(&f);
}

TEST(processes_have_their_own)
{
	WITH(struct found, f, found_end, found_begin(&f));

	put_steps(&f, counted);
	for (unsigned i = 0; i < 9; i++)
		MEM_OP(&f.m, WL_F_KERNELS, .start = 1000 + 40 * (wl_ns)i,
		       .end = 1030 + 40 * (wl_ns)i, .pid = 200, .name = i % 3 ? "same" : "other");
	MEM_OP(&f.m, WL_F_KERNELS, .start = 1, .end = 2, .pid = 300);
	found_find(&f, &plain);
	assert_int_equal(f.all->n_found, 2);
	assert_int_equal(f.p[0].method, WL_ITER_NVTX);
	assert_int_equal(f.p[1].method, WL_ITER_SEQUENCE);
	assert_int_equal(f.p[1].n, 3);
	assert_int_equal(f.p[2].method, WL_ITER_NONE);
}

TEST(the_steady_one_has_the_median_period)
{
	WITH(struct found, f, found_end, found_begin(&f));
	/* Periods 50, 100, 120, 110, 100, and the last has none. */
	static const wl_ns at[] = { 1000, 1050, 1150, 1270, 1380, 1480 };

	for (unsigned i = 0; i < 6; i++) {
		found_range(&f, at[i], at[i] + 40, "step");
		found_launch(&f, at[i] + 1, 1, (const char *[]){ "a", "b", "c", "d", "e", "f" }[i]);
	}
	found_find(&f, &plain);
	assert_int_equal(f.p->n, 6);
	assert_int_equal(f.p->median, 100); /* of 50 100 100 110 120 */
	assert_int_equal(f.p->steady, 1); /* of 100 100 110 120 the second, ties to the earliest */
}

/* What the last one spans is no period, however short: the median is of the others. */
TEST(the_last_span_is_no_period)
{
	WITH(struct found, f, found_end, found_begin(&f));
	static const wl_ns at[] = { 1000, 1100, 1220, 1360 };

	for (unsigned i = 0; i < 4; i++) {
		found_range(&f, at[i], at[i] + 40, "step");
		found_launch(&f, at[i] + 1, 1, (const char *[]){ "a", "b", "c", "d" }[i]);
	}
	found_find(&f, &plain);
	assert_int_equal(f.p->median, 120); /* of 100 120 140, not of 10 100 120 140 */
	assert_int_equal(f.p->steady, 1);
}

/* Twelve steps, the first six of 300; the others of 100, or of 220, which is no other kind. */
TEST(two_clear_lengths_are_told_apart)
{
	for (wl_ns other = 100; other <= 220; other += 120) {
		struct found f;
		wl_ns t = 1000;

		found_begin(&f);
		for (unsigned i = 0; i < 13; i++) {
			found_range(&f, t, t + 40, "step");
			found_launch(&f, t + 1, 1,
				     (const char *[]){ "a", "b", "c", "d", "e", "f", "g", "h", "i",
						       "j", "k", "l", "m" }[i]);
			t += i < 6 ? 300 + i : other + i;
		}
		found_find(&f, &plain);
		assert_int_equal(f.p->lengths.n[0], other == 100 ? 6 : 0);
		if (other == 100) {
			assert_int_equal(f.p->lengths.n[1], 6);
			assert_int_equal(f.p->lengths.median[0], 108);
			assert_int_equal(f.p->lengths.median[1], 302);
		}
		found_end(&f);
	}
}

/* Two epochs of five steps, in one range around all: the epochs are named, what a step is stays. */
TEST(ranges_around_steps_are_named)
{
	WITH(struct found, f, found_end, found_begin(&f));

	found_range(&f, 900, 2500, "run 1");
	found_range(&f, 950, 1495, "epoch 1");
	put_steps(&f, counted);
	found_range(&f, 1500, 2400, "epoch 2");
	for (unsigned i = 0; i < 5; i++) {
		wl_ns t = 1600 + 100 * (wl_ns)i;

		found_range(&f, t, t + 90, counted[i]);
		found_launch(&f, t + 10, 1, "a");
	}
	found_find(&f, &plain);
	assert_string_equal(f.p->what, "step #");
	assert_int_equal(f.p->n, 10);
	assert_string_equal(f.p->outer.label, "epoch #");
	assert_int_equal(f.p->outer.n, 2);
	assert_int_equal(f.p->outer.median, 600); /* kernels at 1030 and 1630 */
}
