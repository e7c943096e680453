/* SPDX-License-Identifier: MIT */
#include "cli/commands/fleet/fleet_report.h"

#include <stdio.h>

#include "base/file/file.h"
#include "cli/status.h"
#include "fleet/past/page.h"
#include "fleet/store/dashboard.h"

/* A page has no room for ids and intervals of verdicts. */
static const char report_columns[] = "run,begin,project,config,gpu,world,verdict,before,after,"
				     "change,change_ratio,noise,n_before,sha";

int wl_fleet_report(struct wl_fleet_history *h, struct wl_err *reterr)
{
	static const enum wl_past_table which[] = {
		WL_PAST_SERIES, WL_PAST_NEWEST, WL_PAST_CHANGES,
		WL_PAST_MOVERS, WL_PAST_LATE,   WL_PAST_COVERAGE
	};
	struct wl_table *const pages[] = { &h->table[WL_PAST_SERIES], &h->table[WL_PAST_LATE],
					   &h->table[WL_PAST_COVERAGE] };
	struct wl_past_judging j;
	char lead[160];
	struct wl_past past;
	int r = wl_fleet_read(h, &past, reterr);

	h->columns = report_columns;
	if (r == WL_OK)
		r = wl_fleet_judge(h, &past, &j, reterr);
	if (r == WL_OK)
		r = wl_page_fill(h->store, &past, h->n_movers, h->arena, pages, reterr);
	if (r < 0)
		return r;
	(void)snprintf(lead, sizeof(lead),
		       "%zu run%s in %zu series: %zu newest run%s slower than those before, %zu "
		       "%s not certain.",
		       past.n, past.n == 1 ? "" : "s", j.n_series, j.n_slower,
		       j.n_slower == 1 ? " is" : "s are", j.n_unsure,
		       j.n_unsure == 1 ? "is" : "are");
	h->print.title = h->print.title ? h->print.title : "History of runs";
	return wl_fleet_print(h, which, WL_COUNT(which), lead, reterr);
}

int wl_fleet_dashboard(const struct wl_store *store, const char *path, struct wl_err *reterr)
{
	struct wl_file file;
	int r = path ? wl_file_begin(path, &file, reterr) : WL_OK;

	if (r < 0)
		return r;
	if (!wl_store_put_dashboard(store, path ? file.stream : stdout)) {
		if (path)
			wl_file_abort(&file);
		return wl_fail(reterr, WL_E_NOMEM, "fleet: no memory for the dashboard");
	}
	return path ? wl_file_commit(&file, reterr) : wl_check_stdout(reterr);
}
