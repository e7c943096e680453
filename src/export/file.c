/* SPDX-License-Identifier: MIT */
#include "export/file.h"

#include "base/file/file.h"
#include "export/ops_rows.h"

void wl_export_want_format(struct wl_wanted *wanted, const struct wl_export_format *format,
			   const struct wl_stack_choice *stacks)
{
	if (wl_export_is_timeline(format))
		wl_export_want(wanted);
	else if (format->stacks)
		wl_stack_want(wanted, stacks);
	else
		wl_ops_rows_want(wanted);
}

/* An export in progress, from a source to a stream. */
struct work {
	const struct wl_export_source *source;
	const struct wl_export_opts *opts;
	const struct wl_export_target *target;
	struct wl_export_done *done;
};

/* ---- Timelines ---- */

static int fail_memory(const struct work *w, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "%s: out of memory", w->target->path);
}

static int emit(const struct work *w, struct wl_sink *sink, struct wl_err *reterr)
{
	const struct wl_export_format *format = w->target->format;
	const struct wl_tracks *tracks = w->source->tracks;
	struct wl_export_plan plan;
	struct wl_emitter *e;
	int rc;

	if (w->source->plan)
		plan = *w->source->plan;
	else
		wl_export_plan(tracks, w->opts, &plan);
	if (!format->shifts)
		plan.shift = 0;
	e = format->open(sink, plan.shift, w->opts->budget);
	if (!e)
		return fail_memory(w, reterr);
	rc = wl_export_timeline(tracks, w->opts, &plan, e, w->done, reterr);
	format->close(e);
	return rc;
}

static int write_timeline(const struct work *w, FILE *out, struct wl_err *reterr)
{
	struct wl_sink *sink;
	struct wl_arena arena;
	int rc;

	wl_arena_init_on(&arena, w->opts->budget);
	sink = WL_NEW(&arena, struct wl_sink, 1);
	if (sink && wl_sink_init(sink, out, wl_path_ends_in(w->target->path, ".gz"))) {
		rc = emit(w, sink, reterr);
		w->done->bytes = wl_sink_finish(sink);
	} else {
		rc = fail_memory(w, reterr);
	}
	wl_arena_release(&arena);
	return rc;
}

/* ---- Rows ---- */

static bool put_rows(void *ctx, const struct wl_table *rows)
{
	struct wl_stream *stream = ctx;

	wl_stream_rows(stream, rows);
	return !ferror(stream->out);
}

static int write_rows(const struct work *w, FILE *out, struct wl_err *reterr)
{
	const struct wl_stream_opts how = { .format = w->target->format->rows,
					    .name = "operations",
					    .at_terminal = w->target->at_terminal };
	const struct wl_ops_rows_opts opts = { .scope = w->opts->scope,
					       .min_dur = w->opts->min_dur,
					       .stop = w->opts->stop,
					       .budget = w->opts->budget };
	struct wl_stream stream;
	int rc;

	wl_stream_begin(&stream, &how, wl_ops_cols, WL_N_OPS_COLS, out);
	rc = wl_ops_rows(w->source->derived, &opts, put_rows, &stream, reterr);
	if (rc == WL_OK)
		wl_stream_end(&stream);
	w->done->rows = stream.n_rows;
	return rc;
}

/* ---- Call stacks ---- */

static int write_stacks(const struct work *w, FILE *out, struct wl_err *reterr)
{
	struct wl_stacks_done done = { .time = 0 };
	struct wl_arena arena;
	const struct wl_stack_source source = { .derived = w->source->derived,
						.scope = w->opts->scope,
						.choice = &w->source->stacks,
						.arena = &arena,
						.stop = w->opts->stop };
	int rc;

	wl_arena_init_on(&arena, w->opts->budget);
	rc = w->target->format->stacks(&source, out, &done);
	wl_arena_release(&arena);
	w->done->rows = done.n_stacks;
	w->done->time = done.time;
	if (rc == WL_E_CANCELED)
		return wl_fail(reterr, rc, "stopped");
	if (rc < 0)
		return wl_fail(reterr, rc, "export: no memory for call stacks");
	return WL_OK;
}

/* ---- All ---- */

static int write_stream(const struct work *w, FILE *out, struct wl_err *reterr)
{
	if (wl_export_is_timeline(w->target->format))
		return write_timeline(w, out, reterr);
	return w->target->format->stacks ? write_stacks(w, out, reterr)
					 : write_rows(w, out, reterr);
}

int wl_export_file(const struct wl_export_source *source, const struct wl_export_opts *opts,
		   const struct wl_export_target *target, struct wl_export_done *ret,
		   struct wl_err *reterr)
{
	struct wl_export_done done = { .rows = 0 };
	const struct work w = { source, opts, target, &done };
	WL_CLEANUP(wl_file_abort) struct wl_file file = { .stream = NULL };
	int rc = target->path ? wl_file_begin(target->path, &file, reterr) : WL_OK;

	if (rc == WL_OK && target->path && target->readers)
		wl_file_keep_from_others(&file, target->readers);
	if (rc == WL_OK)
		rc = write_stream(&w, target->path ? file.stream : target->out, reterr);
	if (rc == WL_OK && target->path)
		rc = wl_file_commit(&file, reterr);
	if (rc == WL_OK)
		*ret = done;
	return rc;
}
