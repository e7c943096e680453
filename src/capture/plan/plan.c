/* SPDX-License-Identifier: MIT */
#include "capture/plan/plan.h"

#include <inttypes.h>
#include <string.h>

#include "base/file/file.h"
#include "capture/plan/plan_parts.h"

/* "0,3": numbers and commas, since they become part of a line of sh. */
static int check_ranks(struct wl_planning *p)
{
	const char *ranks = p->w->ranks;
	size_t n = ranks ? strlen(ranks) : 0;

	if (!ranks)
		return WL_OK;
	if (n == 0 || strspn(ranks, "0123456789,") != n || ranks[0] == ',' || ranks[n - 1] == ',' ||
	    strstr(ranks, ",,"))
		return wl_fail(p->reterr, WL_E_USAGE, "ranks \"%.60s\": give numbers, such as 0,3",
			       ranks);
	if (p->w->launcher == WL_LAUNCHER_TORCHRUN || p->w->launcher == WL_LAUNCHER_MPIRUN ||
	    p->w->launcher == WL_LAUNCHER_SLURM)
		return WL_OK;
	return wl_fail(p->reterr, WL_E_USAGE,
		       "ranks need a launcher that starts them: torchrun, mpirun or slurm");
}

static int check(struct wl_planning *p)
{
	const struct wl_wishes *w = p->w;

	if (w->gate.kind == WL_GATE_STEPS && w->launcher != WL_LAUNCHER_PLAIN)
		return wl_fail(p->reterr, WL_E_USAGE,
			       "the gate steps needs the launcher plain: nsys start and stop act "
			       "on one session on this machine");
	if (w->gate.kind == WL_GATE_STEPS && w->goal == WL_GOAL_NCU)
		return wl_fail(p->reterr, WL_E_USAGE, "the gate steps is for nsys, not for ncu");
	if (w->goal == WL_GOAL_NCU && w->launcher == WL_LAUNCHER_KUBERNETES)
		return wl_fail(p->reterr, WL_E_USAGE,
			       "Nsight Operator runs nsys only; run ncu inside a pod with the "
			       "launcher plain");
	if (w->n_kernels > WL_PLAN_STEPS - 2)
		return wl_fail(p->reterr, WL_E_USAGE, "more than %d kernels for ncu",
			       WL_PLAN_STEPS - 2);
	return check_ranks(p);
}

/* The variable that has a rank's number, where each rank runs its own profiler. */
static const char *rank_variable(const struct wl_planning *p)
{
	switch (p->w->launcher) {
	case WL_LAUNCHER_TORCHRUN:
		return p->w->ranks ? "RANK" : NULL;
	case WL_LAUNCHER_MPIRUN:
		return wl_plan_is_hydra(p) ? "PMI_RANK" : "OMPI_COMM_WORLD_RANK";
	case WL_LAUNCHER_SLURM:
		return "SLURM_PROCID";
	case WL_LAUNCHER_PLAIN:
	case WL_LAUNCHER_CONTAINER:
	case WL_LAUNCHER_KUBERNETES:
	case WL_N_LAUNCHERS:
		break;
	}
	return NULL;
}

/* torchrun on several nodes runs once on each: their reports must not have one name. */
static bool has_nodes(const struct wl_planning *p)
{
	for (size_t i = 0; p->w->launcher == WL_LAUNCHER_TORCHRUN && i < p->n_launch; i++) {
		if (strncmp(p->launch[i], "--nnodes", 8) == 0)
			return true;
	}
	return false;
}

/* A name that begins with a dash would be an option. */
static const char *safe_dir(struct wl_planning *p, const char *dir)
{
	return dir[0] == '-' ? wl_planf(p, "./%s", dir) : dir;
}

static void choose_names(struct wl_planning *p)
{
	const char *dir = p->w->dir && p->w->dir[0] ? safe_dir(p, p->w->dir) : ".";
	const char *each = "";

	p->name = p->w->name ? p->w->name : "run";
	p->rank = rank_variable(p);
	p->tool_dir = p->w->launcher == WL_LAUNCHER_CONTAINER ? "/reports" : dir;
	if (p->rank)
		each = wl_planf(p, "rank%%q{%s}", p->rank);
	else if (has_nodes(p))
		each = "%h";
	p->session = wl_planf(p, "warplens-%s%s%s", p->w->session ? p->w->session : p->name,
			      *each ? "-" : "", each);
	p->output = wl_planf(p, "%s/%s%s%s", p->tool_dir, p->name, *each ? "." : "", each);
	p->plan->output = wl_planf(p, "%s/%s%s%s", dir, p->name, *each ? "." : "", each);
}

/* What to do, with the time of a gate where that is given. */
static const char *after(struct wl_planning *p, const char *what, int64_t seconds)
{
	return seconds ? wl_planf(p, "%s after %" PRId64 " s", what, seconds) : what;
}

