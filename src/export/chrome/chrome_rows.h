/* SPDX-License-Identifier: MIT */
/*
 * chrome_rows.h - a tree of rows as processes and threads, for formats that have only those.
 *
 * The process of a row is the PROCESS row above it, else the group that contains it, else the row
 * itself. Every other row is a thread of its process.
 */
#ifndef WL_EXPORT_CHROME_ROWS_H
#define WL_EXPORT_CHROME_ROWS_H

#include "base/memory/arena.h"
#include "base/memory/vec.h"
#include "export/emit.h"

/* A slice that is not written yet, because how to write it depends on the next one. */
struct wl_chrome_pending {
	bool is_there;
	struct wl_emit_slice slice; /* its arguments are in args */
	struct wl_vec args;         /* bytes: arguments, then texts that must be copied */
};

struct wl_chrome_row {
	enum wl_emit_kind kind;
	uint32_t parent, depth, order;
	uint32_t process; /* id of a row */
	uint32_t thread;  /* id of the THREAD row that it is or is below; 0 for none */
	/* "Process 4000 python", "Thread 4001 python / NVTX", else the name. */
	const char *label;
	const char *unit; /* for COUNTER rows, else NULL */
	unsigned decimals;
	/* For the writer. */
	bool has_process; /* for the row that is the process: already introduced */
	bool has_thread;
	struct wl_chrome_pending pending;
};

struct wl_chrome_rows {
	struct wl_arena arena; /* labels */
	struct wl_vec at;      /* struct wl_chrome_row, by id - 1 */
};

/* The budget must outlive the rows. */
void wl_chrome_rows_init(struct wl_chrome_rows *rows, struct wl_budget *budget);
void wl_chrome_rows_release(struct wl_chrome_rows *rows);

/* Rows come as in emit.h. False if out of memory; then add no more. */
bool wl_chrome_rows_add(struct wl_chrome_rows *rows, const struct wl_emit_row *row) WL_MUST_CHECK;

/* Valid until the next row is added. */
struct wl_chrome_row *wl_chrome_rows_get(const struct wl_chrome_rows *rows, uint32_t id);

/*
 * Replace the pending slice by a copy of this one, except for names and texts that remain valid.
 * False if out of memory.
 */
bool wl_chrome_pending_set(struct wl_chrome_pending *p,
			   const struct wl_emit_slice *slice) WL_MUST_CHECK;

/* Release the pending slice; none may follow. */
void wl_chrome_pending_release(struct wl_chrome_pending *p);

/*
 * All ids from top to bottom: a row before those below it, and the rows of one parent in their
 * order. Owned by the rows; NULL if out of memory.
 */
const uint32_t *wl_chrome_rows_order(struct wl_chrome_rows *rows) WL_MUST_CHECK;

#endif
