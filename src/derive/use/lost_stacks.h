/* SPDX-License-Identifier: MIT */
/* lost_stacks.h - the call stacks of the launching threads in each atom of the ledger. */
#ifndef WL_DERIVE_LOST_STACKS_H
#define WL_DERIVE_LOST_STACKS_H

#include "derive/ledger/ledger.h"
#include "derive/use/stack_groups.h"

struct wl_lost_stacks {
	const struct wl_group_stacks *lane; /* by lane of the ledger; its groups are atoms */
};

/*
 * Atoms with other causes, and time off the CPU without a stack, are in no group. Lanes that no
 * finding is about (of_device) are empty. Owned by the arena; false when that is exhausted.
 */
bool wl_lost_stacks_find(const struct wl_derived *given, const struct wl_scope *scope,
			 struct wl_arena *arena, struct wl_lost_stacks *ret) WL_MUST_CHECK;

#endif
