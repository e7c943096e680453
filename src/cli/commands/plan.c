/* SPDX-License-Identifier: MIT */
/* plan.c - the command that plans the recording of a program. */
#include <stdio.h>
#include <string.h>

#include "analysis/args.h"
#include "capture/nsys.h"
#include "capture/plan/plan.h"
#include "cli/open.h"
#include "cli/status.h"

enum { FOR, LAUNCHER, GATE, RANKS, GRAPHS, FORKS, LIGHT, FULL, DIR_PARAM, AGAIN, VERSION };

static const char *const graphs[] = { "auto", "node", "graph", NULL };

static const struct wl_param params[] = {
	[FOR] = { .key = "for",
		  .type = WL_P_ENUM,
		  .def = "any",
		  .choices = wl_goal_names,
		  .help = "The question: launch overhead, communication, the host, memory, or why "
			  "kernels are slow (ncu)." },
	[LAUNCHER] = { .key = "launcher",
		       .type = WL_P_ENUM,
		       .def = "plain",
		       .choices = wl_launcher_names,
		       .help = "What starts the program." },
	[GATE] = { .key = "gate",
		   .type = WL_P_STR,
		   .argument = "GATE",
		   .def = "none",
		   .help = "When to record: nvtx:NAME@DOMAIN, cuda-api, "
			   "delay:SECONDS,duration:SECONDS or steps:N." },
	[RANKS] = { .key = "ranks",
		    .type = WL_P_STR,
		    .argument = "LIST",
		    .help = "Record only these ranks, such as 0,3." },
	[GRAPHS] = { .key = "graphs",
		     .type = WL_P_ENUM,
		     .def = "auto",
		     .choices = graphs,
		     .help = "Record each kernel of a CUDA graph (node), or the graph as one." },
	[FORKS] = { .key = "forks",
		    .type = WL_P_BOOL,
		    .help = "Record between fork and exec; this can crash or hang the program." },
	[LIGHT] = { .key = "light", .type = WL_P_BOOL, .help = "Record less, at less overhead." },
	[FULL] = { .key = "full",
		   .type = WL_P_BOOL,
		   .help = "Record samples, libraries and GPU metrics as well." },
	[DIR_PARAM] = { .key = "dir",
			.type = WL_P_STR,
			.argument = "DIR",
			.def = ".",
			.help = "Where reports go." },
	[AGAIN] = { .key = "again",
		    .type = WL_P_BOOL,
		    .help = "Add a run without the profiler, for the wall time." },
	[VERSION] = { .key = "nsys-version",
		      .type = WL_P_STR,
		      .argument = "VERSION",
		      .help = "Plan for this nsys, such as 2023.4; without it the installed one." },
};

/* The program as a list that ends; the command line's own may have 4000 words and more. */
static const char *const *program_of(const struct wl_invocation *inv, struct wl_arena *arena)
{
	const char **argv = WL_NEW(arena, const char *, inv->n_operands + 1);

	for (size_t i = 0; argv && i < inv->n_operands; i++)
		argv[i] = inv->operand[i];
	return argv;
}

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

static int make_wishes(const struct wl_invocation *inv, const union wl_arg *arg,
		       struct wl_arena *arena, struct wl_wishes *ret, struct wl_err *reterr)
{
	const bool is_ncu = arg[FOR].i64 == WL_GOAL_NCU;

	if (arg[LIGHT].flag && arg[FULL].flag)
		return wl_fail(reterr, WL_E_USAGE, "--light and --full: give one of them");
	*ret = (struct wl_wishes){
		.goal = (enum wl_goal)arg[FOR].i64,
		.launcher = (enum wl_launcher)arg[LAUNCHER].i64,
		.ranks = arg[RANKS].str,
		.graphs = (enum wl_graph_trace)arg[GRAPHS].i64,
		.forks = arg[FORKS].flag,
		.preset = arg[FULL].flag    ? WL_PRESET_FULL
			  : arg[LIGHT].flag ? WL_PRESET_LIGHT
					    : WL_PRESET_NORMAL,
		.tool = is_ncu ? NULL : inv->opt.nsys,
		.dir = arg[DIR_PARAM].str,
		.again = arg[AGAIN].flag,
		.program = program_of(inv, arena),
	};
	if (!ret->program)
		return wl_fail(reterr, WL_E_NOMEM, "plan: no memory for the command");
	return wl_capture_gate_parse(arg[GATE].str, &ret->gate, reterr);
}

static int print_plan(const struct wl_invocation *inv, const union wl_arg *arg,
		      struct wl_arena *arena, struct wl_err *reterr)
{
	char version[WL_REPORT_VERSION_CAP];
	struct wl_capture_plan plan;
	struct wl_wishes wishes;
	const char *text;
	int r = make_wishes(inv, arg, arena, &wishes, reterr);

	if (r < 0)
		return r;
	wishes.version = version_of(inv, arg, version);
	r = wl_capture_plan_make(&wishes, arena, &plan, reterr);
	if (r < 0)
		return r;
	text = wl_capture_plan_text(&plan, arena);
	if (!text)
		return wl_fail(reterr, WL_E_NOMEM, "plan: no memory for the plan");
	(void)fputs(text, stdout);
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
	{ NULL, NULL },
};

const struct wl_command wl_command_plan = {
	.name = "plan",
	.topic = WL_TOPIC_HAND_ON,
	.help = "Plan the capture of a program with nsys or ncu",
	.about = "Prints the commands that record a program, with the options of nsys that the "
		 "question needs and that the installed version has: a line for a plain program, "
		 "torchrun, mpirun or a container, a batch script for Slurm, values and a label "
		 "for Nsight Operator on Kubernetes. The words after \"--\" are the launcher, if "
		 "there is one, and the program; a second \"--\" parts the two where an option of "
		 "the launcher is not known. A gate limits what is recorded; the program lives on "
		 "behind it. With --ranks the other ranks run without the profiler. Notes say "
		 "what a plan leaves out and why. Nothing is run.",
	.operands = "-- PROGRAM...",
	.examples = examples,
	.params = params,
	.n_params = WL_COUNT(params),
	.common = true,
	.without = ~(WL_OPT_BIT(NSYS) | WL_OPT_BIT(HELP) | WL_OPT_BIT(VERSION) |
		     WL_OPT_BIT(INTROSPECT)),
	.instead = "it is for questions to a trace",
	.run = run,
};
