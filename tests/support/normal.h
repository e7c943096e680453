/* SPDX-License-Identifier: MIT */
/* normal.h - noise with a normal distribution, the same in every run. */
#ifndef WL_TESTS_NORMAL_H
#define WL_TESTS_NORMAL_H

#include <math.h>

#include "support/random.h"

/* Mean 0, standard deviation 1 (Box and Muller). */
static inline double random_normal(uint64_t *state)
{
	double u = (double)((random_next(state) >> 11) + 1) * 0x1p-53;
	double v = (double)(random_next(state) >> 11) * 0x1p-53;

	return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

#endif
