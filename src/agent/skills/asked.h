/* SPDX-License-Identifier: MIT */
/* asked.h - the trace that a skill is run on, and how its answer is shown. */
#ifndef WL_AGENT_SKILL_ASKED_H
#define WL_AGENT_SKILL_ASKED_H

#include "session/open/session.h"
#include "sql/sql.h"

/* Borrowed. */
struct wl_skill_asked {
	struct wl_session *session;
	const char *database;        /* the trace's file, or a job's directory */
	const char *label;           /* name shown to people; NULL: the path */
	struct wl_request selection; /* selection, marker, conventions and pool for all steps */
	struct wl_budget *budget;    /* NULL: no limit */
	struct wl_sql_limits limits; /* of each SQL */
	/* How tables are shown: the skill's filter, then these options. Rules see only the
	 * former. */
	struct wl_view_opts view; /* where, sort and columns need a single table, or section */
	bool limit_given;         /* else view.limit is only for tables without a skill's limit */
	const char *section;      /* only this table; NULL for all */
	bool for_people;          /* use the defaults of formats for people */
};

#endif
