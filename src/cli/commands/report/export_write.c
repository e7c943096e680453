/* SPDX-License-Identifier: MIT */
#include "cli/commands/report/export_write.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text/clean.h"
#include "base/text/units.h"
#include "cli/status.h"
#include "derive/derived.h"
#include "export/file.h"
#include "findings/best_place.h"
#include "model/trace_readers.h"
#include "render/render.h"
#include "session/answer/finding_list.h"

/* ---- What is loaded, and found ---- */

struct found {
	struct wl_scope scope;
	struct wl_derived derived;
	struct wl_tracks tracks;
	struct wl_arena *arena;
	const struct wl_export_format *format;
};

static bool has_data(const struct wl_trace *t, bool timeline)
{
	static const enum wl_family_id host[] = { WL_F_API, WL_F_NVTX, WL_F_OSRT, WL_F_OVERHEAD };
	bool any = false;

	for (size_t i = 0; i < WL_N_OP_FAMILIES; i++)
		any = any || t->family[wl_op_families[i]].n > 0;
	for (size_t i = 0; timeline && i < WL_COUNT(host); i++)
		any = any || t->family[host[i]].n > 0;
	return any;
}

/* Called a second time where an index was damaged: what was found before is void. */
static int find(void *ctx, const struct wl_run *run, const struct wl_scope_notes *notes,
		struct wl_err *reterr)
{
	struct found *f = ctx;

	bool timeline = wl_export_is_timeline(f->format);

	(void)notes;
	f->scope = *run->scope;
	f->derived = *run->derived;
	if (f->format->stacks)
		return run->trace->n_stacks
			       ? WL_OK
			       : wl_fail(reterr, WL_E_NODATA,
					 "export: the trace has no call stacks; record them with: "
					 "nsys profile --sample=process-tree");
	if (!has_data(run->trace, timeline))
		return wl_fail(
			reterr, WL_E_NODATA,
			timeline ? "export: the trace has no events that a timeline could show"
				 : "export: the trace has no GPU operations; record them with: "
				   "nsys profile --trace=cuda");
	if (timeline && !wl_tracks_find(run->derived, &f->scope, f->arena, &f->tracks))
		return wl_fail(reterr, WL_E_NOMEM, "export: no memory for the rows");
	return WL_OK;
}

static struct wl_visitor visitor_of(const struct wl_export_job *job, struct found *found)
{
	struct wl_visitor v = { .name = "export", .visit = find, .ctx = found };

	wl_want(&v.wanted, WL_FROM(RANKS), NULL);
	wl_export_want_format(&v.wanted, job->format, &job->stacks);
	/* The file is let go of before findings are asked for. */
	if (wl_export_is_timeline(job->format))
		wl_finding_list_load(&v.wanted.columns);
	return v;
}

int wl_export_load(const struct wl_export_job *job, const char *trace, const struct wl_opening *how,
		   struct wl_err *reterr)
{
	const struct wl_visitor visitor = visitor_of(job, NULL);
	struct wl_request request = job->request;
	int r;

	request.visitor = &visitor;
	r = wl_opened_load(job->opened, trace, how, &request, reterr);
	if (r == WL_OK)
		wl_opened_tell_job(job->opened, how->inv);
	return r;
}

/* ---- Findings ---- */

static int list_findings(const struct wl_export_job *job, struct wl_arena *arena,
			 struct wl_export_opts *opts, struct wl_err *reterr)
{
	const struct wl_listed_finding *list;
	struct wl_export_finding *all;
	size_t n;
	int r = wl_finding_list(job->opened->session, &job->request, arena, &list, &n, reterr);

	if (r < 0)
		return r;
	all = WL_NEW(arena, struct wl_export_finding, n + 1);
	if (!all)
		return wl_fail(reterr, WL_E_NOMEM, "export: no memory for findings");
	for (size_t i = 0; i < n; i++) {
		const struct wl_best_place best_place = wl_finding_best_place(list[i].code);

		all[i] = (struct wl_export_finding){ .code = list[i].code,
						     .fixing = *list[i].fixing ? list[i].fixing
									       : NULL,
						     .title = list[i].action,
						     .text = list[i].text,
						     .evidence = list[i].evidence,
						     .device = list[i].device,
						     .gaps = wl_gap_cats(best_place.losses),
						     .slowest = best_place.slowest };
	}
	opts->findings = all;
	opts->n_findings = n;
	return WL_OK;
}

