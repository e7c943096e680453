/* SPDX-License-Identifier: MIT */
/*
 * iter_use.h - where the time of each iteration went, on each device of its process.
 *
 * Unlike in iter_accounts.h, a window does not cut: an iteration that begins inside it counts as a
 * whole, and one that begins before it does not count.
 */
#ifndef WL_DERIVE_ITER_USE_H
#define WL_DERIVE_ITER_USE_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/iters/iters.h"

struct wl_derived;
struct wl_scope;

struct wl_iter_use {
	wl_ns compute, exposed_comm, exposed_copy, idle;
	size_t n_kernels, n_graphs;
	bool knows_comm; /* exposed_comm is known (account.h) */
};

/* A process's iterations on one of its devices. */
struct wl_iter_strip {
	uint32_t process, device;
	uint32_t first; /* the iteration of at[0]; the others follow */
	size_t n;
	const struct wl_iter_use *at;
	const wl_ns *idle_before; /* by iteration of the process, also outside the window */
};

struct wl_iter_uses {
	const struct wl_iter_strip *strip; /* by process and device */
	size_t n;
};

/*
 * Covers processes with iterations, on devices where the scope admits a place of theirs that had
 * operations. One pass over a device's operations for each of its processes. Owned by the arena;
 * false when that is exhausted.
 */
bool wl_iter_use_find(const struct wl_derived *given, const struct wl_scope *scope,
		      struct wl_arena *arena, struct wl_iter_uses *ret) WL_MUST_CHECK;

#endif
