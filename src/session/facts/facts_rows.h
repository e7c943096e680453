/* SPDX-License-Identifier: MIT */
/* facts_rows.h - the tables of facts (facts/tables.def) of one trace. */
#ifndef WL_SESSION_FACTS_ROWS_H
#define WL_SESSION_FACTS_ROWS_H

#include "analysis/analysis.h"
#include "facts/facts.h"

/* What a user says of a run, and the program of itself; each may be NULL. */
struct wl_facts_keys {
	const char *project, *branch, *sha, *config, *job;
	const char *program; /* version */
};

/* The name in ops of replays of CUDA graphs that were recorded whole. */
extern const char wl_facts_graph_op[];

/* Add what the rows are made of. */
void wl_facts_rows_want(struct wl_wanted *wanted);

/*
 * Fill the tables of a run over the whole trace but for findings and coverage. WL_E_NODATA without
 * GPU operations. A sort of the operations of each device, else linear.
 */
int wl_facts_rows_put(const struct wl_run *run, const struct wl_facts_keys *keys,
		      struct wl_facts *facts, struct wl_err *reterr) WL_MUST_CHECK;

/* The name of the file that all its rows of ranks are of. */
void wl_facts_set_trace(struct wl_facts *facts, const char *name);

#endif
