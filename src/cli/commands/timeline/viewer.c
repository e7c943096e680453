/* SPDX-License-Identifier: MIT */
/* viewer.c - the command that writes a trace, or two, as a page for a browser. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/args.h"
#include "base/process/pool.h"
#include "base/text/clean.h"
#include "base/text/units.h"
#include "cli/commands/timeline/viewing.h"
#include "cli/job.h"
#include "cli/open.h"
#include "cli/print.h"
#include "cli/status.h"
#include "compare/fingerprint/take.h"
#include "model/trace_readers.h"
#include "scene/load.h"
#include "serve/page/page.h"

enum { MIN_DUR, MAX_SIZE, REDACT, NCU };

static const struct wl_param params[] = {
	[MIN_DUR] = { .key = "min-dur",
		      .type = WL_P_NS,
		      .def = "0ns",
		      .help = "Leave out what is shorter." },
	[MAX_SIZE] = { .key = "max-size",
		       .type = WL_P_BYTES,
		       .def = "20MB",
		       .help = "Maximum file size; beyond it rows become pictures plus the "
			       "longest events." },
	[REDACT] = { .key = "redact",
		     .type = WL_P_BOOL,
		     .help = "Hash names that are not of public libraries; leave out host, paths "
			     "and command line." },
	[NCU] = { .key = "ncu",
		  .type = WL_P_DOC,
		  .is_ncu = true,
		  .help = "A report of Nsight Compute, as for roofline; adds its chart." },
};

enum { MAX_TRACES = 2 };

/* What is written, and of what; all of it lives until the file is there. */
struct viewing {
	const struct wl_invocation *inv;
	struct wl_args args;
	struct wl_docs docs;
	struct wl_pool *pool;
	struct wl_budget budget;
	struct wl_arena arena;
	struct wl_loading loading;
	struct wl_index_opts index;
	struct wl_opened opened[MAX_TRACES];
	struct wl_scene scene[MAX_TRACES];
	struct wl_page page;
};

/* ---- What is asked ---- */

static int check_options(const struct viewing *v, struct wl_err *reterr)
{
	const struct wl_invocation *inv = v->inv;
	const char *file = inv->opt.output;
	int r = WL_OK;

	if (inv->n_operands < 1 || inv->n_operands > MAX_TRACES)
		return wl_fail(reterr, WL_E_USAGE,
			       "viewer: give a trace, or two to compare, or the files of one job "
			       "with --job; usage: warplens viewer TRACE [TRACE2] -o view.html");
	if (!file)
		return wl_fail(reterr, WL_E_USAGE,
			       "viewer: say where to write the page; usage: warplens viewer TRACE "
			       "-o view.html");
	for (size_t i = 0; r == WL_OK && i < inv->n_operands; i++)
		r = wl_spare_trace(file, inv->operand[i], "--output", reterr);
	return r;
}

/* Whatever is wrong with the request is said before the trace is looked at. */
static int prepare(struct viewing *v, struct wl_err *reterr)
{
	const struct wl_invocation *inv = v->inv;
	int r = check_options(v, reterr);

	if (r == WL_OK)
		r = wl_docs_init(&v->docs, inv, inv->param, reterr);
	if (r == WL_OK)
		r = wl_command_args(&v->args, inv, v->docs.param, reterr);
	if (r < 0)
		return r;
	v->pool = wl_pool_option(inv);
	v->index = wl_index_options(inv);
	v->loading.input.reader = inv->opt.reader;
	v->loading.input.pool = v->pool;
	v->loading.input.budget = &v->budget;
	v->loading.index = wl_index_is_wanted(inv) ? &v->index : NULL;
	v->loading.request = wl_opened_request(inv, &v->docs, v->pool);
	if (inv->n_operands == MAX_TRACES)
		wl_fp_want(&v->loading.also);
	/*
	 * Findings of the page are those of the window then: one of the whole trace could have its
	 * place outside of the file.
	 */
	v->loading.only_window = inv->opt.window != NULL;
	v->loading.asks_more = true;
	v->loading.min_dur = v->args.value[MIN_DUR].i64;
	v->loading.budget = &v->budget;
	return wl_opened_check(inv, &v->loading.request, reterr);
}

/* ---- Loading ---- */

