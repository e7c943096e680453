/*
 * ops_rows.h - every GPU operation of a scope as a row: what spreadsheets and databases take.
 *
 * Operations come device by device in order of start (derive/ops.h), an operation with a
 * part in the window whole, with its true times. Rows are handed over in tables of a
 * few thousand, so that memory does not go by their number.
 */
#ifndef WL_EXPORT_OPS_ROWS_H
#define WL_EXPORT_OPS_ROWS_H

#include <stdatomic.h>

#include "base/err.h"
#include "derive/classes.h"
#include "derive/derived.h"
#include "derive/iters.h"
#include "derive/ranks.h"
#include "derive/scope.h"
#include "table/table.h"

enum { WL_N_OPS_COLS = 38 };

extern const struct wl_col wl_ops_cols[WL_N_OPS_COLS];

/* The columns of the trace that must be loaded, as far as it has them. */
#define WL_OPS_ROWS_COLUMNS                                                                        \
	WL_OP_STARTS, WL_KERNELS_DUR, WL_KERNELS_PLACE, WL_KERNELS_CONFIG, WL_KERNELS_NODE,        \
		WL_MEMCPYS_DUR, WL_MEMCPYS_PLACE, WL_MEMCPYS_BYTES, WL_MEMCPYS_SRC,                \
		WL_MEMCPYS_DST, WL_MEMCPYS_NODE, WL_MEMSETS_DUR, WL_MEMSETS_PLACE,                 \
		WL_MEMSETS_BYTES, WL_MEMSETS_KIND, WL_MEMSETS_NODE, WL_GRAPHS_DUR,                 \
		WL_GRAPHS_PLACE, WL_GRAPHS_GRAPH, WL_CLASS_COLUMNS, WL_ITERATION_COLUMNS,          \
		WL_RANK_COLUMNS

enum { WL_OPS_ROWS_AT_ONCE = 4096 };

/*
 * Takes rows; the table and its texts are valid during the call only. False stops, which is no
 * failure: who says so knows why.
 */
typedef bool wl_ops_rows_fn(void *ctx, const struct wl_table *rows);

struct wl_ops_rows_opts {
	wl_ns min_dur;            /* shorter operations are left out */
	const atomic_int *stop;   /* becomes non-zero: stop; NULL for none */
	struct wl_budget *budget; /* what is needed on the way is charged to it; NULL: no limit */
};

/*
 * WL_E_NOMEM, WL_E_CANCELED. Linear but for finding the iteration, which is logarithmic in
 * these. Beside what derived keeps, 4 bytes per NVTX range and a few MB.
 */
int wl_ops_rows(struct wl_derived *derived, const struct wl_scope *scope,
		const struct wl_ops_rows_opts *opts, wl_ops_rows_fn *fn, void *ctx,
		struct wl_err *reterr) WL_MUST_CHECK;

#endif
