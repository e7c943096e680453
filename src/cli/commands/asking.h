/* SPDX-License-Identifier: MIT */
/* asking.h - one question of a command to a trace: the rows of an analysis. */
#ifndef WL_CLI_COMMANDS_ASKING_H
#define WL_CLI_COMMANDS_ASKING_H

#include "cli/open.h"

/* Zeroed but for inv before the question. */
struct wl_asking {
	const struct wl_invocation *inv;
	struct wl_docs docs;
	struct wl_request request;
	struct wl_opened opened;
	struct wl_pool *pool;
	struct wl_budget budget;
	struct wl_arena arena; /* of the answer */
	struct wl_document doc;
	struct wl_costs costs;
};

/*
 * Ask an analysis with args by its parameters. The view of all rows is written
 * to *ret and lives until release, which must follow also a failure. Signals are caught meanwhile
 * and released. What opening a trace and the analysis can return.
 */
int wl_asking_run(struct wl_asking *a, const char *trace, const struct wl_analysis *analysis,
		  const char *const *args, const struct wl_view **ret,
		  struct wl_err *reterr) WL_MUST_CHECK;

void wl_asking_release(struct wl_asking *a);

#endif
