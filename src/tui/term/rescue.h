/* SPDX-License-Identifier: MIT */
/*
 * rescue.h - signal handling while the terminal is in use: restores it before the program dies.
 *
 * Signals that ask for something (end, stop, continue, another size) become notes that
 * the loop reads; whichever thread they hit, the loop wakes up. Before a signal that
 * kills does so, the terminal is restored.
 */
#ifndef WL_TUI_RESCUE_H
#define WL_TUI_RESCUE_H

#include <stddef.h>
#include <termios.h>

#include "base/attr.h"
#include "base/err.h"

enum wl_rescue_note {
	WL_NOTE_END = 1 << 0,  /* SIGINT, SIGTERM, SIGHUP, SIGQUIT */
	WL_NOTE_STOP = 1 << 1, /* SIGTSTP */
	WL_NOTE_CONT = 1 << 2, /* SIGCONT: the terminal may have been used by others */
	WL_NOTE_SIZE = 1 << 3, /* SIGWINCH */
};

/* What restores the terminal fd: these bytes, and then these modes. */
struct wl_rescue {
	int fd;
	struct termios modes;
	char bytes[256];
	size_t n;
};

/*
 * Install the handlers; the arguments are copied. *ret_fd is readable when there are
 * notes. One at a time. WL_E_IO when the system has no pipe left.
 */
int wl_rescue_open(const struct wl_rescue *what, int *ret_fd, struct wl_err *reterr) WL_MUST_CHECK;

/* Put back the handlers that were there before. */
void wl_rescue_close(void);

/* The notes since the last call. */
unsigned wl_rescue_notes(void);

/*
 * Stop as Ctrl+Z makes it: the whole process group, with the default action. Returns when
 * continued; at once where no shell could continue us.
 */
void wl_rescue_stop(void);

#endif
