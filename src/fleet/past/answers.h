/* SPDX-License-Identifier: MIT */
/* answers.h - the history of runs as tables. */
#ifndef WL_FLEET_ANSWERS_H
#define WL_FLEET_ANSWERS_H

#include "fleet/past/verdicts.h"
#include "table/table.h"

enum wl_past_table {
	WL_PAST_RUNS,    /* a row per run */
	WL_PAST_CHANGES, /* a row per change of a series */
	WL_PAST_NEWEST,  /* a row per series: its newest run against those before */
	WL_PAST_MOVERS,  /* what a change is made of */
	/* Of the report: see page.h. */
	WL_PAST_SERIES,
	WL_PAST_LATE,
	WL_PAST_COVERAGE,
	WL_N_PAST_TABLES
};

extern const struct wl_table_info wl_past_tables[WL_N_PAST_TABLES + 1]; /* name == NULL ends */

/* Add rows; texts are the arena's. The caller asks wl_table_ok() once. */
void wl_past_put_runs(struct wl_table *out, const struct wl_past *past);

struct wl_past_judging {
	const struct wl_store *store;
	struct wl_hist_opts opts;
	size_t n_movers; /* of operations, ranks and hosts each; 0: all */
	struct wl_arena *arena;
	struct wl_table *changes, *newest, *movers; /* any may be NULL */
	struct wl_past_verdicts *verdicts;          /* gets all that is judged; may be NULL */

	/* Counted. */
	size_t n_series, n_slower, n_unsure;
};

/*
 * Judge every series. n_slower counts newest runs with the verdict slower, as those of an open
 * change have, n_unsure those with inconclusive or insufficient. Runs without steps are left out.
 */
int wl_past_judge(struct wl_past_judging *j, const struct wl_past *past,
		  struct wl_err *reterr) WL_MUST_CHECK;

/*
 * The verdict on one run, numbered in past, against those of its series before it. WL_E_NODATA for
 * a run without steps.
 */
int wl_past_judge_run(struct wl_past_judging *j, const struct wl_past *past, size_t run,
		      struct wl_err *reterr) WL_MUST_CHECK;

#endif
