/* SPDX-License-Identifier: MIT */
/*
 * group_roles.h - what groups that communicate look like, by where their members are.
 *
 * Neighbours of a pipeline (PP) meet in SendRecv alone. Tensor parallelism (TP) is in many small
 * groups of neighbours on one host, the smallest ones; data parallelism (DP) joins members at equal
 * positions, of different hosts or, on one host, at equal distances. One group alone proves no such
 * pattern, nor does that of all members. This is inferred: programs may lay out ranks
 * otherwise.
 */
#ifndef WL_DERIVE_GROUP_ROLES_H
#define WL_DERIVE_GROUP_ROLES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/comm/hosts.h"
#include "derive/comm/match/matches.h"

enum wl_group_role { WL_GROUP_ANY, WL_GROUP_TP, WL_GROUP_DP, WL_GROUP_PP, WL_N_GROUP_ROLES };

const char *wl_group_role_name(enum wl_group_role role); /* "TP", ...; "" for any */

/* By group. Linear in members of groups and in sets. NULL when the arena is exhausted. */
const enum wl_group_role *wl_group_roles_find(const struct wl_matches *matches,
					      const struct wl_hosts *hosts,
					      struct wl_arena *arena) WL_MUST_CHECK;

#endif
