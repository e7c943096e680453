/* SPDX-License-Identifier: MIT */
/* finding_scenario.h - the what-if scenario that the code of a finding stands for. */
#ifndef WL_ANALYSIS_FINDING_SCENARIO_H
#define WL_ANALYSIS_FINDING_SCENARIO_H

/* That of all that the rule finds, which it declares; NULL for none. findings/codes.c knows rules.
 */
const char *wl_finding_scenario(const char *code);

#endif
