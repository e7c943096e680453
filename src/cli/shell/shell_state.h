/* SPDX-License-Identifier: MIT */
/* shell_state.h - a shell that runs: its settings, and what its commands say. */
#ifndef WL_CLI_SHELL_STATE_H
#define WL_CLI_SHELL_STATE_H

#include "base/file/file.h"
#include "cli/shell/names.h"
#include "cli/shell/shell_opts.h"

struct wl_shell {
	struct wl_shell_opts opts;
	struct wl_lines *lines;
	struct wl_shell_names names;
	bool has_names;                 /* names are those that there are now */
	const struct wl_format *format; /* NULL: one of the shell's own */
	bool by_line;                   /* of those: a line per cell, else boxes */
	bool has_mode;                  /* a command chose it */
	size_t rows;                    /* shown for people; 0: all */
	bool has_timer;
	char once[WL_PATH_CAP];    /* where the next result goes; "": to the terminal */
	char history[WL_PATH_CAP]; /* "": there is none */
	char *pending;             /* the statement as typed so far; NULL for nothing */
	size_t n_pending;
	char reading[WL_PATH_CAP]; /* the file that .read named, until it is read; "" */
	size_t depth;              /* of files that read each other */
	bool leaves;
	struct wl_err failure; /* of a script: what ended it */
};

/* "error: " and the message, on standard error; a script ends with it. */
void wl_shell_complain(struct wl_shell *s, const char *fmt, ...) WL_PRINTF(2, 3);

/* The same with the status of a failure. */
void wl_shell_fail(struct wl_shell *s, const struct wl_err *err);
void wl_shell_no_memory(struct wl_shell *s);

/* Names for completion and lists, loaded if they are not; false without. */
bool wl_shell_knows_names(struct wl_shell *s);

#endif
