/* SPDX-License-Identifier: MIT */
/* plan.c - the command that plans the recording of a program. */
#include <stdio.h>
#include <string.h>

#include "analysis/args.h"
#include "base/text/clean.h"
#include "capture/nsys.h"
#include "cli/commands/capture/plan_kernels.h"
#include "cli/commands/capture/wishes.h"
#include "cli/open.h"
#include "cli/status.h"

enum { DIR_PARAM = WL_N_WISHES, AGAIN, VERSION, TRACE, TOP };

static const struct wl_param params[] = {
#define WL_WISH(id, ...) [WL_WISH_##id] = { __VA_ARGS__ },
#include "cli/commands/capture/wishes.def"
#undef WL_WISH
	[DIR_PARAM] = { .key = "dir", .type = WL_P_STR, .def = ".", .help = "Where reports go." },
	[AGAIN] = { .key = "again",
		    .type = WL_P_BOOL,
		    .help = "Add a run without the profiler, for the wall time." },
	[VERSION] = { .key = "nsys-version",
		      .type = WL_P_STR,
		      .help = "Plan for this nsys, such as 2023.4; without it the installed one." },
	[TRACE] = { .key = "trace",
		    .type = WL_P_STR,
		    .help = "With --for ncu: measure the kernels that take most time in this "
			    "trace, in a step from its middle." },
	[TOP] = { .key = "top",
		  .type = WL_P_COUNT,
		  .def = "3",
		  .help = "How many kernels of the trace." },
};

/* The newest is planned for where no nsys is installed: the plan may be for another machine. */
static const char *version_of(const struct wl_invocation *inv, const union wl_arg *arg,
			      char buf[WL_REPORT_VERSION_CAP])
{
	if (arg[VERSION].str)
		return arg[VERSION].str;
	if (wl_nsys_version(inv->opt.nsys, NULL, buf, NULL) < 0)
		buf[0] = '\0';
	return buf;
}

/* ncu counts launches in the ranges only; the trace was recorded without them, perhaps. */
static int skip_none(struct wl_arena *arena, struct wl_wishes *wishes, struct wl_err *reterr)
{
	struct wl_plan_kernel *kernel = WL_NEW(arena, struct wl_plan_kernel, wishes->n_kernels);

	if (!kernel)
		return wl_fail(reterr, WL_E_NOMEM, "plan: no memory for the kernels");
	for (size_t i = 0; i < wishes->n_kernels; i++) {
		kernel[i] = wishes->kernel[i];
		kernel[i].skip = 0;
	}
	wishes->kernel = kernel;
	return WL_OK;
}

/* The kernels of --trace, in wishes. */
static int choose_kernels(const struct wl_invocation *inv, const union wl_arg *arg,
			  struct wl_arena *arena, struct wl_wishes *wishes, struct wl_err *reterr)
{
	int r;

	if (wishes->goal != WL_GOAL_NCU)
		return wl_fail(reterr, WL_E_USAGE, "--trace: only with --for ncu");
	if (arg[TOP].i64 < 1 || arg[TOP].i64 > WL_PLAN_STEPS - 2)
		return wl_fail(reterr, WL_E_USAGE, "--top %s: choose 1 to %d kernels",
			       inv->param[TOP], WL_PLAN_STEPS - 2);
	if (wishes->gate.kind != WL_GATE_NONE && wishes->gate.kind != WL_GATE_NVTX)
		return wl_fail(reterr, WL_E_USAGE,
			       "--gate: with --trace only nvtx:NAME@DOMAIN, whose first launches "
			       "are measured; others move where launches are counted from");
	r = wl_plan_kernels_find(inv, arg[TRACE].str, arg[TOP].i64, arena, wishes, reterr);
	return r == WL_OK && wishes->gate.kind == WL_GATE_NVTX ? skip_none(arena, wishes, reterr)
							       : r;
}

