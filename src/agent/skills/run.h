/* SPDX-License-Identifier: MIT */
/* run.h - runs a skill on an open trace. */
#ifndef WL_AGENT_SKILL_RUN_H
#define WL_AGENT_SKILL_RUN_H

#include "agent/skills/asked.h"
#include "agent/skills/values.h"

struct wl_skill_answer {
	struct wl_document document; /* a table per step, then "findings" if the skill has rules */
	size_t n_findings;
	struct wl_sql *sql; /* the document borrows from it; NULL: from nothing */
};

/*
 * Run the skill. WL_E_NODATA with the reason if the skill abstains or the trace has no data for any
 * of its tables; WL_E_USAGE and others as for sessions and SQL. values must have been ended.
 * Release the answer before the session closes, even after a failure.
 */
int wl_skill_run(const struct wl_skill *skill, struct wl_skill_values *values,
		 const struct wl_skill_asked *asked, struct wl_arena *arena,
		 struct wl_skill_answer *ret, struct wl_err *reterr) WL_MUST_CHECK;
void wl_skill_answer_release(struct wl_skill_answer *answer);

#endif
