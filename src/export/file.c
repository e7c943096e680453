/* SPDX-License-Identifier: MIT */
#include "export/file.h"

#include <string.h>

#include "base/file.h"
#include "export/chrome.h"
#include "export/perfetto.h"

/* What a name ends in, and what that says. */
bool wl_timeline_format_of(const char *path, enum wl_timeline_format *ret, size_t *ret_stem)
{
	static const struct {
		const char *ending;
		enum wl_timeline_format format;
	} formats[] = {
		{ ".pftrace", WL_TIMELINE_PERFETTO },
		{ ".pftrace.gz", WL_TIMELINE_PERFETTO },
		{ ".perfetto-trace", WL_TIMELINE_PERFETTO },
		{ ".perfetto-trace.gz", WL_TIMELINE_PERFETTO },
		{ ".trace.json", WL_TIMELINE_CHROME },
		{ ".trace.json.gz", WL_TIMELINE_CHROME },
	};

	for (size_t i = 0; i < WL_COUNT(formats); i++) {
		if (wl_path_ends_in(path, formats[i].ending)) {
			*ret = formats[i].format;
			*ret_stem = strlen(path) - strlen(formats[i].ending);
			return true;
		}
	}
	return false;
}

/* What is on the way from rows to a stream. */
struct work {
	const struct wl_tracks *tracks;
	const struct wl_export_opts *opts;
	const struct wl_export_plan *plan;
	const struct wl_export_target *target;
};

static int fail_memory(const struct wl_export_target *target, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "%s: out of memory", target->path);
}

static int emit(const struct work *w, struct wl_sink *sink, struct wl_export_done *ret,
		struct wl_err *reterr)
{
	bool perfetto = w->target->format == WL_TIMELINE_PERFETTO;
	struct wl_export_plan plan = *w->plan;
	struct wl_emitter *e;
	int rc;

	if (!perfetto)
		plan.shift = 0; /* JSON has negative times */
	e = perfetto ? wl_perfetto_open(sink, plan.shift, w->opts->budget)
		     : wl_chrome_open(sink, w->opts->budget);
	if (!e)
		return fail_memory(w->target, reterr);
	rc = wl_export_timeline(w->tracks, w->opts, &plan, e, ret, reterr);
	if (perfetto)
		wl_perfetto_close(e);
	else
		wl_chrome_close(e);
	return rc;
}

static int write_stream(const struct work *w, FILE *out, struct wl_export_done *ret,
			struct wl_err *reterr)
{
	const char *path = w->target->path;
	struct wl_sink *sink;
	struct wl_arena arena;
	int rc;

	wl_arena_init_on(&arena, w->opts->budget);
	sink = WL_NEW(&arena, struct wl_sink, 1);
	if (sink && wl_sink_init(sink, out, wl_path_ends_in(path, ".gz"))) {
		rc = emit(w, sink, ret, reterr);
		ret->bytes = wl_sink_finish(sink);
	} else {
		rc = fail_memory(w->target, reterr);
	}
	wl_arena_release(&arena);
	return rc;
}

int wl_export_file(const struct wl_tracks *tracks, const struct wl_export_opts *opts,
		   const struct wl_export_plan *plan, const struct wl_export_target *target,
		   struct wl_export_done *ret, struct wl_err *reterr)
{
	const struct work w = { tracks, opts, plan, target };
	struct wl_export_done done;
	struct wl_file file;
	int rc = wl_file_begin(target->path, &file, reterr);

	if (rc)
		return rc;
	rc = write_stream(&w, file.stream, &done, reterr);
	if (rc) {
		wl_file_abort(&file);
		return rc;
	}
	rc = wl_file_commit(&file, reterr);
	if (rc == WL_OK)
		*ret = done;
	return rc;
}
