/* SPDX-License-Identifier: MIT */
/* sql_step.h - SQL of a skill, with its parameters and the selection as values. */
#ifndef WL_AGENT_SQL_STEP_H
#define WL_AGENT_SQL_STEP_H

#include "agent/skills/asked.h"
#include "agent/skills/values.h"

/*
 * Run. *sql is opened when it is NULL. :window, :gpu, :rank, :pid and :stream are the selection,
 * NULL where there is none; WL_E_USAGE where one is given that the SQL does not have. Columns that
 * SQL computed are durations, times, bytes or shares where their names end in _ns, _at, _bytes or
 * _share. Owned by the arena of the values.
 */
int wl_skill_sql_run(const struct wl_skill_step *step, const struct wl_skill_values *values,
		     const struct wl_skill_asked *asked, struct wl_sql **sql,
		     struct wl_document *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* Whether the file has no table of this name. */
int wl_skill_sql_lacks(const char *table, const struct wl_skill_asked *asked,
		       struct wl_arena *arena, struct wl_sql **sql, bool *ret,
		       struct wl_err *reterr) WL_MUST_CHECK;

#endif