/* ---- What is said ---- */

/* Rows that the reader had to drop are missing here as they are everywhere. */
static void tell_dropped(const struct wl_trace *t)
{
	static const enum wl_family_id families[] = { WL_F_KERNELS, WL_F_MEMCPYS, WL_F_MEMSETS,
						      WL_F_GRAPHS,  WL_F_API,     WL_F_NVTX,
						      WL_F_OSRT };

	for (size_t i = 0; i < WL_COUNT(families); i++) {
		size_t n = t->family[families[i]].n_dropped;

		if (n)
			(void)fprintf(stderr,
				      "export: %zu row%s of %s skipped: invalid time or device\n",
				      n, n == 1 ? "" : "s", wl_family_infos[families[i]].help);
	}
}

static void tell_nothing(void)
{
	(void)fputs("export: nothing is selected; warplens setup lists GPUs, processes and ranks, "
		    "warplens info the time they cover\n",
		    stderr);
}

enum { MILLION = 1000000 };

static void tell_plan(const struct wl_export_job *job, const struct wl_export_plan *plan)
{
	const struct wl_export_format *format = job->format;
	char bytes[WL_UNITS_BUF];

	(void)fprintf(stderr, "export: about %" PRIu64 " slices", plan->slices);
	if (format->is_sized)
		(void)fprintf(stderr, ", %s before compression",
			      wl_fmt_bytes(bytes, (int64_t)plan->bytes));
	(void)fputs("\n", stderr);
	if (plan->slices == 0)
		tell_nothing();
	if (!plan->args && job->details == WL_DETAIL_AUTO)
		(void)fputs("export: arguments are left out of an export of this size; --args all "
			    "includes them\n",
			    stderr);
	if (!plan->flows && job->flows == WL_DETAIL_AUTO)
		(void)fputs("export: flows are left out of an export of this size; --flows all "
			    "includes them\n",
			    stderr);
	if (format->reader && plan->slices > format->comfortable * MILLION)
		(void)fprintf(stderr,
			      "export: %s is slow above %" PRIu64 " M slices; --window, --gpu, "
			      "--min-dur and --split rank make less\n",
			      format->reader, format->comfortable);
	if (plan->shift && format->shifts)
		(void)fprintf(stderr,
			      "export: the trace begins before 0; all times are shifted by %" PRId64
			      " ns\n",
			      plan->shift);
}

static void tell_done(const struct wl_export_job *job, const struct wl_export_done *done)
{
	char size[WL_UNITS_BUF];

	if (done->backward)
		(void)fprintf(stderr,
			      "export: %" PRIu64 " flows left out: the operation begins before its "
			      "call\n",
			      done->backward);
	(void)fputs("export: ", stderr);
	wl_put_clean(stderr, job->path);
	(void)fprintf(stderr, ": slices %" PRIu64 ", rows %" PRIu64 ", flows %" PRIu64 " (%s)\n",
		      done->slices, done->rows, done->flows,
		      wl_fmt_bytes(size, (int64_t)done->bytes));
}

/* Before they are written; --min-dur leaves out some of them. */
static void tell_operations(const struct wl_export_job *job, const struct found *found)
{
	const struct wl_trace *t = wl_session_trace(job->opened->session);
	size_t n = 0;

	for (size_t i = 0; i < WL_N_OP_FAMILIES; i++)
		n += wl_ops_admitted(t, &found->scope, wl_op_families[i]);
	(void)fprintf(stderr, "export: %s%zu operations\n", job->min_dur ? "at most " : "", n);
	if (n == 0)
		tell_nothing();
}

static void tell_stacks(const struct wl_export_job *job, const struct wl_export_done *done)
{
	char time[WL_UNITS_BUF];

	(void)fputs("export: ", stderr);
	wl_put_clean(stderr, job->path);
	(void)fprintf(stderr, ": %" PRIu64 " call stacks, %s\n", done->rows,
		      wl_fmt_ns(time, done->time, WL_UNIT_AUTO));
}

