/* SPDX-License-Identifier: MIT */
/*
 * run.h - runs the plan of a capture, collects its reports and checks them.
 *
 * Knows no trace: the caller says what an export holds.
 */
#ifndef WL_CAPTURE_RUN_RUN_H
#define WL_CAPTURE_RUN_RUN_H

#include "capture/run/verdict.h"

enum { WL_CAPTURE_TRIES = 3 };

/* Borrowed texts and pointers. */
struct wl_capture_job {
	const struct wl_wishes *wishes;
	const struct wl_capture_plan *plan;      /* of these wishes */
	const char *dir;                         /* wishes->dir: of this run alone */
	const char *tmp;                         /* where nsys writes meanwhile; NULL: /tmp */
	int64_t least_free;                      /* bytes that both must have before */
	int64_t limit_ns, grace_ns, patience_ns; /* see wl_watch */
	int64_t export_ns;                       /* limit of an export; 0: none */
	int out, err; /* where output of the program goes; see wl_child_how */
	bool has_input;
	struct wl_watch_signals signals;
	void (*say)(void *ctx, const char *line);
	int (*look)(void *ctx, const char *database, struct wl_report_facts *ret,
		    struct wl_err *reterr);
	void *ctx;
};

struct wl_captured {
	bool has_run;    /* the program was started, or may have been */
	int n_tries;     /* of nsys, which fails by itself now and then */
	int64_t bare_ns; /* wall time without the profiler; -1: not measured */
	struct wl_watched watched;
	struct wl_collection collection;
	struct wl_capture_verdict verdict;
};

/* WL_E_USAGE for wishes whose plan is for another machine: Slurm, Kubernetes. */
int wl_capture_check(const struct wl_wishes *wishes, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Run, collect, check. ret is filled as far as it came, also on failure; its lists are in the
 * arena. As wl_capture_check() says; WL_E_OUTPUT when there is too little room; else as
 * wl_capture_judge() and wl_collect() say.
 */
int wl_capture_run(const struct wl_capture_job *job, struct wl_arena *arena,
		   struct wl_captured *ret, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * The second stage: run the commands of a plan for ncu one after another, each with the program;
 * reports go to job->dir. Writes how many reports there are. What ncu says of a kernel that it
 * cannot measure goes to say; WL_E_IO when there is no report at all, with the last of it;
 * WL_E_CANCELED.
 */
int wl_capture_measure(const struct wl_capture_job *job, size_t *ret_reports,
		       struct wl_err *reterr) WL_MUST_CHECK;

/* How to watch a step of the plan: the job's limits, output and messages. */
struct wl_watch wl_capture_watch(const struct wl_capture_job *job, const struct wl_plan_step *step);

/* Bytes that a user may still write where path is; -1: not known. */
int64_t wl_space_free(const char *path);

#endif
