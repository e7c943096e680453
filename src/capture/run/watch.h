/* SPDX-License-Identifier: MIT */
/*
 * watch.h - runs a profiler with its program to the end, whatever happens to either.
 *
 * Who ends the program ends it first: a signal that we get, or the end of the time limit, goes to
 * the program; if that does not end, the profiler is asked to stop it; the profiler then has its
 * time to write the report; only after that are they killed. Each further signal goes one stage
 * on at once. Nothing that was started is left when the function returns.
 */
#ifndef WL_CAPTURE_RUN_WATCH_H
#define WL_CAPTURE_RUN_WATCH_H

#include <stdatomic.h>

#include "base/process/child.h"
#include "capture/run/kin.h"

/* The argument of a watcher's tick. */
struct wl_watch_now {
	int64_t now_ns;
	bool has_program; /* it was seen */
	bool is_running;  /* it runs */
	bool is_stopping; /* it was asked to end */
	int64_t program_begin_ns;
};

/* Signals that came: the last one, and how many. Both may be NULL. */
struct wl_watch_signals {
	const atomic_int *last, *count;
};

struct wl_watch {
	const char *const *argv, *const *env;
	enum wl_kin_main kind;
	int out, err; /* as in wl_child_how */
	bool has_input;
	int64_t limit_ns;    /* for the program; 0: none */
	int64_t grace_ns;    /* that the program has to end */
	int64_t patience_ns; /* that the profiler has to write the report */
	struct wl_watch_signals signals;
	void (*say)(void *ctx, const char *line); /* what is done and why; may be NULL */
	/* At least every 50 ms, and for each child that ended; may be NULL. */
	void (*tick)(void *ctx, const struct wl_watch_now *now);
	void (*reaped)(void *ctx, pid_t pid, const struct wl_child_end *end);
	void *ctx;
};

struct wl_watched {
	struct wl_child_end tool;    /* of what was started */
	struct wl_child_end program; /* as far as it is known: the tool passes it on */
	bool has_program;            /* it was seen to run */
	bool has_outlived;           /* the program ran on when the tool had ended */
	bool has_cuda;               /* it loaded libcuda.so */
	bool is_limited;             /* its time was up */
	int signal;                  /* of ours that was passed on; 0: none */
	bool is_killed;              /* the tool did not end by itself: no report can be whole */
	int64_t program_ns;          /* wall time of the program; -1: not seen */
	int64_t tool_ns;             /* of everything */
	size_t n_tail;
	char tail[WL_CHILD_TAIL + 1]; /* of the output; untrusted */
};

/* WL_E_IO when it cannot be started. Every other end is a success; look at what was watched. */
int wl_watch_run(const struct wl_watch *watch, struct wl_watched *ret,
		 struct wl_err *reterr) WL_MUST_CHECK;

#endif
