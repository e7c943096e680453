/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/jumps.h"

#include "support/unit.h"

enum { N = 3000 };

struct family {
	wl_ns end[N];
	uint32_t parent[N], depth[N], jump[N];
	struct wl_jumps jumps;
};

static void family_init(struct family *f)
{
	f->jumps = (struct wl_jumps){ f->end, f->parent, f->depth, f->jump };
}

static uint32_t step_by_step(const struct family *f, uint32_t range, wl_ns t)
{
	while (range != WL_NONE && f->end[range] < t)
		range = f->parent[range];
	return range;
}

TEST(jumps_find_what_steps_find)
{
	static struct family f;
	uint32_t random = 1;

	family_init(&f);
	/* Deep, with branches here and there, several roots and equal ends. */
	for (uint32_t i = 0; i < N; i++) {
		random = random * 1664525 + 1013904223;
		f.parent[i] = i % 1000 == 0 ? WL_NONE : i - 1;
		if (i % 1000 > 20 && random >> 28 == 0)
			f.parent[i] = i - 1 - (random >> 8) % 20;
		f.end[i] = f.parent[i] == WL_NONE ? 5000
						  : f.end[f.parent[i]] - (wl_ns)(random >> 24) % 3;
		wl_jumps_set(&f.jumps, i);
	}
	for (uint32_t i = 0; i < N; i++) {
		for (wl_ns t = f.end[i] - 1; t < 5003; t += 1 + (t - f.end[i]) / 2)
			assert_int_equal(wl_jumps_lasting(&f.jumps, i, t), step_by_step(&f, i, t));
	}
	assert_int_equal(wl_jumps_lasting(&f.jumps, WL_NONE, 0), WL_NONE);
}

/* The length of the longest search in a family of one line. */
TEST(searches_are_short_however_deep)
{
	static struct family f;
	size_t most = 0;

	family_init(&f);
	for (uint32_t i = 0; i < N; i++) {
		f.parent[i] = i == 0 ? WL_NONE : i - 1;
		f.end[i] = N - i;
		wl_jumps_set(&f.jumps, i);
		assert_int_equal(f.depth[i], i);
	}
	for (wl_ns t = 1; t <= N + 1; t++) {
		size_t n = 0;

		for (uint32_t i = N - 1; i != WL_NONE && f.end[i] < t; n++) {
			uint32_t far = f.jump[i];

			i = far == i || f.end[far] >= t ? f.parent[i] : far;
		}
		most = n > most ? n : most;
	}
	assert_true(most < 40);
}
