/* SPDX-License-Identifier: MIT */
/* capture.c - the command that records a program. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "capture/nsys.h"
#include "capture/run/run.h"
#include "capture/runs/refuse_secrets.h"
#include "capture/runs/retain.h"
#include "cli/commands/capture_keep.h"
#include "cli/commands/capture_look.h"
#include "cli/commands/capture_sweep.h"
#include "cli/commands/plan_kernels.h"
#include "cli/commands/wishes.h"
#include "cli/open.h"
#include "cli/status.h"
#include "cli/wrap.h"

#define NS_PER_S INT64_C(1000000000)

enum {
	DIR_PARAM = WL_N_WISHES,
	DRY_RUN,
	AGAIN,
	TIMEOUT,
	GRACE,
	PATIENCE,
	LEAST_FREE,
	OPEN,
	KEEP,
	ALLOW,
	NCU,
	NCU_TOOL,
	SWEEP
};

static const char *const opens[] = { "summary", "none", NULL };
enum { OPEN_SUMMARY };

static const struct wl_param params[] = {
#define WL_WISH(id, ...) [WL_WISH_##id] = { __VA_ARGS__ },
#include "cli/commands/wishes.def"
#undef WL_WISH
	[DIR_PARAM] = { .key = "dir",
			.type = WL_P_STR,
			.argument = "DIR",
			.def = WL_RUNS_DIR,
			.help = "Where runs go, a directory each." },
	[DRY_RUN] = { .key = "dry-run",
		      .type = WL_P_BOOL,
		      .help = "Print the plan and run nothing." },
	[AGAIN] = { .key = "again",
		    .type = WL_P_BOOL,
		    .help = "Run the program a second time without the profiler, for the wall "
			    "time." },
	[TIMEOUT] = { .key = "timeout",
		      .type = WL_P_SECONDS,
		      .argument = "TIME",
		      .help = "Ask the program to end after this long." },
	[GRACE] = { .key = "grace",
		    .type = WL_P_SECONDS,
		    .argument = "TIME",
		    .def = "10",
		    .help = "How long the program may take to end after a signal or a timeout." },
	[PATIENCE] = { .key = "patience",
		       .type = WL_P_SECONDS,
		       .argument = "TIME",
		       .def = "600",
		       .help = "How long nsys may take to write the report." },
	[LEAST_FREE] = { .key = "least-free",
			 .type = WL_P_BYTES,
			 .argument = "SIZE",
			 .def = "256Mi",
			 .help = "Run only where reports and TMPDIR have this much room." },
	[OPEN] = { .key = "open",
		   .type = WL_P_ENUM,
		   .def = "summary",
		   .choices = opens,
		   .help = "What to print of the trace." },
	[KEEP] = { .key = "keep",
		   .type = WL_P_COUNT,
		   .argument = "N",
		   .help = "Compress the reports of all runs in the directory but the newest N." },
	[ALLOW] = { .key = "allow-secret",
		    .type = WL_P_STR,
		    .argument = "NAME",
		    .many = true,
		    .help = "Let this variable or option pass, although it looks like a secret: "
			    "reports of nsys hold the environment." },
	[NCU] = { .key = "ncu",
		  .type = WL_P_COUNT,
		  .argument = "N",
		  .help = "Then measure the N kernels with most time with ncu, each in a run of "
			  "its own." },
	[NCU_TOOL] = { .key = "ncu-tool",
		       .type = WL_P_STR,
		       .argument = "PATH",
		       .def = "ncu",
		       .help = "The ncu that measures." },
	[SWEEP] = { .key = "sweep",
		    .type = WL_P_STR,
		    .argument = "NAME=VALUES",
		    .many = true,
		    .help = "Run once for each value, such as lr=1,2: {lr} in the program becomes "
			    "the value, else --lr=1 is added; several give every pair." },
};

struct capturing {
	const struct wl_invocation *inv;
	const union wl_arg *arg;
	struct wl_arena *arena;
	struct wl_wishes wishes;
	struct wl_capture_plan plan;
	struct wl_captured done;
	char version[WL_REPORT_VERSION_CAP];
	struct wl_kept_run run;
	const char *const *allowed; /* secrets, NULL ends */
	struct wl_sweep sweep;
	const struct wl_sweep_run *now; /* the run of the sweep */
};

static void say(void *ctx, const char *line)
{
	(void)ctx;
	(void)fputs("warplens: ", stderr);
	wl_put_clean(stderr, line);
	(void)fputc('\n', stderr);
}

