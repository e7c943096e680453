/* SPDX-License-Identifier: MIT */
/* asked.h - the trace that a skill is asked of, and how its answer is wanted. */
#ifndef WL_AGENT_SKILL_ASKED_H
#define WL_AGENT_SKILL_ASKED_H

#include "session/open/session.h"
#include "sql/sql.h"

/* Borrowed. */
struct wl_skill_asked {
	struct wl_session *session;
	const char *database;        /* the file of the trace; of a job its directory */
	const char *label;           /* how people call it; NULL: the path */
	struct wl_request selection; /* selection, marker, conventions and pool of all steps */
	struct wl_budget *budget;    /* NULL: without limit */
	struct wl_sql_limits limits; /* of each SQL */
	/* How the tables are shown: rows of the skill, then these. Rules look at the former. */
	struct wl_view_opts view; /* where, sort and columns want a single table, or section */
	bool limit_given;         /* else view.limit is for tables that the skill does not limit */
	const char *section;      /* only this table; NULL for all */
	bool for_people;          /* defaults as in formats for people */
};

#endif
