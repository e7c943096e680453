/* SPDX-License-Identifier: MIT */
/*
 * idle.h - the causes of idle time: every nanosecond of every gap has one.
 *
 * A gap is a maximal interval between two operations that the selection admits, in the whole trace,
 * in which no such operation is under way. Its causes are found before clipping, which makes tiles
 * of a window add up. The causes are listed in enum wl_cause; the first that fits is taken.
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

/* Queued operations follow each other within this time: docs/definitions/idle.md. */
enum { WL_DISPATCH_NS = 5000 };

/* In the order in which they are tried; N is the operation that ends the gap, L its launch. */
enum wl_cause {
	WL_CAUSE_MANAGED,    /* the process of N waited for pages of managed memory */
	WL_CAUSE_UNKNOWN,    /* N has no launch, or L starts after the gap (skew) */
	WL_CAUSE_PROFILER,   /* the profiler's own overhead held the launching thread */
	WL_CAUSE_CALLBACK,   /* N was queued, or the thread waited, and a stream waited for a host
				function */
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
	WL_CAUSE_HOST,       /* none of these: host code */
	WL_CAUSE_UNUSED,     /* no gap: before the device's first or after its last operation */
	WL_N_CAUSES
};

const char *wl_cause_name(enum wl_cause cause); /* "unknown", ... */

/* Whether the host was late: launch, latency, api, os and host. Gaps with these causes are
 * distinguished by their openers. */
bool wl_cause_is_host_side(enum wl_cause cause);

/*
 * A part of a gap. The parts of a gap are adjacent and fill it; neighbours differ in cause or
 * detail. The detail is a CUDA call, an OS or MPI function, the overhead as the profiler names it,
 * the label of the innermost NVTX range, "skew", "no launch", or NULL for none. If rows are nested,
 * the outermost gives the detail. Equal details of a cause share one pointer, which lives as long
 * as the trace and derived.
 */
struct wl_gap_part {
	wl_ns begin, end;
	enum wl_cause cause;
	const char *detail;
	/* The length of the call or range that the detail names, the longest of several; may exceed
	 * the gap; 0 for none. */
	wl_ns whole;
};

/*
 * An operation of no length inside a gap does not split it, but may be the first or the last of the
 * device. If several operations end where the gap begins, or start where it ends, this is the one
 * on the lowest stream, then the first by start, then by row.
 *
 * The opener is the blocking call (blocking.h) that emptied the launch queue, made by the thread
 * that launched `after`. It began before the gap and ended inside the gap or at most 2 us before
 * it. Calls inside another blocking call do not count; if there are several, the one that ends last
 * is the opener. That it coincides with the gap does not prove that it caused the gap. A gap whose
 * cause is unknown has no opener.
 */
struct wl_gap {
	uint32_t device;
	wl_ns begin, end; /* not clipped */
	struct wl_op before, after;
	uint32_t call;            /* API row that launched `after`; WL_NONE */
	uint32_t opener;          /* API row of the call that emptied the launch queue; WL_NONE */
	const char *opener_range; /* label of the innermost NVTX range around the opener; NULL */
	const struct wl_gap_part *part;
	size_t n_parts;
};

/* The name of the call that opened the gap; NULL for none. Equal names share one pointer. */
const char *wl_gap_opened_by(const struct wl_trace *trace, const struct wl_gap *gap);

/* Called for each gap in order of time; the parts are valid during the call only. */
typedef void wl_gap_fn(void *ctx, const struct wl_gap *gap);

/* Whether to visit a gap. Its opener and parts, the expensive ones to find, are not known yet. */
typedef bool wl_gap_wanted(void *ctx, const struct wl_gap *gap);

struct wl_gap_visitor {
	wl_gap_fn *take;
	void *ctx;
	wl_gap_wanted *wants; /* NULL: all */
	/*
	 * The activity of the places that the scope admits: only gaps with a part in the window are
	 * visited, at their cost alone. NULL: all gaps are visited, at the cost of the whole trace.
	 */
	const struct wl_activity *activity;
	struct wl_interval window;
};

struct wl_idle; /* what threads did, prepared for lookups; derive/idle/idle_parts.h */

/*
 * Find the processes with skewed clocks, and how calls are nested. The variant for calls alone
 * gives host no detail and has no os, which launch and the causes before it in enum wl_cause do not
 * need; the other adds these and mpi. False when the arena is exhausted. Linear in host rows and
 * operations.
 */
bool wl_idle_in_calls_find(const struct wl_derived *given, struct wl_arena *arena,
			   struct wl_idle *ret) WL_MUST_CHECK;
bool wl_idle_find(const struct wl_derived *given, struct wl_arena *arena,
		  struct wl_idle *ret) WL_MUST_CHECK;

/*
 * Visit all gaps of a device between operations whose place the scope admits, regardless of the
 * scope's window. Devices may be visited in parallel. Linear in the device's operations and the
 * host rows of the threads that launched them. The arena is scratch space. False when it is
 * exhausted.
 */
bool wl_idle_visit(const struct wl_idle *idle, const struct wl_scope *scope, uint32_t device,
		   struct wl_arena *arena, const struct wl_gap_visitor *visitor) WL_MUST_CHECK;

/*
 * Find the opener of one gap and its range, from begin, end and call. Logarithmic; calls nested
 * more than 64 deep are ignored.
 */
void wl_idle_find_opener(const struct wl_idle *idle, struct wl_gap *gap);

/* First start and last end of the admitted operations of a device; false if it has none. Linear. */
bool wl_device_extent(const struct wl_trace *trace, const struct wl_scope *scope, uint32_t device,
		      struct wl_interval *ret);

/* Whether more than half of the process's operations begin before their launch; no cause is known
 * then. */
bool wl_idle_is_skewed(const struct wl_idle *idle, uint32_t process);

/* wl_skew_mean() of the process. */
wl_ns wl_idle_skew(const struct wl_idle *idle, uint32_t process);

/*
 * Whether the gap lies between two page-fault migrations of a process whose CPU page faults were
 * not recorded. Its cause is then managed, although the host may compute between two faults.
 */
bool wl_idle_is_between_migrations(const struct wl_idle *idle, const struct wl_gap *gap);

/* Whether the trace has OS runtime calls of the process; without them, OS waits look like host
 * code. */
bool wl_idle_sees_os(const struct wl_idle *idle, uint32_t process);

#endif
