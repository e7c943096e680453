/* SPDX-License-Identifier: MIT */
/* claimed_part.h - the part of the time accounts that most of a finding's claim comes from. */
#ifndef WL_FINDINGS_CLAIMED_PART_H
#define WL_FINDINGS_CLAIMED_PART_H

#include "findings/rule_state.h"

/*
 * Set, for findings with a claim, the part that most of it was taken from, over all GPUs, and the
 * claimed time of that part within the sample; none if most of it is compute. False without memory.
 */
bool wl_findings_mark_parts(struct wl_rule_state *d) WL_MUST_CHECK;

#endif
