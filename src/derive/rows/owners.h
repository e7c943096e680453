/* SPDX-License-Identifier: MIT */
/* owners.h - the process that a device belongs to, if there is only one. */
#ifndef WL_DERIVE_OWNERS_H
#define WL_DERIVE_OWNERS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

/*
 * By device: its only process; WL_NONE for several or none. Owned by the arena; NULL when that is
 * exhausted.
 */
const uint32_t *wl_owners_find(const struct wl_trace *trace, struct wl_arena *arena) WL_MUST_CHECK;

#endif