static int make_plan(struct capturing *c, struct wl_err *reterr)
{
	c->wishes.dir = c->run.dir;
	c->wishes.session = c->run.id;
	c->wishes.again = c->arg[AGAIN].flag;
	c->wishes.version = c->version;
	return wl_capture_plan_make(&c->wishes, c->arena, &c->plan, reterr);
}

static int print_plan(struct capturing *c, struct wl_err *reterr)
{
	const char *text;
	int r;

	if (snprintf(c->run.dir, sizeof(c->run.dir), "%s/RUN_ID/nsys", c->arg[DIR_PARAM].str) >=
	    WL_PATH_CAP)
		return wl_fail(reterr, WL_E_USAGE, "--dir: the path is too long");
	memcpy(c->run.id, "RUN_ID", sizeof("RUN_ID"));
	if (wl_nsys_version(c->inv->opt.nsys, NULL, c->version, NULL) < 0)
		c->version[0] = '\0';
	r = make_plan(c, reterr);
	if (r < 0)
		return r;
	text = wl_capture_plan_text(&c->plan, c->arena);
	if (!text)
		return wl_fail(reterr, WL_E_NOMEM, "capture: no memory for the plan");
	(void)fputs(text, stdout);
	return wl_check_stdout(reterr);
}

/* The runs of the sweep; a secret in any of them is refused before the first. */
static int plan_runs(struct capturing *c, struct wl_err *reterr)
{
	size_t n_allowed, n = 0;
	const char *const *sweep = wl_many_of(c->inv, SWEEP, c->arena, &n);
	int r;

	c->allowed = wl_many_of(c->inv, ALLOW, c->arena, &n_allowed);
	if (!sweep || !c->allowed)
		return wl_fail(reterr, WL_E_NOMEM, "capture: no memory for the options");
	r = wl_sweep_make(sweep, n, c->wishes.program, c->arena, &c->sweep, reterr);
	for (size_t i = 0; r == WL_OK && i < c->sweep.n_runs; i++)
		r = wl_refuse_secrets(c->sweep.run[i].argv, NULL, c->allowed, reterr);
	return r < 0 ? r : wl_sweep_refuse_secrets(&c->sweep, c->wishes.program, c->arena, reterr);
}

static void take_run(struct capturing *c, size_t i)
{
	char line[256];

	c->now = &c->sweep.run[i];
	c->wishes.program = c->now->argv;
	if (c->sweep.n_runs > 1)
		say(NULL, wl_sweep_title(&c->sweep, i, line, sizeof(line)));
}

/* Gates by time are not for ncu, nor more kernels than a plan has steps. */
static int check_ncu(const struct capturing *c, struct wl_err *reterr)
{
	const enum wl_gate_kind gate = c->wishes.gate.kind;

	if (c->arg[NCU].i64 <= 0)
		return WL_OK;
	if (c->arg[NCU].i64 > WL_PLAN_STEPS - 2)
		return wl_fail(reterr, WL_E_USAGE, "--ncu: %d kernels at most", WL_PLAN_STEPS - 2);
	if (gate == WL_GATE_TIME || gate == WL_GATE_STEPS)
		return wl_fail(reterr, WL_E_USAGE,
			       "--ncu needs the gate none, nvtx:NAME@DOMAIN or cuda-api: ncu has "
			       "no gate by time");
	return wl_capture_find_program(c->arg[NCU_TOOL].str, reterr);
}

static int prepare(struct capturing *c, struct wl_err *reterr)
{
	int r = make_plan(c, reterr); /* for any version: what cannot be planned needs no nsys */

	if (r == WL_OK)
		r = wl_capture_check(&c->wishes, reterr);
	if (r == WL_OK)
		r = wl_capture_find_program(c->wishes.program[0], reterr);
	if (r == WL_OK)
		r = check_ncu(c, reterr);
	if (r == WL_OK)
		r = wl_nsys_version(c->inv->opt.nsys, NULL, c->version, reterr);
	if (r == WL_OK)
		r = make_plan(c, reterr);
	if (r == WL_OK)
		r = wl_kept_run_begin(&c->run,
				      &(struct wl_kept_wish){ .parent = c->arg[DIR_PARAM].str,
							      .argv = c->wishes.program,
							      .allowed = c->allowed,
							      .sweep = c->now->pair,
							      .n_sweep = c->now->n_pairs },
				      c->arena, reterr);
	return r == WL_OK ? make_plan(c, reterr) : r;
}

static struct wl_capture_job job_of(struct capturing *c)
{
	const char *tmp = getenv("TMPDIR");

