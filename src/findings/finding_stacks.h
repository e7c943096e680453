/* SPDX-License-Identifier: MIT */
/* finding_stacks.h - the call stacks of the launching threads in the idle time of a finding. */
#ifndef WL_FINDINGS_FINDING_STACKS_H
#define WL_FINDINGS_FINDING_STACKS_H

#include "analysis/analysis.h"
#include "derive/use/stack_sums.h"

/* Add what the function below needs. */
void wl_finding_stacks_want(struct wl_wanted *wanted);

struct wl_finding_choice {
	const char *code; /* choose the first with this code; NULL: by number */
	int64_t number;   /* in the list of findings, from 1 */
	int64_t tid;      /* only this thread; -1: all threads */
};

/*
 * Sum over the parts of gaps on the finding's GPU from which it claims time; parts shared with
 * other findings count whole. Adds a note to the table. WL_E_USAGE if the list is shorter,
 * WL_E_NODATA if no finding has the code or it has no idle time, WL_E_NOMEM.
 */
int wl_finding_stacks_find(const struct wl_run *run, const struct wl_analysis *asking,
			   const struct wl_finding_choice *choice, struct wl_table *out,
			   struct wl_stack_sums *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
