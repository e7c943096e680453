/* SPDX-License-Identifier: MIT */
/*
 * sandbox.h - gives up what the process does not need, before it reads what others made.
 *
 * Landlock keeps files away, seccomp programs, sockets and most of the kernel's other calls. Parts
 * that a kernel lacks are left out: the sandbox limits what an error in a parser can do, and no
 * result depends on it. Nothing can be taken back, and children inherit it.
 */
#ifndef WL_BASE_SANDBOX_H
#define WL_BASE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/process/may.h"

/* A file, or a directory with all it holds, that may be opened without WL_MAY_OPEN. */
struct wl_sandbox_path {
	const char *path; /* links are followed; what does not exist is left out */
	bool writes;      /* files in it may be written, made and removed, too */
};

struct wl_sandbox {
	unsigned may; /* bits of enum wl_may */
	const struct wl_sandbox_path *path;
	size_t n_paths;
};

/* What is in force. */
struct wl_sandbox_state {
	int landlock; /* version of the kernel's interface; 0: none */
	bool seccomp;
};

/*
 * Enter. The calling thread and those it starts from now on keep to both, other threads to the
 * part of seccomp; so call it before there are any. What is refused fails with EACCES, EPERM or
 * ENOSYS. With WL_MAY_ALL nothing happens. Builds for sanitizers and other machines than x86-64
 * and ARM64 have no sandbox.
 */
struct wl_sandbox_state wl_sandbox_enter(const struct wl_sandbox *how);

/*
 * In the sandbox, with WL_MAY_LISTEN: what listens is open. Sockets can be accepted from here on,
 * but no thread makes, binds or connects one. False where the kernel cannot.
 */
bool wl_sandbox_is_listening(void);

#endif