	return (struct wl_capture_job){
		.wishes = &c->wishes,
		.plan = &c->plan,
		.dir = c->run.dir,
		.tmp = tmp && *tmp ? tmp : NULL,
		.least_free = c->arg[LEAST_FREE].i64,
		.limit_ns = c->arg[TIMEOUT].i64 > 0 ? c->arg[TIMEOUT].i64 : 0,
		.grace_ns = c->arg[GRACE].i64,
		.patience_ns = c->arg[PATIENCE].i64,
		.export_ns = c->inv->opt.nsys_timeout,
		.out = STDOUT_FILENO,
		.err = STDERR_FILENO,
		.has_input = !isatty(STDIN_FILENO),
		.say = say,
		.look = wl_capture_look,
	};
}

static void say_reports(const struct capturing *c)
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
		say(NULL, line);
	}
	for (size_t i = 0; i < d->verdict.n_warnings; i++)
		say(NULL, d->verdict.warning[i]);
}

static void say_times(const struct capturing *c)
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
	say(NULL, line);
}

static void open_trace(const struct capturing *c)
{
	const struct wl_collection *all = &c->done.collection;

	if (c->sweep.n_runs > 1 || c->arg[OPEN].i64 != OPEN_SUMMARY || all->n == 0 ||
	    all->report[0].facts.n_kernels == 0)
		return;
	(void)wl_capture_open(c->inv, all->n == 1 ? all->report[0].database : c->run.dir);
}

/* The trace is there whether or not its manifest can be written: that is no failure. */
static void keep(struct capturing *c, const char *failure)
{
	const struct wl_kept_end end = { c->version, &c->done, failure };
	struct wl_retained retained;
	struct wl_err err;
	int r = wl_kept_run_end(&c->run, &end, c->arena, &err);

	if (r == WL_OK && c->arg[KEEP].i64 >= 0)
		r = wl_runs_retain(c->arg[DIR_PARAM].str, (size_t)c->arg[KEEP].i64, NULL, c->arena,
				   &retained, &err);
	if (r < 0)
		say(NULL, err.msg);
}

/* Kernels that the trace shows are slow, in runs under ncu. */
static int measure(struct capturing *c, const struct wl_capture_job *like, struct wl_err *reterr)
{
	struct wl_capture_job job = *like;
	struct wl_wishes wishes = c->wishes;
	struct wl_capture_plan plan;
	char dir[WL_PATH_CAP];
	size_t n_reports;
	int r;

	if (c->arg[NCU].i64 <= 0)
		return WL_OK;
	r = wl_plan_kernels_find(c->inv, c->done.collection.report[0].database, c->arg[NCU].i64,
				 c->arena, &wishes, reterr);
	if (r < 0)
		return r;
	if (snprintf(dir, sizeof(dir), "%s/ncu", c->run.path) >= WL_PATH_CAP)
		return wl_fail(reterr, WL_E_USAGE, "--dir: the path is too long");
	wishes.goal = WL_GOAL_NCU;
	wishes.tool = c->arg[NCU_TOOL].str;
	wishes.dir = dir;
	wishes.again = false;
	r = wl_capture_plan_make(&wishes, c->arena, &plan, reterr);
	job.wishes = &wishes;
	job.plan = &plan;
	job.dir = dir;
	return r < 0 ? r : wl_capture_measure(&job, &n_reports, reterr);
}

