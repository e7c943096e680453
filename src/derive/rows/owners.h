/* SPDX-License-Identifier: MIT */
/* owners.h - the process that a device belongs to, where it is one. */
#ifndef WL_DERIVE_OWNERS_H
#define WL_DERIVE_OWNERS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

/*
 * By device the only process there; WL_NONE for several, and for none. Owned by the arena; NULL
 * when that is exhausted.
 */
const uint32_t *wl_owners_find(const struct wl_trace *trace, struct wl_arena *arena) WL_MUST_CHECK;

#endif
