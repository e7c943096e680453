/* SPDX-License-Identifier: MIT */
/*
 * exposure.h - exposed communication of groups of operations.
 *
 * A device's compute hides its communication, regardless of the compute's group and of the
 * selection. A group is anything that operations belong to: a stream, a stage, a kind of
 * collective. Two groups may be exposed at once, so groups need not add up to the device.
 */
#ifndef WL_DERIVE_EXPOSURE_H
#define WL_DERIVE_EXPOSURE_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/kinds/activity.h"
#include "derive/rows/ops.h"
#include "derive/rows/scope.h"

/* Sums over single operations that communicate. They saturate at INT64_MAX. */
struct wl_comm_parts {
	wl_ns sum, exposed_sum;
	/* Extremes of the hidden share over operations of nonzero length; valid if has_overlap. */
	double overlap_min, overlap_max;
	bool has_overlap;
};

struct wl_exposure {
	wl_ns compute, comm, copy; /* lengths of unions of the group's own operations */
	wl_ns exposed;             /* part of comm outside the device's compute */
	wl_ns exposed_copy;        /* part of copy outside the device's compute and communication */
	struct wl_comm_parts parts;
	size_t n_ops; /* operations of all classes, including those of zero length */
	size_t n_comm, n_comm_kernels, n_graphs; /* among these; n_comm includes copies */
};

struct wl_exposures {
	size_t n;
	const struct wl_exposure *group;
	struct wl_exposure device; /* all operations as one group */
};

/*
 * The group of an operation, numbered densely from 0 in any order. An operation may be left out and
 * then counts only for the device. FAIL when memory is exhausted.
 */
#define WL_GROUP_FAIL UINT32_MAX
#define WL_NO_GROUP   (UINT32_MAX - 1)
typedef uint32_t wl_group_of(void *ctx, const struct wl_op *op);

/*
 * Group the operations of a device that the scope admits; all is the device's whole activity.
 * group_of may be NULL for the device alone. One pass over the operations, with logarithmic time
 * for each that communicates or copies. The arena owns the groups; false when it is exhausted or on
 * FAIL.
 */
bool wl_exposure_find(const struct wl_trace *trace, const struct wl_scope *scope,
		      const struct wl_classes *classes, const struct wl_activity *all,
		      wl_group_of *group_of, void *ctx, struct wl_arena *arena,
		      struct wl_exposures *ret) WL_MUST_CHECK;

/*
 * The parts of communication in each of n ordered tiles that do not overlap. An operation that
 * spans several tiles counts in each with the part inside. compute is the time when the device
 * computes, within the scope. Linear, plus logarithmic time per operation that communicates, no
 * matter how many tiles it spans. False when the arena is exhausted.
 */
bool wl_exposure_tiles(const struct wl_trace *trace, const struct wl_scope *scope,
		       const struct wl_classes *classes, uint32_t device,
		       const struct wl_intervals *compute, const struct wl_interval *tiles,
		       size_t n, struct wl_arena *arena, struct wl_comm_parts *ret) WL_MUST_CHECK;

/*
 * The exposure of n operations that communicate, given as intervals in order of start. compute is
 * the time when the device computes. Takes logarithmic time per operation.
 */
void wl_exposure_of_comm(const struct wl_intervals *compute, const struct wl_interval *ops,
			 size_t n, struct wl_exposure *ret);

/* Add the parts of b to a. */
void wl_comm_parts_join(struct wl_comm_parts *a, const struct wl_comm_parts *b);

#endif
