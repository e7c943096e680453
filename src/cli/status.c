/* SPDX-License-Identifier: MIT */
#include "cli/status.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text/clean.h"

/* The only mutable globals: a signal handler has nothing else to write to. Threads read them. */
static atomic_int caught, n_caught, n_held;
static const char *_Atomic last_line;

static void catch_signal(int number)
{
	const char *line = last_line;

	if (line && n_held == 0) {
		(void)!write(STDERR_FILENO, line, strlen(line));
		/*
		 * exit() is not safe in a handler; what stdio still holds is part of an answer that
		 * is given up.
		 */
		_exit(128 + number);
	}
	caught = number;
	n_caught++;
}

/*
 * A job that its shell put in the background ignores Ctrl-C, and goes on doing so. No SA_RESTART: a
 * wait that is interrupted returns, and its caller looks at the flag.
 */
static void handle(int number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler }, before;

	(void)sigemptyset(&action.sa_mask);
	if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		(void)sigaction(number, &action, NULL);
}

/*
 * What ends a program that does not catch it, and is sent from outside: batch systems announce the
 * end of a job with some. SIGPIPE ends `warplens ... | head` without a word, and stays as it is.
 */
static const int ending[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,   SIGUSR1,
			      SIGUSR2, SIGALRM, SIGXCPU, SIGVTALRM, SIGPROF };

static void handle_all(void (*handler)(int))
{
	for (size_t i = 0; i < WL_COUNT(ending); i++)
		handle(ending[i], handler);
}

const atomic_int *wl_signals_catch(void)
{
	handle_all(catch_signal);
	/* A file that may not grow is reported as one that cannot be written. */
	(void)signal(SIGXFSZ, SIG_IGN);
	/* A parent that ignores SIGCHLD would take our child's status away. */
	(void)signal(SIGCHLD, SIG_DFL);
	return &caught;
}

const atomic_int *wl_signals_count(void)
{
	return &n_caught;
}

void wl_signals_forget(void)
{
	caught = 0;
}

void wl_signals_end_with(const char *line)
{
	last_line = line;
}

void wl_signals_hold(int change)
{
	n_held += change;
}

void wl_signals_release(void)
{
	last_line = NULL;
	handle_all(SIG_DFL);
}

static int exit_status(enum wl_status code)
{
	switch (code) {
	case WL_OK:
		return 0;
	case WL_E_USAGE:
	case WL_E_NOMATCH:
	case WL_E_NOJOB:
		return 2;
	case WL_E_FORMAT:
	case WL_E_IO:
		return 3;
	case WL_E_INCOMPARABLE:
		return 4;
	case WL_E_NODATA:
		return 5;
	case WL_E_NOMEM:
	case WL_E_OUTPUT:
	case WL_E_TIMEOUT:
	case WL_E_RETRY:
		return 6;
	case WL_E_CANCELED:
		return 128 + (caught ? (int)caught : SIGINT);
	}
	return 6;
}

int wl_report_failure(const struct wl_err *err)
{
	(void)fputs("warplens: ", stderr);
	wl_put_clean(stderr, err->msg);
	(void)fputc('\n', stderr);
	return exit_status(err->code);
}

/* A stream remembers that a write failed, not why; a full disk is the usual reason. */
int wl_check_stdout(struct wl_err *reterr)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return WL_OK;
	return wl_fail(reterr, WL_E_OUTPUT, "cannot write to standard output: %s",
		       strerror(errno ? errno : ENOSPC));
}

int wl_finish_stdout(void)
{
	struct wl_err err;

	return wl_check_stdout(&err) < 0 ? wl_report_failure(&err) : 0;
}

bool wl_stdout_is_terminal(void)
{
	return isatty(STDOUT_FILENO) == 1;
}
