/* SPDX-License-Identifier: MIT */
/* path_savings.c - what the run saves without the time of a class, as whatif replays it. */
#include <string.h>

#include "analysis/time/path_rows.h"
#include "derive/graph/held_out.h"

/* What takes the time away; dispatch, dependency and unknown stay. */
static const char *const scenario_of[WL_N_PATH_CLASSES] = {
	[WL_PATH_COMPUTE] = "class=compute:0", [WL_PATH_COMM] = "comm-free",
	[WL_PATH_TRANSFER] = "comm-free",      [WL_PATH_COPY] = "copies-free",
	[WL_PATH_HOST] = "host-free",          [WL_PATH_API] = "host-free",
	[WL_PATH_RETURN] = "host-free",        [WL_PATH_LATENCY] = "launch-free",
};

static int run_scenario(struct wl_path_rows *r, struct wl_whatif *w, unsigned class,
			struct wl_err *reterr)
{
	struct wl_whatif_result result;
	struct wl_asked ask;
	int status = wl_ask_parse(scenario_of[class], r->run->arena, &ask, reterr);

	if (status == WL_OK)
		status = wl_whatif_run(w, &ask, 1, &result, reterr);
	if (status == WL_E_NOMATCH)
		return WL_OK;
	if (status == WL_OK && !result.refused)
		r->saving[class] = (struct wl_path_saving){ scenario_of[class], result.saving };
	return status;
}

/* Classes that one scenario is of have one replay. */
static int run_all(struct wl_path_rows *r, struct wl_whatif *w, struct wl_err *reterr)
{
	int status = WL_OK;

	for (unsigned i = 0; status == WL_OK && i < WL_N_PATH_CLASSES; i++) {
		unsigned same = 0;

		if (!scenario_of[i] || r->path->time[i] == 0)
			continue;
		while (same < i && (!r->saving[same].scenario ||
				    strcmp(r->saving[same].scenario, scenario_of[i]) != 0))
			same++;
		if (same < i)
			r->saving[i] = r->saving[same];
		else
			status = run_scenario(r, w, i, reterr);
	}
	return status;
}

int wl_path_savings_find(struct wl_path_rows *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_run *run = r->run;
	struct wl_fidelity fidelity;
	struct wl_whatif w;

	if (!wl_whatif_begin(run->derived, NULL, run->arena, &w) ||
	    !wl_fidelity_find(&w, run->arena, &fidelity))
		return wl_fail(reterr, WL_E_NOMEM, "not enough memory for the replay");
	if (fidelity.refused) {
		wl_table_note(out, "savings are not replayed: %s", fidelity.refused);
		return WL_OK;
	}
	if (!run->scope->whole &&
	    !wl_whatif_begin(run->derived, run->scope->process, run->arena, &w))
		return wl_fail(reterr, WL_E_NOMEM, "not enough memory for the replay");
	return run_all(r, &w, reterr);
}