/* What people who paste the line want to know. A name with %q{} is a report per rank. */
static void put_next(const struct wl_wishes *wishes, const struct wl_capture_plan *plan)
{
	if (wishes->goal == WL_GOAL_NCU)
		return;
	if (wishes->gate.kind == WL_GATE_NONE)
		(void)puts("note: this records the whole run; for a long one, add --gate "
			   "delay:60,duration:20");
	if (!plan->output || wishes->gate.kind == WL_GATE_STEPS)
		return;
	(void)fputs("next: warplens ", stdout);
	if (strchr(plan->output, '%'))
		wl_put_clean(stdout, wishes->dir);
	else
		wl_put_clean(stdout, plan->output);
	(void)puts(strchr(plan->output, '%') ? "" : ".nsys-rep");
}

static int print_plan(const struct wl_invocation *inv, const union wl_arg *arg,
		      struct wl_arena *arena, struct wl_err *reterr)
{
	char version[WL_REPORT_VERSION_CAP];
	struct wl_capture_plan plan;
	struct wl_wishes wishes;
	const char *text;
	int r = wl_wishes_take(inv, arg, arena, &wishes, reterr);

	if (r == WL_OK && arg[TRACE].str)
		r = choose_kernels(inv, arg, arena, &wishes, reterr);
	if (r < 0)
		return r;
	wishes.dir = arg[DIR_PARAM].str;
	wishes.again = arg[AGAIN].flag;
	wishes.version = version_of(inv, arg, version);
	r = wl_capture_plan_make(&wishes, arena, &plan, reterr);
	if (r < 0)
		return r;
	text = wl_capture_plan_text(&plan, arena);
	if (!text)
		return wl_fail(reterr, WL_E_NOMEM, "plan: no memory for the plan");
	wl_put_clean_plan(stdout, text);
	put_next(&wishes, &plan);
	return wl_check_stdout(reterr);
}

static int run(const struct wl_invocation *inv)
{
	struct wl_args args = { 0 };
	struct wl_arena arena;
	struct wl_err err;
	int r;

	wl_arena_init(&arena, (size_t)64 << 20);
	r = wl_command_args(&args, inv, NULL, &err);
	if (r == WL_OK)
		r = print_plan(inv, args.value, &arena, &err);
	wl_args_release(&args);
	wl_arena_release(&arena);
	return r < 0 ? wl_report_failure(&err) : 0;
}

static const struct wl_example examples[] = {
	{ "warplens plan -- python train.py", "Prints the line that records a run." },
	{ "warplens plan --launcher slurm --ranks 0 -- srun -n 8 ./app",
	  "Prints a batch script that records one rank." },
	{ "warplens plan --for ncu --trace run.sqlite -- python train.py",
	  "Measures the kernels that take most time there." },
	{ NULL, NULL },
};

const struct wl_command wl_command_plan = {
	.name = "plan",
	.topic = WL_TOPIC_SHARE,
	.listed = { .level = WL_LEVEL_SECOND,
		    .line = "Print the nsys or ncu command for a program or a trace" },
	.help = "Plan the capture of a program with nsys or ncu",
	.about = "Prints the commands that record a program, with the options of nsys that the "
		 "question needs and that the installed version has: a line for a plain program, "
		 "torchrun, mpirun or a container, a batch script for Slurm, values and a label "
		 "for Nsight Operator on Kubernetes. The words after \"--\" are the launcher, if "
		 "there is one, and the program; a second \"--\" parts the two where an option of "
		 "the launcher is not known. A gate limits what is recorded; the program lives on "
		 "behind it. With --ranks the other ranks run without the profiler. Notes say "
		 "what a plan leaves out and why. For ncu, --trace chooses the kernels with most "
		 "time, without communication, and steady launches of each. Nothing is run.",
	.operands = "-- PROGRAM...",
	.examples = examples,
	.params = params,
	.n_params = WL_COUNT(params),
	.common = true,
	.runs_program = true,
	.without = ~(WL_OPT_BIT(NSYS) | WL_OPT_BIT(HELP) | WL_OPT_BIT(VERSION) |
		     WL_OPT_BIT(INTROSPECT)),
	.instead = "it is for questions to a trace",
	.run = run,
};
