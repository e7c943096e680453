/* SPDX-License-Identifier: MIT */
/*
 * step_cause.h - what changed where steps of the job take longer than others (step_change.h).
 *
 * Of each GPU the medians of compute, exposed communication, exposed copies and idle time by cause
 * are compared between both sorts of step. A part is the cause where it is half of what a step
 * takes longer, or more.
 */
#ifndef WL_FINDINGS_STEP_CAUSE_H
#define WL_FINDINGS_STEP_CAUSE_H

#include "derive/iters/step_change.h"
#include "findings/rules/usual_step.h"

/* A GPU whose steps are those of the job. */
struct wl_changed_gpu {
	bool takes_part;                /* has both sorts of step in its sample */
	struct wl_usual_step like, now; /* reference and changed steps */
	bool has_own;                   /* half of what steps take longer is its own doing */
	bool waits;                     /* or is exposed communication, or MPI calls */
	bool stands_out;                /* takes longer than what all share, as a change does */
};

enum wl_step_cause_kind {
	WL_STEP_BY_NOTHING, /* no part is half of it */
	WL_STEP_BY_WORK,    /* other work: another number of kernels, or other grids */
	WL_STEP_BY_COMPUTE, /* on more than half of the GPUs */
	WL_STEP_BY_LOSS,    /* idle time of a cause, exposed communication or copies */
	WL_STEP_BY_ONE, /* of few GPUs, for which all others wait, and do not change themselves */
};

struct wl_step_cause {
	const struct wl_step_change *change;
	const struct wl_changed_gpu *gpu; /* by GPU of the rule state */
	size_t n;                         /* GPUs that take part; 0: nothing changed for them */
	wl_ns by;                         /* what their steps take longer, the mean of all */
	/* Where some GPUs take longer and the others wait for them: what steps of these others take
	 * longer without that, if that is a change of its own; 0 else. It is what all have. */
	wl_ns shared;
	enum wl_step_cause_kind kind;
	enum wl_loss loss;              /* BY_LOSS */
	wl_ns loss_ns;                  /* of a step, the mean of all GPUs */
	uint64_t kernels[2], blocks[2]; /* BY_WORK: per step of a GPU, reference and changed */
};

/* The rule has WL_FROM(STEP_CHANGE). False when the arena of the run is exhausted. */
bool wl_step_cause_find(struct wl_rule_state *d, struct wl_step_cause *ret) WL_MUST_CHECK;

#endif
