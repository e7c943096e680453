/* SPDX-License-Identifier: MIT */
#include "derive/comm/end_together.h"

#include "support/unit.h"

enum { N = 240 };

static const wl_ns us = 1000;

static const struct wl_clocks one_clock = { .is_one = true, .residual = INT64_MAX };
static const struct wl_clocks two_clocks = { .is_one = false, .residual = INT64_MAX };

/* n operations of 40 us, one per period. */
static void fill(struct wl_comm_op *op, size_t n, wl_ns period)
{
	for (size_t i = 0; i < n; i++)
		op[i] = (struct wl_comm_op){ .start = (wl_ns)i * period, .dur = 40 * us };
}

static bool pair(const struct wl_comm_op *a, size_t n_a, const struct wl_comm_op *b, size_t n_b,
		 const struct wl_clocks *clocks, struct wl_end_pairing *ret)
{
	struct wl_arena scratch;
	bool together, ok;

	wl_arena_init(&scratch, 1 << 20);
	together = wl_end_together(&(struct wl_op_run){ a, n_a }, &(struct wl_op_run){ b, n_b },
				   clocks, &scratch, ret, &ok);
	assert_true(ok);
	wl_arena_release(&scratch);
	return together;
}

static void nineteen_of_twenty_must_agree(void **state)
{
	struct wl_comm_op a[N], b[N];
	struct wl_end_pairing p;

	(void)state;
	fill(a, 100, 1000 * us);
	fill(b, 100, 1000 * us);
	for (size_t i = 0; i < 5; i++)
		b[10 * i].dur += 30 * us; /* overlap, but end apart */
	assert_true(pair(a, 100, b, 100, &one_clock, &p));
	b[70].dur += 30 * us;
	assert_false(pair(a, 100, b, 100, &one_clock, &p));
}

/* On one clock a constant difference is no clock's: these are two communicators. */
static void a_constant_offset_is_two_clocks_or_two_groups(void **state)
{
	struct wl_comm_op a[N], b[N];
	struct wl_end_pairing p;

	(void)state;
	fill(a, N, 1000 * us);
	fill(b, N, 1000 * us);
	for (size_t i = 0; i < N; i++)
		b[i].start += 30 * us;
	assert_false(pair(a, N, b, N, &one_clock, &p));
	assert_true(pair(a, N, b, N, &two_clocks, &p));
	assert_int_equal(p.line.offset, 30 * us);
	assert_int_equal(p.residual, 0);
	assert_int_equal(wl_clock_aligned(&p.line, b[7].start), a[7].start);
}

/* 20 ppm over 2.4 s are 48 us: the line has them, and what agrees is what is left. */
static void drift_is_part_of_the_line(void **state)
{
	struct wl_comm_op a[N], b[N];
	struct wl_end_pairing p;

	(void)state;
	fill(a, N, 10000 * us);
	fill(b, N, 10000 * us);
	for (size_t i = 0; i < N; i++)
		b[i].start += 2000 * us + b[i].start / 50000;
	assert_true(pair(a, N, b, N, &two_clocks, &p));
	assert_in_range(p.residual, 0, 2);
	assert_in_range(wl_clock_aligned(&p.line, wl_comm_end(&b[200])) - wl_comm_end(&a[200]) + 2,
			0, 4);
}

/* Fewer than half of the shorter queue are in common: they may agree by chance. */
static void a_few_that_agree_prove_nothing(void **state)
{
	struct wl_comm_op a[N], b[N];
	struct wl_end_pairing p;

	(void)state;
	fill(a, N, 1000 * us);
	fill(b, N, 1000 * us);
	/* The last 49 of 100 are the first of the other. */
	assert_false(pair(a, 100, b + 51, 100, &one_clock, &p));
	assert_true(pair(a, 100, b + 50, 100, &one_clock, &p));
	assert_int_equal(p.shift, -50);
	/* A capture that is cut to a tenth, on both sides. */
	assert_true(pair(a, 100, b + 40, 10, &one_clock, &p));
	assert_int_equal(p.shift, -40);
}

