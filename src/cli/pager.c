/* SPDX-License-Identifier: MIT */
#include "cli/pager.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/process/proc.h"
#include "cli/status.h"

enum { MAX_WORDS = 16, NOT_STARTED = 126 }; /* 126 and 127, as shells say it */

static const char *pager_command(void)
{
	const char *pager = getenv("PAGER");

	return pager && *pager && strcmp(pager, "cat") != 0 && wl_stdout_is_terminal() ? pager
										       : NULL;
}

bool wl_pager_is_set(void)
{
	return pager_command() != NULL;
}

FILE *wl_pager_begin(struct wl_pager *p)
{
	p->held = pager_command() ? tmpfile() : NULL;
	return p->held ? p->held : stdout;
}

static bool fits_screen(FILE *held)
{
	struct winsize size;
	int c, lines = 0;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_row == 0)
		return true;
	while (lines < size.ws_row && (c = fgetc(held)) != EOF)
		lines += c == '\n';
	return lines < size.ws_row;
}

/* Run the words of $PAGER, without a shell. False when there is no such program. */
static bool run_pager(const char *command, int in_fd)
{
	const char *argv[MAX_WORDS + 1] = { NULL };
	char *copy = strdup(command), *rest = copy, *word;
	size_t n = 0;
	int code = NOT_STARTED;
	bool ok;

	/* As git and systemd do: bold comes through, short output does not clear the screen. */
	(void)setenv("LESS", "FRX", 0);
	while (copy && n < MAX_WORDS && (word = strtok_r(rest, " ", &rest)) != NULL)
		argv[n++] = word;
	/* Ctrl-C is for the pager, which is not to lose its terminal to a shell. */
	(void)wl_signals_catch();
	ok = n > 0 && wl_proc_foreground(argv, in_fd, &code, NULL) == WL_OK &&
	     code != NOT_STARTED && code != NOT_STARTED + 1;
	wl_signals_release();
	free(copy);
	return ok;
}

int wl_pager_end(struct wl_pager *p, struct wl_err *reterr)
{
	bool complete;
	char buf[4096];
	size_t n;

	if (!p->held)
		return wl_check_stdout(reterr);
	complete = fflush(p->held) == 0 && !ferror(p->held);
	rewind(p->held);
	if (complete && !fits_screen(p->held)) {
		(void)lseek(fileno(p->held), 0, SEEK_SET);
		/*
		 * Output is complete in the file, so that a pager that is not installed costs
		 * nothing: it is printed below.
		 */
		if (run_pager(pager_command(), fileno(p->held))) {
			(void)fclose(p->held);
			return WL_OK;
		}
	}
	rewind(p->held);
	while (complete && (n = fread(buf, 1, sizeof(buf), p->held)) > 0)
		(void)fwrite(buf, 1, n, stdout);
	(void)fclose(p->held);
	if (!complete)
		return wl_fail(reterr, WL_E_OUTPUT, "no room for the pager's input; unset PAGER");
	return wl_check_stdout(reterr);
}
