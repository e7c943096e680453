/* SPDX-License-Identifier: MIT */
#include "cli/commands/capture/capture_one.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text/clean.h"
#include "base/text/units.h"
#include "capture/ncu_version.h"
#include "capture/runs/retain.h"
#include "cli/commands/capture/capture_look.h"
#include "cli/commands/capture/plan_kernels.h"
#include "cli/status.h"

enum { NCU_NOTE_CAP = 256 };

void wl_capture_say(void *ctx, const char *line)
{
	(void)ctx;
	(void)fputs("warplens: ", stderr);
	wl_put_clean(stderr, line);
	(void)fputc('\n', stderr);
}

static int make_plan(struct wl_capturing *c, struct wl_err *reterr)
{
	c->wishes.dir = c->run.dir;
	c->wishes.session = c->run.id;
	c->wishes.again = c->arg[WL_CAPTURE_AGAIN].flag;
	c->wishes.version = c->version;
	return wl_capture_plan_make(&c->wishes, c->arena, &c->plan, reterr);
}

/* Gates by time are not for ncu, nor more kernels than a plan has steps. */
static int check_ncu(const struct wl_capturing *c, struct wl_err *reterr)
{
	const enum wl_gate_kind gate = c->wishes.gate.kind;

	if (c->arg[WL_CAPTURE_NCU].i64 <= 0)
		return WL_OK;
	if (c->arg[WL_CAPTURE_NCU].i64 > WL_PLAN_STEPS - 2)
		return wl_fail(reterr, WL_E_USAGE, "--ncu: %d kernels at most", WL_PLAN_STEPS - 2);
	if (gate == WL_GATE_TIME || gate == WL_GATE_STEPS)
		return wl_fail(reterr, WL_E_USAGE,
			       "--ncu needs the gate none, nvtx:NAME@DOMAIN or cuda-api: ncu has "
			       "no gate by time");
	return WL_OK;
}

/* What ncu measures is known once there is a trace. */
static const char *ncu_note(const struct wl_capturing *c, char buf[NCU_NOTE_CAP])
{
	const int64_t n = c->arg[WL_CAPTURE_NCU].i64;

	if (n <= 0)
		return "";
	(void)snprintf(buf, NCU_NOTE_CAP,
		       "note: then ncu runs the program once for each of the %" PRId64
		       " kernels with the most time\nnote: \"warplens plan --for ncu --trace TRACE "
		       "--top %" PRId64 "\" prints these lines\n",
		       n, n);
	return buf;
}

int wl_capture_print_plan(struct wl_capturing *c, struct wl_err *reterr)
{
	char note[NCU_NOTE_CAP];
	const char *text;
	int r;

	if (snprintf(c->run.dir, sizeof(c->run.dir), "%s/RUN_ID/nsys", c->dir) >= WL_PATH_CAP)
		return wl_fail(reterr, WL_E_USAGE, "--dir: the path is too long");
	memcpy(c->run.id, "RUN_ID", sizeof("RUN_ID"));
	if (wl_nsys_version(c->inv->opt.nsys, NULL, c->version, NULL) < 0)
		c->version[0] = '\0';
	r = check_ncu(c, reterr);
	if (r == WL_OK)
		r = make_plan(c, reterr);
	if (r < 0)
		return r;
	text = wl_capture_plan_text(&c->plan, c->arena);
	if (!text)
		return wl_fail(reterr, WL_E_NOMEM, "capture: no memory for the plan");
	wl_put_clean_plan(stdout, text);
	(void)fputs(ncu_note(c, note), stdout);
	return wl_check_stdout(reterr);
}

/*
 * The plan is made three times: for any nsys, for the version at hand, and with the directory of
 * the run. That one is made when nothing else can fail, so that a capture that is refused leaves
 * nothing behind.
 */
static int prepare(struct wl_capturing *c, struct wl_err *reterr)
{
	int r = make_plan(c, reterr); /* for any version: what cannot be planned needs no nsys */

	if (r == WL_OK)
		r = wl_capture_check(&c->wishes, reterr);
	if (r == WL_OK)
		r = wl_capture_find_program(c->wishes.program[0], reterr);
	if (r == WL_OK)
		r = check_ncu(c, reterr);
	if (r == WL_OK && c->arg[WL_CAPTURE_NCU].i64 > 0)
		r = wl_capture_find_program(c->arg[WL_CAPTURE_NCU_TOOL].str, reterr);
	if (r == WL_OK && c->arg[WL_CAPTURE_NCU].i64 > 0)
		wl_ncu_version(c->arg[WL_CAPTURE_NCU_TOOL].str, c->ncu);
	if (r == WL_OK)
		r = wl_nsys_version(c->inv->opt.nsys, NULL, c->version, reterr);
	if (r == WL_OK)
		r = make_plan(c, reterr);
	if (r == WL_OK)
		r = wl_kept_run_begin(&c->run,
				      &(struct wl_kept_wish){ .parent = c->dir,
							      .argv = c->wishes.program,
							      .allowed = c->allowed,
							      .sweep = c->now->pair,
							      .n_sweep = c->now->n_pairs },
				      c->arena, reterr);
	return r == WL_OK ? make_plan(c, reterr) : r;
}

