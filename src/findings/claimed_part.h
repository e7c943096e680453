/* SPDX-License-Identifier: MIT */
/* claimed_part.h - which part of the account of time a finding has claimed most of. */
#ifndef WL_FINDINGS_CLAIMED_PART_H
#define WL_FINDINGS_CLAIMED_PART_H

#include "findings/rule_state.h"

/*
 * Give findings with a claim the part that most of it was taken of, on all GPUs, and the time of
 * that part within the sample; none where most of it is compute. False without memory.
 */
bool wl_findings_mark_parts(struct wl_rule_state *d) WL_MUST_CHECK;

#endif
