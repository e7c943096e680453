/* SPDX-License-Identifier: MIT */
/* late.h - stragglers: members that others wait for, what fixing them saves, and why they are late.
 */
#ifndef WL_DERIVE_LATE_H
#define WL_DERIVE_LATE_H

#include "model/trace.h"

enum wl_late_share { WL_LATE_BY_KERNELS, WL_LATE_BY_COPIES, WL_LATE_BY_HOST, WL_N_LATE_SHARES };

enum wl_late_reason {
	WL_LATE_SLOW_GPU,    /* all its kernels take longer by about one factor */
	WL_LATE_SHARED_GPU,  /* the same, while another process runs on its GPU */
	WL_LATE_SLOW_KERNEL, /* some of its kernels take longer */
	WL_LATE_MORE_WORK,   /* more launches, or larger grids */
	WL_LATE_HOST,        /* its host calls, or the time between them */
	WL_LATE_COPIES,
};

/* What an activity would take. */
struct wl_evened {
	uint32_t activity;
	wl_ns length;
	wl_ns gap;       /* of a call: the time since what it started after */
	bool is_dropped; /* a call that waits for the GPU as no other member does: it waits no more
			  */
};

/* A kernel on both sides: the median over slow steps. */
struct wl_late_kernel {
	uint32_t name; /* kernel name; WL_NONE: there is none */
	wl_ns own, others;
	wl_ns mean, others_mean; /* where few runs take longer medians do not show it */
	wl_ns longest;           /* run of its own */
	bool is_one_run;         /* that has half of what all take longer, or more */
	bool is_usual;           /* the ratio of medians is half of what all take longer, or more */
};

/* Another process that runs on the GPU of a straggler. */
struct wl_late_tenant {
	uint32_t process; /* WL_NONE: there is none */
	double share;     /* of the slow steps */
};

struct wl_straggler {
	uint32_t member, group; /* of matches.h */
	uint32_t set;           /* of those that are fixed together */
	wl_ns late;             /* of its suspect steps: the sum of what it arrives later */
	const bool *slow;       /* by step: it takes longer there than the others */
	size_t n_slow;
	size_t n_longest;           /* steps in which it takes longer than any other of its set */
	wl_ns saves;                /* with those of the set before it; -1: not replayed */
	double factor;              /* time-weighted median over kernels, in slow steps */
	bool is_alike;              /* nearly all of its kernels have that factor */
	enum wl_late_reason reason; /* by what takes longer most in its slow steps */
	wl_ns own[WL_N_LATE_SHARES], others[WL_N_LATE_SHARES]; /* as of the set */
	struct wl_late_tenant tenant;
};

/* What the stragglers of a set are called by. */
enum wl_late_subject {
	WL_LATE_MEMBERS,
	WL_LATE_ROTATING, /* the slow one changes from step to step */
	WL_LATE_AXIS,     /* all members of some hosts, or of a coordinate of the mesh */
	WL_LATE_UNEVEN,   /* nearly all members, another one most in each step: uneven work */
};

/* The smallest set of stragglers that saves nine tenths of what any would. */
struct wl_late_set {
	size_t lo, n;      /* stragglers, the latest first */
	wl_ns makespan;    /* measured, of all that they meet, directly or by others */
	wl_ns saving;      /* of that */
	wl_ns first;       /* what the first one alone saves */
	bool is_of_stages; /* by their own time, compared with all that they meet by others */
	bool is_at_least;  /* more may be saved (late_verdict.h) */
	wl_ns share[WL_N_LATE_SHARES];
	/* By share: its time in slow steps, and that of the others at the same positions; for HOST
	 * calls that do not wait, and the time between calls. */
	wl_ns own[WL_N_LATE_SHARES], others[WL_N_LATE_SHARES];
	enum wl_late_reason reason;
	double factor; /* of slow GPUs; of a slow kernel its own; of more work of all time */
	struct wl_late_kernel kernel[2]; /* of most excess */
	uint32_t n_slower;               /* kernel names that take longer */
	bool are_slower;                 /* nearly all of the kernels' time is in such */
	uint64_t n_own, n_others; /* kernels of slow steps; of the others the median member */
	bool is_steady;   /* chance explains neither the excess of its kernels nor its late steps */
	const bool *slow; /* by step: some straggler is slow there */
	size_t n_slow, n_steps; /* n_slow 0: nothing is said of steps */
	bool is_mixed;          /* its stragglers have different reasons */
	enum wl_late_subject subject;
	unsigned axis; /* enum wl_axis */
};

/* Members take turns: no one of them is the cause. */
static inline bool wl_late_changes(const struct wl_late_set *set)
{
	return set->subject == WL_LATE_ROTATING || set->subject == WL_LATE_UNEVEN;
}

/* What ranks have to do in a step stays the same in sum: spread evenly it saves less than no
 * surplus does. */
static inline bool wl_late_is_uneven_work(const struct wl_late_set *set)
{
	return set->subject == WL_LATE_UNEVEN && set->reason != WL_LATE_HOST &&
	       set->reason != WL_LATE_COPIES;
}

#endif
