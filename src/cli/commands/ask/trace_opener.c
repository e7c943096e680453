/* SPDX-License-Identifier: MIT */
#include "cli/commands/ask/trace_opener.h"

#include <stdlib.h>
#include <string.h>

#include "agent/mcp/http_show.h"

static void progress(void *ctx, int64_t rows, int64_t total)
{
	struct wl_trace_reading *reading = ctx;

	reading->tick(reading, rows, total);
}

/* Find the database, exporting a report; then its session, by an index where there is one. */
static int open_session(struct wl_opening_room *room, struct wl_opened *o, const char *path,
			struct wl_trace_reading *reading, struct wl_err *reterr)
{
	const struct wl_index_opts index = wl_index_options(room->inv);
	const struct wl_input_opts opts = { .cancel = &reading->stop,
					    .progress = progress,
					    .progress_ctx = reading,
					    .reader = room->inv->opt.reader,
					    .pool = room->pool,
					    .budget = room->budget };
	int r = wl_opened_export(o, path, room->inv, &reading->stop, reterr);

	if (r == WL_OK)
		r = wl_session_open_indexed(o->database, &opts,
					    wl_index_is_wanted(room->inv) ? &index : NULL,
					    &o->session, reterr);
	if (r == WL_OK && strcmp(o->database, path) != 0)
		wl_session_set_label(o->session, path);
	return r;
}

static int open_trace(void *ctx, const char *path, struct wl_trace_reading *reading,
		      struct wl_tool_trace *ret, struct wl_err *reterr)
{
	/* On the heap, because agents keep several traces open, each until they close it. */
	struct wl_opened *o = calloc(1, sizeof(*o));
	int r;

	if (!o)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for another trace");
	r = open_session(ctx, o, path, reading, reterr);
	if (r < 0) {
		wl_opened_release(o);
		free(o);
		return r;
	}
	*ret = (struct wl_tool_trace){ .session = o->session,
				       .database = o->database,
				       .of_opener = o };
	return WL_OK;
}

static void close_trace(void *ctx, struct wl_tool_trace *trace)
{
	(void)ctx;
	wl_opened_release(trace->of_opener);
	free(trace->of_opener);
}

static int show(void *ctx, const char *path, const int64_t window[2], struct wl_err *reterr)
{
	const struct wl_opening_room *room = ctx;

	return wl_page_show(room->page, path, window, reterr);
}

struct wl_trace_opener wl_trace_opener_of(struct wl_opening_room *room)
{
	return (struct wl_trace_opener){ .open = open_trace,
					 .close = close_trace,
					 .show = room->page ? show : NULL,
					 .ctx = room };
}
