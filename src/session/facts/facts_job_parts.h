/* SPDX-License-Identifier: MIT */
/* facts_job_parts.h - what the makers of a job of facts share; only facts_job.c,
 * facts_comms.c, facts_ledger.c and facts_queues.c include it. */
#ifndef WL_SESSION_FACTS_JOB_PARTS_H
#define WL_SESSION_FACTS_JOB_PARTS_H

#include "model/merge.h"
#include "session/facts/facts_job.h"

/* A job under construction. */
struct wl_facts_making {
	const struct wl_facts *f;
	struct wl_arena *arena;
	struct wl_facts_job *to;
	size_t n;                   /* ranks */
	struct wl_trace_file *file; /* by part */
	const uint32_t *file_of;    /* by rank */
	const uint32_t *first;      /* by rank: the first one of the same process */
	uint8_t *type, *class; /* by text: enum wl_collective, enum wl_stream_class, or NO_CODE */
	struct wl_comm_op *op;
	wl_ns *start, *dur; /* by operation: on the clock of its file */
};

/* Anyone may have written the facts: sums of so many of these fit 64 bits. */
#define WL_FACTS_MAX_TIME ((wl_ns)1 << 55)

static inline wl_ns wl_facts_bound_time(int64_t v)
{
	if (v == WL_FACTS_NONE)
		return 0;
	if (v > WL_FACTS_MAX_TIME)
		return WL_FACTS_MAX_TIME;
	return v < -WL_FACTS_MAX_TIME ? -WL_FACTS_MAX_TIME : v;
}

static inline wl_ns wl_facts_time_at(const struct wl_facts_making *m,
				     enum wl_facts_column_id column, size_t row)
{
	return wl_facts_bound_time(wl_facts_i64(m->f, column, row));
}

static inline wl_ns wl_facts_length_at(const struct wl_facts_making *m,
				       enum wl_facts_column_id column, size_t row)
{
	return wl_facts_length(m->f, column, row);
}

/* A time of a rank on the clock of the job. */
static inline wl_ns wl_facts_on_job(const struct wl_facts_making *m, uint32_t rank, wl_ns t)
{
	return wl_merge_time(&m->file[m->file_of[rank]], t);
}

/* The window of a rank alone. */
static inline struct wl_interval wl_facts_window_at(const struct wl_facts_making *m, uint32_t rank)
{
	return (struct wl_interval){
		wl_facts_on_job(m, rank, wl_facts_time_at(m, WL_FACTS_RANKS_BEGIN, rank)),
		wl_facts_on_job(m, rank, wl_facts_time_at(m, WL_FACTS_RANKS_END, rank))
	};
}

/* Steps and idle time become the ledger; needs the scope. False when the arena is exhausted. */
bool wl_facts_make_ledger(struct wl_facts_making *m) WL_MUST_CHECK;

struct wl_comm_queues;

/*
 * Arrivals and MPI calls become operations and queues, in the order of members; also the columns
 * of the trace that matches of messages read. Linear. False when the arena is exhausted.
 */
bool wl_facts_make_queues(struct wl_facts_making *m, struct wl_comm_queues *ret) WL_MUST_CHECK;

/* Communicators, with as many ranks as any trace says that they have. */
bool wl_facts_make_comms(struct wl_facts_making *m) WL_MUST_CHECK;

/* And steps become iterations; needs the ledger. */
bool wl_facts_make_iterations(struct wl_facts_making *m) WL_MUST_CHECK;

#endif
