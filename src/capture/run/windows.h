/* SPDX-License-Identifier: MIT */
/*
 * windows.h - records windows of a program that lives on: nsys start and stop, at their times.
 *
 * For a watcher of "nsys launch": its tick and reaped functions call those here. nsys start makes
 * a session of its own where the one it names has ended, so it is only called while the program
 * runs.
 */
#ifndef WL_CAPTURE_RUN_WINDOWS_H
#define WL_CAPTURE_RUN_WINDOWS_H

#include "capture/plan/plan.h"
#include "capture/run/watch.h"

enum wl_windows_state {
	WL_WINDOWS_WAITING, /* for the time of the next one */
	WL_WINDOWS_STARTING,
	WL_WINDOWS_OPEN,
	WL_WINDOWS_STOPPING,
	WL_WINDOWS_DONE,
	WL_WINDOWS_FAILED, /* err says why */
};

struct wl_windows {
	const struct wl_plan_step *step; /* a start and a stop for each window */
	size_t n;                        /* windows */
	int64_t delay_ns, duration_ns;
	void (*say)(void *ctx, const char *line); /* may be NULL */
	void *ctx;
	/* Set by the functions below; zeroed at first. */
	enum wl_windows_state state;
	size_t n_begun, n_done;
	int64_t since_ns;
	struct wl_child child;
	struct wl_err err;
};

void wl_windows_tick(struct wl_windows *w, const struct wl_watch_now *now);
void wl_windows_reaped(struct wl_windows *w, pid_t pid, const struct wl_child_end *end);

/* After the program's end: a window that was open then is closed by nsys itself. */
void wl_windows_close(struct wl_windows *w);

#endif
