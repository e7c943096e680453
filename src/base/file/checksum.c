/* SPDX-License-Identifier: MIT */
#include "base/file/checksum.h"

#include <assert.h>
#include <string.h>

enum { LANES = 4, BLOCK = LANES * 8 };

static const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);

/* For one h each x gives another result and for one x each h does, so no single change is lost. */
static uint64_t fold(uint64_t h, uint64_t x)
{
	h ^= x;
	h = h << 29 | h >> 35;
	return h * odd;
}

static uint64_t load(const unsigned char *p)
{
	uint64_t x;

	memcpy(&x, p, sizeof(x));
	return x;
}

/* Four lanes that do not wait for each other's multiplication. */
uint64_t wl_checksum(const void *data, size_t size)
{
	const unsigned char *p = data;
	uint64_t h[LANES] = { 1, 2, 3, 4 }, sum = size;
	unsigned char tail[BLOCK] = { 0 };
	size_t left = size;

	for (; left >= BLOCK; left -= BLOCK, p += BLOCK) {
		h[0] = fold(h[0], load(p));
		h[1] = fold(h[1], load(p + 8));
		h[2] = fold(h[2], load(p + 16));
		h[3] = fold(h[3], load(p + 24));
	}
	if (left) {
		memcpy(tail, p, left);
		for (size_t i = 0; i < LANES; i++)
			h[i] = fold(h[i], load(tail + 8 * i));
	}
	for (size_t i = 0; i < LANES; i++)
		sum = fold(sum, h[i]);
	return sum ^ sum >> 32;
}

uint64_t wl_checksum_rows(const void *data, size_t element_size, size_t lo, size_t hi)
{
	const unsigned char *p = data;
	uint64_t sum = 0;

	assert(lo % WL_SUM_ROWS == 0);
	for (size_t at = lo; at < hi; at += WL_SUM_ROWS) {
		size_t n = hi - at < WL_SUM_ROWS ? hi - at : WL_SUM_ROWS;
		/* With the place of the part folded in, parts that change places are found. */
		uint64_t h = fold(fold(odd, at + 1),
				  wl_checksum(p + at * element_size, n * element_size));

		sum += h ^ h >> 32;
	}
	return sum;
}
