/* SPDX-License-Identifier: MIT */
/*
 * step_cause.h - what changed if some steps of the job take longer than others (step_change.h).
 *
 * For each GPU, the medians of compute, exposed communication, exposed copies and idle time by
 * cause are compared between both sorts of step. A part is the cause if it makes up at least half
 * of the increase.
 */
#ifndef WL_FINDINGS_STEP_CAUSE_H
#define WL_FINDINGS_STEP_CAUSE_H

#include "derive/iters/step_change.h"
#include "findings/rules/usual_step.h"

/* A GPU whose steps are those of the job. */
struct wl_changed_gpu {
	bool takes_part;                /* its sample has both sorts of step */
	struct wl_usual_step like, now; /* reference and changed steps */
	bool has_own;                   /* it causes half of its increase itself */
	bool waits;                     /* or half of it is exposed communication and MPI calls */
	bool stands_out;                /* exceeds the shared increase by as much as a change */
};

enum wl_step_cause_kind {
	WL_STEP_BY_NOTHING, /* no part is half of the increase */
	WL_STEP_BY_WORK,    /* other work: a different number of kernels, or different grids */
	WL_STEP_BY_COMPUTE, /* on more than half of the GPUs */
	WL_STEP_BY_LOSS,    /* idle time of a cause, exposed communication or copies */
	WL_STEP_BY_ONE,     /* on few GPUs; all others wait for them and do not change themselves */
};

struct wl_step_cause {
	const struct wl_step_change *change;
	const struct wl_changed_gpu *gpu; /* by GPU of the rule state */
	size_t n;                         /* GPUs that take part; 0: no change */
	wl_ns by;                         /* mean increase of their steps */
	/* If some GPUs take longer and the others wait for them: the increase of the others' steps
	 * without these waits, which all GPUs share, if it is itself a change; else 0. */
	wl_ns shared;
	enum wl_step_cause_kind kind;
	enum wl_loss loss;              /* BY_LOSS */
	wl_ns loss_ns;                  /* per step, mean over all GPUs */
	uint64_t kernels[2], blocks[2]; /* BY_WORK: per step of a GPU, reference and changed */
};

/* The rule must have WL_FROM(STEP_CHANGE). False when the arena of the run is exhausted. */
bool wl_step_cause_find(struct wl_rule_state *d, struct wl_step_cause *ret) WL_MUST_CHECK;

#endif
