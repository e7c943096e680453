/* SPDX-License-Identifier: MIT */
#include "capture/run/run.h"

#include <stdio.h>
#include <sys/statvfs.h>

#include "base/text/units.h"
#include "capture/run/windows.h"

#define NS_PER_S INT64_C(1000000000)

enum { WINDOW_DELAY_S = 1, WINDOW_DURATION_S = 5 };

int64_t wl_space_free(const char *path)
{
	struct statvfs s;

	if (statvfs(path, &s))
		return -1;
	return (int64_t)s.f_bavail * (int64_t)s.f_frsize;
}

static int check_space(const char *what, const char *path, int64_t least, struct wl_err *reterr)
{
	const int64_t bytes = wl_space_free(path);
	char is[WL_UNITS_BUF], want[WL_UNITS_BUF];

	if (bytes < 0 || bytes >= least)
		return WL_OK;
	return wl_fail(reterr, WL_E_OUTPUT,
		       "%s \"%.200s\" has %s free, a capture wants %s (--least-free); make room, "
		       "or choose another directory",
		       what, path, wl_fmt_bytes(is, bytes), wl_fmt_bytes(want, least));
}

int wl_capture_check(const struct wl_wishes *wishes, struct wl_err *reterr)
{
	const enum wl_launcher launcher = wishes->launcher;

	if (launcher != WL_LAUNCHER_SLURM && launcher != WL_LAUNCHER_KUBERNETES)
		return WL_OK;
	return wl_fail(reterr, WL_E_USAGE,
		       "capture runs programs on this machine; \"warplens plan\" prints what to "
		       "submit to %s",
		       launcher == WL_LAUNCHER_SLURM ? "Slurm" : "Kubernetes");
}

static int check(const struct wl_capture_job *job, struct wl_err *reterr)
{
	int r = wl_capture_check(job->wishes, reterr);

	if (r == WL_OK)
		r = check_space("the directory of reports", job->dir, job->least_free, reterr);
	return r < 0 ? r
		     : check_space("TMPDIR, where nsys records,", job->tmp ? job->tmp : "/tmp",
				   job->least_free, reterr);
}

static void say_try(const struct wl_capture_job *job, int n)
{
	char line[96];

	(void)snprintf(line, sizeof(line),
		       "nsys failed by itself before it started the program; try %d of %d", n,
		       WL_CAPTURE_TRIES);
	if (job->say)
		job->say(job->ctx, line);
}

/* What a watcher's functions work on. */
struct recording {
	const struct wl_capture_job *job;
	struct wl_windows windows;
};

static void say(void *ctx, const char *line)
{
	const struct recording *rec = ctx;

	if (rec->job->say)
		rec->job->say(rec->job->ctx, line);
}

static void tick(void *ctx, const struct wl_watch_now *now)
{
	struct recording *rec = ctx;

	wl_windows_tick(&rec->windows, now);
}

static void reaped(void *ctx, pid_t pid, const struct wl_child_end *end)
{
	struct recording *rec = ctx;

	wl_windows_reaped(&rec->windows, pid, end);
}

static void init_windows(const struct wl_capture_job *job, struct recording *rec)
{
	const struct wl_capture_gate *g = &job->wishes->gate;

	rec->job = job;
	rec->windows = (struct wl_windows){
		.step = &job->plan->step[1],
		.n = (size_t)g->windows,
		.delay_ns = (g->delay_s ? g->delay_s : WINDOW_DELAY_S) * NS_PER_S,
		.duration_ns = (g->duration_s ? g->duration_s : WINDOW_DURATION_S) * NS_PER_S,
		.say = say,
		.ctx = rec,
		.child = { .from = { -1, -1 } },
	};
}

struct wl_watch wl_capture_watch(const struct wl_capture_job *job, const struct wl_plan_step *step)
{
	return (struct wl_watch){ .argv = step->argv,
				  .env = step->env,
				  .kind = WL_KIN_MAIN_TOOL,
				  .out = job->out,
				  .err = job->err,
				  .has_input = job->has_input,
				  .limit_ns = job->limit_ns,
				  .grace_ns = job->grace_ns,
				  .patience_ns = job->patience_ns,
				  .signals = job->signals,
				  .say = job->say,
				  .ctx = job->ctx };
}

/* Under mpirun, and torchrun with chosen ranks, the launcher is outside. */
static bool is_inside(const struct wl_wishes *w)
{
	return w->launcher == WL_LAUNCHER_MPIRUN ||
	       (w->launcher == WL_LAUNCHER_TORCHRUN && w->ranks) ||
	       w->launcher == WL_LAUNCHER_CONTAINER;
}

