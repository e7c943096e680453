/* SPDX-License-Identifier: MIT */
#include "derive/idle/idle_before.h"

#include "support/found.h"
#include "support/unit.h"

static const struct wl_derived_opts plain = { .marker = NULL };

/* Ten steps of 100 that are idle for 70 at their end; before the eighth 500 more. */
static void put_steps(struct found *f)
{
	wl_ns t = 1000;

	for (unsigned i = 0; i < 10; i++, t += 100) {
		char name[] = { 'k', (char)('a' + i), '\0' };

		t += i == 7 ? 500 : 0;
		found_range(f, t, t + 90, "step");
		found_launch(f, t + 1, 1, name);
		found_launch(f, t + 21, 1, "same");
	}
}

TEST(a_stall_is_before_the_step_that_it_delays)
{
	WITH(struct found, f, found_end, found_begin(&f));
	struct wl_delayed delayed;
	struct wl_arena arena;
	const wl_ns *idle;

	put_steps(&f);
	found_find(&f, &plain);
	wl_arena_init(&arena, 1 << 16);
	idle = wl_idle_before_find(f.trace, f.p, 0, &arena);
	assert_non_null(idle);
	assert_int_equal(f.p->n, 10);
	assert_int_equal(idle[0], WL_NO_TIME);
	assert_int_equal(idle[1], 70);
	assert_int_equal(idle[7], 570);
	assert_int_equal(idle[9], 70);
	delayed = wl_delayed_by(f.p, idle, 6);
	assert_int_equal(delayed.iter, 7);
	assert_true(delayed.is_before);
	assert_int_equal(delayed.idle, 570);
	delayed = wl_delayed_by(f.p, idle, 5); /* nothing is beyond the median */
	assert_int_equal(delayed.iter, 5);
	assert_false(delayed.is_before);
	delayed = wl_delayed_by(f.p, idle, 9); /* nothing comes after it */
	assert_int_equal(delayed.iter, 9);
	wl_arena_release(&arena);
}

/* Idle time counts from the step before on: what was before that is told of another. */
TEST(other_work_and_other_steps_end_it)
{
	WITH(struct found, f, found_end, found_begin(&f));
	struct wl_arena arena;
	const wl_ns *idle;

	put_steps(&f);
	MEM_OP(&f.m, WL_F_MEMCPYS, .start = 2190, .end = 2200, .stream = 9);
	MEM_OP(&f.m, WL_F_KERNELS, .start = 900, .end = 910, .device = 1);
	found_find(&f, &plain);
	wl_arena_init(&arena, 1 << 16);
	idle = wl_idle_before_find(f.trace, f.p, 0, &arena);
	assert_non_null(idle);
	assert_int_equal(idle[7], 21); /* a copy of no step ends at 2200 */
	idle = wl_idle_before_find(f.trace, f.p, 1, &arena);
	assert_non_null(idle);
	assert_int_equal(idle[0], 111);
	assert_int_equal(idle[1], 100);
	wl_arena_release(&arena);
}

/* Time before the first operation is unused and delays no step, whichever step it is. */
TEST(nothing_is_before_the_first_operation)
{
	WITH(struct found, f, found_end, found_begin(&f));
	struct wl_arena arena;
	const wl_ns *idle;

	put_steps(&f);
	MEM_OP(&f.m, WL_F_KERNELS, .start = 1250, .end = 1260, .device = 1);
	found_find(&f, &plain);
	wl_arena_init(&arena, 1 << 16);
	idle = wl_idle_before_find(f.trace, f.p, 1, &arena);
	assert_non_null(idle);
	assert_int_equal(idle[0], WL_NO_TIME);
	assert_int_equal(idle[1], WL_NO_TIME);
	assert_int_equal(idle[2], WL_NO_TIME);
	assert_int_equal(idle[3], 61);
	assert_false(wl_delayed_by(f.p, idle, 1).is_before);
	wl_arena_release(&arena);
}
