/* SPDX-License-Identifier: MIT */
/* texts.h - groups equal texts. */
#ifndef WL_BASE_TEXTS_H
#define WL_BASE_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/memory/arena.h"

/*
 * For each of n texts the number of the first one that equals it. Owned by the
 * arena; NULL when that is exhausted. O(n log n) comparisons.
 */
uint32_t *wl_texts_merge(const char *const *text, size_t n, struct wl_arena *arena) WL_MUST_CHECK;

#endif
