/* SPDX-License-Identifier: MIT */
/*
 * peer_waits.h - how much of unmatched SendRecv time may be waiting for the other rank.
 *
 * A send or receive lasts as long as its transfer plus the wait for its peer. If the peer's
 * operation is unknown, the two cannot be distinguished. But transfers take similar times: the time
 * beyond the shortest tenth of all may be waiting, as between pipeline stages. Fewer than 20
 * operations are not judged.
 */
#ifndef WL_FINDINGS_PEER_WAITS_H
#define WL_FINDINGS_PEER_WAITS_H

#include "findings/rule_state.h"

struct wl_peer_waits {
	bool is_most;   /* most of the GPU's SendRecv time exceeds what transfers may take */
	wl_ns mean;     /* of its unmatched operations */
	wl_ns shortest; /* the tenth percentile over all ranks */
};

/* Linear in SendRecv operations. False when the arena is exhausted. */
bool wl_peer_waits_find(const struct wl_rule_state *d, size_t gpu,
			struct wl_peer_waits *ret) WL_MUST_CHECK;

#endif
