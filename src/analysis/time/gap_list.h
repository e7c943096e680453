/* SPDX-License-Identifier: MIT */
/* gap_list.h - the order of gaps in their list, and lookup of a gap by its number there. */
#ifndef WL_ANALYSIS_GAP_LIST_H
#define WL_ANALYSIS_GAP_LIST_H

#include "analysis/analysis.h"
#include "derive/idle/idle.h"

/* The shortest gap listed by default. */
#define WL_GAP_LIST_MIN "10us"
enum { WL_GAP_LIST_MIN_NS = 10000 };

/* The part of a gap that is in the window. */
struct wl_gap_place {
	wl_ns start, duration; /* 0 if no part is inside */
	uint32_t device;
};

struct wl_gap_place wl_gap_place_of(const struct wl_gap *gap, struct wl_interval window);

/* Longest first; ties by device, then start. */
bool wl_gap_is_before(const struct wl_gap_place *a, const struct wl_gap_place *b);

/*
 * Find a gap by its number in the list, from 1. Needs idle. WL_E_USAGE if the list is shorter.
 * Linear in operations and gaps, except for sorting the gaps.
 */
int wl_gap_by_number(const struct wl_run *run, const struct wl_analysis *asking, int64_t number,
		     struct wl_gap_place *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
