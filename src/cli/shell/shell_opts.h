/* SPDX-License-Identifier: MIT */
/* shell_opts.h - what a shell is opened with. */
#ifndef WL_CLI_SHELL_OPTS_H
#define WL_CLI_SHELL_OPTS_H

#include "render/render.h"
#include "sql/sql.h"

struct wl_shell_opts {
	struct wl_sql *sql;
	const char *const *traces; /* their paths, which no result may replace */
	size_t n_traces;
	const char *title;              /* what was opened */
	struct wl_sql_limits limits;    /* of each statement; cancel is the flag of cli/status.h */
	struct wl_render_opts look;     /* width 0: that of the terminal, asked for each result */
	const struct wl_format *format; /* NULL: boxes */
	/*
	 * Of a script: shows a result, in the format that .mode chose or NULL. A script ends with
	 * its first failure. NULL: the shell of a terminal.
	 */
	int (*put)(void *ctx, const struct wl_format *format, const struct wl_document *doc,
		   struct wl_err *reterr);
	/* Called before a statement is run, and before its result is shown; NULL: nothing. */
	void (*begin)(void *ctx), (*end)(void *ctx);
	void *ctx;
	struct wl_budget *budget; /* of results */
};

#endif
