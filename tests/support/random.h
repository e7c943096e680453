/* SPDX-License-Identifier: MIT */
/* random.h - numbers that look random and are the same in every run. */
#ifndef WL_TESTS_RANDOM_H
#define WL_TESTS_RANDOM_H

#include <stdint.h>
#include <stdlib.h>

/* The next of a sequence (splitmix64); *state is the seed. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* In [0, n), n > 0. */
static inline uint32_t random_below(uint64_t *state, uint32_t n)
{
	return (uint32_t)((random_next(state) >> 32) * n >> 32);
}

/* In [lo, hi]. */
static inline int64_t random_between(uint64_t *state, int64_t lo, int64_t hi)
{
	return lo + (int64_t)(random_next(state) % ((uint64_t)(hi - lo) + 1));
}

/* How many of n random cases to try: one in $PROPERTY_PART, where a slow build must do with fewer,
 * and at least one. */
static inline int random_cases(int n)
{
	const char *text = getenv("PROPERTY_PART");
	long part = text ? strtol(text, NULL, 10) : 1;

	if (part <= 1)
		return n;
	return n > part ? (int)(n / part) : 1;
}

#endif
