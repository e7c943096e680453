/* SPDX-License-Identifier: MIT */
/*
 * answer_export.c - the range as a file for other tools.
 *
 * It is written to a file that nobody else can see, and that is gone when it was sent: how
 * long it is must be known before the first byte.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "derive/nvtx/ranks.h"
#include "export/file.h"
#include "export/ops_rows.h"
#include "render/data/stream.h"
#include "serve/answers/answer_window.h"

enum format { PERFETTO, CHROME, CSV, JSON };

static const char *const formats[] = { "perfetto", "chrome", "csv", "json", NULL };

static const struct {
	const char *type, *file;
} made[] = {
	[PERFETTO] = { "application/octet-stream", "range.pftrace" },
	[CHROME] = { "application/json", "range.trace.json" },
	[CSV] = { "text/csv; charset=utf-8", "range.csv" },
	[JSON] = { "application/json", "range.json" },
};

struct writing {
	const struct wl_ask *ask;
	const struct wl_scene *scene;
	enum format format;
	char path[WL_PATH_CAP];
};

static int write_timeline(struct writing *w, const struct wl_run *run, struct wl_err *reterr)
{
	const struct wl_export_opts opts = { .scope = run->scope,
					     .budget = w->ask->served->opts.budget,
					     .stop = &w->ask->served->stop };
	const struct wl_export_target target = { w->path, w->format == CHROME
								  ? WL_TIMELINE_CHROME
								  : WL_TIMELINE_PERFETTO };
	struct wl_export_plan plan;
	struct wl_export_done done;

	wl_export_plan(&w->scene->tracks, &opts, &plan);
	return wl_export_file(&w->scene->tracks, &opts, &plan, &target, &done, reterr);
}

static bool put_rows(void *ctx, const struct wl_table *rows)
{
	struct wl_stream *stream = ctx;

	wl_stream_rows(stream, rows);
	return !ferror(stream->out);
}

static int write_rows(struct writing *w, const struct wl_run *run, struct wl_err *reterr)
{
	const struct wl_stream_opts how = { .format = w->format == CSV ? WL_STREAM_CSV
								       : WL_STREAM_JSON,
					    .name = "operations" };
	const struct wl_ops_rows_opts opts = { .stop = &w->ask->served->stop,
					       .budget = w->ask->served->opts.budget };
	WL_CLEANUP(wl_file_abort) struct wl_file file = { .stream = NULL };
	struct wl_stream stream;
	int r = wl_file_begin(w->path, &file, reterr);

	if (r < 0)
		return r;
	wl_stream_begin(&stream, &how, wl_ops_cols, WL_N_OPS_COLS, file.stream);
	r = wl_ops_rows(run->derived, run->scope, &opts, put_rows, &stream, reterr);
	if (r == WL_OK)
		wl_stream_end(&stream);
	return r == WL_OK ? wl_file_commit(&file, reterr) : r;
}

static int write_range(void *ctx, const struct wl_run *run, const struct wl_scope_notes *notes,
		       struct wl_err *reterr)
{
	struct writing *w = ctx;

	(void)notes;
	return w->format == PERFETTO || w->format == CHROME ? write_timeline(w, run, reterr)
							    : write_rows(w, run, reterr);
}

static int write_file(struct writing *w, struct wl_asked_window *window, struct wl_err *reterr)
{
	struct wl_visitor visitor = { .name = "export", .visit = write_range, .ctx = w };
	struct wl_document frame;

	if (w->format == PERFETTO || w->format == CHROME)
		wl_export_want(&visitor.wanted);
	else
		wl_ops_rows_want(&visitor.wanted);
	window->request.visitor = &visitor;
	return wl_session_run(w->scene->session, &window->request, w->ask->arena, &frame, reterr);
}

int wl_answer_export(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	WL_CLEANUP(wl_tmpdir_close) struct wl_tmpdir dir = { .path = "" };
	struct wl_asked_window window;
	struct writing w = { .ask = ask };
	size_t format = 0;
	int r = wl_window_of(&window, ask, reterr);

	if (r == WL_OK)
		r = wl_query_word(ask->query, "fmt", formats, &format, reterr);
	if (r == WL_OK)
		r = wl_tmpdir_open(ask->served->opts.scratch, &dir, reterr);
	if (r < 0)
		return r;
	w.format = (enum format)format;
	w.scene = ask->served->show.scene[window.which];
	if (!w.scene->session)
		return wl_fail(reterr, WL_E_NODATA, "the trace cannot be asked");
	(void)snprintf(w.path, sizeof(w.path), "%.4000s/%s", dir.path, made[format].file);
	r = write_file(&w, &window, reterr);
	if (r < 0)
		return r;
	ret->fd = open(w.path, O_RDONLY | O_CLOEXEC);
	if (ret->fd < 0)
		return wl_fail(reterr, WL_E_OUTPUT, "the export cannot be read back");
	ret->type = made[format].type;
	ret->file = made[format].file;
	return WL_OK;
}
