/* SPDX-License-Identifier: MIT */
#include "derive/comm/match/end_together.h"

#include "support/unit.h"

enum { N = 240 };

static const wl_ns us = 1000;

enum { ONE_CLOCK = true, TWO_CLOCKS = false };

/* n operations of 40 us, one per period. */
static void fill(struct wl_comm_op *op, size_t n, wl_ns period)
{
	for (size_t i = 0; i < n; i++)
		op[i] = (struct wl_comm_op){ .start = (wl_ns)i * period, .dur = 40 * us };
}

static bool pair(const struct wl_comm_op *a, size_t n_a, const struct wl_comm_op *b, size_t n_b,
		 bool is_one_clock, struct wl_end_pairing *ret)
{
	struct wl_arena scratch;
	bool together, ok;

	wl_arena_init(&scratch, 1 << 20);
	together = wl_end_together(&(struct wl_op_run){ a, n_a }, &(struct wl_op_run){ b, n_b },
				   is_one_clock, &scratch, ret, &ok);
	assert_true(ok);
	wl_arena_release(&scratch);
	return together;
}

/* Members that arrive when they like. */
static void arrive(struct wl_comm_op *op, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		wl_ns early = (wl_ns)(i * i % 37) * 20 * us;

		op[i].start -= early;
		op[i].dur += early;
	}
}

TEST(nineteen_of_twenty_must_overlap)
{
	struct wl_comm_op a[N], b[N];
	struct wl_end_pairing p;

	fill(a, 100, 1000 * us);
	fill(b, 100, 1000 * us);
	arrive(b, 100);
	for (size_t i = 0; i < 5; i++)
		b[10 * i] =
			(struct wl_comm_op){ .start = a[10 * i].start + 45 * us, .dur = 1 * us };
	assert_true(pair(a, 100, b, 100, ONE_CLOCK, &p));
	assert_int_equal(p.cut, WL_END_WHOLE);
	b[70] = (struct wl_comm_op){ .start = a[70].start + 45 * us, .dur = 1 * us };
	assert_false(pair(a, 100, b, 100, ONE_CLOCK, &p));
	assert_false(p.found.overlaps);
}

TEST(a_quarter_either_way_decides_nothing)
{
	assert_int_equal(wl_end_law(0, 0), WL_END_TOGETHER);
	assert_int_equal(wl_end_law(80, 100), WL_END_TOGETHER);
	assert_int_equal(wl_end_law(81, 100), WL_END_UNDECIDED);
	assert_int_equal(wl_end_law(124, 100), WL_END_UNDECIDED);
	assert_int_equal(wl_end_law(125, 100), WL_END_APART);
}

TEST(the_median_of_an_even_number_is_rounded_down)
{
	assert_int_equal(wl_end_median((const wl_ns[]){ 7, 1, 5 }, 3), 5);
	assert_int_equal(wl_end_median((const wl_ns[]){ 4, 1 }, 2), 2);
	assert_int_equal(wl_end_median((const wl_ns[]){ -1, -2 }, 2), -2);
	assert_int_equal(wl_end_median((const wl_ns[]){ 3, 3, 3, 9 }, 4), 3);
	assert_true(wl_end_spread((const wl_ns[]){ 0, 10, 20, 50 }, 4) == 15);
}

/* Of 40 us: on one clock a longer difference is no clock's, these are two communicators. */
TEST(a_constant_offset_is_two_clocks_or_two_groups)
{
	struct wl_comm_op a[N], b[N];
	struct wl_end_pairing p;

	fill(a, N, 1000 * us);
	fill(b, N, 1000 * us);
	for (size_t i = 0; i < N; i++)
		b[i].start += 20 * us;
	assert_true(pair(a, N, b, N, ONE_CLOCK, &p));
	for (size_t i = 0; i < N; i++)
		b[i].start += 1;
	assert_false(pair(a, N, b, N, ONE_CLOCK, &p));
	assert_true(pair(a, N, b, N, TWO_CLOCKS, &p));
	assert_int_equal(p.line.offset, 20 * us + 1);
	assert_true(p.found.r1 == 0);
	assert_int_equal(wl_clock_aligned(&p.line, b[7].start), a[7].start);
}

