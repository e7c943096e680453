/* SPDX-License-Identifier: MIT */
#include "cli/commands/fleet/fleet_facts.h"

#include "facts/gather.h"
#include "facts/run.h"
#include "session/facts/facts_waits.h"

int wl_fleet_load(const char *const *path, size_t n, struct wl_budget *budget, struct wl_facts *ret,
		  struct wl_err *reterr)
{
	int r = wl_facts_gather(path, n, WL_FACTS_ALL, budget, ret, reterr);

	if (r < 0)
		return r;
	if (ret->n[WL_FACTS_RANKS] == 0)
		r = wl_fail(reterr, WL_E_NODATA, "%.200s: these facts have no rank with GPU work",
			    path[0]);
	else if (!wl_facts_make_run(ret) || !wl_facts_make_waits(ret))
		r = wl_fail(reterr, WL_E_NOMEM, "no memory for facts; raise --memory");
	else if (wl_facts_i64(ret, WL_FACTS_RUNS_BEGIN, 0) <= 0)
		r = wl_fail(
			reterr, WL_E_NODATA,
			"%.200s: the trace of the first rank does not say when it was recorded; "
			"such a run has no place in a history",
			path[0]);
	if (r < 0)
		wl_facts_release(ret);
	return r;
}
