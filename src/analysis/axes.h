/* SPDX-License-Identifier: MIT */
/*
 * axes.h - rank coordinates as columns, and answers grouped by coordinate instead of by rank.
 *
 * An analysis with a row per rank ends its columns with WL_AXIS_COLS, and the choices of its option
 * --by with WL_AXIS_CHOICES. For these choices it fills rows by rank; the registry merges all rows
 * with the same coordinate.
 */
#ifndef WL_ANALYSIS_AXES_H
#define WL_ANALYSIS_AXES_H

#include "analysis/analysis.h"  /* IWYU pragma: export */
#include "derive/nvtx/meshes.h" /* IWYU pragma: export */

/* In the order of enum wl_axis. */
#define WL_AXIS_CHOICES "pp", "dp", "cp", "ep", "tp", "host"

#define WL_AXIS_COL(at, key, title, type, help)                                                    \
	WL_COL_AT(at, key, title, type, WL_KEY | WL_MINOR, help)

#define WL_AXIS_COLS(first)                                                                        \
	WL_AXIS_COL((first) + WL_AXIS_PP, "pp", "PP", WL_T_COUNT, "Pipeline stage."),              \
		WL_AXIS_COL((first) + WL_AXIS_DP, "dp", "DP", WL_T_COUNT,                          \
			    "Data-parallel replica."),                                             \
		WL_AXIS_COL((first) + WL_AXIS_CP, "cp", "CP", WL_T_COUNT,                          \
			    "Context-parallel part."),                                             \
		WL_AXIS_COL((first) + WL_AXIS_EP, "ep", "EP", WL_T_COUNT,                          \
			    "Expert-parallel group."),                                             \
		WL_AXIS_COL((first) + WL_AXIS_TP, "tp", "TP", WL_T_COUNT,                          \
			    "Tensor-parallel part."),                                              \
		WL_AXIS_COL((first) + WL_AXIS_HOST, "host", "Host", WL_T_STR,                      \
			    "Name of its host; empty unless there are several files or hosts.")

#define WL_AXIS_COUNT(first)                                                                       \
	WL_COL_AT((first) + WL_N_AXES, "n_ranks", "Ranks", WL_T_COUNT, WL_PLAIN,                   \
		  "By a coordinate or stages: ranks that have it.")

/* Fill the columns for a process or WL_NONE; the analysis must declare WL_FROM(MESHES). */
void wl_put_axes(struct wl_table *out, size_t first, const struct wl_run *run, uint32_t process);

/* Fill a column of process ids; facts do not have one for every rank. */
void wl_put_pid(struct wl_table *out, size_t column, const struct wl_run *run, uint32_t process);

enum { WL_MAX_AXIS_RATIOS = 2 };

/* The ratio (have - less) / of, computed from sums; less == of for none. */
struct wl_axis_ratio {
	unsigned col, have, less, of;
};

/*
 * How rows of ranks are merged by coordinate. Columns are given by their bits; a column in none of
 * the sets is dropped. The columns of WL_AXIS_COLS and WL_AXIS_COUNT begin at first.
 */
struct wl_axis_rule {
	unsigned by;    /* the parameter --by, */
	int64_t choice; /* the first of its choices that is an axis */
	unsigned first;
	unsigned rank, device; /* the columns used to count ranks */
	uint64_t keys;         /* rows that differ in any of these are not merged */
	uint64_t sums, most;
	struct wl_axis_ratio ratio[WL_MAX_AXIS_RATIOS]; /* ends with of == 0 */
};

/* Whether these arguments ask for an axis, and which one. */
bool wl_axis_asked(const struct wl_analysis *a, const union wl_arg *arg, enum wl_axis *ret);

/* WL_E_NODATA if no rank has such a coordinate, with the message of wl_axis_group. */
int wl_axis_check(const struct wl_analysis *a, enum wl_axis axis, const struct wl_run *run,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* Make *out an empty table for this axis: its column and the number of ranks come first. */
void wl_axis_table(const struct wl_analysis *a, enum wl_axis axis, struct wl_arena *arena,
		   struct wl_table *out);

/*
 * Fill such a table: rows with the same coordinate and keys become one, sorted by coordinate; notes
 * and coverage are kept. Costs a sort of the rows. WL_E_NODATA if no row has the coordinate.
 */
int wl_axis_group(const struct wl_analysis *a, enum wl_axis axis, const struct wl_table *rows,
		  struct wl_table *out, struct wl_err *reterr) WL_MUST_CHECK;

#endif
