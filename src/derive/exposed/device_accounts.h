/* SPDX-License-Identifier: MIT */
/* device_accounts.h - the time account of each device's window. */
#ifndef WL_DERIVE_DEVICE_ACCOUNTS_H
#define WL_DERIVE_DEVICE_ACCOUNTS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/exposed/account.h"

struct wl_derived;

struct wl_device_account {
	uint32_t process; /* the only process there; WL_NONE if there are several or none */
	struct wl_account time;
};

/* Counts for the notes below an account of operations. */
struct wl_account_notes {
	size_t n_graphs;      /* graph replays recorded as a whole */
	size_t n_comm_copies; /* copies inside NCCL calls, which communicate */
};

struct wl_device_accounts {
	const struct wl_device_account *device; /* by device; empty for devices outside the scope */
	struct wl_account_notes notes;
};

/* Covers the operations that the scope admits; linear in their number. */
struct wl_account_notes wl_account_notes_find(const struct wl_trace *trace,
					      const struct wl_scope *scope,
					      const struct wl_classes *classes);

/*
 * Devices are handled in parallel, with one pass over the operations of each. The arena owns the
 * result; false when it is exhausted.
 */
bool wl_device_accounts_find(const struct wl_derived *given, const struct wl_scope *scope,
			     struct wl_arena *arena, struct wl_device_accounts *ret) WL_MUST_CHECK;

#endif
