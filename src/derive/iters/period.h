/* SPDX-License-Identifier: MIT */
/* period.h - finds the period of a sequence. */
#ifndef WL_DERIVE_PERIOD_H
#define WL_DERIVE_PERIOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/memory/arena.h"

struct wl_period {
	size_t length;   /* 0 if it does not repeat */
	double repeated; /* share of positions i with seq[i] == seq[i + length] */
	bool estimated;  /* `repeated`, or the choice, is based on a sample of positions */
};

/*
 * Find the period of a sequence: among lengths up to a third of it, the shortest whose share is
 * within 0.005 of the highest; its share must be at least 0.9. Exact up to about 12,000 elements.
 * Longer sequences are screened with a fixed sample, which may miss a length whose share is barely
 * above 0.9. The search ends at the first length with a share of at least 0.995, or after too many
 * promising lengths. The same sequence always gives the same answer. False when the arena is
 * exhausted.
 */
bool wl_period_find(const uint32_t *seq, size_t n, struct wl_arena *arena,
		    struct wl_period *ret) WL_MUST_CHECK;

#endif
