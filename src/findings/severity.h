/* SPDX-License-Identifier: MIT */
/* severity.h - how much a finding matters: by what it saves of the run (findings/saves.h). */
#ifndef WL_FINDINGS_SEVERITY_H
#define WL_FINDINGS_SEVERITY_H

#include "findings/rule_state.h"

/* Of the run: what is listed without being asked for. */
#define WL_LISTED_SHARE 0.01

/* What a finding claims, as a share of the step or window. */
double wl_finding_weight(const struct wl_finding *finding);

/* Whether the error of the saving includes no saving at all. */
bool wl_finding_may_save_nothing(const struct wl_finding *finding);

/* It claims a tenth of the run or more, and the replay of it alone saves less than 1%: something
 * else is critical then. */
bool wl_finding_is_refuted(const struct wl_finding *finding);

/* It claims 1% and alone saves 1%, but those before it save that as well: they are other ways to
 * the same time. */
bool wl_finding_is_covered(const struct wl_finding *finding);

/* It claims too little to be listed: it is replayed alone, and not with those before it. */
bool wl_finding_is_alone(const struct wl_finding *finding);

/* Listed only if it is asked for: below 1%. Findings about the trace, refuted and covered ones,
 * never are. */
bool wl_finding_is_minor(const struct wl_finding *finding);

/*
 * "high", "medium", "low" or "minor" by the share of the run that it saves; "info" without a
 * saving, of what is refuted or covered, and of idle time that counters contradict. What may save
 * nothing is at most low.
 */
const char *wl_finding_severity(const struct wl_finding *finding);

#endif
