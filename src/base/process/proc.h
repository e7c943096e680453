/* SPDX-License-Identifier: MIT */
/* proc.h - runs another program to its end. */
#ifndef WL_BASE_PROC_H
#define WL_BASE_PROC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

/* Bytes of a child's output that are kept: the last ones, where tools say what went wrong. */
#define WL_PROC_TAIL 4096

/*
 * What to run and when to stop it. argv[0] is looked up in PATH unless it has a
 * slash; no shell is involved. Zeroed fields mean: no limit, no cancel flag, no
 * ticks.
 */
struct wl_proc {
	const char *const *argv;  /* ends with NULL */
	int64_t limit_ns;         /* stop the child after this long; 0: never */
	const atomic_int *cancel; /* stop the child once it is not zero; may be NULL */
	void (*tick)(void *ctx, int64_t elapsed_ns); /* at least every 50 ms; may be NULL */
	void *ctx;                                   /* for tick */
};

enum wl_proc_end {
	WL_PROC_EXITED,    /* by itself, code is the exit status */
	WL_PROC_SIGNALED,  /* by a signal that we did not send, code is its number */
	WL_PROC_TIMED_OUT, /* stopped by us: limit_ns */
	WL_PROC_CANCELED,  /* stopped by us, or not even started: *cancel */
	WL_PROC_NOT_FOUND, /* never started: there is no such program */
};

struct wl_proc_result {
	enum wl_proc_end end;
	int code; /* exit status or signal number, 0 for the other ends */
	int64_t elapsed_ns;
	bool tail_is_cut; /* there was more output before the tail */
	size_t n_tail;
	char tail[WL_PROC_TAIL + 1]; /* stdout and stderr as they came, untrusted; NUL at n_tail */
};

/*
 * Run a program to its end with stdin from /dev/null, stdout and stderr going
 * to result->tail, in a process group of its own. When its time is up or the
 * flag is set, the group gets SIGTERM and, 2 s later, SIGKILL; members that
 * outlive the program get SIGKILL in any case, and so does the program when
 * the calling thread ends. Only a process that leaves the group can survive.
 * The flag and the clock are looked at every 50 ms or more often, however much
 * the child prints.
 *
 * Every way in which a program can end is a success of this function, a missing
 * program too; look at ret->end. WL_E_IO when it exists and cannot be started,
 * or when its status is lost because the caller ignores SIGCHLD. No child, no
 * zombie and no descriptor stays behind. Threads may run programs at the same
 * time: what runs is a matter of the arguments alone.
 */
int wl_proc_run(const struct wl_proc *proc, struct wl_proc_result *ret,
		struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Run a program that talks to the user (a pager, man) and wait for it: same
 * process group, so that it owns the terminal and gets the keyboard's signals;
 * inherited stdout and stderr; stdin from in_fd, or inherited when that is -1.
 * in_fd stays the caller's. Nothing is captured and nothing stops it, so the
 * caller should survive SIGINT meanwhile.
 *
 * Writes the exit status to *ret_code as a shell would: 128 + n for signal n,
 * 127 when there is no such program. WL_E_IO as above.
 */
int wl_proc_foreground(const char *const *argv, int in_fd, int *ret_code,
		       struct wl_err *reterr) WL_MUST_CHECK;

#endif
