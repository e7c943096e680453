/* status.h - exit statuses, messages, and what standard output is. */
#ifndef WL_CLI_STATUS_H
#define WL_CLI_STATUS_H

#include <signal.h>
#include <stdbool.h>

#include "base/err.h"

/* The exit status of a failure, after its message went to standard error as one line. */
int wl_report_failure(const struct wl_err *err);

/* 0, or the status of a failure to write what was printed. */
int wl_finish_stdout(void);

bool wl_stdout_is_terminal(void);

/* From now on SIGINT and SIGTERM set a flag instead of ending the program. */
const volatile sig_atomic_t *wl_signals_catch(void);

/* Back to the default; a signal that came meanwhile is in the flag. */
void wl_signals_release(void);

#endif
