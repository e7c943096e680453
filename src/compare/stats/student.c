/* SPDX-License-Identifier: MIT */
#include "compare/stats/student.h"

#include <math.h>

/*
 * The finite series of Abramowitz and Stegun, 26.7.3 and 26.7.4, for odd and even degrees of
 * freedom; each term is the one before times cos^2 and a ratio.
 */
double wl_student_tail(double t, size_t freedom)
{
	static const double two_over_pi = 0.63661977236758134308;
	const double angle = atan(fabs(t) / sqrt((double)freedom));
	const double c = cos(angle), s = sin(angle);
	const int is_odd = freedom % 2 == 1;
	double term = is_odd ? c : 1, sum = 0, inside;

	for (size_t k = is_odd ? 1 : 0; k + 2 <= freedom; k += 2) {
		sum += term;
		term *= c * c * (double)(k + 1) / (double)(k + 2);
	}
	inside = is_odd ? two_over_pi * (angle + s * sum) : s * sum;
	return inside >= 1 ? 0 : 1 - inside;
}
