/* SPDX-License-Identifier: MIT */
/* facts_walk.h - the walk on the traces that are open, with meetings and clocks of the facts. */
#ifndef WL_SESSION_FACTS_WALK_H
#define WL_SESSION_FACTS_WALK_H

#include "session/answer/facts_path_traces.h"

/*
 * Walk the path on the traces that are open, of which the run has everything. Where it needs one
 * more, that is missing then; else the answer is put into the table.
 */
int wl_facts_path_visit(struct wl_facts_following *w, const struct wl_run *run,
			struct wl_err *reterr) WL_MUST_CHECK;

#endif
