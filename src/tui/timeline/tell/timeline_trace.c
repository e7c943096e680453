/* SPDX-License-Identifier: MIT */
/* timeline_trace.c - the range as a trace of its own, for Perfetto and tools of its age. */
#include <inttypes.h>

#include "export/file.h"
#include "model/trace_readers.h"
#include "tui/timeline/tell/timeline_tell.h"

/* In the worker's thread, which views do not wait for. */
static int write_range(void *ctx, const struct wl_run *run, const struct wl_scope_notes *notes,
		       struct wl_err *reterr)
{
	struct wl_timeline *t = ctx;
	struct wl_timeline_kept *f = t->panels.kept;
	const struct wl_export_source source = { .derived = run->derived,
						 .tracks = &wl_timeline_scene(t)->tracks };
	const struct wl_export_opts opts = { .scope = run->scope,
					     .budget = wl_app_options(t->app)->budget };
	struct wl_file_readers readers = { .is_narrowed = false };
	const struct wl_export_target target = { .format = wl_export_of_file(f->export_path, NULL),
						 .path = f->export_path,
						 .readers = &readers };

	(void)notes;
	wl_trace_readers_add(&readers, run->trace, NULL);
	return wl_export_file(&source, &opts, &target, &f->exported, reterr);
}

static void written(void *ctx, const struct wl_document *doc, const struct wl_err *err)
{
	struct wl_timeline *t = ctx;
	struct wl_timeline_kept *f = t->panels.kept;

	f->exporting.pending = false;
	if (doc)
		wl_app_say(t->app, "wrote %" PRIu64 " slices of the range to %.200s",
			   f->exported.slices, f->export_path);
	else
		wl_app_say(t->app, "not exported: %s", err ? err->msg : "no answer");
}

void wl_timeline_write_trace(struct wl_timeline *t)
{
	struct wl_timeline_kept *f = t->panels.kept;

	f->trace_writer = (struct wl_visitor){ .name = "export", .visit = write_range, .ctx = t };
	wl_export_want(&f->trace_writer.wanted);
	f->exporting = (struct wl_range_question){ .visitor = &f->trace_writer, .device = WL_NONE };
	(void)wl_timeline_range(t, &f->exporting.range);
	wl_app_say(t->app, "writing %.200s", f->export_path);
	wl_range_ask(t, &f->exporting, WL_ASK_EXPORT, written);
}
