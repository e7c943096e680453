/* SPDX-License-Identifier: MIT */
#include "base/budget.h"

#include <assert.h>
#include <stdatomic.h>

#include "base/num.h"

/* The counts order nothing but themselves: what was allocated is handed over by other means. */
#define ORDER memory_order_relaxed

bool wl_budget_take(struct wl_budget *budget, size_t bytes)
{
	size_t used = atomic_load_explicit(&budget->used, ORDER);
	size_t peak = atomic_load_explicit(&budget->peak, ORDER), want;

	do {
		if (!wl_add(used, bytes, &want) || (budget->limit && want > budget->limit))
			return false;
	} while (!atomic_compare_exchange_weak_explicit(&budget->used, &used, want, ORDER, ORDER));
	while (want > peak &&
	       !atomic_compare_exchange_weak_explicit(&budget->peak, &peak, want, ORDER, ORDER))
		;
	return true;
}

void wl_budget_give(struct wl_budget *budget, size_t bytes)
{
	size_t before = atomic_fetch_sub_explicit(&budget->used, bytes, ORDER);

	assert(bytes <= before);
}
