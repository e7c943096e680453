/* SPDX-License-Identifier: MIT */
/* apportion.h - rounds many means at once so that they still add up. */
#ifndef WL_BASE_APPORTION_H
#define WL_BASE_APPORTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/memory/arena.h"

/* sum / by, rounded to the nearest, halves up. sum >= 0, by > 0. */
int64_t wl_rounded_mean(int64_t sum, int64_t by);

/*
 * ret[i] is sum[i] / by rounded down or up, and their sum is whole, which is the sum of
 * all over by, itself rounded down or up. The largest remainders are rounded up, ties in
 * order. All sums >= 0. False when the arena, for scratch, is exhausted.
 */
bool wl_apportion(const int64_t *sum, size_t n, int64_t by, int64_t whole, struct wl_arena *arena,
		  int64_t *ret) WL_MUST_CHECK;

#endif
