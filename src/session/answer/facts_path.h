/* SPDX-License-Identifier: MIT */
/*
 * facts_path.h - the critical path of a job of facts: opens the traces of the ranks that it visits.
 *
 * Facts know who arrived last at each collective, and the clocks; which operation waited for which
 * is in the traces. So the path is walked on the traces of some ranks: at first those that begin
 * first and end last. Where it should go on to a rank that is not open, that one is opened, too,
 * and the walk begins again. Meetings, clocks and numbers of ranks are those of the facts.
 */
#ifndef WL_SESSION_FACTS_PATH_H
#define WL_SESSION_FACTS_PATH_H

#include "session/answer/facts_path_traces.h"

/*
 * Put it into a table, which becomes one of the verb. WL_E_USAGE where traces are not found: they
 * lie where the request says, else beside the facts, or beside their directory; and where facts do
 * not suffice.
 */
int wl_facts_path_find(const struct wl_facts_path *asked, struct wl_arena *arena,
		       struct wl_table *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
