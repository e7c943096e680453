/* SPDX-License-Identifier: MIT */
/*
 * long_transfers.h - whether exposed communication is transfers, and not waits for ranks.
 *
 * It is where all ranks of the job are members, no rank is suspected to be late, and members wait
 * less than a tenth of the exposed communication for each other. Where ranks have no file, what
 * looks like a transfer may be a wait for them.
 */
#ifndef WL_FINDINGS_LONG_TRANSFERS_H
#define WL_FINDINGS_LONG_TRANSFERS_H

#include "findings/rule_state.h"

struct wl_long_transfers {
	bool is_why;
	bool may_be_elsewhere; /* or it would be, but ranks are missing, or may be */
	wl_ns wait, exposed;   /* on all GPUs that are selected, whatever their steps */
};

/* Linear in what communicates. The run of the rule state has matches and stragglers. */
struct wl_long_transfers wl_long_transfers_find(const struct wl_rule_state *d);

#endif
