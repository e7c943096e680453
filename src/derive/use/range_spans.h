/* SPDX-License-Identifier: MIT */
/*
 * range_spans.h - when work launched in NVTX ranges of each name was on a GPU.
 *
 * The span of a range on a device is from the first start to the last end of the operations that
 * were launched inside it, on its thread or, while it was open on the anchor thread, on other
 * threads. Push/pop ranges only.
 */
#ifndef WL_DERIVE_RANGE_SPANS_H
#define WL_DERIVE_RANGE_SPANS_H

#include "derive/kinds/intervals.h"
#include "derive/nvtx/folds.h"

/*
 * By fold: the union of its ranges' spans on the device, from operations that the scope admits;
 * empty for folds without any. Linear in ranges, and in operations times the ranges each one is in.
 * Owned by the arena; NULL when that is exhausted.
 */
const struct wl_intervals *wl_range_spans_find(const struct wl_derived *derived,
					       const struct wl_scope *scope,
					       const struct wl_folds *folds, uint32_t device,
					       struct wl_arena *arena) WL_MUST_CHECK;

#endif
