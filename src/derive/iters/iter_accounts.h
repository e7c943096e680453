/* SPDX-License-Identifier: MIT */
/*
 * iter_accounts.h - the time account of devices, iteration by iteration.
 *
 * The window of a device is cut into the tiles of a process's iterations and the time before,
 * between and after them. All operations of the device count, including those of other processes:
 * if only one process uses a device, its rows add up to the device's account. A device none of
 * whose processes has iterations gets one row.
 */
#ifndef WL_DERIVE_ITER_ACCOUNTS_H
#define WL_DERIVE_ITER_ACCOUNTS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/exposed/device_accounts.h"
#include "derive/iters/iters.h"

struct wl_derived;

struct wl_iter_account {
	uint32_t process; /* WL_NONE: several without iterations, or none */
	uint32_t iter;    /* of the process; WL_NONE for the rest of the window */
	struct wl_account time;
};

struct wl_device_iters {
	const struct wl_iter_account
		*at; /* by process, then iteration; the rest of the window last */
	size_t n;
};

struct wl_iter_accounts {
	const struct wl_device_iters *device; /* empty for devices outside the scope */
	struct wl_account_notes notes;
};

/*
 * By device, for each process with iterations and with operations there that the scope admits;
 * without such a process, for the window as a whole. One pass over a device's operations for each
 * of its processes, devices in parallel. Owned by the arena; false when that is exhausted.
 */
bool wl_iter_accounts_find(const struct wl_derived *given, const struct wl_scope *scope,
			   struct wl_arena *arena, struct wl_iter_accounts *ret) WL_MUST_CHECK;

#endif