static struct wl_capture_job job_of(struct wl_capturing *c)
{
	const char *tmp = getenv("TMPDIR");

	return (struct wl_capture_job){
		.wishes = &c->wishes,
		.plan = &c->plan,
		.dir = c->run.dir,
		.tmp = tmp && *tmp ? tmp : NULL,
		.least_free = c->arg[WL_CAPTURE_LEAST_FREE].i64,
		.limit_ns = c->arg[WL_CAPTURE_TIMEOUT].i64 > 0 ? c->arg[WL_CAPTURE_TIMEOUT].i64 : 0,
		.grace_ns = c->arg[WL_CAPTURE_GRACE].i64,
		.patience_ns = c->arg[WL_CAPTURE_PATIENCE].i64,
		.export_ns = c->inv->opt.nsys_timeout,
		.out = STDOUT_FILENO,
		.err = STDERR_FILENO,
		.has_input = !isatty(STDIN_FILENO),
		.say = wl_capture_say,
		.look = wl_capture_look,
	};
}

static void say_reports(const struct wl_capturing *c)
{
	const struct wl_captured *d = &c->done;
	char size[WL_UNITS_BUF], line[WL_PATH_CAP + 200];

	for (size_t i = 0; i < d->collection.n; i++) {
		const struct wl_collected *one = &d->collection.report[i];

		(void)snprintf(line, sizeof(line),
			       "recorded %s (%s): %" PRId64 " kernels, %" PRId64
			       " CUDA calls, %" PRId64 " NVTX events",
			       one->report, wl_fmt_bytes(size, one->bytes), one->facts.n_kernels,
			       one->facts.n_cuda, one->facts.n_ranges);
		wl_capture_say(NULL, line);
	}
	for (size_t i = 0; i < d->verdict.n_warnings; i++)
		wl_capture_say(NULL, d->verdict.warning[i]);
}

static void say_times(const struct wl_capturing *c)
{
	const struct wl_captured *d = &c->done;
	char with[WL_UNITS_BUF], without[WL_UNITS_BUF], line[200];

	if (d->bare_ns <= 0 || d->watched.program_ns < 0)
		return;
	(void)snprintf(line, sizeof(line),
		       "the program took %s under nsys, %s without it (%+.1f%%)",
		       wl_fmt_ns(with, d->watched.program_ns, WL_UNIT_AUTO),
		       wl_fmt_ns(without, d->bare_ns, WL_UNIT_AUTO),
		       100 * (double)(d->watched.program_ns - d->bare_ns) / (double)d->bare_ns);
	wl_capture_say(NULL, line);
}

/*
 * The trace of the run: one database, or a directory of them; NULL: nothing to ask it. The reports
 * of several ranks are a job, which is opened by its directory.
 */
static const char *trace_of(const struct wl_capturing *c)
{
	const struct wl_collection *all = &c->done.collection;

	if (all->n == 0 || all->report[0].facts.n_kernels == 0)
		return NULL;
	return all->n == 1 ? all->report[0].database : c->run.dir;
}

/* The run is kept: what fails here is said and no more. */
static void open_trace(struct wl_capturing *c)
{
	const char *trace = trace_of(c);
	char dir[WL_PATH_CAP], line[WL_PATH_CAP + 64];
	struct wl_err err;

	if (!trace || c->arg[WL_CAPTURE_OPEN].i64 != WL_CAPTURE_OPEN_SUMMARY)
		return;
	if (c->sweep.n_runs == 1)
		(void)wl_capture_open(c->inv, trace);
	if (snprintf(dir, sizeof(dir), "%s/" WL_RUN_REPORT, c->run.path) >= WL_PATH_CAP ||
	    wl_capture_report(c->inv, trace, dir) != 0)
		return;
	(void)snprintf(line, sizeof(line), "wrote %s/report.html and report.md", dir);
	wl_capture_say(NULL, line);
	if (c->is_kept && wl_kept_run_report(&c->run, c->arena, &err) < 0)
		wl_capture_say(NULL, err.msg);
}

