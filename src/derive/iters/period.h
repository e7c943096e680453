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
	size_t length;   /* 0: it does not repeat */
	double repeated; /* share of positions i with seq[i] == seq[i + length] */
	bool estimated;  /* repeated, or the choice, rests on a sample of positions */
};

/*
 * The period of a sequence: of all lengths up to a third of it the one with the
 * highest share, within 0.005 of the highest the shortest; its share must be at
 * least 0.9. Exact up to some 12,000 elements. Longer sequences are screened by a
 * fixed sample, which may lose a length whose share is little above 0.9, and the
 * search ends at the first length with a share of at least 0.995, or when too
 * many lengths come near to it. The same sequence always gives the same answer. False when the
 * arena is exhausted.
 */
bool wl_period_find(const uint32_t *seq, size_t n, struct wl_arena *arena,
		    struct wl_period *ret) WL_MUST_CHECK;

#endif
