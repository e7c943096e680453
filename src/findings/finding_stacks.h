/* SPDX-License-Identifier: MIT */
/* finding_stacks.h - the call stacks of the launching threads in the idle time of a finding. */
#ifndef WL_FINDINGS_FINDING_STACKS_H
#define WL_FINDINGS_FINDING_STACKS_H

#include "analysis/analysis.h"
#include "derive/use/stack_sums.h"

/* Add what the function below needs. */
void wl_finding_stacks_want(struct wl_wanted *wanted);

struct wl_finding_choice {
	const char *code; /* the first of this code; NULL: by its number */
	int64_t number;   /* in the list of findings, from 1 */
	int64_t tid;      /* of this thread only; -1: of all */
};

/*
 * Sum over the parts of gaps on the finding's GPU of which it claims time; those that it shares
 * with other findings count whole. The table gets a note. WL_E_USAGE where the list is shorter,
 * WL_E_NODATA where none has the code or it has no idle time, WL_E_NOMEM.
 */
int wl_finding_stacks_find(const struct wl_run *run, const struct wl_analysis *asking,
			   const struct wl_finding_choice *choice, struct wl_table *out,
			   struct wl_stack_sums *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
