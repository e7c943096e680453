/* SPDX-License-Identifier: MIT */
/*
 * exposure.h - exposed communication of groups of operations.
 *
 * A device's compute hides its communication, whichever group the compute is in,
 * and whether or not a selection admits it. A group is anything that operations
 * belong to: a stream, a stage, a kind of collective. Two groups may be exposed at
 * once, so groups need not add up to the device.
 */
#ifndef WL_DERIVE_EXPOSURE_H
#define WL_DERIVE_EXPOSURE_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/kinds/activity.h"
#include "derive/rows/ops.h"
#include "derive/rows/scope.h"

/* Of operations that communicate, each by itself. Sums stop at INT64_MAX. */
struct wl_comm_parts {
	wl_ns sum, exposed_sum;
	/* The hidden share of an operation that has a length; valid where has_overlap. */
	double overlap_min, overlap_max;
	bool has_overlap;
};

struct wl_exposure {
	wl_ns compute, comm, copy; /* of the group's own operations: lengths of unions */
	wl_ns exposed;             /* of comm: outside the device's compute */
	wl_ns exposed_copy;        /* of copy: outside the device's compute and communication */
	struct wl_comm_parts parts;
	size_t n_ops;                            /* of all classes, also those without length */
	size_t n_comm, n_comm_kernels, n_graphs; /* among them; comm also has copies */
};

struct wl_exposures {
	size_t n;
	const struct wl_exposure *group;
	struct wl_exposure device; /* of all operations as one group */
};

/*
 * The group of an operation, numbered densely from 0 in any order. An operation may
 * be left out, and is then the device's only. FAIL when memory is exhausted.
 */
#define WL_GROUP_FAIL UINT32_MAX
#define WL_NO_GROUP   (UINT32_MAX - 1)
typedef uint32_t wl_group_of(void *ctx, const struct wl_op *op);

/*
 * What the scope admits of a device, whose whole activity is given, in groups; group_of may be NULL
 * for the device alone. One pass over its operations, with a logarithm for each that communicates
 * or copies. Groups are owned by the arena; false when that is exhausted or on FAIL.
 */
bool wl_exposure_find(const struct wl_trace *trace, const struct wl_scope *scope,
		      const struct wl_classes *classes, const struct wl_activity *all,
		      wl_group_of *group_of, void *ctx, struct wl_arena *arena,
		      struct wl_exposures *ret) WL_MUST_CHECK;

/*
 * The parts of communication in each of n tiles in order that do not overlap. An
 * operation that reaches into several counts in each with what is inside. compute
 * is when the device computes, within the scope. Linear but for a logarithm per
 * operation that communicates, however many tiles it reaches into. False when the
 * arena is exhausted.
 */
bool wl_exposure_tiles(const struct wl_trace *trace, const struct wl_scope *scope,
		       const struct wl_classes *classes, uint32_t device,
		       const struct wl_intervals *compute, const struct wl_interval *tiles,
		       size_t n, struct wl_arena *arena, struct wl_comm_parts *ret) WL_MUST_CHECK;

/*
 * A group of n operations that communicate, in order of begin, whatever they are kept in. compute
 * is when the device computes. A logarithm per operation.
 */
void wl_exposure_of_comm(const struct wl_intervals *compute, const struct wl_interval *ops,
			 size_t n, struct wl_exposure *ret);

/* Make a the parts of both. */
void wl_comm_parts_join(struct wl_comm_parts *a, const struct wl_comm_parts *b);

#endif
