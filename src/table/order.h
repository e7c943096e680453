/* SPDX-License-Identifier: MIT */
/* order.h - sorts the rows of a view. */
#ifndef WL_TABLE_ORDER_H
#define WL_TABLE_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "table/table.h"

/* Negative, 0 or positive, as a is less than, equal to or greater than b. Both must be set. */
int wl_order_compare(enum wl_type type, struct wl_cell a, struct wl_cell b);

/*
 * Sort n row numbers by spec, "a,-b": numbers descend, text ascends, - reverses.
 * Unset cells come last either way. Ties are broken by the key columns, ascending,
 * and then by the order that the rows have. An unknown column is WL_E_USAGE.
 * The arena gives room for another n numbers.
 */
int wl_order_sort(const struct wl_table *t, const char *spec, uint32_t *rows, size_t n,
		  struct wl_arena *arena, struct wl_err *reterr) WL_MUST_CHECK;

#endif