static int record_once(const struct wl_capture_job *job, struct wl_captured *ret,
		       int64_t *ret_windows, struct wl_err *reterr)
{
	const bool has_windows = job->wishes->gate.kind == WL_GATE_STEPS;
	struct recording rec;
	struct wl_watch watch = wl_capture_watch(job, &job->plan->step[0]);
	int r;

	init_windows(job, &rec);
	watch.say = say;
	watch.ctx = &rec;
	if (is_inside(job->wishes))
		watch.kind = WL_KIN_MAIN_LAUNCHER;
	if (has_windows) {
		watch.tick = tick;
		watch.reaped = reaped;
	}
	ret->n_tries++;
	r = wl_watch_run(&watch, &ret->watched, reterr);
	if (r < 0)
		return r;
	if (has_windows)
		wl_windows_close(&rec.windows);
	*ret_windows = (int64_t)rec.windows.n_done;
	if (rec.windows.state == WL_WINDOWS_FAILED)
		return wl_fail(reterr, rec.windows.err.code, "%s", rec.windows.err.msg);
	return WL_OK;
}

static int collect(const struct wl_capture_job *job, struct wl_arena *arena,
		   struct wl_captured *ret, struct wl_err *reterr)
{
	return wl_collect(&(struct wl_collecting){ .dir = job->dir,
						   .nsys = job->wishes->tool,
						   .limit_ns = job->export_ns,
						   .signals = job->signals.count,
						   .look = job->look,
						   .ctx = job->ctx },
			  arena, &ret->collection, reterr);
}

/* Where reports go or where nsys records, whichever has less. */
static int64_t least_space(const struct wl_capture_job *job)
{
	const int64_t dir = wl_space_free(job->dir);
	const int64_t tmp = wl_space_free(job->tmp ? job->tmp : "/tmp");

	return tmp >= 0 && tmp < dir ? tmp : dir;
}

/* nsys ran; a failure to collect comes after those that explain it. */
static int judge(const struct wl_capture_job *job, struct wl_arena *arena, int64_t n_windows,
		 struct wl_captured *ret, struct wl_err *reterr)
{
	struct wl_err err = { 0 };
	const int collected = collect(job, arena, ret, &err);
	const struct wl_capture_evidence e = { .wishes = job->wishes,
					       .plan = job->plan,
					       .watched = &ret->watched,
					       .collection = &ret->collection,
					       .n_windows = n_windows,
					       .free_bytes = least_space(job),
					       .patience_ns = job->patience_ns };

	if (collected < 0 && (ret->collection.n > 0 || collected == WL_E_NOMEM))
		return wl_fail(reterr, err.code, "%s", err.msg);
	return wl_capture_judge(&e, &ret->verdict, reterr);
}

static int record(const struct wl_capture_job *job, struct wl_arena *arena, struct wl_captured *ret,
		  struct wl_err *reterr)
{
	int64_t n_windows = 0;
	int r;

	for (;;) {
		r = record_once(job, ret, &n_windows, reterr);
		ret->has_run = r == WL_OK;
		if (r < 0)
			return r;
		r = judge(job, arena, n_windows, ret, reterr);
		if (r == WL_OK || ret->n_tries == WL_CAPTURE_TRIES ||
		    !wl_capture_is_mishap(&ret->watched, ret->collection.n))
			return r;
		say_try(job, ret->n_tries + 1);
	}
}

static int run_bare(const struct wl_capture_job *job, struct wl_captured *ret,
		    struct wl_err *reterr)
{
	struct wl_watch watch = wl_capture_watch(job, &job->plan->step[job->plan->n_steps - 1]);
	struct wl_watched bare;
	int r;

	watch.kind = WL_KIN_MAIN_PROGRAM;
	if (job->say)
		job->say(job->ctx, "running the program without the profiler");
	r = wl_watch_run(&watch, &bare, reterr);
	if (r < 0)
		return r;
	if (bare.signal)
		return wl_fail(reterr, WL_E_CANCELED,
			       "the run without the profiler was stopped; the trace is whole");
	ret->bare_ns = bare.tool_ns;
	return WL_OK;
}

int wl_capture_run(const struct wl_capture_job *job, struct wl_arena *arena,
		   struct wl_captured *ret, struct wl_err *reterr)
{
	int r;

	*ret = (struct wl_captured){ .bare_ns = -1, .watched = { .program_ns = -1 } };
	r = check(job, reterr);
	if (r == WL_OK)
		r = record(job, arena, ret, reterr);
	if (r == WL_OK && job->wishes->again && !ret->watched.signal)
		r = run_bare(job, ret, reterr);
	return r;
}
