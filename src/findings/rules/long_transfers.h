/* SPDX-License-Identifier: MIT */
/*
 * long_transfers.h - whether exposed communication is transfers rather than waits for ranks.
 *
 * It is if all ranks of the job are members, no rank is suspected to be late, and members wait for
 * each other for less than a tenth of the exposed communication. If ranks have no file, an apparent
 * transfer may be a wait for them.
 */
#ifndef WL_FINDINGS_LONG_TRANSFERS_H
#define WL_FINDINGS_LONG_TRANSFERS_H

#include "findings/rule_state.h"

struct wl_long_transfers {
	bool is_why;
	bool may_be_elsewhere; /* it would be, but ranks are or may be missing */
	wl_ns wait, exposed;   /* on all selected GPUs, whatever their steps */
};

/* Linear in communication operations. The run must have matches and stragglers. */
struct wl_long_transfers wl_long_transfers_find(const struct wl_rule_state *d);

#endif
