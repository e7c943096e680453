/* SPDX-License-Identifier: MIT */
/* host_calls.h - host calls ranked by function, shared by api and osrt. */
#ifndef WL_ANALYSIS_HOST_CALLS_H
#define WL_ANALYSIS_HOST_CALLS_H

#include "analysis/analysis.h"
#include "analysis/stat_cols.h"
#include "derive/rows/groups.h"

enum wl_host_call_col {
	WL_HOST_CALL_NAME,
	WL_HOST_CALL_CALLS,
	WL_HOST_CALL_SUM,
	WL_HOST_CALL_SHARE,
	WL_HOST_CALL_AVG,
	WL_HOST_CALL_P50,
	WL_HOST_CALL_P90,
	WL_HOST_CALL_MIN,
	WL_HOST_CALL_MAX,
	WL_HOST_CALL_STDDEV,
	WL_N_HOST_CALL_COLS
};

/* Initialisers of all columns but the name. */
#define WL_HOST_CALL_COLS                                                                          \
	[WL_HOST_CALL_CALLS] = WL_COL_CALLS("Calls with a part in the window."),                   \
	[WL_HOST_CALL_SUM] = WL_COL_SUM,                                                           \
	[WL_HOST_CALL_SHARE] =                                                                     \
		WL_COL_SHARE(WL_PLAIN, "Share of the sum over all calls in the window."),          \
	[WL_HOST_CALL_AVG] = WL_COL_AVG(WL_PLAIN), [WL_HOST_CALL_P50] = WL_COL_P50,                \
	[WL_HOST_CALL_P90] = WL_COL_P90, [WL_HOST_CALL_MIN] = WL_COL_MIN,                          \
	[WL_HOST_CALL_MAX] = WL_COL_MAX(WL_PLAIN), [WL_HOST_CALL_STDDEV] = WL_COL_STDDEV

struct wl_host_calls {
	const struct wl_run *run;
	struct wl_thread_rows rows;
	const uint32_t *name;    /* by row: string */
	struct wl_groups groups; /* by function */
};

/* Group the calls of a family of thread rows, whose names are in this column. False if memory runs
 * out. */
bool wl_host_calls_find(const struct wl_run *r, enum wl_family_id family, enum wl_column_id name,
			struct wl_host_calls *ret) WL_MUST_CHECK;

/* Whether a call counts because part of it, [*start, *end), is in the window. */
bool wl_host_call_part(const struct wl_host_calls *calls, size_t row, wl_ns *start, wl_ns *end);

/* The code of the call's group. */
uint64_t wl_host_call_code(const struct wl_host_calls *calls, size_t row);

/* Begin the row of a group and fill the columns above. */
void wl_host_call_put(const struct wl_host_calls *calls, uint32_t group, struct wl_table *out);

#endif
