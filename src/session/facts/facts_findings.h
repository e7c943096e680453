/* SPDX-License-Identifier: MIT */
/*
 * facts_findings.h - findings of a job, of what the traces of its ranks were found to have.
 *
 * Rules claim time of each GPU alone, but for those about communication, which is another matter
 * where the other ranks are known. A finding of a job is that on the GPU where it has the largest
 * share of the window, with the time that it claims on all.
 */
#ifndef WL_SESSION_FACTS_FINDINGS_H
#define WL_SESSION_FACTS_FINDINGS_H

#include "analysis/analysis.h"
#include "facts/facts.h"

/*
 * Put them into a table of the verb findings; the run is of facts_job.h. What needs events is
 * left empty, and a note says so. False when the arena is exhausted.
 */
bool wl_facts_find(const struct wl_facts *facts, const struct wl_run *run,
		   struct wl_table *out) WL_MUST_CHECK;

#endif
