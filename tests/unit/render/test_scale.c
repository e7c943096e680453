/* SPDX-License-Identifier: MIT */
#include "render/chart/scale.h"

#include <math.h>

#include "support/unit.h"

static void expect_scale(double max, unsigned n, enum wl_type type, double step, double top)
{
	struct wl_scale s = wl_scale_make(max, n, type, WL_UNIT_AUTO);

	assert_true(fabs(s.step - step) <= step * 1e-9);
	assert_true(fabs(s.top - top) <= top * 1e-9);
}

TEST(steps_are_round)
{
	expect_scale(36, 4, WL_T_NS, 10, 40);
	expect_scale(100, 5, WL_T_NS, 20, 100);
	expect_scale(101, 5, WL_T_NS, 50, 150);
	expect_scale(1e9, 4, WL_T_NS, 5e8, 1e9);
	expect_scale(0.3, 4, WL_T_RATIO, 0.1, 0.3);
	expect_scale(9.2e18, 4, WL_T_NS, 5e18, 1e19);
}

TEST(a_nanosecond_has_no_parts)
{
	expect_scale(1, 4, WL_T_NS, 1, 1);
	expect_scale(2, 4, WL_T_BYTES, 1, 2);
}

TEST(ticks_have_one_unit)
{
	struct wl_scale s = wl_scale_make(1500000, 4, WL_T_NS, WL_UNIT_AUTO);
	char buf[WL_UNITS_BUF];

	assert_string_equal(wl_scale_text(&s, 0, buf), "0");
	assert_string_equal(wl_scale_text(&s, 500000, buf), "0.5 ms");
	assert_string_equal(wl_scale_text(&s, 1500000, buf), "1.5 ms");
	s = wl_scale_make(1500000, 4, WL_T_NS, WL_UNIT_US);
	assert_string_equal(wl_scale_text(&s, 500000, buf), "500 us");
	s = wl_scale_make(1, 4, WL_T_RATIO, WL_UNIT_AUTO);
	assert_string_equal(wl_scale_text(&s, 0.5, buf), "50%");
}

TEST(decades_hold_what_they_must)
{
	int first, last;

	wl_scale_decades(1, 1, &first, &last);
	assert_int_equal(first, 0);
	assert_int_equal(last, 1);
	wl_scale_decades(15, 990, &first, &last);
	assert_int_equal(first, 1);
	assert_int_equal(last, 3);
}

TEST(numbers_that_do_not_fit_are_the_largest)
{
	char buf[WL_UNITS_BUF];

	assert_string_equal(wl_number_text(WL_T_COUNT, 1e30, WL_UNIT_AUTO, buf),
			    "9,200,000,000,000,000,000");
}
