/* SPDX-License-Identifier: MIT */
/*
 * account.h - where the time of a device went in a given interval.
 *
 * compute + exposed_comm + exposed_copy + idle equals the length, to the nanosecond. Answers are
 * made from accounts; an account is computed in advance, from operations or from the kept data
 * about them.
 */
#ifndef WL_DERIVE_ACCOUNT_H
#define WL_DERIVE_ACCOUNT_H

#include "derive/exposed/exposure.h"
#include "derive/kinds/sweep.h"

struct wl_account {
	wl_ns length, compute, exposed_comm, exposed_copy, idle;
	wl_ns kernel_busy, comm, copy; /* time with such work active, hidden or not */
	struct wl_comm_parts parts;    /* communication per operation */
	size_t n_graphs;               /* graph replays recorded as a whole */
	size_t n_comm;                 /* operations that communicate outside such replays */
};

/* Make an account from the sums of a sweep over that length. */
struct wl_account wl_account_of(const struct wl_usage *usage, wl_ns length,
				const struct wl_comm_parts *parts);

/* Add another stretch: all sums, and the extremes of parts. */
void wl_account_add(struct wl_account *to, const struct wl_account *a);

/* False if replays recorded as a whole, which count as compute, may contain the only
 * communication. */
static inline bool wl_account_knows_comm(const struct wl_account *a)
{
	return a->n_comm || a->n_graphs == 0;
}

static inline wl_ns wl_account_busy(const struct wl_account *a)
{
	return a->length - a->idle;
}

#endif
