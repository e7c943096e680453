/* SPDX-License-Identifier: MIT */
/* fleet_history.h - commands that read the history of runs and print its tables. */
#ifndef WL_CLI_FLEET_HISTORY_H
#define WL_CLI_FLEET_HISTORY_H

#include "cli/print.h"
#include "fleet/past/answers.h"

struct wl_fleet_history {
	const struct wl_store *store;
	struct wl_past_filter filter;
	struct wl_hist_opts opts;
	size_t n_movers; /* of operations, ranks and hosts each; 0: all */
	struct wl_printing print;
	const char *section; /* the only table to print; NULL for those of the command */
	const char *columns; /* of verdicts on a page for people; NULL for all */
	struct wl_arena *arena;
	struct wl_table table[WL_N_PAST_TABLES];
	struct wl_past_verdicts verdicts;
	int status; /* of a gate: what the program exits with */
};

/* Empty tables in the arena. */
void wl_fleet_history_init(struct wl_fleet_history *h, struct wl_arena *arena);

int wl_fleet_list(struct wl_fleet_history *h, struct wl_err *reterr) WL_MUST_CHECK;
int wl_fleet_regressions(struct wl_fleet_history *h, struct wl_err *reterr) WL_MUST_CHECK;

/* The run whose id begins so. */
int wl_fleet_show(struct wl_fleet_history *h, const char *id, struct wl_err *reterr) WL_MUST_CHECK;

/* Accept the level of step time from the run on; "" for no name and no reason. */
int wl_fleet_ack(struct wl_fleet_history *h, const char *id, const char *who, const char *why,
		 struct wl_err *reterr) WL_MUST_CHECK;

/* The same, or with NULL the newest run of each series: slower fails, uncertain is inconclusive. */
int wl_fleet_gate(struct wl_fleet_history *h, const char *id, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Steps that the commands share.
 */

/* Runs that the filters leave. WL_E_NOMATCH where there is a filter and nothing is left. */
int wl_fleet_read(struct wl_fleet_history *h, struct wl_past *ret,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* Judge all series into the tables of changes, movers and newest runs, and store the verdicts. */
int wl_fleet_judge(struct wl_fleet_history *h, const struct wl_past *past,
		   struct wl_past_judging *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* Those tables, or the one that --section or the format chooses, below the lead, if any. */
int wl_fleet_print(struct wl_fleet_history *h, const enum wl_past_table *which, size_t n,
		   const char *lead, struct wl_err *reterr) WL_MUST_CHECK;

#endif