/* The nearest end is another collective's: only the times from end to end agree. */
static void a_cut_is_found_before_clocks_are_fitted(void **state)
{
	struct wl_comm_op a[N], b[N];
	struct wl_end_pairing p;

	(void)state;
	fill(a, N, 1000 * us);
	fill(b, N, 1000 * us);
	for (size_t i = 0; i < N; i++) {
		/* No two steps are alike. */
		a[i].start += (wl_ns)(i * i % 37) * 20 * us;
		b[i].start = a[i].start + 7400 * us;
	}
	assert_true(pair(a, N, b + 100, 80, &two_clocks, &p));
	assert_int_equal(p.shift, -100);
	assert_int_equal(p.line.offset, 7400 * us);
	/* Any seven ends lie on some line. */
	assert_false(pair(a, 7, b, 7, &two_clocks, &p));
}

/* The order agrees, no line does: that is the clock's fault, and no other collective. */
static void a_clock_that_jumps_is_no_mismatch(void **state)
{
	struct wl_comm_op a[N], b[N];
	struct wl_end_pairing p;

	(void)state;
	fill(a, N, 1000 * us);
	for (size_t i = 0; i < N; i++)
		a[i].start += (wl_ns)(i * i % 37) * 20 * us;
	for (size_t i = 0; i < N; i++) {
		b[i] = a[i];
		b[i].start += i < N / 3 ? 0 : 5000 * us;
	}
	assert_true(pair(a, N, b, N, &two_clocks, &p));
	assert_true(p.has_jumped);
	assert_int_equal(p.shift, 0);
	assert_int_equal(wl_end_compare(&p, &a[0], &b[N - 1]), WL_END_DIFFERS);
	/* One that is left out shifts all that follow. */
	for (size_t i = N / 3; i + 1 < N; i++)
		b[i] = a[i + 1];
	(void)pair(a, N, b, N - 1, &two_clocks, &p);
	assert_false(p.has_jumped);
	/* On one clock it is a mismatch. */
	for (size_t i = N / 3; i < N; i++)
		b[i].start = a[i].start + 5000 * us;
	(void)pair(a, N, b, N, &one_clock, &p);
	assert_false(p.has_jumped);
}

static void the_shift_with_most_agreeing_ends_is_taken(void **state)
{
	struct wl_comm_op a[N];
	struct wl_end_pairing p;

	(void)state;
	fill(a, 100, 1000 * us);
	assert_true(pair(a, 90, a + 10, 90, &one_clock, &p));
	assert_int_equal(p.shift, -10);
	assert_true(pair(a + 10, 90, a, 90, &one_clock, &p));
	assert_int_equal(p.shift, 10);
}

static void what_neither_overlaps_nor_ends_near_is_a_mismatch(void **state)
{
	const struct wl_end_pairing p = { .residual = 0 };
	const struct wl_comm_op a = { .start = 0, .dur = 10 * us };

	(void)state;
	assert_int_equal(wl_end_compare(&p, &a, &(struct wl_comm_op){ .start = 3, .dur = 14 * us }),
			 WL_END_AGREES);
	assert_int_equal(wl_end_compare(&p, &a, &(struct wl_comm_op){ .start = 3, .dur = 16 * us }),
			 WL_END_DIFFERS);
	assert_int_equal(
		wl_end_compare(&p, &a, &(struct wl_comm_op){ .start = 11 * us, .dur = 2 * us }),
		WL_END_DIFFERS);
	assert_int_equal(
		wl_end_compare(&p, &a, &(struct wl_comm_op){ .start = 14 * us, .dur = 2 * us }),
		WL_END_MISMATCH);
}

TEST_MAIN(end_together)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nineteen_of_twenty_must_agree),
		cmocka_unit_test(a_constant_offset_is_two_clocks_or_two_groups),
		cmocka_unit_test(drift_is_part_of_the_line),
		cmocka_unit_test(a_few_that_agree_prove_nothing),
		cmocka_unit_test(a_cut_is_found_before_clocks_are_fitted),
		cmocka_unit_test(a_clock_that_jumps_is_no_mismatch),
		cmocka_unit_test(the_shift_with_most_agreeing_ends_is_taken),
		cmocka_unit_test(what_neither_overlaps_nor_ends_near_is_a_mismatch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
