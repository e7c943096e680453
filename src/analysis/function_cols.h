/* SPDX-License-Identifier: MIT */
/* function_cols.h - the columns that name the function in which a row's time was spent
 * (docs/definitions/stacks.md). */
#ifndef WL_ANALYSIS_FUNCTION_COLS_H
#define WL_ANALYSIS_FUNCTION_COLS_H

#include "analysis/analysis.h"
#include "derive/use/stack_groups.h"

enum wl_function_col { WL_FUNCTION_NAME, WL_FUNCTION_UNDER, WL_FUNCTION_SHARE, WL_N_FUNCTION_COLS };

/* Three entries of a column list; which: "launching thread"; of: what the share is relative to. */
#define WL_FUNCTION_COLUMNS(first, which, of)                                                      \
	WL_COL_AT((first) + WL_FUNCTION_NAME, "function", "Function", WL_T_STR, WL_PLAIN,          \
		  "The named function that the " which " was in for the longest, from samples "    \
		  "and stacks of calls."),                                                         \
		WL_COL_AT((first) + WL_FUNCTION_UNDER, "under", "Under", WL_T_STR, WL_PLAIN,       \
			  "The program's function that it is called under, else the outermost of " \
			  "a library."),                                                           \
		WL_COL_AT((first) + WL_FUNCTION_SHARE, "function_share", "In it", WL_T_RATIO,      \
			  WL_PLAIN, "Time in that function by the " of ".")

/* The bits of these columns in a set. */
#define WL_FUNCTION_BITS(first) (((UINT64_C(1) << WL_N_FUNCTION_COLS) - 1) << (first))

/* A time whose stacks are summed in a group. */
struct wl_grouped_time {
	const struct wl_group_stacks *stacks;
	size_t group;
	wl_ns whole; /* the total that the share is relative to */
};

/*
 * Put the function of a time into the row; puts nothing if there are too few samples. False if
 * memory runs out.
 */
bool wl_put_function(struct wl_table *out, size_t first, const struct wl_run *run,
		     const struct wl_grouped_time *time,
		     struct wl_function_tally *tally) WL_MUST_CHECK;

#endif