/* A program that lives on: nsys start and stop as often as wished. */
static int plan_windows(struct wl_planning *p)
{
	struct wl_argv_words launch = { .arena = p->arena };
	const char *base = p->output;
	int r = wl_plan_nsys(p, WL_NSYS_LAUNCH, &launch);

	if (r == WL_OK)
		r = wl_plan_wrap(p, "Start the program, ready to be recorded", &launch);
	for (int64_t i = 1; r == WL_OK && i <= p->w->gate.windows; i++) {
		struct wl_argv_words start = { .arena = p->arena }, stop = { .arena = p->arena };

		p->output = wl_planf(p, "%s.%" PRId64, base, i);
		r = wl_plan_nsys(p, WL_NSYS_START, &start);
		wl_plan_add(p, &(struct wl_plan_step){
				       .title = after(p, "Begin to record", p->w->gate.delay_s),
				       .argv = wl_argv_words_end(p, &start) });
		wl_argv_words_add(&stop, p->w->tool ? p->w->tool : "nsys");
		wl_argv_words_add(&stop, "stop");
		wl_argv_words_addf(&stop, "--session=%s", p->session);
		wl_plan_add(p, &(struct wl_plan_step){
				       .title = wl_planf(p, "%s; the program goes on",
							 after(p, "End it", p->w->gate.duration_s)),
				       .argv = wl_argv_words_end(p, &stop) });
	}
	return r;
}

static int plan_ncu(struct wl_planning *p)
{
	int r = WL_OK;

	if (p->w->n_kernels == 0)
		wl_plan_note(p, "any kernel is measured, 20 launches in all: name kernels by "
				"recording with nsys first");
	if (p->w->n_kernels && p->w->gate.kind == WL_GATE_NVTX)
		wl_plan_note(p, "launches count in the ranges of the gate only: a kernel that is "
				"in none of them is not measured");
	for (size_t i = 0; r == WL_OK && (i < p->w->n_kernels || i == 0); i++) {
		struct wl_argv_words tool = { .arena = p->arena };
		const struct wl_plan_kernel *k = p->w->n_kernels ? &p->w->kernel[i] : NULL;

		r = wl_plan_ncu(p, k, k ? i + 1 : 0, &tool);
		if (r == WL_OK)
			r = wl_plan_wrap(p,
					 k ? wl_planf(p, "Measure kernel %s with ncu", k->name)
					   : "Measure kernels with ncu",
					 &tool);
	}
	return r;
}

static int plan_profile(struct wl_planning *p)
{
	struct wl_argv_words tool = { .arena = p->arena };
	int r = wl_plan_nsys(p, WL_NSYS_PROFILE, &tool);

	return r < 0 ? r : wl_plan_wrap(p, "Record the run with nsys", &tool);
}

/* The same command without the word "--" that parts launcher and program. */
static void plan_again(struct wl_planning *p)
{
	struct wl_argv_words words = { .arena = p->arena };

	wl_argv_words_all(&words, p->launch, p->n_launch);
	wl_argv_words_all(&words, p->program, wl_argv_count(p->program));
	wl_plan_add(p,
		    &(struct wl_plan_step){ .title = "Run without the profiler, for the wall time",
					    .argv = wl_argv_words_end(p, &words) });
}

/* "ray job submit" and its like start nothing on this machine. */
static void note_client(struct wl_planning *p)
{
	if (p->program && p->program[0] && strcmp(wl_path_name(p->program[0]), "ray") == 0)
		wl_plan_note(p, "nsys records the client of Ray alone: the work runs in other "
				"processes; record these with runtime_env={\"nsight\": "
				"\"default\"} of the task or actor, or begin the entry point of "
				"the job with nsys profile");
}

static int plan_steps(struct wl_planning *p)
{
	if (p->w->launcher == WL_LAUNCHER_KUBERNETES)
		return wl_plan_kubernetes(p);
	if (p->w->goal == WL_GOAL_NCU)
		return plan_ncu(p);
	if (p->w->gate.kind == WL_GATE_STEPS)
		return plan_windows(p);
	return plan_profile(p);
}

int wl_capture_plan_make(const struct wl_wishes *wishes, struct wl_arena *arena,
			 struct wl_capture_plan *ret, struct wl_err *reterr)
{
	struct wl_planning p = { .w = wishes, .arena = arena, .plan = ret, .reterr = reterr };
	int r;

	*ret = (struct wl_capture_plan){ .n_steps = 0 };
	r = wl_plan_split(&p);
	if (r == WL_OK)
		r = check(&p);
	if (r < 0)
		return r;
	choose_names(&p);
	note_client(&p);
	r = plan_steps(&p);
	if (r == WL_OK && wishes->again && wishes->launcher != WL_LAUNCHER_KUBERNETES)
		plan_again(&p);
	if (r == WL_OK && p.is_failed)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the plan of the capture");
	return r;
}
