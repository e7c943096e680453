/* SPDX-License-Identifier: MIT */
/* evidence.h - how much of what the command under Evidence shows the finding claims. */
#ifndef WL_FINDINGS_EVIDENCE_H
#define WL_FINDINGS_EVIDENCE_H

#include "findings/rule_state.h"

/*
 * After all rules: where the command shows idle time of the GPU and the steps of a finding, but not
 * what the finding claims to within a twentieth, its caveat says how much of the rows it claims,
 * others claim, and none does: "In steps 1-4 the evidence shows 8.917 ms of this, 8.368 ms that
 * other findings claim and 7.819 ms that none claims." Rows are chosen by the command's own
 * --where. False when memory is exhausted.
 */
bool wl_evidence_weigh(struct wl_rule_state *d) WL_MUST_CHECK;

#endif
