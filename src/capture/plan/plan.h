/* SPDX-License-Identifier: MIT */
/*
 * plan.h - the command lines of a capture, from what is wished.
 *
 * A plan runs nothing, reads nothing and is the same on every machine. Its steps are lists of
 * words, never texts for a shell; what only a file can express (a batch script, the values of a
 * Helm chart) is a step with a text.
 */
#ifndef WL_CAPTURE_PLAN_H
#define WL_CAPTURE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/memory/arena.h"

/* What the trace is to answer. */
enum wl_goal {
	WL_GOAL_ANY,    /* where time goes: CUDA, NVTX and OS calls */
	WL_GOAL_LAUNCH, /* launch overhead: each kernel of a CUDA graph, no sampling */
	WL_GOAL_NCCL,   /* communication: NCCL's ranges, MPI under mpirun, NICs with --full */
	WL_GOAL_HOST,   /* what the host does meanwhile: OS calls, samples, Python */
	WL_GOAL_MEMORY, /* allocations and page faults of unified memory */
	WL_GOAL_NCU,    /* why a kernel is slow: Nsight Compute instead of nsys */
	WL_N_GOALS
};

/* What starts the program. Its words come first in wl_wishes.program, up to a word "--" if any. */
enum wl_launcher {
	WL_LAUNCHER_PLAIN,
	WL_LAUNCHER_TORCHRUN,
	WL_LAUNCHER_MPIRUN,
	WL_LAUNCHER_SLURM,      /* srun; the plan is a batch script */
	WL_LAUNCHER_CONTAINER,  /* docker run or podman run */
	WL_LAUNCHER_KUBERNETES, /* Nsight Operator; the plan is values for its chart, and a label */
	WL_N_LAUNCHERS
};

/* When recording begins and ends. */
enum wl_gate_kind {
	WL_GATE_NONE,     /* with the program */
	WL_GATE_NVTX,     /* the first NVTX range of this name */
	WL_GATE_CUDA_API, /* cudaProfilerStart to cudaProfilerStop */
	WL_GATE_TIME,     /* after a delay, for a duration */
	WL_GATE_STEPS,    /* on command: nsys launch, then start and stop, each window a report */
};

struct wl_capture_gate {
	enum wl_gate_kind kind;
	const char *range; /* NVTX: NAME or NAME@DOMAIN */
	/*
	 * TIME: 0 is at once, and to the end. STEPS: before each window and of each; 0: when the
	 * user says so, or as the runner decides.
	 */
	int64_t delay_s, duration_s;
	int64_t windows; /* STEPS: how many */
};

enum wl_graph_trace {
	WL_GRAPH_TRACE_AUTO, /* by goal: node, but graph with the light preset */
	WL_GRAPH_TRACE_NODE,
	WL_GRAPH_TRACE_GRAPH,
};

enum wl_preset { WL_PRESET_NORMAL, WL_PRESET_LIGHT, WL_PRESET_FULL };

/* A kernel that ncu is to measure. */
struct wl_plan_kernel {
	const char *name;    /* the function's name, without arguments */
	int64_t skip, count; /* launches; with a gate nvtx, of those in its ranges */
};

/* What is recorded whatever the goal; bits of wl_wishes.also. ncu does not record it. */
enum wl_plan_also {
	WL_ALSO_OSRT = 1 << 0,
	WL_ALSO_MPI = 1 << 1,
	WL_ALSO_SAMPLES = 1 << 2,
	WL_ALSO_SCHED = 1 << 3,
	WL_ALSO_MEMORY = 1 << 4, /* GPU memory in use */
	WL_ALSO_FAULTS = 1 << 5, /* page faults of managed memory */
	WL_ALSO_METRICS = 1 << 6 /* of GPUs */
};

/* An option of nsys that the user chose: "--trace", "cuda". */
struct wl_nsys_setting {
	const char *name, *value;
};

