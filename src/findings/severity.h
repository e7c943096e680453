/* SPDX-License-Identifier: MIT */
/* severity.h - how much a finding matters: by what a replay saves, else by its upper bound. */
#ifndef WL_FINDINGS_SEVERITY_H
#define WL_FINDINGS_SEVERITY_H

#include "findings/docket.h"

/* Of the step or window: what is listed without being asked for. */
#define WL_LISTED_SHARE 0.01

/*
 * What a finding speaks of, as a share of the step or window: a bottleneck is more than can be
 * saved of it. Decides what is listed: a replay that saves little of much is worth a line.
 */
double wl_finding_weight(const struct wl_finding *finding);

/* Whether the error of the replayed saving includes no saving at all. */
bool wl_finding_may_save_nothing(const struct wl_finding *finding);

/*
 * "high", "medium", "low" or "minor" by the share that the replay saves, where there is one;
 * "info" without a saving. What is listed is at least low, and what may save nothing at most.
 */
const char *wl_finding_severity(const struct wl_finding *finding);

#endif