static void tell_rows(const struct wl_export_job *job, uint64_t n)
{
	(void)fputs("export: ", stderr);
	wl_put_clean(stderr, job->path);
	(void)fprintf(stderr, ": %" PRIu64 " operations\n", n);
}

/* ---- Writing ---- */

static struct wl_export_opts opts_of(const struct wl_export_job *job, const struct found *found,
				     const atomic_int *stop)
{
	return (struct wl_export_opts){ .scope = &found->scope,
					.min_dur = job->min_dur,
					.flows = job->flows,
					.args = job->details,
					.progress = wl_progress_slices,
					.progress_ctx = &job->opened->progress,
					.budget = job->budget,
					.stop = stop };
}

static struct wl_file_readers readers_of(const struct wl_export_job *job)
{
	struct wl_file_readers readers = { .is_narrowed = false };

	wl_trace_readers_add(&readers, wl_session_trace(job->opened->session), job->trace);
	return readers;
}

static int write_timeline(const struct wl_export_job *job, struct found *found,
			  const atomic_int *stop, struct wl_err *reterr)
{
	struct wl_export_opts opts = opts_of(job, found, stop);
	const struct wl_file_readers readers = readers_of(job);
	const struct wl_export_target target = { .format = job->format,
						 .path = job->path,
						 .readers = &readers };
	struct wl_export_plan plan;
	const struct wl_export_source source = { .tracks = &found->tracks, .plan = &plan };
	struct wl_export_done done;
	int r = list_findings(job, found->arena, &opts, reterr);

	if (r < 0)
		return r;
	wl_export_plan(&found->tracks, &opts, &plan);
	tell_plan(job, &plan);
	r = wl_export_file(&source, &opts, &target, &done, reterr);
	wl_progress_end(&job->opened->progress);
	if (r == WL_OK)
		tell_done(job, &done);
	return r;
}

static int write_rows(const struct wl_export_job *job, struct found *found, const atomic_int *stop,
		      struct wl_err *reterr)
{
	const struct wl_export_opts opts = opts_of(job, found, stop);
	const struct wl_file_readers readers = readers_of(job);
	const struct wl_export_target target = { .format = job->format,
						 .path = job->path,
						 .readers = &readers,
						 .out = stdout,
						 .at_terminal =
							 !job->path && wl_stdout_is_terminal() };
	const struct wl_export_source source = { .derived = &found->derived,
						 .stacks = job->stacks };
	struct wl_export_done done;
	int r;

	if (!job->format->stacks)
		tell_operations(job, found);
	r = wl_export_file(&source, &opts, &target, &done, reterr);
	if (r == WL_OK && job->format->stacks && done.time == 0)
		(void)fputs("export: no time of threads is selected; --during all counts all time "
			    "of all threads\n",
			    stderr);
	if (r == WL_OK && job->path && job->format->stacks)
		tell_stacks(job, &done);
	else if (r == WL_OK && job->path)
		tell_rows(job, done.rows);
	return r;
}

int wl_export_write(const struct wl_export_job *job, struct wl_err *reterr)
{
	const atomic_int *stop = wl_signals_catch();
	struct found found = { .format = job->format };
	const struct wl_visitor visitor = visitor_of(job, &found);
	struct wl_request request = job->request;
	struct wl_document frame;
	struct wl_arena arena;
	int r;

	wl_arena_init_on(&arena, job->budget);
	found.arena = &arena;
	request.visitor = &visitor;
	r = wl_session_run(job->opened->session, &request, &arena, &frame, reterr);
	wl_progress_end(&job->opened->progress);
	if (r == WL_OK) {
		wl_render_frame(&frame, &(struct wl_render_opts){ .width = 0 }, stderr);
		tell_dropped(wl_session_trace(job->opened->session));
		r = wl_export_is_timeline(job->format) ? write_timeline(job, &found, stop, reterr)
						       : write_rows(job, &found, stop, reterr);
	}
	wl_arena_release(&arena);
	wl_signals_release();
	return r;
}
