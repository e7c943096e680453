/* SPDX-License-Identifier: MIT */
/* stat_cols.h - columns for duration statistics, and the function that fills them. */
#ifndef WL_ANALYSIS_STAT_COLS_H
#define WL_ANALYSIS_STAT_COLS_H

#include "derive/rows/stats.h"
#include "table/table.h"

/* clang-format off */
#define WL_COL_CALLS(help)        { "calls", "Calls", WL_T_COUNT, WL_PLAIN, help }
#define WL_COL_SUM                { "sum", "Sum", WL_T_NS, WL_SUM, "Sum of their durations in the window." }
#define WL_COL_SHARE(flags, help) { "share", "Share", WL_T_RATIO, flags, help }
#define WL_COL_AVG(flags)         { "avg", "Avg", WL_T_NS, flags, "Mean duration." }
#define WL_COL_P50                { "p50", "P50", WL_T_NS, WL_MINOR, "Median duration, nearest rank." }
#define WL_COL_P90                { "p90", "P90", WL_T_NS, WL_MINOR, "90th percentile, nearest rank." }
#define WL_COL_P99                { "p99", "P99", WL_T_NS, WL_MINOR, "99th percentile, nearest rank." }
#define WL_COL_MIN                { "min", "Min", WL_T_NS, WL_MINOR, "Shortest duration." }
#define WL_COL_MAX(flags)         { "max", "Max", WL_T_NS, flags, "Longest duration." }
#define WL_COL_STDDEV             { "stddev", "Std dev", WL_T_NS, WL_MINOR, "Standard deviation of the sample." }
/* clang-format on */

enum wl_stat {
	WL_STAT_SUM = 1 << 0,
	WL_STAT_AVG = 1 << 1,
	WL_STAT_P50 = 1 << 2,
	WL_STAT_P90 = 1 << 3,
	WL_STAT_P99 = 1 << 4,
	WL_STAT_MIN = 1 << 5,
	WL_STAT_MAX = 1 << 6,
	WL_STAT_STDDEV = 1 << 7,
};

/* From the mean to the standard deviation, without the 99th percentile. */
enum {
	WL_STAT_SPREAD =
		WL_STAT_AVG | WL_STAT_P50 | WL_STAT_P90 | WL_STAT_MIN | WL_STAT_MAX | WL_STAT_STDDEV
};

/* Put these statistics, bits of enum wl_stat, into the columns from first on, in the order above.
 */
void wl_put_stats(struct wl_table *out, size_t first, unsigned which, const struct wl_stats *s);

#endif