/* The trace is there whether or not its manifest can be written: that is no failure. */
static void keep(struct wl_capturing *c, const char *failure)
{
	const char *trace = failure ? NULL : trace_of(c);
	const struct wl_kept_end end = { .nsys = c->version,
					 .done = &c->done,
					 .failure = failure,
					 .ncu = c->ncu[0] ? c->ncu : NULL,
					 .ncu_ns = c->ncu_ns,
					 .step_ns = trace ? wl_capture_step(c->inv, trace) : -1 };
	struct wl_err err;
	int r;

	(void)wl_signals_catch(); /* the question let go of them */
	r = wl_kept_run_end(&c->run, &end, c->arena, &err);
	c->is_kept = r == WL_OK;
	if (r < 0)
		wl_capture_say(NULL, err.msg);
}

/* Last of all: with --keep 0 the run itself is compressed, and its manifest is rewritten. */
static void retain(const struct wl_capturing *c)
{
	struct wl_retained retained;
	struct wl_err err;

	if (!c->is_kept || c->arg[WL_CAPTURE_KEEP].i64 < 0)
		return;
	if (wl_runs_retain(c->dir, (size_t)c->arg[WL_CAPTURE_KEEP].i64, NULL, c->arena, &retained,
			   &err) < 0)
		wl_capture_say(NULL, err.msg);
}

/* A plan for ncu, of the kernels that the trace shows are slow. */
static int plan_ncu(struct wl_capturing *c, const char *dir, struct wl_wishes *wishes,
		    struct wl_capture_plan *plan, struct wl_err *reterr)
{
	int r = wl_plan_kernels_find(c->inv, c->done.collection.report[0].database,
				     c->arg[WL_CAPTURE_NCU].i64, c->arena, wishes, reterr);

	(void)wl_signals_catch(); /* the question let go of them */
	if (r < 0)
		return r;
	wishes->goal = WL_GOAL_NCU;
	wishes->tool = c->arg[WL_CAPTURE_NCU_TOOL].str;
	wishes->dir = dir;
	wishes->again = false;
	return wl_capture_plan_make(wishes, c->arena, plan, reterr);
}

/* Kernels in runs under ncu. */
static int measure(struct wl_capturing *c, const struct wl_capture_job *like, struct wl_err *reterr)
{
	const int64_t begin = wl_clock_wall_ns();
	struct wl_capture_job job = *like;
	struct wl_wishes wishes = c->wishes;
	struct wl_capture_plan plan;
	char dir[WL_PATH_CAP];
	size_t n_reports;
	int r;

	if (c->arg[WL_CAPTURE_NCU].i64 <= 0)
		return WL_OK;
	if (c->done.watched.signal)
		return wl_fail(reterr, WL_E_CANCELED, "stopped before ncu measured kernels");
	if (snprintf(dir, sizeof(dir), "%s/ncu", c->run.path) >= WL_PATH_CAP)
		return wl_fail(reterr, WL_E_USAGE, "--dir: the path is too long");
	r = plan_ncu(c, dir, &wishes, &plan, reterr);
	job.wishes = &wishes;
	job.plan = &plan;
	job.dir = dir;
	if (r == WL_OK)
		r = wl_capture_measure(&job, &n_reports, reterr);
	c->ncu_ns = wl_clock_wall_ns() - begin;
	return r;
}

static int record(struct wl_capturing *c, struct wl_err *reterr)
{
	struct wl_capture_job job = job_of(c);
	int r;

	job.signals.last = wl_signals_catch();
	job.signals.count = wl_signals_count();
	c->ncu_ns = -1;
	c->is_kept = false;
	r = wl_capture_run(&job, c->arena, &c->done, reterr);
	if (r == WL_OK) {
		wl_signals_forget(); /* it was for the program: the trace is whole */
		r = measure(c, &job, reterr);
	}
	if (r < 0 && !c->done.has_run)
		(void)wl_tree_remove(c->run.path, NULL);
	else
		keep(c, r < 0 ? reterr->msg : NULL);
	wl_signals_release();
	return r;
}

/*
 * The program's own status, or ours where that says nothing. A profiler that failed before it
 * started the program has a status of its own.
 */
static int status_of(const struct wl_capturing *c, int failure)
{
	const struct wl_watched *w = &c->done.watched;
	const int status = wl_child_status(&w->program);

	if (!c->done.has_run || (failure && !w->has_program))
		return failure;
	return status ? status : failure;
}

/*
 * In the order of what can be lost: the manifest is written before the trace is asked for a
 * summary, which can fail or be stopped, and runs are compressed when nothing reads them any more.
 */
int wl_capture_one(struct wl_capturing *c)
{
	struct wl_err err = { 0 };
	int r = prepare(c, &err);

	if (r < 0)
		return wl_report_failure(&err);
	r = record(c, &err);
	if (r == WL_OK) {
		say_reports(c);
		say_times(c);
		open_trace(c);
	}
	retain(c);
	return status_of(c, r < 0 ? wl_report_failure(&err) : wl_finish_stdout());
}
