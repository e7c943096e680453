/* SPDX-License-Identifier: MIT */
/*
 * fingerprint.h - one side of a comparison: all that it needs of a trace, a few dozen
 * kilobytes however large the trace is.
 *
 * Both sides of every comparison are fingerprints, those of traces as well as those
 * that were kept as baselines, so a baseline gives the same answer as its trace.
 *
 * Figures are kept for two extents. Of steps: over the sample, which are all iterations
 * but the first, the last and those that stand out in any process, evenly thinned to
 * WL_FP_STEPS. Of the window: over all of it, for traces without iterations. They are
 * sums; a mean is a sum over a divisor, and rounded last.
 */
#ifndef WL_COMPARE_FINGERPRINT_H
#define WL_COMPARE_FINGERPRINT_H

#include "compare/stats/series.h"
#include "derive/idle/idle.h"
#include "derive/ledger/ledger.h"

/* Beyond these, rows go into others; names that are longer are cut and get a checksum. */
enum {
	WL_FP_STEPS = 512,
	WL_FP_KERNELS = 160,
	WL_FP_RANGES = 96,
	WL_FP_COPIES = 64,
	WL_FP_WAITS = 96,
	WL_FP_FUNCTIONS = 64,
	WL_FP_RANKS = 64,
	WL_FP_RANK_KERNELS = 16,
	WL_FP_GPUS = 16,
	WL_FP_WHATIFS = 16,
	WL_FP_NAME = 1000,          /* bytes of one name */
	WL_FP_KERNEL_NAMES = 65536, /* bytes of all in the file */
	WL_FP_RANGE_NAMES = 24576,
	WL_FP_COPY_NAMES = 4096,
	WL_FP_WAIT_NAMES = 8192,
	WL_FP_FUNCTION_NAMES = 8192,
};

/* No number of a fingerprint is larger (store/record.h): 104 days. */
#define WL_FP_MAX ((int64_t)1 << 53)

enum wl_extent { WL_OF_STEPS, WL_OF_WINDOW, WL_N_EXTENTS };

/* What a step consists of; the causes of idle time in their order. */
enum wl_part {
	WL_PART_COMPUTE,
	WL_PART_EXPOSED_COMM,
	WL_PART_EXPOSED_COPY,
	WL_PART_IDLE,
	WL_PART_RANK_SKEW = WL_PART_IDLE + WL_N_CAUSES, /* see wl_fingerprint.part */
	WL_N_PARTS
};

const char *wl_part_name(enum wl_part part); /* "compute", ..., "sync", ..., "rank_skew" */

struct wl_amount {
	int64_t calls;
	wl_ns ns; /* of GPU operations their durations, of ranges their host time */
};

struct wl_fp_row {
	const char *name; /* of ranges the path; "(others)" of others */
	struct wl_amount of[WL_N_EXTENTS];
	wl_ns gpu[WL_N_EXTENTS]; /* of ranges: durations of the operations launched inside */
	int64_t position;        /* of kernels: order of first appearance in a step, or -1 */
	const char *category;    /* of kernels: by the generic rules; NULL for none */
	struct wl_series series; /* ns per step, mean over processes; n == 0 of others */
};

struct wl_fp_list {
	struct wl_fp_row *row; /* the longest first */
	size_t n;
	struct wl_fp_row others;
	size_t n_others; /* how many names others stands for */
};

struct wl_fp_wait {
	enum wl_cause cause;
	const char *detail; /* NULL for none; "(others)" for what had no room */
	wl_ns ns[WL_N_EXTENTS];
};

/*
 * Idle time that the host can change (docs/definitions/stacks.md), by the function that the
 * launching threads ran.
 */
struct wl_fp_function {
	const char *name; /* NULL: no stack; "(others)" for what had no room */
	wl_ns ns[WL_N_EXTENTS];
	wl_ns sampled[WL_N_EXTENTS]; /* its part that rests on samples; the rest is exact */
	int64_t n[WL_N_EXTENTS];     /* these samples */
};

