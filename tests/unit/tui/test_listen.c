/* SPDX-License-Identifier: MIT */
#include "tui/term/listen.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/unit.h"

static int typed[2], other[2];
static struct wl_listener l;

static int begin(void **state)
{
	(void)state;
	assert_int_equal(pipe(typed), 0);
	assert_int_equal(pipe(other), 0);
	wl_listener_init(&l, typed[0], other[0]);
	return 0;
}

static int end(void **state)
{
	(void)state;
	(void)close(typed[0]);
	(void)close(typed[1]);
	(void)close(other[0]);
	(void)close(other[1]);
	return 0;
}

static void type(const char *bytes)
{
	assert_int_equal(write(typed[1], bytes, strlen(bytes)), strlen(bytes));
}

static void expect_key(uint32_t key)
{
	struct wl_event e;

	assert_false(wl_listener_next(&l, 5000, &e));
	assert_int_equal(e.kind, WL_EVENT_KEY);
	assert_int_equal(e.key, key);
}

TEST_WITH(keys_come_in_order, begin, end)
{
	struct wl_event e;

	type("a\033[A\033[?1cb");
	expect_key('a');
	expect_key(WL_KEY_UP);
	expect_key('b');
	assert_false(wl_listener_next(&l, 0, &e));
	assert_int_equal(e.kind, WL_EVENT_NONE);
}

TEST_WITH(waiting_ends_in_time, begin, end)
{
	int64_t before = wl_clock_wall_ns();
	struct wl_event e;

	assert_false(wl_listener_next(&l, 20, &e));
	assert_int_equal(e.kind, WL_EVENT_NONE);
	assert_true(wl_clock_wall_ns() - before >= INT64_C(20000000));
}

/* Also for one who asks often and never waits long. */
TEST_WITH(a_lone_esc_comes_after_a_while, begin, end)
{
	int64_t before = wl_clock_wall_ns();
	struct wl_event e = { .kind = WL_EVENT_NONE };

	type("\033");
	while (e.kind == WL_EVENT_NONE)
		assert_false(wl_listener_next(&l, 2, &e));
	assert_int_equal(e.key, WL_KEY_ESC);
	assert_true(wl_clock_wall_ns() - before >= INT64_C(1000000) * WL_ESC_DELAY);
	type("\033");
	expect_key(WL_KEY_ESC);
}

TEST_WITH(other_things_come_first, begin, end)
{
	struct wl_event e;

	assert_int_equal(write(other[1], "", 1), 1);
	type("a");
	assert_true(wl_listener_next(&l, -1, &e));
	assert_int_equal(e.kind, WL_EVENT_NONE);
	assert_int_equal(read(other[0], (char[1]){ 0 }, 1), 1);
	expect_key('a');
}

TEST_WITH(the_end_is_told_after_the_last_key, begin, end)
{
	struct wl_event e;

	type("z");
	(void)close(typed[1]);
	expect_key('z');
	for (int i = 0; i < 3; i++) {
		assert_false(wl_listener_next(&l, -1, &e));
		assert_int_equal(e.kind, WL_EVENT_QUIT);
	}
}