/* Ends that scatter by 27 us belong together where durations scatter more. */
TEST(ends_agree_better_than_durations)
{
	struct wl_comm_op a[N], b[N];
	struct wl_end_pairing p;

	fill(a, N, 1000 * us);
	fill(b, N, 1000 * us);
	for (size_t i = 0; i < N; i++)
		b[i].dur += (wl_ns)(i % 4) * 9 * us;
	/* All arrive at once: it may be either. */
	assert_true(pair(a, N, b, N, ONE_CLOCK, &p));
	assert_int_equal(p.found.verdict, WL_END_UNDECIDED);
	assert_true(p.found.r1 == 9 * us && p.found.r2 == 9 * us);
	arrive(b, N);
	assert_true(pair(a, N, b, N, ONE_CLOCK, &p));
	assert_int_equal(p.found.verdict, WL_END_TOGETHER);
	/* One that always takes as long leaves when it likes. */
	fill(b, N, 1000 * us);
	for (size_t i = 0; i < N; i++)
		b[i].start += (wl_ns)(i % 4) * 9 * us;
	assert_false(pair(a, N, b, N, ONE_CLOCK, &p));
	assert_true(p.found.r1 == 9 * us && p.found.r2 == 0);
}

/* Ends that rounding alone keeps apart agree, even where durations agree better. */
TEST(rounded_ends_agree)
{
	struct wl_comm_op a[N], b[N];
	struct wl_end_pairing p;

	fill(a, N, 1000 * us);
	fill(b, N, 1000 * us);
	for (size_t i = 0; i < N; i++)
		b[i].start += (wl_ns)(i % 2);
	assert_true(pair(a, N, b, N, ONE_CLOCK, &p));
	assert_int_equal(p.found.verdict, WL_END_TOGETHER);
	for (size_t i = 0; i < N; i++)
		b[i].start += (wl_ns)(i % 2) * 2;
	assert_false(pair(a, N, b, N, ONE_CLOCK, &p));
}

/* 20 ppm over 2.4 s are 48 us: the line has them, and what agrees is what is left. */
TEST(drift_is_part_of_the_line)
{
	struct wl_comm_op a[N], b[N];
	struct wl_end_pairing p;

	fill(a, N, 10000 * us);
	fill(b, N, 10000 * us);
	for (size_t i = 0; i < N; i++)
		b[i].start += 2000 * us + b[i].start / 50000;
	assert_true(pair(a, N, b, N, TWO_CLOCKS, &p));
	assert_true(p.found.r1 <= 2);
	assert_in_range(wl_clock_aligned(&p.line, wl_comm_end(&b[200])) - wl_comm_end(&a[200]) + 2,
			0, 4);
}

/* Fewer than half of the shorter queue are in common: they may agree by chance. */
TEST(a_few_that_agree_prove_nothing)
{
	struct wl_comm_op a[N], b[N];
	struct wl_end_pairing p;

	fill(a, N, 1000 * us);
	fill(b, N, 1000 * us);
	/* The last 49 of 100 are the first of the other. */
	assert_false(pair(a, 100, b + 51, 100, ONE_CLOCK, &p));
	assert_true(pair(a, 100, b + 50, 100, ONE_CLOCK, &p));
	assert_int_equal(p.shift, -50);
	/* A capture that is cut to a tenth, on both sides. */
	assert_true(pair(a, 100, b + 40, 10, ONE_CLOCK, &p));
	assert_int_equal(p.shift, -40);
}

/* Whole queues need no shift: four ends say enough. Three, and seven of eight, are not trusted. */
TEST(few_ends_of_whole_queues_fit_two_clocks)
{
	struct wl_comm_op a[N], b[N];
	struct wl_end_pairing p;

	fill(a, 8, 1000 * us);
	fill(b, 8, 1000 * us);
	arrive(b, 8);
	for (size_t i = 0; i < 8; i++)
		b[i].start += 100 * us;
	assert_true(pair(a, 4, b, 4, TWO_CLOCKS, &p));
	assert_int_equal(p.line.offset, 100 * us);
	assert_true(p.found.r1 == 0);
	assert_false(pair(a, 3, b, 3, TWO_CLOCKS, &p));
	assert_false(pair(a, 8, b, 7, TWO_CLOCKS, &p));
}

