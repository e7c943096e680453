/* SPDX-License-Identifier: MIT */
/* message_shift.h - which receive the first send of a sequence belongs to, where a capture is cut.
 */
#ifndef WL_DERIVE_MESSAGE_SHIFT_H
#define WL_DERIVE_MESSAGE_SHIFT_H

#include "base/attr.h"
#include "derive/comm/match/comm_op.h"

/* Calls that send, and those that may receive: operations by start. */
struct wl_message_run {
	const struct wl_comm_op *op; /* all of them */
	const uint32_t *send, *receive;
	const uint32_t *index; /* by send: of its receive, without a shift */
	size_t n, n_receives;
};

/* Whether a receive is over before a message is sent, by more than clocks differ. */
bool wl_message_is_late(const struct wl_comm_op *send, const struct wl_comm_op *receive);

/*
 * 0, or the shift that most sends have to the receive that ends nearest, whichever lets more calls
 * overlap. At most 200 samples, evenly spaced. False: fewer than half of them have a receive then,
 * or more than a twentieth of these are too late for it.
 */
bool wl_message_shift(const struct wl_message_run *run, int64_t *ret) WL_MUST_CHECK;

#endif
