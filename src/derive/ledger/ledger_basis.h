/* SPDX-License-Identifier: MIT */
/* ledger_basis.h - inputs of the ledger that are the same for every window of a selection, found
 * once. */
#ifndef WL_DERIVE_LEDGER_BASIS_H
#define WL_DERIVE_LEDGER_BASIS_H

#include "derive/idle/device_users.h"
#include "derive/rows/scope.h"
#include "derive/rows/slices.h"

struct wl_derived;

struct wl_ledger_basis {
	struct wl_streams streams;
	struct wl_device_users users;
	const bool *reads; /* by API row: it reads a tiny result; NULL if sizes are unknown */
	const wl_ns *first_start;     /* by kernel name; NULL without names */
	const wl_ns *last_work;       /* by device, as in struct wl_ledger */
	const struct wl_slice *sched; /* by thread; NULL if not recorded or not loaded */
};

/* Does not depend on the window of the scope. Linear in operations. False without memory. */
bool wl_ledger_basis_find(const struct wl_derived *given, const struct wl_scope *scope,
			  struct wl_arena *arena, struct wl_ledger_basis *ret) WL_MUST_CHECK;

#endif