/* The nearest end is another collective's: only the times from end to end agree. */
TEST(a_cut_is_found_before_clocks_are_fitted)
{
	struct wl_comm_op a[N], b[N];
	struct wl_end_pairing p;

	fill(a, N, 1000 * us);
	fill(b, N, 1000 * us);
	for (size_t i = 0; i < N; i++) {
		/* No two steps are alike. */
		a[i].start += (wl_ns)(i * i % 37) * 20 * us;
		b[i].start = a[i].start + 7400 * us;
	}
	assert_true(pair(a, N, b + 100, 80, TWO_CLOCKS, &p));
	assert_int_equal(p.shift, -100);
	assert_int_equal(p.line.offset, 7400 * us);
	/* Any seven ends lie on some line, at some shift. */
	assert_false(pair(a, 8, b, 7, TWO_CLOCKS, &p));
}

/* The ends lie on two lines: that is the clock's fault, and no other collective. */
TEST(a_clock_that_jumps_is_no_mismatch)
{
	struct wl_comm_op a[N], b[N];
	struct wl_end_pairing p;

	fill(a, N, 1000 * us);
	for (size_t i = 0; i < N; i++)
		a[i].start += (wl_ns)(i * i % 37) * 20 * us;
	for (size_t i = 0; i < N; i++) {
		b[i] = a[i];
		b[i].start += i < N / 3 ? 0 : 5000 * us;
	}
	assert_true(pair(a, N, b, N, TWO_CLOCKS, &p));
	assert_true(p.has_jumped);
	assert_int_equal(p.shift, 0);
	/* One that is left out shifts all that follow. */
	for (size_t i = N / 3; i + 1 < N; i++)
		b[i] = a[i + 1];
	(void)pair(a, N, b, N - 1, TWO_CLOCKS, &p);
	assert_false(p.has_jumped);
	/* On one clock it is a mismatch. */
	for (size_t i = N / 3; i < N; i++)
		b[i].start = a[i].start + 5000 * us;
	assert_true(pair(a, N, b, N, ONE_CLOCK, &p));
	assert_false(p.has_jumped);
	assert_int_equal(p.cut, N / 3);
}

TEST(the_shift_with_most_overlaps_is_taken)
{
	struct wl_comm_op a[N];
	struct wl_end_pairing p;

	fill(a, 100, 1000 * us);
	assert_true(pair(a, 90, a + 10, 90, ONE_CLOCK, &p));
	assert_int_equal(p.shift, -10);
	assert_true(pair(a + 10, 90, a, 90, ONE_CLOCK, &p));
	assert_int_equal(p.shift, 10);
}

/* One queue lacks an operation: what follows is another collective. Few that overlap prove nothing.
 */
TEST(queues_are_cut_where_they_get_out_of_step)
{
	struct wl_comm_op a[N], b[N];
	struct wl_end_pairing p;

	fill(a, N, 1000 * us);
	for (size_t i = 0; i < 39; i++)
		b[i] = a[i < 20 ? i : i + 1];
	assert_true(pair(a, 40, b, 39, ONE_CLOCK, &p));
	assert_int_equal(p.cut, 20);
	assert_int_equal(p.shift, 0);
	for (size_t i = 0; i < 39; i++)
		b[i] = a[i < WL_END_FEWEST ? i : i + 1];
	assert_true(pair(a, 16, b, 15, ONE_CLOCK, &p));
	assert_int_equal(p.cut, WL_END_FEWEST);
	for (size_t i = 0; i < 39; i++)
		b[i] = a[i < 7 ? i : i + 1];
	assert_false(pair(a, 14, b, 13, ONE_CLOCK, &p));
	/* Every fourth one misses the other: that is no step. */
	fill(b, 40, 1000 * us);
	for (size_t i = 11; i < 40; i += 4)
		b[i].start += 60 * us;
	assert_false(pair(a, 40, b, 40, ONE_CLOCK, &p));
	assert_int_equal(p.cut, WL_END_WHOLE);
}
