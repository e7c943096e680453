/* SPDX-License-Identifier: MIT */
#include "derive/graph/build/endings.h"

#include "support/random.h"
#include "support/unit.h"

/* An entry that runs when another begins is taken in the order of ends, none before its end. */
TEST(endings_come_in_order)
{
	struct wl_budget budget = { .limit = 0 };
	uint64_t seed = 3;
	WITH(struct wl_vec, heap, wl_vec_release,
	     wl_vec_init(&heap, sizeof(struct wl_ending), &budget));

	for (unsigned round = 0; round < 50; round++) {
		struct wl_ending last = { -1, -1, 0, 0 };
		size_t n_taken = 0;

		for (uint32_t i = 0; i < 200; i++) {
			wl_ns start = (wl_ns)(i / 3 * 10);
			const struct wl_ending ending = {
				start + random_below(&seed, 10 * round + 1), start, i, 0
			};

			while (wl_endings_any(&heap, start - 1)) {
				struct wl_ending next = wl_endings_take(&heap);

				assert_true(next.end < start);
				assert_true(wl_ends_before(&last, &next));
				last = next;
				n_taken++;
			}
			wl_endings_put(&heap, &ending);
		}
		for (; heap.n; n_taken++) {
			struct wl_ending next = wl_endings_take(&heap);

			assert_true(wl_ends_before(&last, &next));
			last = next;
		}
		assert_int_equal(n_taken, 200);
	}
	assert_false(heap.failed);
}

TEST(ties_are_broken_by_start_and_number)
{
	const struct wl_ending a = { 5, 1, 9, 0 }, b = { 5, 2, 1, 0 }, c = { 5, 2, 3, 0 };

	assert_true(wl_ends_before(&a, &b) && wl_ends_before(&b, &c));
	assert_false(wl_ends_before(&b, &a) || wl_ends_before(&c, &b) || wl_ends_before(&a, &a));
}
