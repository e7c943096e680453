/* SPDX-License-Identifier: MIT */
/* ordered.h - the list of findings: the results of all rules, replayed and sorted. */
#ifndef WL_FINDINGS_ORDERED_H
#define WL_FINDINGS_ORDERED_H

#include "findings/rule_state.h"
#include "findings/severity.h"

/* The default of min_coverage, as a number and as a user would write it. */
#define WL_COVERAGE_WARN_RATIO 0.7
#define WL_COVERAGE_WARN       "0.7"

/* The derivations that every rule may read, and all data read for the list: a verb that makes the
 * list wants both. */
#define WL_FINDINGS_FROM WL_FROM(LEDGER)
void wl_findings_want(struct wl_wanted *wanted);

struct wl_ordered_ask {
	bool has_minor;      /* include minor findings */
	double min_coverage; /* as in struct wl_rule_state */
	const struct wl_json *ncu;
};

struct wl_ordered {
	struct wl_rule_state state;
	struct wl_ncu_join join;
	const uint32_t *order; /* rows of the findings of state */
	size_t n, n_minor;     /* n_minor: whether listed or not */
};

/*
 * Apply all rules, replay their findings, and sort them: savings first, in the order in which they
 * add up (findings/replayed.h), minor ones after them, and findings about the trace last. Remarks
 * of replays go into the table. Release even after a failure: WL_E_NOMEM, or an ncu report that
 * does not fit.
 */
int wl_ordered_init(struct wl_ordered *list, const struct wl_run *run,
		    const struct wl_analysis *asking, const struct wl_ordered_ask *ask,
		    struct wl_table *remarks, struct wl_err *reterr) WL_MUST_CHECK;
void wl_ordered_release(struct wl_ordered *list);

/* The i-th finding of the list, from 0. */
static inline const struct wl_finding *wl_ordered_at(const struct wl_ordered *list, size_t i)
{
	return (const struct wl_finding *)list->state.findings.data + list->order[i];
}

#endif
