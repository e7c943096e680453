/* SPDX-License-Identifier: MIT */
/*
 * account.h - where a stretch of a device's time went.
 *
 * compute + exposed_comm + exposed_copy + idle is the length, to the nanosecond. It is what answers
 * are made of: whatever is asked of it was found before, of operations or of what was kept of them.
 */
#ifndef WL_DERIVE_ACCOUNT_H
#define WL_DERIVE_ACCOUNT_H

#include "derive/exposed/exposure.h"
#include "derive/kinds/sweep.h"

struct wl_account {
	wl_ns length, compute, exposed_comm, exposed_copy, idle;
	wl_ns kernel_busy, comm, copy; /* with such work under way, hidden or not */
	struct wl_comm_parts parts;    /* communication one by one */
	size_t n_graphs;               /* replays that were recorded whole */
	size_t n_comm;                 /* operations that communicate outside of them */
};

/* From the sums of a sweep over that length. */
struct wl_account wl_account_of(const struct wl_usage *usage, wl_ns length,
				const struct wl_comm_parts *parts);

/* Add a stretch beside the first: all sums, and the extremes of parts. */
void wl_account_add(struct wl_account *to, const struct wl_account *a);

/* A replay that was recorded whole, as compute, may hide communication where none else is seen. */
static inline bool wl_account_knows_comm(const struct wl_account *a)
{
	return a->n_comm || a->n_graphs == 0;
}

static inline wl_ns wl_account_busy(const struct wl_account *a)
{
	return a->length - a->idle;
}

#endif
