/* SPDX-License-Identifier: MIT */
/*
 * spread.h - the extent of the operations of one launch: a CUDA graph has many, and a page
 * draws a bracket over them instead of an arrow to each.
 */
#ifndef WL_SERVE_SPREAD_H
#define WL_SERVE_SPREAD_H

#include "base/text/json_write.h"
#include "serve/answers/answer.h"

/*
 * Write what a call of the row's trace launched, by row: [{rowId, begin, end, count}], times as
 * the page counts them; [] where it launched fewer than two operations, or is WL_NONE. False when
 * the arena is exhausted; then it wrote []. Linear in rows and these operations.
 */
bool wl_spread_put(const struct wl_ask *ask, const struct wl_asked_row *row, uint32_t call,
		   struct wl_jsonw *json) WL_MUST_CHECK;

#endif
