/* SPDX-License-Identifier: MIT */
/*
 * budget.h - a number of bytes that arenas and vectors share.
 *
 * A trace is untrusted input, so what it makes us allocate has a limit, and a
 * limit that is hit in a test is worth more than one that is hit in production.
 * Whatever works on one question takes from one budget, scratch included: parts
 * with budgets of their own could together take a multiple of it. Any number of
 * threads may take and give at once.
 */
#ifndef WL_BASE_BUDGET_H
#define WL_BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

/* The limit is set before the first take. A zeroed budget has no limit; it only counts. */
struct wl_budget {
	size_t limit; /* 0 means no limit */
	_Atomic size_t used;
	_Atomic size_t peak; /* the most that was used at a time */
};

/* Take or give back bytes; take returns false, and takes nothing, when the limit says no. */
bool wl_budget_take(struct wl_budget *budget, size_t bytes) WL_MUST_CHECK;
void wl_budget_give(struct wl_budget *budget, size_t bytes);

#endif
