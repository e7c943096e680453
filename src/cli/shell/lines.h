/* SPDX-License-Identifier: MIT */
/*
 * lines.h - lines typed on a terminal: editing, history and completion by libedit.
 *
 * Order of calls: open; read, remember and history, as often as wanted; close. One at a time in a
 * process, because a change of the terminal's size arrives as a signal.
 */
#ifndef WL_CLI_LINES_H
#define WL_CLI_LINES_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/err.h"

struct wl_lines;

/* What a word may be continued to. */
struct wl_continuations {
	const char *const *text; /* whole words, in order, different from each other */
	size_t n;
	size_t word; /* bytes before the cursor that they replace */
};

/*
 * The words that fit before byte cursor of the line; valid until the next call. Not called while
 * the cursor is inside a word.
 */
typedef struct wl_continuations wl_continue_fn(void *ctx, const char *line, size_t cursor);

struct wl_lines_opts {
	/* Not 0: a signal came, and reading ends. */
	const atomic_int *stop;
	wl_continue_fn *continuations;
	void *ctx;
};

int wl_lines_open(const struct wl_lines_opts *opts, struct wl_lines **ret,
		  struct wl_err *reterr) WL_MUST_CHECK;
void wl_lines_close(struct wl_lines *lines); /* accepts NULL */

enum wl_lines_status { WL_LINES_TEXT, WL_LINES_END, WL_LINES_STOPPED };

/*
 * Show the prompt and read a line, which is without its newline and valid until the next read. END
 * after Ctrl-D, STOPPED after a signal.
 */
enum wl_lines_status wl_lines_read(struct wl_lines *lines, const char *prompt,
				   const char **ret_line) WL_MUST_CHECK;

/* A line that the arrow keys bring back; the last one if it is the same is not added again. */
void wl_lines_remember(struct wl_lines *lines, const char *line);

#endif
