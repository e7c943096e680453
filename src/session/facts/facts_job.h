/* SPDX-License-Identifier: MIT */
/*
 * facts_job.h - the facts of several ranks as what analyses of jobs are made of.
 *
 * Arrivals become queues of collectives, which are matched and put on one clock as those of a
 * trace (derive/comm); steps and idle time become the ledger; stretches of exposed communication
 * become activity. So an analysis that reads nothing else answers from them as from the traces.
 * There are no rows: nothing that looks at single events can be asked.
 */
#ifndef WL_SESSION_FACTS_JOB_H
#define WL_SESSION_FACTS_JOB_H

#include "analysis/analysis.h"
#include "derive/ledger/ledger.h"
#include "facts/facts.h"

struct wl_late_suspects;

struct wl_facts_job {
	struct wl_trace trace; /* processes, devices and files: one of the first two per rank */
	struct wl_derived derived;
	struct wl_scope scope;            /* everything */
	const struct wl_facts *facts;     /* borrowed */
	const size_t *first_step;         /* by rank: its first row of steps */
	const struct wl_interval *extent; /* by rank: its window */
	struct wl_late_suspects *suspects;
};

/* What it is made of, as bits of facts/file.h. */
extern const uint32_t wl_facts_job_tables;

/*
 * Make it of settled facts, which it borrows; path is how they are called. O(n log n) of arrivals,
 * else linear. Owned by the arena; false when that is exhausted.
 */
bool wl_facts_job_make(const struct wl_facts *facts, const char *path, struct wl_arena *arena,
		       struct wl_facts_job *ret) WL_MUST_CHECK;

/*
 * Derive again in a scope whose window is iterations: the ledger has the tiles of these. Linear
 * in steps. False when the arena is exhausted.
 */
bool wl_facts_job_narrow(const struct wl_facts_job *job, const struct wl_scope *scope,
			 struct wl_arena *arena, struct wl_derived *ret) WL_MUST_CHECK;

/* The row of steps that a tile of a lane is, which has an iteration. */
size_t wl_facts_job_step(const struct wl_facts_job *job, const struct wl_ledger_lane *lane,
			 size_t tile);

/* A length from a column: facts may be made up, and sums of so many lengths fit 64 bits. */
#define WL_FACTS_MAX_LENGTH ((wl_ns)1 << 48)

static inline wl_ns wl_facts_length(const struct wl_facts *facts, enum wl_facts_column_id column,
				    size_t row)
{
	int64_t v = wl_facts_i64(facts, column, row);

	if (v < 0)
		return 0;
	return v > WL_FACTS_MAX_LENGTH ? WL_FACTS_MAX_LENGTH : v;
}

#endif
