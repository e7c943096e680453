/* SPDX-License-Identifier: MIT */
/* late_subject.h - what stragglers have in common: host or coordinate, and processes that share
 * their GPU. */
#ifndef WL_DERIVE_LATE_SUBJECT_H
#define WL_DERIVE_LATE_SUBJECT_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/graph/late/late.h"
#include "derive/graph/late/late_suspects.h"

/*
 * Sets subject and axis of the set, of n stragglers: rotating if there are three or more, none has
 * more than half of the lateness, and at most a tenth of the slow steps have two of them; an axis
 * if they are exactly the members of some but not all hosts, or of one value of a coordinate. Needs
 * matches, meshes and hosts. False when the arena is exhausted.
 */
bool wl_late_subject_find(const struct wl_derived *given, const struct wl_straggler *at,
			  struct wl_arena *arena, struct wl_late_set *set) WL_MUST_CHECK;

/*
 * Sets the tenant: a process in no group that runs operations on the straggler's GPU for at least a
 * fifth of its slow steps, and for at least twice its share of the other steps. Linear in
 * operations. False when the arena is exhausted.
 */
bool wl_late_tenant_find(const struct wl_derived *given, const struct wl_late_suspects *cells,
			 struct wl_arena *arena, struct wl_straggler *straggler) WL_MUST_CHECK;

#endif
