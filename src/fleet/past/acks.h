/* SPDX-License-Identifier: MIT */
/*
 * acks.h - stores that someone accepts the level of step time from a run on.
 *
 * An acknowledgement belongs to a run, whichever of its versions was current when it was given.
 */
#ifndef WL_FLEET_ACKS_H
#define WL_FLEET_ACKS_H

#include "fleet/past/past.h"

/* Store that of a run, in place of an earlier one. */
int wl_past_ack_store(const struct wl_store *store, const struct wl_past_run *run,
		      struct wl_err *reterr) WL_MUST_CHECK;

#endif
