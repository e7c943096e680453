/* SPDX-License-Identifier: MIT */
/* device_accounts.h - the time account of each device's window. */
#ifndef WL_DERIVE_DEVICE_ACCOUNTS_H
#define WL_DERIVE_DEVICE_ACCOUNTS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/exposed/account.h"

struct wl_derived;

struct wl_device_account {
	uint32_t process; /* the only one there; WL_NONE for several, and for none */
	struct wl_account time;
};

/* What an account of operations says below it. */
struct wl_account_notes {
	size_t n_graphs;      /* replays that were recorded whole */
	size_t n_comm_copies; /* copies inside NCCL calls, which communicate */
};

struct wl_device_accounts {
	const struct wl_device_account *device; /* those that the scope does not have are empty */
	struct wl_account_notes notes;
};

/* Of operations that the scope admits. Linear in them. */
struct wl_account_notes wl_account_notes_find(const struct wl_trace *trace,
					      const struct wl_scope *scope,
					      const struct wl_classes *classes);

/*
 * By device, in parallel: one pass over its operations. Owned by the arena; false when that is
 * exhausted.
 */
bool wl_device_accounts_find(const struct wl_derived *given, const struct wl_scope *scope,
			     struct wl_arena *arena, struct wl_device_accounts *ret) WL_MUST_CHECK;

#endif
