/*
 * chrome_rows.h - a tree of rows as processes and threads, for formats that know only those.
 *
 * The process of a row is the PROCESS row above it, else the group that it stands in, else
 * the row itself. Every other row is a thread of it.
 */
#ifndef WL_EXPORT_CHROME_ROWS_H
#define WL_EXPORT_CHROME_ROWS_H

#include "base/arena.h"
#include "base/vec.h"
#include "export/emit.h"

enum { WL_CHROME_THREADS = 2 }; /* per row, see chrome.c */

struct wl_chrome_row {
	enum wl_emit_kind kind;
	uint32_t parent, depth, order;
	uint32_t process; /* id of a row */
	uint32_t thread;  /* id of the THREAD row that it is or stands below; 0 for none */
	/* "Process 4000 python", "Thread 4001 python / NVTX", else the name. */
	const char *label;
	/* For the writer, zeroed at first. */
	bool has_process; /* its process is introduced; of the row that is the process */
	bool has_thread[WL_CHROME_THREADS];
	bool has_end;
	wl_ns end; /* of the last slice of some length on its first thread */
};

struct wl_chrome_rows {
	struct wl_arena arena; /* labels */
	struct wl_vec at;      /* struct wl_chrome_row, by id - 1 */
};

/* The budget must outlive the rows. */
void wl_chrome_rows_init(struct wl_chrome_rows *rows, struct wl_budget *budget);
void wl_chrome_rows_release(struct wl_chrome_rows *rows);

/* Rows come as in emit.h. False without memory; then add no more. */
bool wl_chrome_rows_add(struct wl_chrome_rows *rows, const struct wl_emit_row *row) WL_MUST_CHECK;

/* Valid until the next row comes. */
struct wl_chrome_row *wl_chrome_rows_get(const struct wl_chrome_rows *rows, uint32_t id);

/*
 * All ids from top to bottom: a row before those below it, those of one parent in their order.
 * Owned by the rows; NULL without memory.
 */
const uint32_t *wl_chrome_rows_order(struct wl_chrome_rows *rows) WL_MUST_CHECK;

#endif
