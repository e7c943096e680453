/* SPDX-License-Identifier: MIT */
/* late_subject.h - what stragglers have in common: their host or coordinate, who shares their GPU.
 */
#ifndef WL_DERIVE_LATE_SUBJECT_H
#define WL_DERIVE_LATE_SUBJECT_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/graph/late/late.h"
#include "derive/graph/late/late_suspects.h"

/*
 * Sets subject and axis of the set, of n stragglers: rotating if there are three or more, none has
 * more than half of the lateness, and at most a tenth of the slow steps have two of them; an axis
 * if they are exactly the members of some hosts, not of all, or of one value of a coordinate.
 * Needs matches, meshes and hosts. False when the arena is exhausted.
 */
bool wl_late_subject_find(const struct wl_derived *given, const struct wl_straggler *at,
			  struct wl_arena *arena, struct wl_late_set *set) WL_MUST_CHECK;

/*
 * Sets the tenant: a process that is in no group and runs operations on the straggler's GPU for a
 * fifth or more of its slow steps, and at least twice the share of its other steps. Linear in
 * operations. False when the arena is exhausted.
 */
bool wl_late_tenant_find(const struct wl_derived *given, const struct wl_late_suspects *cells,
			 struct wl_arena *arena, struct wl_straggler *straggler) WL_MUST_CHECK;

#endif
