/* SPDX-License-Identifier: MIT */
/*
 * stream.h - prints a table in parts, without holding it.
 *
 * Order of calls: begin; rows, as often as wanted; end. Every part has the columns that were
 * given at the begin. Write errors stay in the file: check ferror() now and then, and at the
 * end.
 */
#ifndef WL_RENDER_STREAM_H
#define WL_RENDER_STREAM_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text/json_write.h"
#include "table/view.h"

struct wl_stream;

/* How rows are written. The view has all columns, at the begin without rows. */
struct wl_stream_format {
	void (*begin)(struct wl_stream *stream, const struct wl_view *view); /* NULL: nothing */
	void (*row)(struct wl_stream *stream, const struct wl_view *view, size_t row);
	void (*end)(struct wl_stream *stream); /* NULL: nothing */
};

extern const struct wl_stream_format wl_stream_csv;  /* a line of keys, a line per row */
extern const struct wl_stream_format wl_stream_json; /* schema, export, columns, rows, rows_total */
extern const struct wl_stream_format wl_stream_jsonl; /* an object per line and row */

struct wl_stream_opts {
	const struct wl_stream_format *format;
	const char *name; /* what the rows are: the "export" key of JSON */
	/* The bytes go to a terminal: csv neutralises controls as other verbs do, else it has texts
	   as they are. JSON escapes them always, and loses nothing. */
	bool at_terminal;
};

struct wl_stream {
	struct wl_stream_opts opts;
	FILE *out;
	struct wl_jsonw json;
	uint16_t cols[WL_MAX_COLS]; /* all of them, as views count them */
	size_t n_cols;
	uint64_t n_rows; /* so far */
};

/* The file must outlive the stream, and the name too. At most WL_MAX_COLS columns. */
void wl_stream_begin(struct wl_stream *stream, const struct wl_stream_opts *opts,
		     const struct wl_col *cols, size_t n_cols, FILE *out);

/* All rows and columns of the table, which is no tree. */
void wl_stream_rows(struct wl_stream *stream, const struct wl_table *rows);
void wl_stream_end(struct wl_stream *stream);

#endif
