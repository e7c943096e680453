/* SPDX-License-Identifier: MIT */
#include "render/data/stream.h"

#include <assert.h>

#include "render/data/delimited.h"
#include "render/data/json_row.h"

static struct wl_view view_of(const struct wl_stream *s, const struct wl_table *t)
{
	return (struct wl_view){ .table = t, .cols = s->cols, .n_cols = s->n_cols };
}

static const struct wl_delimited *csv_of(const struct wl_stream *s)
{
	return s->opts.at_terminal ? &wl_csv : &wl_csv_as_is;
}

static void begin_json(struct wl_stream *s, const struct wl_view *view)
{
	struct wl_jsonw *w = &s->json;

	wl_jsonw_begin_object(w);
	wl_json_head(w);
	wl_jsonw_key(w, "export");
	wl_jsonw_str(w, s->opts.name);
	wl_json_columns(w, view);
	wl_jsonw_key(w, "rows");
	wl_jsonw_begin_array(w);
}

void wl_stream_begin(struct wl_stream *stream, const struct wl_stream_opts *opts,
		     const struct wl_col *cols, size_t n_cols, FILE *out)
{
	struct wl_table head;
	struct wl_view view;

	*stream = (struct wl_stream){ .opts = *opts, .out = out, .n_cols = n_cols };
	wl_table_init(&head, NULL, cols, n_cols);
	wl_jsonw_init(&stream->json, out);
	for (size_t i = 0; i < n_cols; i++)
		stream->cols[i] = (uint16_t)i;
	view = view_of(stream, &head);
	if (opts->format == WL_STREAM_CSV)
		wl_delimited_header(csv_of(stream), &view, out);
	else if (opts->format == WL_STREAM_JSON)
		begin_json(stream, &view);
}

static void put_row(struct wl_stream *s, const struct wl_view *view, size_t row)
{
	switch (s->opts.format) {
	case WL_STREAM_CSV:
		wl_delimited_row(csv_of(s), view, row, s->out);
		break;
	case WL_STREAM_JSON:
		wl_jsonw_newline(&s->json);
		wl_json_row(&s->json, view, row);
		break;
	case WL_STREAM_JSONL:
		wl_json_row(&s->json, view, row);
		wl_jsonw_finish(&s->json);
		break;
	}
}

void wl_stream_rows(struct wl_stream *stream, const struct wl_table *rows)
{
	const struct wl_view view = view_of(stream, rows);

	assert(rows->n_cols == stream->n_cols && !rows->is_tree);
	for (size_t i = 0; i < rows->n_rows; i++)
		put_row(stream, &view, i);
	stream->n_rows += rows->n_rows;
}

void wl_stream_end(struct wl_stream *stream)
{
	struct wl_jsonw *w = &stream->json;

	if (stream->opts.format != WL_STREAM_JSON)
		return;
	wl_jsonw_end_array(w);
	wl_jsonw_key(w, "rows_total");
	wl_jsonw_i64(w, (int64_t)stream->n_rows);
	wl_jsonw_end_object(w);
	wl_jsonw_finish(w);
}
