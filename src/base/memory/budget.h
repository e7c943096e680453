/* SPDX-License-Identifier: MIT */
/*
 * budget.h - the bytes and the time that work on one question may take.
 *
 * A trace is untrusted input, so what it makes us allocate has a limit, and a
 * limit that is hit in a test is worth more than one that is hit in production.
 * Whatever works on one question takes from one budget, scratch included: parts
 * with budgets of their own could together take a multiple of it. Any number of
 * threads may take and give at once.
 *
 * Questions that share bytes and end at different times have a budget each, of the one that counts.
 */
#ifndef WL_BASE_BUDGET_H
#define WL_BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/stop.h"

/* The limit is set before the first take. A zeroed budget has no limit; it only counts. */
struct wl_budget {
	size_t limit; /* 0 means no limit */
	_Atomic size_t used;
	_Atomic size_t peak; /* the most that was used at a time */
	/* The limit said no at least once: otherwise a failure is the system's. */
	_Atomic bool is_hit;
	/* NULL, or the one that has the limit and counts: it outlives what was taken. */
	struct wl_budget *of;
	const struct wl_stop *stop; /* NULL, or when requests are refused */
};

/*
 * Take or return bytes; take returns false, and takes nothing, when the limit says no. Now and
 * then it looks whether the work must end, and says no then, too.
 */
bool wl_budget_take(struct wl_budget *budget, size_t bytes) WL_MUST_CHECK;
void wl_budget_give(struct wl_budget *budget, size_t bytes);

/* The one that has the limit and counts. */
static inline struct wl_budget *wl_budget_root(struct wl_budget *budget)
{
	while (budget->of)
		budget = budget->of;
	return budget;
}

/* The work must end: at its own stop, or at that of the budget it takes from. */
bool wl_budget_is_stopped(const struct wl_budget *budget);

#endif
