/* SPDX-License-Identifier: MIT */
/* fleet_verdict.h - the verdict on a run that was just pushed: printed and stored. */
#ifndef WL_CLI_FLEET_VERDICT_H
#define WL_CLI_FLEET_VERDICT_H

#include "fleet/past/answers.h"

/* Options with which verdicts are stored: the defaults, so that stored verdicts are the same for
 * all users. */
bool wl_fleet_is_usual(const struct wl_hist_opts *opts);

/* A line for the run of the facts, which is there. Stored where the options are the usual ones. */
int wl_fleet_judge_pushed(const struct wl_store *store, const struct wl_facts *facts,
			  const struct wl_hist_opts *opts, struct wl_budget *budget,
			  struct wl_err *reterr) WL_MUST_CHECK;

#endif