/* Texts are borrowed by the plan. A zeroed struct with a program is a plain capture. */
struct wl_wishes {
	enum wl_goal goal;
	enum wl_launcher launcher;
	struct wl_capture_gate gate;
	const char *ranks; /* "0,3": only these run under the profiler; NULL for all */
	enum wl_graph_trace graphs;
	bool forks;    /* trace between fork and exec */
	bool events;   /* trace CUDA events, which waits between streams are seen by; where the
			  version is known, as older ones refuse the option */
	unsigned also; /* bits of enum wl_plan_also */
	enum wl_preset preset;
	const char *tool;    /* path of nsys, or ncu for that goal; NULL: found by PATH */
	const char *version; /* of the tool, "2023.4.4.54"; NULL or "": as new as any */
	const char *dir;     /* where reports go; NULL: the current directory */
	const char *name;    /* of the run and of its session; NULL: "run" */
	const char *session; /* name for the session, never used before; NULL: that of the run, and
				only where sessions are started and stopped */
	const struct wl_plan_kernel *kernel; /* for ncu; none: any kernel, a few launches */
	size_t n_kernels;
	const struct wl_nsys_setting *set; /* go before what the plan would choose */
	size_t n_set;
	bool again;                 /* a second run without the profiler, for the wall time */
	const char *const *program; /* launcher and program, NULL ends */
};

/* A command to run, or a text to save. */
struct wl_plan_step {
	const char *title;       /* "Record the run with nsys" */
	const char *const *env;  /* NAME=VALUE to set, NULL ends; of a command */
	const char *const *argv; /* NULL ends; of a text the command that uses it, or NULL */
	const char *file, *text; /* name for the file, and what is in it; NULL for a command */
};

enum { WL_PLAN_STEPS = 34, WL_PLAN_NOTES = 16 };

struct wl_capture_plan {
	struct wl_plan_step step[WL_PLAN_STEPS];
	size_t n_steps;
	const char *note[WL_PLAN_NOTES]; /* what was left out and why, what to look out for */
	size_t n_notes;
	const char *output; /* of the reports, with %q{} where each rank has one, no ending; NULL:
			       not ours to choose */
	bool traces_cuda;   /* kernels are expected if the program uses CUDA */
};

/*
 * Make a plan in the arena. WL_E_USAGE for wishes that contradict each other, or a launcher
 * whose words cannot be separated from the program's; WL_E_NOMEM.
 */
int wl_capture_plan_make(const struct wl_wishes *wishes, struct wl_arena *arena,
			 struct wl_capture_plan *ret, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Add a step that exports the reports of a plan with payloads of NVTX ranges, such as the sizes of
 * collectives, which nsys leaves out unless asked. WL_E_NOMEM.
 */
int wl_capture_plan_export(struct wl_capture_plan *plan, struct wl_arena *arena,
			   struct wl_err *reterr) WL_MUST_CHECK;

/* A command as a line for a POSIX shell, its variables before it. NULL without memory. */
const char *wl_capture_plan_line(const struct wl_plan_step *step,
				 struct wl_arena *arena) WL_MUST_CHECK;

/*
 * The whole plan for people: numbered titles, lines, texts, notes. NULL without memory.
 */
const char *wl_capture_plan_text(const struct wl_capture_plan *plan,
				 struct wl_arena *arena) WL_MUST_CHECK;

/* By the names of the command line: "launch", "torchrun", "nvtx:decode@LLM"; WL_E_USAGE. */
int wl_goal_parse(const char *text, enum wl_goal *ret, struct wl_err *reterr) WL_MUST_CHECK;
int wl_launcher_parse(const char *text, enum wl_launcher *ret, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * none, nvtx:NAME[@DOMAIN], cuda-api, delay:S, duration:S, delay:S,duration:S (whole seconds) or
 * steps:N, which these may follow.
 */
int wl_capture_gate_parse(const char *text, struct wl_capture_gate *ret,
			  struct wl_err *reterr) WL_MUST_CHECK;

extern const char *const wl_goal_names[WL_N_GOALS + 1];         /* NULL ends */
extern const char *const wl_launcher_names[WL_N_LAUNCHERS + 1]; /* NULL ends */

#endif
