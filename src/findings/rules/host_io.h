/* SPDX-License-Identifier: MIT */
/* host_io.h - idle time in input, output and messages of the launching thread. */
#ifndef WL_FINDINGS_HOST_IO_H
#define WL_FINDINGS_HOST_IO_H

#include "findings/rule.h"

/* Whether the thread is asleep for most of the claim. */
static inline bool wl_claim_sleeps(const struct wl_claim *claim)
{
	return 2 * claim->asleep_ns > claim->all;
}

/*
 * "; OS calls take 2.6% of this time: the rest is CPU work of this thread, such as formatting", if
 * most of the claim is in a range of input or output; else "". NULL without memory.
 */
const char *wl_say_io(struct wl_rule_state *d, const struct wl_claim *claim);

/* Whether most of the claim is in MPI calls. */
bool wl_claim_is_of_messages(const struct wl_claim *claim);

/* Advice on output and on messages; NULL for anything else. */
const struct wl_advice *wl_advise_on_io(const struct wl_claim *claim);

#endif
