/* SPDX-License-Identifier: MIT */
/* status.h - exit statuses, messages, and the kind of standard output. */
#ifndef WL_CLI_STATUS_H
#define WL_CLI_STATUS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/err.h"

/* The exit status of a failure, after its message went to standard error as one line. */
int wl_report_failure(const struct wl_err *err);

/* WL_OK, or WL_E_OUTPUT when something that was printed to standard output did not arrive. */
int wl_check_stdout(struct wl_err *reterr) WL_MUST_CHECK;

/* The same for the end of a program: 0, or an exit status after the message was printed. */
int wl_finish_stdout(void);

bool wl_stdout_is_terminal(void);

/*
 * From now on signals that would end the program, as SIGTERM and SIGXCPU, set a flag instead,
 * unless ignored; and a file that exceeds the limit of the process is an error like a full disk.
 */
const atomic_int *wl_signals_catch(void);

/* How many signals came since the program began. */
const atomic_int *wl_signals_count(void);

/* The last signal is dealt with: nothing that comes now is cancelled by it. */
void wl_signals_forget(void);

/*
 * For work that does not look at the flag in time: a signal ends the program at once, with this
 * line, which must live as long, unless something is held. NULL: the flag again.
 */
void wl_signals_end_with(const char *line);

/* Something that would stay behind came, 1, or was removed, -1. Any thread. */
void wl_signals_hold(int change);

/* Back to the default; a signal that came meanwhile is in the flag. */
void wl_signals_release(void);

#endif
