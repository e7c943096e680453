/* SPDX-License-Identifier: MIT */
/* report_files.h - a report as a directory of files. */
#ifndef WL_CLI_REPORT_FILES_H
#define WL_CLI_REPORT_FILES_H

#include "base/file/file.h"
#include "render/render.h"
#include "session/document/document_info.h"

/* What is written, and where. Borrowed. */
struct wl_report_files {
	const char *dir;                /* or the file, where format is set */
	const struct wl_format *format; /* of a report that is one page; NULL for a directory */
	const char *trace;              /* which no file may replace */
	struct wl_file_readers readers; /* of the trace, and so of the report */
	const char *title;              /* NULL for none */
	size_t top;                     /* rows that Markdown and HTML show; 0 for all */
	struct wl_render_opts opts;
	const struct wl_document_info *info; /* of which doc is the answer, section by section */
	const struct wl_document *doc;       /* with all rows */
	struct wl_arena *arena;
	bool is_quiet; /* do not say what was written */
};

/*
 * Write report.html, report.md, report.json and tables/NAME.csv, each appears when complete,
 * and remove tables of sections that a report may have and this one has not. Other files of
 * the directory stay. Each file is named on standard output. The directory is made if need be,
 * with those it is in. A single page has no tables beside it.
 */
int wl_report_write(const struct wl_report_files *files, struct wl_err *reterr) WL_MUST_CHECK;

/* A report can be one page of this format; false for NULL. */
bool wl_report_is_page(const struct wl_format *format);

#endif