/* Of a kernel that computes: its time on one rank, a sum over the steps. */
struct wl_fp_rank_kernel {
	size_t row; /* of the fingerprint's kernels */
	wl_ns ns;
};

struct wl_fp_rank {
	int64_t rank; /* -1 if it is not known */
	int64_t pid;
	int64_t device;              /* where it spends most time */
	wl_ns compute, exposed_comm; /* sums over the steps */
	struct wl_series period;
	const struct wl_fp_rank_kernel *kernel; /* the longest first */
	size_t n_kernels;
};

/* What a replay of a what-if scenario saves of each step (derive/graph/scenario/scenario.h). */
struct wl_fp_whatif {
	const char *scenario;
	wl_ns saving; /* > 0 */
};

/* Texts and arrays are owned by the arena it was made in. */
struct wl_fingerprint {
	const char *label;     /* how the trace is called */
	const char *window;    /* as asked for: "all" */
	const char *selection; /* "gpu 0, rank 3"; "" for none */
	const char *method;    /* how iterations were found: "nvtx"; "none" */
	const char *what;      /* what a step is: "NVTX range `step #`"; "" */
	/* Where and when it was recorded; "" if not known. */
	const char *host, *recorded, *command;
	/* How it was taken (derive/kinds/capture_modes.h); NULL if not known. */
	const char *graphs, *tracing;
	const char *gpu[WL_FP_GPUS]; /* names of GPU models, each once */
	size_t n_gpus;
	size_t n_devices, n_processes; /* processes that have steps */

	size_t n_steps;    /* 0: only the window can be compared */
	const wl_ns *step; /* the largest period over processes, in order */
	size_t n_left_out; /* first, last and outliers, if these are rare */
	size_t n_thinned;  /* steps of the sample that had no room */

	/*
	 * Of steps: sums over steps and processes. rank_skew is what the largest period is
	 * above the mean one, so that all parts add up to n_processes * sum(step). Of the
	 * window: sums over devices, which add up to n_devices * the largest window.
	 */
	wl_ns part[WL_N_EXTENTS][WL_N_PARTS];
	int64_t launches[WL_N_EXTENTS];
	wl_ns window_ns; /* the largest window of a device */
	/* By step, means over processes. n is 0 without steps. */
	struct wl_series busy, idle, exposed_comm, launch_series;

	struct wl_fp_list kernels, ranges, categories;
	struct wl_fp_list copies; /* by direction and kinds of memory */
	const struct wl_fp_wait *wait;
	size_t n_waits;
	const struct wl_fp_function *function;
	size_t n_functions;            /* 0 without call stacks */
	const struct wl_fp_rank *rank; /* by rank, then pid; none where there are too many */
	size_t n_ranks;
	/* None without steps, and where the trace cannot be replayed. */
	const struct wl_fp_whatif *whatif;
	size_t n_whatifs;
	bool is_of_sums; /* as wl_fp_keep_sums() leaves it */
	size_t n_notes;  /* caveats of how it was made */
	const char *note[8];
};

/* What sums of the extent are divided by; 0 where there is nothing. */
int64_t wl_fp_divisor(const struct wl_fingerprint *f, enum wl_extent extent);

/*
 * Leave steps, parts and ranks, which facts of several traces know, and no rows by name: idle time
 * is by cause, and nothing was launched. False when the arena is exhausted.
 */
bool wl_fp_keep_sums(struct wl_fingerprint *f, struct wl_arena *arena) WL_MUST_CHECK;

/*
 * NULL, or what is wrong with it: numbers out of range, parts that do not add up, more
 * rows than there may be, values that do not ascend. Both makers ask, so that
 * readers of a fingerprint can rely on all of that.
 */
const char *wl_fp_problem(const struct wl_fingerprint *f);

#endif
