#include "cli/export_rows.h"

#include <assert.h>
#include <string.h>

#include "render/stream.h"

static enum wl_stream_format format_of(const char *name)
{
	static const char *const names[] = {
		[WL_STREAM_CSV] = "csv", [WL_STREAM_JSON] = "json", [WL_STREAM_JSONL] = "jsonl"
	};
	size_t i = 0;

	while (i < WL_COUNT(names) && strcmp(names[i], name) != 0)
		i++;
	assert(i < WL_COUNT(names));
	return (enum wl_stream_format)i;
}

static bool put_rows(void *ctx, const struct wl_table *rows)
{
	struct wl_stream *stream = ctx;

	wl_stream_rows(stream, rows);
	return !ferror(stream->out);
}

int wl_export_rows(struct wl_derived *derived, const struct wl_scope *scope,
		   const struct wl_ops_rows_opts *opts, const char *format, bool at_terminal,
		   FILE *out, struct wl_err *reterr)
{
	const struct wl_stream_opts how = { .format = format_of(format),
					    .name = "operations",
					    .at_terminal = at_terminal };
	struct wl_stream stream;
	int r;

	wl_stream_begin(&stream, &how, wl_ops_cols, wl_n_ops_cols, out);
	r = wl_ops_rows(derived, scope, opts, put_rows, &stream, reterr);
	if (r == WL_OK)
		wl_stream_end(&stream);
	return r;
}
