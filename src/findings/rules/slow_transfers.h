/* SPDX-License-Identifier: MIT */
/*
 * slow_transfers.h - whether transfers are slow in one group, or in few steps: there overlap and
 * smaller buckets are no fix.
 *
 * The transfer of a match is its shortest operation. Groups are compared that have as many members,
 * and as many matches of the collective, with as many bytes where these are recorded. Pairs of
 * SendRecv are compared only if at most a fifth of their operations is not matched, and on streams
 * of one role also where one has up to twice as many matches.
 */
#ifndef WL_FINDINGS_SLOW_TRANSFERS_H
#define WL_FINDINGS_SLOW_TRANSFERS_H

#include "findings/rule_state.h"

struct wl_slow_transfers {
	const char *text;     /* "; ...", or "" */
	struct wl_advice fix; /* action NULL: the rule's */
};

/*
 * For the collective with that title, on the GPU of the claim. Linear in what communicates. False
 * when the arena is exhausted.
 */
bool wl_slow_transfers_find(struct wl_rule_state *d, const struct wl_claim *claim,
			    const char *collective, struct wl_slow_transfers *ret) WL_MUST_CHECK;

#endif
