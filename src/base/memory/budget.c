/* SPDX-License-Identifier: MIT */
#include "base/memory/budget.h"

#include <assert.h>
#include <stdatomic.h>

#include "base/num.h"

/* The counts order nothing but themselves: what was allocated is handed over by other means. */
#define ORDER memory_order_relaxed

/* Bytes between two looks at the clock: an allocation of a few bytes takes less than a look. */
enum { LOOK_BYTES = 1 << 16 };

bool wl_budget_is_stopped(const struct wl_budget *budget)
{
	for (; budget; budget = budget->of) {
		if (budget->stop && wl_stop_is_due(budget->stop))
			return true;
	}
	return false;
}

bool wl_budget_take(struct wl_budget *of_question, size_t bytes)
{
	struct wl_budget *budget = wl_budget_root(of_question);
	size_t used = atomic_load_explicit(&budget->used, ORDER);
	size_t peak = atomic_load_explicit(&budget->peak, ORDER), want;

	do {
		if (!wl_add(used, bytes, &want) || (budget->limit && want > budget->limit)) {
			atomic_store_explicit(&budget->is_hit, true, ORDER);
			return false;
		}
		if (used / LOOK_BYTES != want / LOOK_BYTES && wl_budget_is_stopped(of_question))
			return false;
	} while (!atomic_compare_exchange_weak_explicit(&budget->used, &used, want, ORDER, ORDER));
	while (want > peak &&
	       !atomic_compare_exchange_weak_explicit(&budget->peak, &peak, want, ORDER, ORDER))
		;
	return true;
}

void wl_budget_give(struct wl_budget *budget, size_t bytes)
{
	size_t before = atomic_fetch_sub_explicit(&wl_budget_root(budget)->used, bytes, ORDER);

	assert(bytes <= before);
}
