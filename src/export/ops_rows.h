/* SPDX-License-Identifier: MIT */
/*
 * ops_rows.h - every GPU operation of a scope as a row, for spreadsheets and databases.
 *
 * Operations come device by device in order of start (derive/rows/ops.h), and an operation with a
 * part in the window comes whole, with its true times. Rows are handed over in tables of a few
 * thousand, so that memory does not grow with their number.
 */
#ifndef WL_EXPORT_OPS_ROWS_H
#define WL_EXPORT_OPS_ROWS_H

#include <stdatomic.h>

#include "base/err.h"
#include "derive/derived.h"
#include "derive/iters/iters.h"
#include "derive/kinds/classes.h"
#include "derive/nvtx/ranks.h"
#include "derive/rows/scope.h"
#include "table/table.h"

enum { WL_N_OPS_COLS = 38 };

extern const struct wl_col wl_ops_cols[WL_N_OPS_COLS];

/* Add what rows need. */
void wl_ops_rows_want(struct wl_wanted *wanted);

enum { WL_OPS_ROWS_AT_ONCE = 4096 };

/*
 * Takes rows; the table and its texts are valid during the call only. Returning false stops the
 * export, which is not a failure.
 */
typedef bool wl_ops_rows_fn(void *ctx, const struct wl_table *rows);

struct wl_ops_rows_opts {
	const struct wl_scope *scope;
	wl_ns min_dur;            /* shorter operations are left out */
	const atomic_int *stop;   /* stops when it becomes non-zero; NULL for none */
	struct wl_budget *budget; /* temporary memory is charged to it; NULL: no limit */
};

/*
 * WL_E_NOMEM, WL_E_CANCELED. Linear except for finding the iteration, which is logarithmic in
 * iterations. Besides what derived keeps, 4 bytes per NVTX range and a few MB.
 */
int wl_ops_rows(const struct wl_derived *derived, const struct wl_ops_rows_opts *opts,
		wl_ops_rows_fn *fn, void *ctx, struct wl_err *reterr) WL_MUST_CHECK;

#endif
