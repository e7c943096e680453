#include "cli/status.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/wrap.h"

/* The one mutable global: a signal handler has nothing else to write to. */
static volatile sig_atomic_t caught;

static void catch_signal(int number)
{
	caught = number;
}

const volatile sig_atomic_t *wl_signals_catch(void)
{
	struct sigaction action = { .sa_handler = catch_signal };

	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
	/* A parent that ignores SIGCHLD would take our child's status away. */
	action.sa_handler = SIG_DFL;
	(void)sigaction(SIGCHLD, &action, NULL);
	return &caught;
}

void wl_signals_release(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
}

static int exit_status(enum wl_status code)
{
	switch (code) {
	case WL_OK:
		return 0;
	case WL_E_USAGE:
		return 2;
	case WL_E_FORMAT:
	case WL_E_IO:
		return 3;
	case WL_E_NODATA:
		return 5;
	case WL_E_NOMEM:
	case WL_E_OUTPUT:
	case WL_E_TIMEOUT:
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

int wl_finish_stdout(void)
{
	struct wl_err err;

	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	(void)wl_fail(&err, WL_E_OUTPUT, "standard output: the result could not be written");
	return wl_report_failure(&err);
}

bool wl_stdout_is_terminal(void)
{
	return isatty(STDOUT_FILENO) == 1;
}
