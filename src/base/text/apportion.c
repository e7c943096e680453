/* SPDX-License-Identifier: MIT */
#include "base/text/apportion.h"

#include "base/memory/sort.h"

int64_t wl_rounded_mean(int64_t sum, int64_t by)
{
	int64_t rest = sum % by;

	return sum / by + (rest >= by - rest);
}

struct remainders {
	const int64_t *sum;
	int64_t by;
};

static bool larger_first(const void *ctx, uint32_t a, uint32_t b)
{
	const struct remainders *r = ctx;

	return r->sum[a] % r->by > r->sum[b] % r->by;
}

bool wl_apportion(const int64_t *sum, size_t n, int64_t by, int64_t whole, struct wl_arena *arena,
		  int64_t *ret)
{
	const struct remainders r = { sum, by };
	int64_t given = 0;
	struct wl_arena scratch;
	uint32_t *order;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	order = WL_NEW(&scratch, uint32_t, 2 * n);
	ok = order != NULL;
	for (uint32_t i = 0; ok && i < n; i++) {
		order[i] = i;
		ret[i] = sum[i] / by;
		given += ret[i];
	}
	if (ok) {
		wl_sort_index(order, n, order + n, larger_first, &r);
		/* What is left is less than the number of sums with a remainder. */
		for (size_t i = 0; i < n && given < whole; i++, given++)
			ret[order[i]]++;
	}
	wl_arena_release(&scratch);
	return ok;
}
