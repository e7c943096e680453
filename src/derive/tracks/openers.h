/* SPDX-License-Identifier: MIT */
/*
 * openers.h - the gaps of a device that a blocking call opened, for readers that show parts
 * of gaps in order of time.
 */
#ifndef WL_DERIVE_OPENERS_H
#define WL_DERIVE_OPENERS_H

#include "base/attr.h"
#include "base/memory/vec.h"
#include "derive/tracks/tracks.h"

struct wl_opener {
	wl_ns begin, end; /* of the gap */
	uint32_t call;    /* API row of the opener */
	const char *by;   /* its name */
	const char *in;   /* label of the innermost NVTX range around it; NULL for none */
};

/* In order of time; next is where wl_opener_at() continues. A zeroed struct is empty. */
struct wl_openers {
	struct wl_vec at; /* struct wl_opener */
	size_t next;
};

/*
 * Find the openers of a device whose GAPS row is among the tracks; takes as long as
 * wl_idle_visit(). False when the budget is exhausted. Release it even after a failure.
 */
bool wl_openers_find(const struct wl_tracks *tracks, uint32_t device, struct wl_budget *budget,
		     struct wl_openers *ret) WL_MUST_CHECK;
void wl_openers_release(struct wl_openers *gaps); /* accepts an empty struct */

/* The gap that contains t; NULL for none. Times must not go back. Constant, amortised. */
const struct wl_opener *wl_opener_at(struct wl_openers *gaps, wl_ns t);

#endif
