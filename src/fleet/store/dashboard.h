/* SPDX-License-Identifier: MIT */
/*
 * dashboard.h - a dashboard of Grafana on the tables of history, for its ClickHouse data source.
 *
 * The file names no server: Grafana asks for its data source, project, configuration and run.
 */
#ifndef WL_FLEET_DASHBOARD_H
#define WL_FLEET_DASHBOARD_H

#include <stdio.h>

#include "fleet/store/schema.h"

/* In the dialect of the server, whose version must be known. False without memory. */
bool wl_store_put_dashboard(const struct wl_store *store, FILE *out) WL_MUST_CHECK;

#endif
