/* SPDX-License-Identifier: MIT */
/* fleet_report.h - the history of runs as a page, and as a dashboard for Grafana. */
#ifndef WL_CLI_FLEET_REPORT_H
#define WL_CLI_FLEET_REPORT_H

#include "cli/commands/fleet/fleet_history.h"

/* All tables as one document, for a page that needs no server. */
int wl_fleet_report(struct wl_fleet_history *h, struct wl_err *reterr) WL_MUST_CHECK;

/* To a file, as a whole or not at all, or with NULL to the output. */
int wl_fleet_dashboard(const struct wl_store *store, const char *path,
		       struct wl_err *reterr) WL_MUST_CHECK;

#endif
