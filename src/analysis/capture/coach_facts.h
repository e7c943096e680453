/* SPDX-License-Identifier: MIT */
/* coach_facts.h - facts about a trace that the questions of coach depend on. */
#ifndef WL_ANALYSIS_COACH_FACTS_H
#define WL_ANALYSIS_COACH_FACTS_H

#include "analysis/analysis.h"
#include "derive/iters/iters.h"

enum { WL_MAX_EXPECTED = 32 };

/* A range that the user expects: the number of instances, and of operations launched inside
 * them. */
struct wl_expected {
	const char *name; /* as given */
	size_t n_ranges, n_ops;
};

struct wl_coach_facts {
	const struct wl_trace *trace;
	size_t n_ops, n_linked; /* GPU operations except migrations, and those with a launch call */
	size_t n_migrations;    /* copies by which the driver moves managed memory */
	wl_ns kernel_ns,
		ranged_ns; /* time of kernels, and of kernels in an NVTX range; 0 without ranges */
	bool communicates; /* some operation is communication, or there are MPI calls */
	bool uses_nccl;    /* some operation is communication */
	size_t n_ranks;    /* processes on GPUs, or GPUs of a single process */
	int64_t world;     /* ranks of the job; 0 if nothing says */
	bool has_steps;
	struct wl_step_sum steps;
	const char *lost; /* the profiler's message about lost events; NULL for none */
	bool in_doubt;    /* the profiler says that CUDA events may be missing */
	bool has_samples, has_metrics;
	int64_t bytes;     /* approximate size of an export of these events */
	wl_ns overhead_ns; /* the profiler's reported overhead, on the thread with the most */
	uint32_t overhead_tid;
	struct wl_expected expected[WL_MAX_EXPECTED];
	size_t n_expected;
};

/*
 * expect: names of ranges, one per line; NULL for none. False when the arena is exhausted. Linear
 * in the rows of the trace, and in operations times the ranges around each.
 */
bool wl_coach_facts_find(const struct wl_run *run, const char *expect,
			 struct wl_coach_facts *ret) WL_MUST_CHECK;

#endif
