/* SPDX-License-Identifier: MIT */
/* finding_scenario.h - the what-if scenario that belongs to the code of a finding. */
#ifndef WL_ANALYSIS_FINDING_SCENARIO_H
#define WL_ANALYSIS_FINDING_SCENARIO_H

/* The scenario that the rule declares for all its findings; NULL for none. Defined in
 * findings/codes.c, which knows the rules. */
const char *wl_finding_scenario(const char *code);

#endif
