/* export_rows.h - GPU operations into a file of rows: ops_rows.h and stream.h joined. */
#ifndef WL_CLI_EXPORT_ROWS_H
#define WL_CLI_EXPORT_ROWS_H

#include <stdio.h>

#include "export/ops_rows.h"

/*
 * Write the rows as "csv", "json" or "jsonl"; any other format is our own bug. At a terminal
 * csv neutralises controls. Writing stops when the file has an error, which is not reported
 * here: look at ferror(), or let wl_file_commit() do so. Also the errors of wl_ops_rows().
 */
int wl_export_rows(struct wl_derived *derived, const struct wl_scope *scope,
		   const struct wl_ops_rows_opts *opts, const char *format, bool at_terminal,
		   FILE *out, struct wl_err *reterr) WL_MUST_CHECK;

#endif
