/* SPDX-License-Identifier: MIT */
/*
 * pairs.h - the time for which any two sets of a device's operations overlap.
 *
 * The sets are the three classes and the kinds of collective. One pass sums the time of every
 * combination of sets; the pairs follow from these sums.
 */
#ifndef WL_DERIVE_PAIRS_H
#define WL_DERIVE_PAIRS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/comm/collectives.h"
#include "derive/kinds/classes.h"
#include "derive/rows/scope.h"

struct wl_derived;

/* A set is a class, or WL_N_CLASSES + a kind of collective. */
enum { WL_N_SETS = WL_N_CLASSES + WL_N_COLLECTIVES };

struct wl_pairs {
	wl_ns ns[WL_N_SETS][WL_N_SETS]; /* time for which both are active; on the diagonal: the
					   set's busy time */
	size_t n_ops[WL_N_SETS];        /* operations of the set, including those of zero length */
	size_t n_graphs, n_comm_kernels;
};

/*
 * Covers the operations of a device that the scope admits, using the derivations classes and
 * collectives. Linear in its operations. The arena is used for scratch; false when it is exhausted.
 */
bool wl_pairs_find(const struct wl_derived *derived, const struct wl_scope *scope, uint32_t device,
		   struct wl_arena *arena, struct wl_pairs *ret) WL_MUST_CHECK;

#endif
