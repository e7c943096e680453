/* SPDX-License-Identifier: MIT */
/*
 * verdicts.h - the table verdicts: what was judged of runs, for dashboards.
 *
 * A row for each run that was judged, and for each change. Judging again writes only what differs
 * from what is stored. A change that later runs moved is withdrawn.
 */
#ifndef WL_FLEET_VERDICTS_H
#define WL_FLEET_VERDICTS_H

#include "fleet/past/ask.h"
#include "fleet/past/past.h"

/* A verdict on runs[judged.at], which are those of its series; they are the caller's. */
struct wl_past_verdict {
	const struct wl_past_run *runs;
	struct wl_hist_verdict judged;
	const char *name; /* "slower", ...: what is stored */
	bool is_change;   /* on the runs from there on; else on that run alone */
	struct wl_past_verdict *next;
};

/* Zeroed: none. */
struct wl_past_verdicts {
	struct wl_past_verdict *first; /* the one that was added last */
	bool has_all_changes;          /* of all runs that were judged: others are withdrawn */
	size_t n_written;
};

/* False when the arena is exhausted. */
bool wl_past_verdicts_add(struct wl_past_verdicts *v, const struct wl_past_verdict *one,
			  struct wl_arena *arena) WL_MUST_CHECK;

/* Whether the run has a verdict of its own: the client that pushed it was not interrupted. */
int wl_past_verdicts_has(const struct wl_store *store, const char *run_id, bool *ret,
			 struct wl_err *reterr) WL_MUST_CHECK;

/* Cells of a row that is stored, as texts; more follow. */
enum {
	WL_STORED_RUN,
	WL_STORED_KIND,
	WL_STORED_BASE,
	WL_STORED_NAME,
	WL_STORED_BEFORE,
	WL_STORED_AFTER,
	WL_STORED_DELTA
};

/* What is stored of step times, by run and kind: of one run, or with NULL of all. */
int wl_past_verdicts_read(const struct wl_store *store, const char *run_id, struct wl_arena *arena,
			  struct wl_past_rows *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* Rows of a run are from here on, if there are any. */
size_t wl_past_verdicts_first(const struct wl_past_rows *stored, const char *run_id);

/* Store what is not there. past has the runs that were judged. */
int wl_past_verdicts_store(const struct wl_store *store, const struct wl_past *past,
			   struct wl_past_verdicts *v, struct wl_arena *arena,
			   struct wl_err *reterr) WL_MUST_CHECK;

#endif
