/* SPDX-License-Identifier: MIT */
#include "render/data/stream.h"

#include <assert.h>

#include "render/data/delimited.h"
#include "render/data/json_row.h"

static struct wl_view view_of(const struct wl_stream *s, const struct wl_table *t)
{
	return (struct wl_view){ .table = t, .cols = s->cols, .n_cols = s->n_cols };
}

/* ---- Formats ---- */

static const struct wl_delimited *csv_of(const struct wl_stream *s)
{
	return s->opts.at_terminal ? &wl_csv : &wl_csv_as_is;
}

static void begin_csv(struct wl_stream *s, const struct wl_view *view)
{
	wl_delimited_header(csv_of(s), view, s->out);
}

static void put_csv(struct wl_stream *s, const struct wl_view *view, size_t row)
{
	wl_delimited_row(csv_of(s), view, row, s->out);
}

const struct wl_stream_format wl_stream_csv = { .begin = begin_csv, .row = put_csv };

static void begin_json(struct wl_stream *s, const struct wl_view *view)
{
	struct wl_jsonw *w = &s->json;

	wl_jsonw_begin_object(w);
	wl_json_head(w);
	wl_jsonw_put_str(w, "export", s->opts.name);
	wl_json_columns(w, view);
	wl_jsonw_open_array(w, "rows");
}

static void put_json(struct wl_stream *s, const struct wl_view *view, size_t row)
{
	wl_jsonw_newline(&s->json);
	wl_json_row(&s->json, view, row);
}

static void end_json(struct wl_stream *s)
{
	struct wl_jsonw *w = &s->json;

	wl_jsonw_end_array(w);
	wl_jsonw_put_i64(w, "rows_total", (int64_t)s->n_rows);
	wl_jsonw_end_object(w);
	wl_jsonw_finish(w);
}

const struct wl_stream_format wl_stream_json = { begin_json, put_json, end_json };

static void put_jsonl(struct wl_stream *s, const struct wl_view *view, size_t row)
{
	wl_json_row(&s->json, view, row);
	wl_jsonw_finish(&s->json);
}

const struct wl_stream_format wl_stream_jsonl = { .row = put_jsonl };

/* ---- Streams ---- */

void wl_stream_begin(struct wl_stream *stream, const struct wl_stream_opts *opts,
		     const struct wl_col *cols, size_t n_cols, FILE *out)
{
	struct wl_table head;
	struct wl_view view;

	*stream = (struct wl_stream){ .opts = *opts, .out = out, .n_cols = n_cols };
	/* An empty table for the header: it gets no rows, so it needs no arena. */
	wl_table_init(&head, NULL, cols, n_cols);
	wl_jsonw_init(&stream->json, out);
	for (size_t i = 0; i < n_cols; i++)
		stream->cols[i] = (uint16_t)i;
	view = view_of(stream, &head);
	if (opts->format->begin)
		opts->format->begin(stream, &view);
}

void wl_stream_rows(struct wl_stream *stream, const struct wl_table *rows)
{
	const struct wl_view view = view_of(stream, rows);

	assert(rows->n_cols == stream->n_cols && !rows->is_tree);
	for (size_t i = 0; i < rows->n_rows; i++)
		stream->opts.format->row(stream, &view, i);
	stream->n_rows += rows->n_rows;
}

void wl_stream_end(struct wl_stream *stream)
{
	if (stream->opts.format->end)
		stream->opts.format->end(stream);
}