static int record(struct capturing *c, struct wl_err *reterr)
{
	struct wl_capture_job job = job_of(c);
	int r;

	job.signals.last = wl_signals_catch();
	job.signals.count = wl_signals_count();
	r = wl_capture_run(&job, c->arena, &c->done, reterr);
	if (r == WL_OK)
		r = measure(c, &job, reterr);
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
static int status_of(const struct capturing *c, int failure)
{
	const struct wl_watched *w = &c->done.watched;
	const int status = wl_child_status(&w->program);

	if (!c->done.has_run || (failure && !w->has_program))
		return failure;
	return status ? status : failure;
}

/* One run; returns the exit status. */
static int capture_one(struct capturing *c)
{
	struct wl_err err = { 0 };
	int r = prepare(c, &err);

	if (r < 0)
		return wl_report_failure(&err);
	r = record(c, &err);
	if (r == WL_OK)
		say_reports(c);
	if (r < 0)
		return status_of(c, wl_report_failure(&err));
	say_times(c);
	open_trace(c);
	return status_of(c, wl_finish_stdout());
}

/*
 * Each run has an arena of its own, since a sweep may be long. It ends with a signal of ours, and
 * with a run that could not begin: the next one would not either. The first bad status counts.
 */
static int capture_all(struct capturing *c, struct wl_err *reterr)
{
	const char **path = WL_NEW(c->arena, const char *, c->sweep.n_runs);
	struct wl_arena *whole = c->arena, own;
	size_t n = 0;
	int status = 0, one;

	if (!path)
		return wl_fail(reterr, WL_E_NOMEM, "capture: no memory for the runs");
	for (size_t i = 0; i < c->sweep.n_runs; i++) {
		wl_arena_init_child(&own, whole);
		c->arena = &own;
		c->done = (struct wl_captured){ .has_run = false };
		take_run(c, i);
		one = capture_one(c);
		c->arena = whole;
		wl_arena_release(&own);
		status = status ? status : one;
		if (!c->done.has_run)
			break;
		path[n] = wl_arena_strdup(whole, c->run.path);
		n += path[n] != NULL;
		if (c->done.watched.signal)
			break;
	}
	if (c->sweep.n_runs > 1 && n > 0) {
		one = wl_sweep_print(c->inv, path, n, whole, reterr);
		status = one < 0 && !status ? one : status;
	}
	return status;
}

static int print_plans(struct capturing *c, struct wl_err *reterr)
{
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < c->sweep.n_runs; i++) {
		take_run(c, i);
		r = print_plan(c, reterr);
	}
	return r;
}

static int capture(struct capturing *c)
{
	struct wl_err err = { 0 };
	int r = wl_wishes_take(c->inv, c->arg, c->arena, &c->wishes, &err);

	if (r == WL_OK && c->wishes.goal == WL_GOAL_NCU)
		r = wl_fail(&err, WL_E_USAGE,
			    "capture records with nsys; \"warplens plan --for ncu\" prints lines "
			    "for ncu");
	if (r == WL_OK)
		r = plan_runs(c, &err);
	if (r == WL_OK)
		r = c->arg[DRY_RUN].flag ? print_plans(c, &err) : capture_all(c, &err);
	return r < 0 ? wl_report_failure(&err) : r;
}

static int run(const struct wl_invocation *inv)
{
	struct capturing c = { .inv = inv };
	struct wl_args args = { 0 };
	struct wl_arena arena;
	struct wl_err err;
	int r;

	wl_arena_init(&arena, (size_t)64 << 20);
	c.arena = &arena;
	c.arg = args.value;
	r = wl_command_args(&args, inv, NULL, &err);
	r = r < 0 ? wl_report_failure(&err) : capture(&c);
	wl_args_release(&args);
	wl_arena_release(&arena);
	return r;
}

static const struct wl_example examples[] = {
	{ "warplens capture -- python train.py", "Records a run and prints its summary." },
	{ "warplens capture --dry-run --gate nvtx:decode@LLM -- ./serve",
	  "Prints how to record while the first NVTX range of this name lasts." },
	{ "warplens capture --dry-run --sweep lr=1,2 -- python train.py --lr {lr}",
	  "Prints the runs of a sweep." },
	{ "warplens capture --gate steps:2,delay:60,duration:5 -- ./serve",
	  "Records a server twice for 5 s; it goes on running." },
	{ NULL, NULL },
};

const struct wl_command wl_command_capture = {
	.name = "capture",
	.topic = WL_TOPIC_HAND_ON,
	.help = "Record a program with nsys and check the report",
	.about = "Runs a program under nsys as \"warplens plan\" plans it, exports the report, "
		 "checks it and prints its summary. The report is in a directory of its own "
		 "below --dir. The output of the program is passed on, and its exit status is "
		 "that of warplens; messages go to standard error. A signal such as Ctrl-C goes "
		 "to the program first; nsys then writes the report. If the program does not "
		 "end, nsys is asked to stop it, and what does not end at all is killed; each "
		 "further signal goes one step on at once. A gate that never opens, a report "
		 "that is not whole, fewer reports than ranks, and a program that uses CUDA "
		 "without kernels in its report are failures, each with its reason.",
	.operands = "-- PROGRAM...",
	.examples = examples,
	.params = params,
	.n_params = WL_COUNT(params),
	.common = true,
	.without = ~(WL_OPT_BIT(NSYS) | WL_OPT_BIT(NSYS_TIMEOUT) | WL_OPT_BIT(HELP) |
		     WL_OPT_BIT(VERSION) | WL_OPT_BIT(INTROSPECT)),
	.instead = "it is for questions to a trace",
	.run = run,
};
