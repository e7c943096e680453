/* SPDX-License-Identifier: MIT */
#include "cli/commands/capture/capture_params.h"

#include "capture/runs/run_dir.h"

static const char *const opens[] = { "summary", "none", NULL };
const struct wl_param wl_capture_params[WL_N_CAPTURE_PARAMS] = {
#define WL_WISH(id, ...) [WL_WISH_##id] = { __VA_ARGS__ },
#include "cli/commands/capture/wishes.def"
#undef WL_WISH
	[WL_CAPTURE_DIR] = { .key = "dir",
			     .type = WL_P_STR,
			     .def = WL_RUNS_DIR,
			     .help = "Where runs go, a directory each." },
	[WL_CAPTURE_DRY_RUN] = { .key = "dry-run",
				 .type = WL_P_BOOL,
				 .help = "Print the plan and run nothing." },
	[WL_CAPTURE_AGAIN] = { .key = "again",
			       .type = WL_P_BOOL,
			       .help = "Run the program a second time without the profiler, for "
				       "the wall "
				       "time." },
	[WL_CAPTURE_TIMEOUT] = { .key = "timeout",
				 .type = WL_P_SECONDS,
				 .help = "Ask the program to end after this long." },
	[WL_CAPTURE_GRACE] = { .key = "grace",
			       .type = WL_P_SECONDS,
			       .def = "10",
			       .help = "Time for the program to end after a signal or timeout." },
	[WL_CAPTURE_PATIENCE] = { .key = "patience",
				  .type = WL_P_SECONDS,
				  .def = "600",
				  .help = "How long nsys may take to write the report." },
	[WL_CAPTURE_LEAST_FREE] = { .key = "least-free",
				    .type = WL_P_BYTES,
				    .def = "256Mi",
				    .help = "Run only where reports and TMPDIR have this much "
					    "room." },
	[WL_CAPTURE_OPEN] = { .key = "open",
			      .type = WL_P_ENUM,
			      .def = "summary",
			      .choices = opens,
			      .help = "What to do with the trace: print its summary and write a "
				      "report "
				      "to report/ of the run, or nothing." },
	[WL_CAPTURE_KEEP] = { .key = "keep",
			      .type = WL_P_COUNT,
			      .help = "Compress the reports of all runs but the newest N." },
	[WL_CAPTURE_ALLOW_SECRET] = { .key = "allow-secret",
				      .type = WL_P_STR,
				      .many = true,
				      .help = "Let this variable or option pass, although it looks "
					      "like a secret: "
					      "reports of nsys hold the environment." },
	[WL_CAPTURE_NCU] = { .key = "ncu",
			     .type = WL_P_COUNT,
			     .help = "Then measure the N kernels that take most time with ncu, one "
				     "run each." },
	[WL_CAPTURE_NCU_TOOL] = { .key = "ncu-tool",
				  .type = WL_P_STR,
				  .def = "ncu",
				  .help = "The ncu that measures." },
	[WL_CAPTURE_SWEEP] = { .key = "sweep",
			       .type = WL_P_STR,
			       .many = true,
			       .help = "Run once for each value, such as lr=1,2: {lr} in the "
				       "program becomes "
				       "the value, else --lr=1 is added; several give every "
				       "pair." },
	[WL_CAPTURE_NSYS_OPTION] = { .key = "nsys-option",
				     .type = WL_P_STR,
				     .many = true,
				     .help = "Pass an option on to nsys, such as "
					     "--osrt-threshold=500; those of \"nsys profile\" that "
					     "plans use need not be announced: -t cuda,nvtx "
					     "works." },
};

const struct wl_foreign_option wl_capture_foreign[] = {
#define WL_NSYS_OPTION(id, name, letter, ...) { name, letter },
#include "capture/plan/nsys_options.def"
#undef WL_NSYS_OPTION
	{ NULL, 0 },
};