static int load(struct viewing *v, size_t i, const atomic_int *cancel, struct wl_err *reterr)
{
	struct wl_scene *scene = &v->scene[i];
	const struct wl_opening how = { .inv = v->inv, .pool = v->pool, .budget = &v->budget };
	int r = wl_opened_export(&v->opened[i], v->inv->operand[i], v->inv, cancel, reterr);

	if (r == WL_OK)
		r = wl_opened_prove(&v->opened[i], &how, cancel, reterr);
	if (r < 0)
		return r;
	wl_opened_tell_job(&v->opened[i], v->inv);
	scene->path = v->inv->operand[i];
	scene->files = wl_job_files(v->inv, i);
	wl_arena_init_on(&scene->arena, &v->budget);
	v->loading.path = v->opened[i].database;
	v->loading.input.progress = wl_progress_rows;
	v->loading.input.progress_ctx = &v->opened[i].progress;
	v->loading.cancel = cancel;
	while (scene->stage != WL_SCENE_FINDINGS && scene->stage != WL_SCENE_FAILED)
		wl_scene_load(scene, &v->loading);
	wl_opened_drop_file(&v->opened[i]);
	if (scene->stage == WL_SCENE_FAILED) {
		*reterr = scene->err;
		return scene->err.code;
	}
	if (scene->n_events == 0)
		return wl_fail(reterr, WL_E_NODATA,
			       "viewer: %.200s has no events that a timeline could show",
			       scene->path);
	return WL_OK;
}

/* ---- Writing ---- */

static void tell_plan(const struct viewing *v)
{
	char size[WL_UNITS_BUF];

	(void)fprintf(stderr, "viewer: %" PRIu64 " events, %s\n", v->page.n_events,
		      wl_fmt_bytes(size, (int64_t)v->page.size));
	if (v->page.banner[0])
		(void)fprintf(stderr, "viewer: %" PRIu64 " of them and pictures of all: %s\n",
			      v->page.pack.n_events,
			      "--window, --gpu, --rank, --min-dur and --max-size change that");
}

static void tell_done(const char *path)
{
	(void)fputs("viewer: wrote ", stderr);
	wl_put_clean(stderr, path);
	(void)fputc('\n', stderr);
}

static int write_page(struct viewing *v, const atomic_int *stop, struct wl_err *reterr)
{
	struct wl_page_opts opts = {
		.program = "warplens " WL_VERSION,
		.serve = wl_again_command(v->inv, "serve", &v->arena),
		.naming = v->args.value[REDACT].i64 ? WL_NAMES_REDACTED : WL_NAMES_AS_THEY_ARE,
		.max_size = (uint64_t)v->args.value[MAX_SIZE].i64,
		.budget = &v->budget,
		.stop = stop,
	};
	WL_CLEANUP(wl_file_abort) struct wl_file file = { .stream = NULL };
	struct wl_file_readers readers = { .is_narrowed = false };
	const char *path = v->inv->opt.output;
	int r;

	if (!opts.serve)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the page");
	/* The command names the trace by its path. */
	if (opts.naming == WL_NAMES_REDACTED)
		opts.serve = "warplens serve TRACE";
	opts.show.n = v->inv->n_operands;
	opts.show.in_window = v->inv->opt.window != NULL;
	for (size_t i = 0; i < opts.show.n; i++)
		opts.show.scene[i] = &v->scene[i];
	r = wl_page_make(&v->page, &opts, reterr);
	if (r < 0)
		return r;
	tell_plan(v);
	r = wl_file_begin(path, &file, reterr);
	if (r < 0)
		return r;
	for (size_t i = 0; i < opts.show.n; i++)
		wl_trace_readers_add(&readers, wl_session_trace(v->scene[i].session),
				     v->inv->operand[i]);
	wl_file_keep_from_others(&file, &readers);
	wl_page_write(&v->page, file.stream);
	r = wl_file_commit(&file, reterr);
	if (r == WL_OK)
		tell_done(path);
	return r;
}

/* ---- All ---- */

