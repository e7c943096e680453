/* SPDX-License-Identifier: MIT */
/*
 * stream.h - prints a table in parts, without holding it.
 *
 * Order of calls: begin; rows, as often as wanted; end. Every part has the columns that were given
 * to begin. Write errors stay in the file: check ferror() occasionally, and at the end.
 */
#ifndef WL_RENDER_STREAM_H
#define WL_RENDER_STREAM_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text/json_write.h"
#include "table/view.h"

struct wl_stream;

/* How rows are written. The view has all columns; in begin it has no rows. */
struct wl_stream_format {
	void (*begin)(struct wl_stream *stream, const struct wl_view *view); /* NULL: nothing */
	void (*row)(struct wl_stream *stream, const struct wl_view *view, size_t row);
	void (*end)(struct wl_stream *stream); /* NULL: nothing */
};

extern const struct wl_stream_format wl_stream_csv;  /* one line of keys, then one per row */
extern const struct wl_stream_format wl_stream_json; /* schema, export, columns, rows, rows_total */
extern const struct wl_stream_format wl_stream_jsonl; /* one object per row, each on its own line */

struct wl_stream_opts {
	const struct wl_stream_format *format;
	const char *name; /* name of the rows: the "export" key of JSON */
	/* The output is a terminal: csv then neutralises controls as other verbs do; otherwise it
	 * leaves texts unchanged. JSON always escapes controls and loses nothing. */
	bool at_terminal;
};

struct wl_stream {
	struct wl_stream_opts opts;
	FILE *out;
	struct wl_jsonw json;
	uint16_t cols[WL_MAX_COLS]; /* all columns, in a view's numbering */
	size_t n_cols;
	uint64_t n_rows; /* so far */
};

/* The file and the name must outlive the stream. At most WL_MAX_COLS columns. */
void wl_stream_begin(struct wl_stream *stream, const struct wl_stream_opts *opts,
		     const struct wl_col *cols, size_t n_cols, FILE *out);

/* Write all rows and columns of the table, which must not be a tree. */
void wl_stream_rows(struct wl_stream *stream, const struct wl_table *rows);
void wl_stream_end(struct wl_stream *stream);

#endif
