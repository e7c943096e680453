/* SPDX-License-Identifier: MIT */
/* progress.h - a progress bar on a terminal for work longer than a second. */
#ifndef WL_CLI_PROGRESS_H
#define WL_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct wl_progress {
	bool on;          /* standard error is a terminal that takes cursor movement */
	bool shown;       /* something is on the line */
	int64_t begun_ns; /* when the work began */
	int64_t drawn_ns; /* when the bar was drawn last */
	const char *what; /* the trace */
};

void wl_progress_init(struct wl_progress *p, const char *what, bool dumb);

/* Other work begins: its bar waits a second again. */
void wl_progress_again(struct wl_progress *p);

/* Rows read so far, of about total; for wl_input_opts.progress. */
void wl_progress_rows(void *ctx, int64_t rows, int64_t total);

/* Slices written so far, of all; for wl_export_opts.progress. */
void wl_progress_slices(void *ctx, int64_t slices, int64_t total);

/* Time spent so far; for wl_nsys_export.tick. */
void wl_progress_export(void *ctx, int64_t elapsed_ns);

/* Wipe the line. */
void wl_progress_end(struct wl_progress *p);

#endif
