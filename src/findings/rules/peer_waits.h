/* SPDX-License-Identifier: MIT */
/*
 * peer_waits.h - SendRecv that is not matched: how much of it may be waiting for the other rank.
 *
 * A send or receive lasts as long as its transfer and the wait for its peer. Where the peer's is
 * not known the two cannot be told apart. But one message takes about as long as another one: what
 * takes longer than the shortest tenth of all may be waiting, as of stages of a pipeline. Nothing
 * is said of fewer than 20.
 */
#ifndef WL_FINDINGS_PEER_WAITS_H
#define WL_FINDINGS_PEER_WAITS_H

#include "findings/rule_state.h"

struct wl_peer_waits {
	bool is_most;   /* most of the GPU's SendRecv time is longer than its transfers may be */
	wl_ns mean;     /* of its unmatched ones */
	wl_ns shortest; /* the tenth percentile of those of all ranks */
};

/* Linear in SendRecv. False when the arena is exhausted. */
bool wl_peer_waits_find(const struct wl_rule_state *d, size_t gpu,
			struct wl_peer_waits *ret) WL_MUST_CHECK;

#endif
