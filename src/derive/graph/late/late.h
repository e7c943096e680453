/* SPDX-License-Identifier: MIT */
/* late.h - stragglers: members that others wait for, what fixing them saves, and why they are late.
 */
#ifndef WL_DERIVE_LATE_H
#define WL_DERIVE_LATE_H

#include "model/trace.h"

enum wl_late_share { WL_LATE_BY_KERNELS, WL_LATE_BY_COPIES, WL_LATE_BY_HOST, WL_N_LATE_SHARES };

enum wl_late_reason {
	WL_LATE_SLOW_GPU,    /* all its kernels take longer by about the same factor */
	WL_LATE_SHARED_GPU,  /* the same while another process runs on its GPU */
	WL_LATE_SLOW_KERNEL, /* some of its kernels take longer */
	WL_LATE_MORE_WORK,   /* more launches, or larger grids */
	WL_LATE_HOST,        /* longer host calls, or more time between them */
	WL_LATE_COPIES,
};

/* The time that an activity would take. */
struct wl_evened {
	uint32_t activity;
	wl_ns length;
	wl_ns gap;       /* for a call: the time since the end of what it follows */
	bool is_dropped; /* a call that waits for the GPU where no other member has one: it no
			    longer waits */
};

/* A kernel of the member and of the others: medians over slow steps. */
struct wl_late_kernel {
	uint32_t name; /* kernel name; WL_NONE for none */
	wl_ns own, others;
	wl_ns mean, others_mean; /* means; medians do not show that a few runs take longer */
	wl_ns longest;           /* the member's longest run */
	bool is_one_run;         /* that run accounts for at least half of the excess */
	bool is_usual;           /* the ratio of medians accounts for at least half of the excess */
};

/* Another process that runs on the GPU of a straggler. */
struct wl_late_tenant {
	uint32_t process; /* WL_NONE: there is none */
	double share;     /* share of the slow steps */
};

struct wl_straggler {
	uint32_t member, group; /* numbers in matches.h */
	uint32_t set;           /* the set that is fixed together */
	wl_ns late;             /* the sum of its lateness over its suspect steps */
	const bool *slow;       /* by step: it takes longer than the others */
	size_t n_slow;
	size_t n_longest; /* steps in which it takes longer than any other of its set */
	wl_ns saves;      /* together with those before it in the set; -1 if not replayed */
	double factor;    /* time-weighted median over kernels, in slow steps */
	bool is_alike;    /* nearly all of its kernels have this factor */
	enum wl_late_reason reason; /* the largest excess in its slow steps */
	wl_ns own[WL_N_LATE_SHARES], others[WL_N_LATE_SHARES]; /* as in the set */
	struct wl_late_tenant tenant;
};

/* How the stragglers of a set are described. */
enum wl_late_subject {
	WL_LATE_MEMBERS,
	WL_LATE_ROTATING, /* the slow one changes from step to step */
	WL_LATE_AXIS,     /* all members of some hosts, or of one coordinate of the mesh */
	WL_LATE_UNEVEN,   /* nearly all members, a different one each step: uneven work */
};

/* The smallest set of stragglers that saves nine tenths of the most that any set saves. */
struct wl_late_set {
	size_t lo, n;   /* stragglers, latest first */
	wl_ns makespan; /* measured, over all members that they meet directly or through others */
	wl_ns saving;   /* of that */
	wl_ns first;    /* what the first straggler alone saves */
	bool is_of_stages; /* found by their own time, compared with all that they meet through
			      others */
	bool is_at_least;  /* the saving may be larger (late_verdict.h) */
	wl_ns share[WL_N_LATE_SHARES];
	/* By share: its time in slow steps, and the others' time at the same positions; the host
	 * share covers calls that do not wait and the time between calls. */
	wl_ns own[WL_N_LATE_SHARES], others[WL_N_LATE_SHARES];
	enum wl_late_reason reason;
	double factor; /* of slow GPUs; for a slow kernel, its own; for more work, of all time */
	struct wl_late_kernel kernel[2]; /* those with the largest excess */
	uint32_t n_slower;               /* kernel names that take longer */
	bool are_slower;                 /* nearly all of the kernels' time is in these */
	uint64_t n_own, n_others; /* kernels of slow steps; n_others: of the median member among the
				     others */
	bool is_steady;   /* neither the excess of its kernels nor its late steps are explained by
			     chance */
	const bool *slow; /* by step: some straggler is slow */
	size_t n_slow, n_steps; /* with n_slow 0, steps are not reported */
	bool is_mixed;          /* its stragglers have different reasons */
	enum wl_late_subject subject;
	unsigned axis; /* enum wl_axis */
};

/* Members take turns, so no single one is the cause. */
static inline bool wl_late_changes(const struct wl_late_set *set)
{
	return set->subject == WL_LATE_ROTATING || set->subject == WL_LATE_UNEVEN;
}

/* The ranks' total work per step is fixed, so spreading it evenly saves less than removing the
 * surplus. */
static inline bool wl_late_is_uneven_work(const struct wl_late_set *set)
{
	return set->subject == WL_LATE_UNEVEN && set->reason != WL_LATE_HOST &&
	       set->reason != WL_LATE_COPIES;
}

#endif
