/* SPDX-License-Identifier: MIT */
/* print.h - prints an answer as the command line asks. */
#ifndef WL_CLI_PRINT_H
#define WL_CLI_PRINT_H

#include "base/file/file.h"
#include "cli/line/opt.h"
#include "render/render.h"

/* What -f, -o, --timeunit, the terminal and the environment say. */
struct wl_printing {
	const struct wl_invocation *inv; /* borrowed */
	const struct wl_format *format;
	struct wl_render_opts opts;
	const char *title;              /* of the answer; NULL for none */
	size_t limit;                   /* rows of a table, 0 for all */
	const char *page;               /* the file that gets the schema explorer; NULL for none */
	struct wl_file_readers readers; /* of the traces, and so of files that are written */
	const char *dir; /* where the results of the analysis go; NULL: as -f and -o say */
	bool shows_too;  /* a directory that was not asked for: the table is printed as well */
};

/* WL_E_USAGE for options that contradict each other, such as a format and a page. */
int wl_printing_init(struct wl_printing *p, const struct wl_invocation *inv,
		     struct wl_err *reterr) WL_MUST_CHECK;

/* How the command line wants a table: --where, --sort and --columns, and rows that fit. */
struct wl_view_opts wl_printing_view(const struct wl_printing *p);

/* One of these three is given, which need a single table. */
bool wl_printing_has_view(const struct wl_printing *p);

/* WL_E_USAGE when a file to be written is the trace itself; NULL: no file. option is what named it.
 */
int wl_spare_trace(const char *output, const char *trace, const char *option,
		   struct wl_err *reterr) WL_MUST_CHECK;

/* The same of all that is written, which is for those who may read the trace. */
int wl_printing_spares(struct wl_printing *p, const char *trace,
		       struct wl_err *reterr) WL_MUST_CHECK;

/*
 * To standard output, the file of -o or that of the page; all but the result goes to
 * standard error.
 */
int wl_print(const struct wl_printing *p, const struct wl_document *doc,
	     struct wl_err *reterr) WL_MUST_CHECK;

/* To a file of the directory, which is made; it is named on standard output. */
int wl_print_result(const struct wl_printing *p, const char *file, const struct wl_document *doc,
		    struct wl_err *reterr) WL_MUST_CHECK;

/* To a file for those readers, which is replaced at once or stays as it is. */
int wl_print_file(const char *path, const struct wl_file_readers *readers,
		  const struct wl_format *format, const struct wl_document *doc,
		  const struct wl_render_opts *opts, struct wl_err *reterr) WL_MUST_CHECK;

#endif
