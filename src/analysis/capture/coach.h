/* SPDX-License-Identifier: MIT */
/* coach.h - the questions that people ask about a trace, and what the trace lacks to answer
 * them. */
#ifndef WL_ANALYSIS_COACH_H
#define WL_ANALYSIS_COACH_H

#include "analysis/analysis.h"

/* Columns of the analysis "coach". */
enum {
	WL_COACH_QUESTION,
	WL_COACH_FOR,
	WL_COACH_STATE,
	WL_COACH_VERB,
	WL_COACH_MISSING,
	WL_COACH_CHANGE,
	WL_COACH_LACKS,
	WL_N_COACH_COLS
};

extern const struct wl_col wl_coach_cols[WL_N_COACH_COLS];

/* Parameters of the analysis. */
enum { WL_COACH_GOAL, WL_COACH_EXPECT, WL_N_COACH_PARAMS };

/* The values of --for. */
extern const char *const wl_coach_goals[];

#define WL_COACH_PARAMS                                                                            \
	[WL_COACH_GOAL] = { .key = "for",                                                          \
			    .type = WL_P_ENUM,                                                     \
			    .def = "all",                                                          \
			    .choices = wl_coach_goals,                                             \
			    .help = "What the next capture is for." },                             \
	[WL_COACH_EXPECT] = {                                                                      \
		.key = "expect",                                                                   \
		.type = WL_P_STR,                                                                  \
		.many = true,                                                                      \
		.help = "An NVTX range that must have kernels; may be given several times.",       \
	}

/* What a trace may lack. The column "lacks" has the keys, separated by commas. */
enum wl_lack {
	WL_LACK_CUDA,
	WL_LACK_NVTX,
	WL_LACK_OSRT,
	WL_LACK_SCHED,
	WL_LACK_NODES,    /* kernels inside CUDA graphs */
	WL_LACK_EVENTS,   /* CUDA event records */
	WL_LACK_SAMPLES,  /* call stacks */
	WL_LACK_MEMORY,   /* GPU memory in use */
	WL_LACK_RANKS,    /* traces of the job's other ranks */
	WL_LACK_LAUNCHES, /* launch calls of operations */
	WL_LACK_RANGES,   /* no ranges in the program, though NVTX was recorded */
	WL_LACK_STEPS,    /* more steps */
	WL_LACK_EVERY,    /* events that the profiler lost */
	WL_LACK_PAYLOADS, /* NCCL payloads in the export */
	WL_LACK_METRICS,  /* sampled metrics of GPUs */
	WL_LACK_COUNTERS, /* counters of kernels, from Nsight Compute */
	WL_N_LACKS
};

/* The key in the column "lacks". */
const char *wl_lack_key(enum wl_lack lack);

/* How to record what is lacking: "nsys profile --trace=osrt". */
const char *wl_lack_remedy(enum wl_lack lack);

/* Parses comma-separated keys of lacks into bits; NULL and unknown keys set no bit. */
uint32_t wl_lacks_parse(const char *keys);

/*
 * The remedies of a set of lacks as one text: "add nvtx,osrt to --trace; --cpuctxsw=process-tree".
 * Owned by the arena; NULL when it is exhausted.
 */
const char *wl_lacks_change(uint32_t set, struct wl_arena *arena) WL_MUST_CHECK;

#endif
