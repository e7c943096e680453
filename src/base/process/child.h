/* SPDX-License-Identifier: MIT */
/*
 * child.h - a program that runs beside us, with its output passed on as it comes.
 *
 * For programs that start others and leave them behind: as an adopter the process becomes the
 * parent of every descendant whose own parent has ended, so that none of them is lost. Not for
 * threads that run programs at the same time: wl_child_reap() takes the status of any child.
 */
#ifndef WL_BASE_CHILD_H
#define WL_BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attr.h"
#include "base/err.h"

/* Bytes of output that are kept: the last ones. */
#define WL_CHILD_TAIL 8192

struct wl_child_how {
	const char *const *argv; /* NULL ends; argv[0] is looked up in PATH unless it has a slash */
	const char *const *env;  /* NAME=VALUE to set besides our own, NULL ends; may be NULL */
	int out, err;            /* descriptors that output is passed on to; -1: it is only kept */
	bool has_input;          /* stdin is ours; else it is /dev/null */
};

struct wl_child {
	pid_t pid;        /* also the number of its process group */
	int from[2];      /* pipes of stdout and stderr, -1 after their end */
	int to[2];        /* where they go; -1: nowhere, or that end is closed */
	int64_t begin_ns; /* see wl_clock_wall_ns() */
	size_t n_tail;
	char tail[WL_CHILD_TAIL + 1]; /* of both, as they came; untrusted; NUL at n_tail */
};

/* How a process ended. */
struct wl_child_end {
	int code;   /* exit status; 0 after a signal */
	int signal; /* that ended it; 0: it exited */
};

/* As a shell has it: 128 + n for signal n. */
int wl_child_status(const struct wl_child_end *end);

/* Adopt descendants whose parents end, or do so no longer. */
void wl_child_adopt(bool on);

/*
 * Start a program in a process group of its own; it gets SIGTERM when the calling thread ends
 * before it. WL_E_IO with the reason, which is "no such program" where there is none.
 */
int wl_child_start(const struct wl_child_how *how, struct wl_child *ret,
		   struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Pass on what the child printed; where nothing is there, wait for it as long as ms at most. An
 * end of output is no end of the child.
 */
void wl_child_pump(struct wl_child *child, int ms);

/*
 * The end of any child, adopted ones included, that has not been asked for yet: its pid, or 0 where
 * there is none, or -1 where there are no children at all.
 */
pid_t wl_child_reap(struct wl_child_end *ret);

/* Close the pipes. Accepts a child that was not started. */
void wl_child_close(struct wl_child *child);

#endif