/* The directory of exports is kept for files that turn out to be no job. */
static int write_viewer(struct viewing *v, struct wl_tmpdir *ret_exports, struct wl_err *reterr)
{
	const atomic_int *cancel = wl_signals_catch();
	const struct wl_stop stop = { .flag = cancel };
	int r = WL_OK;

	v->budget.stop = &stop; /* whatever is computed for the page ends with it */
	for (size_t i = 0; r == WL_OK && i < v->inv->n_operands; i++)
		r = load(v, i, cancel, reterr);
	if (r == WL_OK)
		r = write_page(v, cancel, reterr);
	if (r < 0 && wl_stop_is_due(&stop)) /* what is stopped fails as without memory */
		r = wl_stop_fail(&stop, "viewer", reterr);
	wl_page_release(&v->page);
	if (r == WL_E_NOJOB && v->inv->may_separate)
		wl_opened_keep(&v->opened[0], ret_exports);
	for (size_t i = 0; i < MAX_TRACES; i++) {
		wl_scene_unload(&v->scene[i]);
		wl_opened_release(&v->opened[i]);
	}
	wl_signals_release();
	v->budget.stop = NULL;
	return r;
}

/* Two files that are one job on one page, or compared: wl_opened_either(). */
static int view_as(const struct wl_invocation *inv, void *ctx, struct wl_tmpdir *ret_exports,
		   struct wl_err *reterr)
{
	struct viewing *v = calloc(1, sizeof(*v));
	int r;

	(void)ctx;
	if (!v)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the viewer");
	v->inv = inv;
	v->budget.limit = inv->opt.memory;
	wl_arena_init_on(&v->arena, &v->budget);
	r = prepare(v, reterr);
	if (r == WL_OK)
		r = write_viewer(v, ret_exports, reterr);
	wl_docs_release(&v->docs);
	wl_args_release(&v->args);
	wl_arena_release(&v->arena);
	wl_pool_free(v->pool);
	free(v);
	return r;
}

static int run(const struct wl_invocation *inv)
{
	struct wl_err err = { .code = WL_OK };
	int r = wl_opened_either(inv, view_as, NULL, &err);

	return r < 0 ? wl_report_failure(&err) : 0;
}

static const struct wl_example examples[] = {
	{ "warplens viewer run.sqlite -o view.html", "Open it in any browser, or email it." },
	{ "warplens viewer run.sqlite -o part.html --window steady --gpu 0",
	  "One iteration of one GPU." },
	{ "warplens viewer run.sqlite -o run.html --ncu run.ncu-rep", "Adds the roofline." },
	{ "warplens viewer before.sqlite after.sqlite -o both.html", "Two traces to compare." },
	{ NULL, NULL },
};

static const struct wl_form forms[] = { { WL_FORM("timeline", "output"), .value = "*.html" },
					{ .verb = NULL } };

const struct wl_command wl_command_viewer = {
	.name = "viewer",
	.topic = WL_TOPIC_LOOK,
	.help = "Write a trace as one HTML file that shows its timeline",
	.about = "Writes a single self-contained HTML file that sends no network requests. It has "
		 "the rows of \"warplens timeline\" with all "
		 "events, search, statistics of any range, findings and tables. A second trace is "
		 "compared with the first. An event with a part in the window is kept whole. The "
		 "size is printed before the file is written. If all events take more than "
		 "--max-size, the file has a picture of each row and the longest events, and a "
		 "banner states it. --redact replaces names that can identify the author: names of "
		 "NVTX ranges, and of kernels except those of public libraries, become hashes; "
		 "anyone who guesses a name can check the guess. The same trace and options give "
		 "the same bytes.",
	.operands = "TRACE [TRACE2]",
	.examples = examples,
	.forms = forms,
	.params = params,
	.n_params = WL_COUNT(params),
	.common = true,
	.without = WL_OPT_BIT(FORMAT) | WL_OPT_BIT(TIMEUNIT) | WL_OPT_BIT(COLOR) |
		   WL_OPT_BIT(SECTION) | WL_OPT_BIT(VERBOSE) | WL_OPT_BIT(LIMIT) |
		   WL_OPT_BIT(WHERE) | WL_OPT_BIT(SORT) | WL_OPT_BIT(COLUMNS) | WL_OPT_BIT(STATS),
	.instead = "--window, --gpu, --rank and --min-dur narrow what the page shows",
	.several = WL_SEVERAL_PAIR,
	.run = run,
};
