/* SPDX-License-Identifier: MIT */
/* student.h - how likely chance alone makes two means differ that much. */
#ifndef WL_COMPARE_STUDENT_H
#define WL_COMPARE_STUDENT_H

#include <stddef.h>

/*
 * The probability that Student's t with that many degrees of freedom, at least 1, is at least as
 * far from 0 as t, on either side: in [0, 1], exact to about 1e-14. Linear in freedom.
 */
double wl_student_tail(double t, size_t freedom);

#endif
