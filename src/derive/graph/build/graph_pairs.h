/* SPDX-License-Identifier: MIT */
/* graph_pairs.h - how soon the operations of one stream follow those of another. */
#ifndef WL_DERIVE_GRAPH_PAIRS_H
#define WL_DERIVE_GRAPH_PAIRS_H

#include "derive/graph/build/graph.h"

/* A held operation and the stream that ended last before it. */
struct wl_held_op {
	uint32_t pair;
	wl_ns lag;    /* time since that end */
	wl_ns chance; /* lag of a moment within its hold after the other stream's previous end;
			 INT64_MAX if there is none */
};

/*
 * The chance moment within the hold of the k-th operation of its pair. Moments are spread over the
 * middle eight tenths by the golden section, because kernels of equal length end at equal parts of
 * a hold.
 */
wl_ns wl_hold_moment(uint32_t k, wl_ns ready, wl_ns start);

/*
 * Learn within and n_chance for n_pairs pairs from n operations. Sorts them. False when the arena
 * is exhausted.
 */
bool wl_stream_pairs_learn(const struct wl_held_op *op, size_t n, struct wl_arena *scratch,
			   struct wl_stream_pair *pair, size_t n_pairs) WL_MUST_CHECK;

#endif
