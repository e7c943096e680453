/* SPDX-License-Identifier: MIT */
/* past.h - runs and their parts, read back from the database. */
#ifndef WL_FLEET_PAST_H
#define WL_FLEET_PAST_H

#include "base/memory/arena.h"
#include "fleet/history/movers.h"
#include "fleet/store/schema.h"

struct wl_past_run {
	const char *id, *version;
	int64_t t_ms; /* its begin, since 1970 */
	const char *project, *config, *gpu, *branch, *sha, *job;
	uint32_t world, ranks, steps;
	int64_t step; /* median over steps of the longest period of any rank; 0: none */
	/* Someone accepts the level from this run on, then; 0: no one. Texts may be "". */
	int64_t acked_ms;
	const char *acked_by, *acked_why;
};

#define WL_PAST_METRIC "step_p50" /* of verdicts and acknowledgements */

/* Runs that are complete. Those of one series, which may be compared, are next to each other. */
struct wl_past {
	struct wl_past_run *run; /* by project, configuration, GPU, world, then time */
	size_t n;
	size_t n_open; /* runs that are there in part, and that nothing shows but this number */
};

/* Texts that must be equal; NULL for any. */
struct wl_past_filter {
	const char *project, *config, *branch, *gpu;
	const char *id; /* of a run, or how it begins */
};

/* Everything is the arena's. WL_E_NOMATCH where nothing is left. */
int wl_past_read(const struct wl_store *store, const struct wl_past_filter *filter,
		 struct wl_arena *arena, struct wl_past *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* The run after the last of the series that begins with a run. */
size_t wl_past_series_end(const struct wl_past *past, size_t begin);

enum wl_past_part { WL_PAST_OPS, WL_PAST_RANKS, WL_PAST_HOSTS, WL_PAST_N_PARTS };

/* What a series is made of, per step. */
struct wl_past_cells {
	struct wl_hist_cell *cell; /* runs are numbered from the first that was asked for */
	size_t n;
	const char **name; /* of each thing */
	size_t n_names;
};

/* Of n runs. */
int wl_past_read_cells(const struct wl_store *store, const struct wl_past_run *run, size_t n,
		       enum wl_past_part part, struct wl_arena *arena, struct wl_past_cells *ret,
		       struct wl_err *reterr) WL_MUST_CHECK;

#endif
