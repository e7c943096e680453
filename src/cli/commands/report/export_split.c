/* SPDX-License-Identifier: MIT */
#include "cli/commands/report/export_split.h"

#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "cli/print.h"
#include "derive/derived.h"
#include "derive/nvtx/ranks.h"

/* One of the parts: "rank" 3. */
struct part {
	const char *kind;
	int64_t number;
};

/*
 * "x.pftrace.gz" -> "x.rank3.pftrace.gz"; a name without a known ending gets it behind. In a
 * directory "rank3.pftrace".
 */
static int part_path(const struct wl_export_split *s, const struct part *part,
		     char ret[WL_PATH_CAP], struct wl_err *reterr)
{
	const char *path = s->job->path;
	size_t stem = strlen(path);
	int n;

	if (s->to_dir) {
		while (stem > 1 && path[stem - 1] == '/')
			stem--;
		n = snprintf(ret, WL_PATH_CAP, "%.*s/%s%lld%s", (int)stem, path, part->kind,
			     (long long)part->number, s->job->format->suffix[0]);
	} else {
		(void)wl_export_of_file(path, &stem);
		n = snprintf(ret, WL_PATH_CAP, "%.*s.%s%lld%s", (int)stem, path, part->kind,
			     (long long)part->number, path + stem);
	}
	if (n >= WL_PATH_CAP)
		return wl_fail(reterr, WL_E_OUTPUT, "path too long: %.80s...", path);
	return WL_OK;
}

/* The trace stays loaded: a part is a selection of it, and costs no further pass over the file. */
static int write_part(const struct wl_export_split *s, const struct part *part, bool is_rank,
		      struct wl_err *reterr)
{
	struct wl_export_job job = *s->job;
	char path[WL_PATH_CAP], text[32];
	int r = s->to_dir ? wl_dir_make(job.path, reterr) : WL_OK;

	if (r == WL_OK)
		r = part_path(s, part, path, reterr);
	if (r == WL_OK)
		r = wl_spare_trace(path, s->trace, "--output", reterr);
	if (r < 0)
		return r;
	(void)snprintf(text, sizeof(text), "%lld", (long long)part->number);
	if (is_rank)
		job.request.selection.rank = text;
	else
		job.request.selection.gpu = text;
	job.path = path;
	return wl_export_write(&job, reterr);
}

int wl_export_ranks(const struct wl_export_split *s, struct wl_err *reterr)
{
	const struct wl_trace *t = wl_session_trace(s->job->opened->session);
	struct part part = { "rank", -1 };
	struct wl_derived derived;
	int r = WL_OK;

	if (!wl_session_derive(s->job->opened->session, WL_FROM(RANKS), NULL, &derived))
		return wl_fail(reterr, WL_E_NOMEM, "no memory for ranks");
	while (r == WL_OK) {
		int64_t next = INT64_MAX;

		for (size_t i = 0; i < t->n_processes; i++) {
			int64_t rank = derived.ranks->of[i];

			if (rank > part.number && rank < next)
				next = rank;
		}
		if (next == INT64_MAX)
			break;
		part.number = next;
		r = write_part(s, &part, true, reterr);
	}
	if (part.number < 0)
		return wl_fail(reterr, WL_E_NODATA,
			       "--split rank: the trace does not show ranks; see warplens setup");
	return r;
}

/* ---- A file per GPU ---- */

struct chosen {
	struct wl_arena *arena;
	bool *on; /* by device */
	size_t n;
};

static int choose(void *ctx, const struct wl_run *run, const struct wl_scope_notes *notes,
		  struct wl_err *reterr)
{
	struct chosen *c = ctx;

	(void)notes;
	c->n = run->trace->n_devices;
	c->on = WL_NEW(c->arena, bool, c->n + 1);
	if (!c->on)
		return wl_fail(reterr, WL_E_NOMEM, "export: no memory for the GPUs");
	memcpy(c->on, run->scope->device_on, c->n * sizeof(*c->on));
	return WL_OK;
}

int wl_export_gpus(const struct wl_export_split *s, struct wl_err *reterr)
{
	struct wl_arena arena;
	struct chosen c = { .arena = &arena };
	const struct wl_visitor visitor = { .name = "export", .visit = choose, .ctx = &c };
	struct wl_request request = s->job->request;
	struct wl_document frame;
	size_t n_written = 0;
	int r;

	wl_arena_init_on(&arena, s->job->budget);
	request.visitor = &visitor;
	r = wl_session_run(s->job->opened->session, &request, &arena, &frame, reterr);
	for (size_t i = 0; r == WL_OK && i < c.n; i++) {
		const struct part part = { "gpu", (int64_t)i };

		if (!c.on[i])
			continue;
		r = write_part(s, &part, false, reterr);
		n_written++;
	}
	wl_arena_release(&arena);
	if (r == WL_OK && n_written == 0)
		return wl_fail(reterr, WL_E_NODATA, "export: the trace has no GPU operations");
	return r;
}
