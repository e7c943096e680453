/* SPDX-License-Identifier: MIT */
#include "compare/stats/student.h"

#include <math.h>

#include "base/attr.h"
#include "support/unit.h"

/* Tables of Student's distribution: 5%, 1% and 0.1% on both sides together. */
TEST(tails_are_those_of_the_tables)
{
	static const struct {
		size_t freedom;
		double t, tail;
	} known[] = {
		{ 1, 12.7062047, 0.05 },       { 1, 636.619249, 0.001 },  { 2, 4.30265273, 0.05 },
		{ 3, 5.84090931, 0.01 },       { 4, 8.61030158, 0.001 },  { 9, 3.24983554, 0.01 },
		{ 10, 2.22813885, 0.05 },      { 11, 4.43697934, 0.001 }, { 30, 2.75, 0.0099995 },
		{ 58, 3.4663286, 0.00099999 }, { 120, 1.97993041, 0.05 },
	};

	for (size_t i = 0; i < WL_COUNT(known); i++)
		assert_true(fabs(wl_student_tail(known[i].t, known[i].freedom) / known[i].tail -
				 1) < 1e-4);
}

TEST(the_ends_are_certain)
{
	for (size_t freedom = 1; freedom < 300; freedom++) {
		assert_true(wl_student_tail(0, freedom) == 1);
		assert_true(wl_student_tail((double)INFINITY, freedom) < 1e-14);
		assert_true(wl_student_tail(-2, freedom) == wl_student_tail(2, freedom));
		assert_true(wl_student_tail(3, freedom) < wl_student_tail(2, freedom));
	}
}
