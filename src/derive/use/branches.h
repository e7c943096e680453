/* SPDX-License-Identifier: MIT */
/*
 * branches.h - the GPU work of the branches of the NVTX tree: their own work without that of the
 * ranges inside them, exposed communication, and iterations.
 *
 * A branch is a fold (folds.h) or, in an unfolded tree, a single range. range_use.h says which
 * operations belong to it; bridging is left out. The union of a branch's operations is the same
 * number as there.
 */
#ifndef WL_DERIVE_BRANCHES_H
#define WL_DERIVE_BRANCHES_H

#include "derive/iters/iters.h"
#include "derive/kinds/classes.h"
#include "derive/nvtx/folds.h"
#include "derive/rows/scope.h"
#include "derive/use/range_use.h"

/* All values cover the parts in the window; lengths are those of unions per device, summed over
 * devices. */
struct wl_branch_use {
	struct wl_gpu_use gpu;
	wl_ns own;     /* of operations launched in no push/pop range inside it */
	wl_ns comm;    /* of communication */
	wl_ns exposed; /* of comm: outside the device's compute, as in exposure.h */
};

struct wl_branch_uses {
	size_t n;
	const struct wl_branch_use *of; /* by branch */
	struct wl_branch_use outside;   /* operations in no push/pop range */
	struct wl_branch_use all;       /* all operations as one branch */
	/*
	 * [branch * n_iterations + iteration]: what each iteration adds to gpu.busy, with
	 * iterations of the same number summed over processes. Operations of no iteration are left
	 * out. NULL if there are no iterations, or WL_MAX_BRANCH_CELLS are too few.
	 */
	size_t n_iterations;
	const wl_ns *busy_at;
};

enum { WL_MAX_BRANCH_CELLS = 1 << 21 };

struct wl_branch_spec {
	const struct wl_forest *forest;
	/* NULL: each range is a branch, nodes first and then spans. Otherwise, the folds of the
	 * forest. */
	const struct wl_folds *folds;
	const struct wl_iterations *iterations; /* NULL: not wanted */
};

/*
 * Owned by the arena; false when that is exhausted. Linear in operations times the ranges each one
 * is in, plus a logarithm for each that communicates.
 */
bool wl_branch_uses_find(const struct wl_derived *derived, const struct wl_scope *scope,
			 const struct wl_branch_spec *spec, struct wl_arena *arena,
			 struct wl_branch_uses *ret) WL_MUST_CHECK;

#endif
