/* SPDX-License-Identifier: MIT */
/* sql_step.h - runs a skill's SQL with its parameters and the selection bound as values. */
#ifndef WL_AGENT_SQL_STEP_H
#define WL_AGENT_SQL_STEP_H

#include "agent/skills/asked.h"
#include "agent/skills/values.h"

/*
 * Run a step's SQL. Opens *sql if it is NULL. :window, :gpu, :rank, :pid and :stream are the
 * selection, NULL if not given; WL_E_USAGE for a selection that the SQL does not use. Computed
 * columns are durations, times, bytes or shares if their names end in _ns, _at, _bytes or _share.
 * Owned by the arena of the values.
 */
int wl_skill_sql_run(const struct wl_skill_step *step, const struct wl_skill_values *values,
		     const struct wl_skill_asked *asked, struct wl_sql **sql,
		     struct wl_document *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* Whether the file has no table of this name. */
int wl_skill_sql_lacks(const char *table, const struct wl_skill_asked *asked,
		       struct wl_arena *arena, struct wl_sql **sql, bool *ret,
		       struct wl_err *reterr) WL_MUST_CHECK;

#endif
