/* SPDX-License-Identifier: MIT */
/* spawn.h - starts a program; what follows is for proc.h and child.h. */
#ifndef WL_BASE_SPAWN_H
#define WL_BASE_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/attr.h"

enum {
	WL_SPAWN_OURS = -1, /* a descriptor that the program has as we have it */
	WL_SPAWN_NULL = -2, /* /dev/null; for in only */
};

struct wl_spawn {
	const char *const *argv; /* NULL ends; argv[0] is looked up in PATH unless it has a slash */
	const char *const *env;  /* all of its environment, NULL ends; NULL: ours */
	int in, out, err;        /* its descriptors 0, 1 and 2 */
	bool has_own_group;      /* it leads a process group */
	int with_us;             /* the signal that it gets when the calling thread ends; 0: none */
};

/*
 * Start a program without a shell, with no blocked signal and with those that we handle as
 * programs expect them; descriptors above 2 are its own as far as they are not closed on exec.
 * with_us needs a caller that outlives the program: the system looks at the thread, not at the
 * process. Returns an errno value, that of exec too, or 0; then *ret_pid is to be waited for.
 */
int wl_spawn(const struct wl_spawn *how, pid_t *ret_pid) WL_MUST_CHECK;

#endif
