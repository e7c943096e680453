/* SPDX-License-Identifier: MIT */
/* late.h - a straggler: a member that others wait for, what fixing it saves, and why it is late. */
#ifndef WL_DERIVE_LATE_H
#define WL_DERIVE_LATE_H

#include "model/trace.h"

enum wl_late_share { WL_LATE_BY_KERNELS, WL_LATE_BY_COPIES, WL_LATE_BY_HOST, WL_N_LATE_SHARES };

enum wl_late_reason {
	WL_LATE_SLOW_GPU,    /* all its kernels take longer by about one factor */
	WL_LATE_SLOW_KERNEL, /* some of its kernels take longer */
	WL_LATE_MORE_WORK,   /* more launches, or larger grids */
	WL_LATE_HOST,        /* its host calls, or the time between them */
	WL_LATE_COPIES,
};

const char *wl_late_reason_name(enum wl_late_reason reason); /* "slow GPU", ... */

/* A kernel on both sides: the median over positions, of the others that of their medians. */
struct wl_late_kernel {
	uint32_t name; /* kernel name; WL_NONE: there is none */
	wl_ns own, others;
};

struct wl_straggler {
	uint32_t member, group; /* of matches.h */
	wl_ns makespan;         /* measured, of all that it meets, directly or by others */
	wl_ns saving;           /* of that */
	wl_ns share[WL_N_LATE_SHARES];
	/* By share: its time, and that of the others' medians at the same positions; of the host,
	 * calls and the time between them without waits for the GPU. */
	wl_ns own[WL_N_LATE_SHARES], others[WL_N_LATE_SHARES];
	enum wl_late_reason reason;
	/* Its kernels beside the others': the time-weighted median over positions; of a slow
	 * kernel the mean length beside theirs; of more work, all of its time beside theirs. */
	double factor;
	struct wl_late_kernel kernel[2]; /* of most time; of a slow kernel, of most excess */
	uint64_t n_own, n_others;        /* kernels; of the others the median */
	bool is_steady; /* by what its kernels take longer varies little between steps */
};

#endif
