/* SPDX-License-Identifier: MIT */
/* host_io.h - input, output and messages of the thread that launches: what idle time is in them. */
#ifndef WL_FINDINGS_HOST_IO_H
#define WL_FINDINGS_HOST_IO_H

#include "findings/rule.h"

/* The thread is asleep for most of what is claimed. */
static inline bool wl_claim_sleeps(const struct wl_claim *claim)
{
	return 2 * claim->asleep_ns > claim->all;
}

/*
 * "; OS calls take 2.6% of this time: the rest is CPU work of this thread, such as formatting",
 * where most of the claim is in a range of input or output; "" elsewhere. NULL without memory.
 */
const char *wl_say_io(struct wl_rule_state *d, const struct wl_claim *claim);

/* Most of it is in calls of MPI. */
bool wl_claim_is_of_messages(const struct wl_claim *claim);

/* Advice on output and on messages; NULL for anything else. */
const struct wl_advice *wl_advise_on_io(const struct wl_claim *claim);

#endif
