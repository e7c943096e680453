/* SPDX-License-Identifier: MIT */
/*
 * fleet_watch.h - pushes the facts that appear in a directory.
 *
 * It keeps no state of its own: after a restart it looks at everything again, and the database
 * knows which versions of which runs it has. Nothing is lost or stored twice.
 */
#ifndef WL_CLI_FLEET_WATCH_H
#define WL_CLI_FLEET_WATCH_H

#include "base/memory/budget.h"
#include "fleet/history/changes.h"
#include "fleet/store/server.h"

struct wl_fleet_watch {
	const struct wl_store *store;
	const char *dir; /* each facts file in it, and each directory of them, is a run */
	int64_t every_ns;
	bool is_once;
	struct wl_hist_opts opts;
	struct wl_budget *budget;
};

/*
 * Until a signal comes, which is WL_OK, or once. A run that cannot be read is reported once, and
 * the rest goes on; while the database cannot be reached, it is tried again at the next look.
 */
int wl_fleet_watch(const struct wl_fleet_watch *w, struct wl_err *reterr) WL_MUST_CHECK;

#endif
