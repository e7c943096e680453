/* SPDX-License-Identifier: MIT */
/*
 * comm_rows.h - the table of collectives: its columns, the sums of each queue, the notes, and the
 * list of individual matches.
 */
#ifndef WL_ANALYSIS_COMM_ROWS_H
#define WL_ANALYSIS_COMM_ROWS_H

#include "analysis/axes.h"
#include "derive/comm/match/matches.h"
#include "derive/exposed/exposure.h"
#include "derive/nvtx/ranks.h"
#include "derive/rows/stats.h"

/* Columns of both tables; each omits the columns that only the other has. */
enum wl_comm_col {
	WL_COMM_MATCH,
	WL_COMM_INSTANCE,
	WL_COMM_DEVICE,
	WL_COMM_PID,
	WL_COMM_RANK,
	WL_COMM_CONTEXT,
	WL_COMM_STREAM,
	WL_COMM_TYPE,
	WL_COMM_ARRIVAL,
	WL_COMM_DUR,
	WL_COMM_CALLS,
	WL_COMM_SUM,
	WL_COMM_EXPOSED,
	WL_COMM_OVERLAP,
	WL_COMM_BUSY,
	WL_COMM_AVG,
	WL_COMM_P50,
	WL_COMM_P99,
	WL_COMM_MAX,
	WL_COMM_TRANSFER,
	WL_COMM_WAIT_ALL,
	WL_COMM_LAST,
	WL_COMM_LATE,
	WL_COMM_CAUSED,
	WL_COMM_ALONE,
	WL_COMM_GROUP,
	WL_COMM_COMMUNICATOR,
	WL_COMM_SIZE,
	WL_COMM_BYTES,
	WL_COMM_ALGBW,
	WL_COMM_BUSBW,
	WL_COMM_LINK_SHARE,
	WL_COMM_LAST_ARRIVER,
	WL_COMM_AXES,
	WL_N_COMM_COLS = WL_COMM_AXES + WL_N_AXES + 1
};

/* Sums over the matched operations of a queue within the scope. */
struct wl_comm_waits {
	wl_ns transfer, wait, late, caused, alone;
	size_t n, n_last;
	int64_t bytes;     /* bytes of operations whose size is known */
	wl_ns moving;      /* transfer time of these operations */
	size_t n_sized;    /* the number of these operations */
	uint32_t longest;  /* the member it waited for longest; WL_NONE: it waited for none */
	uint32_t group[4]; /* the first groups that it is matched in */
	size_t n_groups;
};

struct wl_comm_rows {
	const struct wl_run *run;
	const struct wl_ranks *ranks;
	const struct wl_matches *matches;
	const struct wl_stats *stats; /* by queue; only the first n_stats queues */
	size_t n_stats;
	struct wl_exposure *exposure; /* by queue */
	struct wl_comm_waits *waits;  /* by queue */
	const char **group;           /* by group of the matches: its name */
	const char **member;          /* by member: "rank 3", or "GPU 1" */
};

/* Sets only the names of groups and members. Everything is owned by the run's arena. */
bool wl_comm_rows_init(struct wl_comm_rows *rows, const struct wl_run *run) WL_MUST_CHECK;

/* Finds the sums. Linear in communication operations; exposure costs as much as
 * wl_exposure_find(). */
bool wl_comm_rows_find(struct wl_comm_rows *rows) WL_MUST_CHECK;

/* Whether there are operations without rows of a trace, as in facts, which have no streams. */
bool wl_comm_has_no_rows(const struct wl_comm_rows *rows);

/* Whether part of an operation is in the scope; if so, also returns that part. */
bool wl_comm_admits(const struct wl_comm_rows *rows, const struct wl_comm_op *op, wl_ns *ret_start,
		    wl_ns *ret_end);

/* Whether the arrivals of a queue's matches can be compared; the queue is in a set. */
bool wl_comm_has_clock(const struct wl_comm_rows *rows, uint32_t queue);

/* Begin a row with the cells that identify a queue. */
void wl_comm_put_queue(struct wl_table *out, const struct wl_comm_rows *rows, uint32_t queue);

/* Put what an operation of the queue is matched with; the queue is in a set. */
void wl_comm_put_group(struct wl_table *out, const struct wl_comm_rows *rows, uint32_t queue,
		       uint32_t group);

/* Put what all operations of the queue are matched with. */
void wl_comm_put_groups(struct wl_table *out, const struct wl_comm_rows *rows, uint32_t queue);

/* Put the bytes and the rate of an operation of the queue, which is in a set. */
void wl_comm_put_bytes(struct wl_table *out, const struct wl_comm_rows *rows, uint32_t queue,
		       int64_t bytes, wl_ns moving);

/* Coverage of the matching, and its caveats. */
bool wl_comm_notes(struct wl_table *out, const struct wl_comm_rows *rows) WL_MUST_CHECK;

/* Note groups whose ranks run in step, if there are any. */
void wl_comm_note_in_step(struct wl_table *out, const struct wl_matches *matches);

/* Puts a row per operation of each match, ordered by last arrival, then member. */
bool wl_comm_list(struct wl_table *out, const struct wl_comm_rows *rows) WL_MUST_CHECK;

#endif
