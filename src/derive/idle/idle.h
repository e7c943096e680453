/* SPDX-License-Identifier: MIT */
/*
 * idle.h - the causes of idle time: every nanosecond of every gap has one.
 *
 * A gap is a maximal time in which no operation that the selection admits is
 * under way, between two of them, in the whole trace. Its causes are found before
 * anything is clipped, so that tiles of a window add up. See the table of causes
 * in enum wl_cause: the first that fits is taken.
 */
#ifndef WL_DERIVE_IDLE_H
#define WL_DERIVE_IDLE_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/calls/blocking.h"
#include "derive/calls/launch.h"
#include "derive/kinds/activity.h"
#include "derive/nvtx/forest.h"
#include "derive/rows/ops.h"
#include "derive/rows/scope.h"

struct wl_derived;

/* Queued operations follow each other within this: docs/definitions/idle.md. */
enum { WL_DISPATCH_NS = 5000 };

/* In the order in which they are tried; N is the operation that ends the gap, L its launch. */
enum wl_cause {
	WL_CAUSE_MANAGED,    /* the process of N waited for pages of managed memory */
	WL_CAUSE_UNKNOWN,    /* N has no launch, or L starts after the gap (skew) */
	WL_CAUSE_PROFILER,   /* the profiler's own overhead held the launching thread */
	WL_CAUSE_CALLBACK,   /* N was queued, or the thread waited, and a stream waited for a
				function of the host */
	WL_CAUSE_DISPATCH,   /* N was queued, and the gap is at most WL_DISPATCH_NS */
	WL_CAUSE_DEPENDENCY, /* N was queued and waited for another stream or an event */
	WL_CAUSE_LAUNCH,     /* inside L */
	WL_CAUSE_LATENCY,    /* after L ended: on its way to the GPU */
	WL_CAUSE_SYNC,       /* the thread waited in a blocking call */
	WL_CAUSE_MPI,        /* in an MPI call */
	WL_CAUSE_ALLOC,      /* in an allocation or free */
	WL_CAUSE_LOAD,       /* in module load or JIT */
	WL_CAUSE_API,        /* in another CUDA call */
	WL_CAUSE_OS,         /* in an operating system call */
	WL_CAUSE_HOST,       /* in none of these: host code */
	WL_CAUSE_UNUSED,     /* no gap: before the device's first or after its last operation */
	WL_N_CAUSES
};

const char *wl_cause_name(enum wl_cause cause); /* "unknown", ... */

/* The host was late: launch, latency, api, os and host. Openers distinguish their gaps. */
bool wl_cause_is_host_side(enum wl_cause cause);

/*
 * A part of a gap; the parts of a gap follow each other and fill it, and two
 * neighbours differ in cause or detail. The detail is a CUDA call, an OS or MPI function,
 * the profiler's word, the label of the innermost NVTX range, "skew", "no launch",
 * or NULL for none. Of rows in one another the outermost gives it. Equal details
 * of a cause are one pointer, which lives as long as the trace and derived.
 */
struct wl_gap_part {
	wl_ns begin, end;
	enum wl_cause cause;
	const char *detail;
	/* The length of the call or range that the detail names, perhaps more than the gap; of
	 * several the longest; 0 for none. */
	wl_ns whole;
};

/*
 * An operation of no length inside a gap does not split it, but may be the first
 * or the last of the device. Of several operations that end where the gap begins,
 * or start where it ends, the one on the lowest stream stands here, then the first by
 * start, then row.
 *
 * The opener is the blocking call (blocking.h) of the thread that launched `after` which
 * emptied the launch queue: it began before the gap, and ended inside it or at most 2 us before
 * it began. Calls inside another blocking call do not count; of several, the one that
 * ends last is the opener. It coincides in time with the gap, which does not prove that
 * it caused it. A gap whose cause is unknown has no opener.
 */
struct wl_gap {
	uint32_t device;
	wl_ns begin, end; /* not clipped */
	struct wl_op before, after;
	uint32_t call;            /* API row that launched after; WL_NONE */
	uint32_t opener;          /* API row of the call that emptied the launch queue; WL_NONE */
	const char *opener_range; /* label of the innermost NVTX range around it; NULL */
	const struct wl_gap_part *part;
	size_t n_parts;
};

/* The name of the call that opened the gap; NULL for none. Equal names are one pointer. */
const char *wl_gap_opened_by(const struct wl_trace *trace, const struct wl_gap *gap);

/* Called for each gap in order of time; the parts are valid during the call only. */
typedef void wl_gap_fn(void *ctx, const struct wl_gap *gap);

/* Whether a gap is to be visited. Its opener and its parts, which cost most, are not found yet. */
typedef bool wl_gap_wanted(void *ctx, const struct wl_gap *gap);

struct wl_gap_visitor {
	wl_gap_fn *take;
	void *ctx;
	wl_gap_wanted *wants; /* NULL: all */
	/*
	 * Of the places that the scope admits: only gaps with a part in the window are visited,
	 * which takes the time of these. NULL: all gaps, in the time of the whole trace.
	 */
	const struct wl_activity *activity;
	struct wl_interval window;
};

struct wl_idle; /* what threads did, ready to be asked; derive/idle/idle_parts.h */

/*
 * Find whose clocks are skewed and what calls surround what. In calls alone host has no
 * detail and there is no os, which launch and all before it in enum wl_cause do not need;
 * the other adds these and mpi. False when the arena is exhausted. Linear in host rows and
 * operations.
 */
bool wl_idle_in_calls_find(const struct wl_derived *given, struct wl_arena *arena,
			   struct wl_idle *ret) WL_MUST_CHECK;
bool wl_idle_find(const struct wl_derived *given, struct wl_arena *arena,
		  struct wl_idle *ret) WL_MUST_CHECK;

/*
 * Visit all gaps of a device between operations whose place the scope admits;
 * the window of the scope does not matter. Devices may be visited in parallel. Linear in the
 * device's operations and the host rows of the threads that launched them. The
 * arena is for scratch. False when it is exhausted.
 */
bool wl_idle_visit(const struct wl_idle *idle, const struct wl_scope *scope, uint32_t device,
		   struct wl_arena *arena, const struct wl_gap_visitor *visitor) WL_MUST_CHECK;

/*
 * The opener and its range of one gap, from begin, end and call. Logarithmic; calls nested
 * more than 64 deep are not looked at.
 */
void wl_idle_find_opener(const struct wl_idle *idle, struct wl_gap *gap);

/* First start and last end of the admitted operations of a device; false if it has none. Linear. */
bool wl_device_extent(const struct wl_trace *trace, const struct wl_scope *scope, uint32_t device,
		      struct wl_interval *ret);

/* More than half of the process's operations begin before their launch: no cause is known. */
bool wl_idle_is_skewed(const struct wl_idle *idle, uint32_t process);

/* wl_skew_mean() of the process. */
wl_ns wl_idle_skew(const struct wl_idle *idle, uint32_t process);

/*
 * The gap lies between two migrations by page faults of a process whose CPU page faults were not
 * recorded: its cause is managed, though the host may compute between two faults.
 */
bool wl_idle_is_between_migrations(const struct wl_idle *idle, const struct wl_gap *gap);

/* The trace has OS runtime calls of the process; without them an OS wait looks like host code. */
bool wl_idle_sees_os(const struct wl_idle *idle, uint32_t process);

#endif
