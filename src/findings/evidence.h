/* SPDX-License-Identifier: MIT */
/* evidence.h - compares the time that a finding's evidence command shows with the time it
 * claims. */
#ifndef WL_FINDINGS_EVIDENCE_H
#define WL_FINDINGS_EVIDENCE_H

#include "findings/rule_state.h"

/*
 * Call after all rules. If the command shows idle time in the GPU and steps of a finding, but not
 * the finding's claim to within a twentieth, the caveat says how much of that time it claims,
 * others claim, and none does: "In steps 1-4 the evidence shows 8.917 ms of this, 8.368 ms that
 * other findings claim and 7.819 ms that none claims." Rows are selected by the command's own
 * --where. False when memory is exhausted.
 */
bool wl_evidence_weigh(struct wl_rule_state *d) WL_MUST_CHECK;

#endif
