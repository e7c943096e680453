/* SPDX-License-Identifier: MIT */
/* device_users.h - the processes that use each device, with their time on it. */
#ifndef WL_DERIVE_DEVICE_USERS_H
#define WL_DERIVE_DEVICE_USERS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/iters/iters.h"
#include "derive/rows/scope.h"
#include "derive/rows/streams.h"

struct wl_device_user {
	uint32_t device, process;
	wl_ns time; /* total duration of its operations there; saturates at INT64_MAX */
};

struct wl_device_users {
	size_t n;
	const struct wl_device_user *at; /* by device, then process */
};

/*
 * Counts all operations whose place the scope admits, regardless of the window. A user may have no
 * time. Needs place and dur of operations. Owned by the arena; false when that is exhausted.
 * Linear.
 */
bool wl_device_users_find(const struct wl_trace *trace, const struct wl_scope *scope,
			  const struct wl_streams *streams, struct wl_arena *arena,
			  struct wl_device_users *ret) WL_MUST_CHECK;

/*
 * The process whose iterations the device uses: among its users with iterations, the one with the
 * most time, the first on a tie; WL_NONE for none. Linear in the device's users and logarithmic in
 * the others.
 */
uint32_t wl_device_iterates_with(const struct wl_device_users *users,
				 const struct wl_iterations *iterations, uint32_t device);

#endif
