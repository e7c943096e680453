/* SPDX-License-Identifier: MIT */
/*
 * axes.h - the coordinates of ranks as columns, and answers by them instead of by rank.
 *
 * An analysis whose rows are of ranks ends its columns with WL_AXIS_COLS, and the choices of its
 * option --by with WL_AXIS_CHOICES. For these it fills the rows that it has by rank; the
 * registry makes one of all rows with the same coordinate.
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

/* Fill the columns, of a process or WL_NONE; the analysis is from MESHES. */
void wl_put_axes(struct wl_table *out, size_t first, const struct wl_run *run, uint32_t process);

/* Fill a column of process ids; facts do not know that of every rank. */
void wl_put_pid(struct wl_table *out, size_t column, const struct wl_run *run, uint32_t process);

enum { WL_MAX_AXIS_RATIOS = 2 };

/* (have - less) / of, of sums; less == of for none. */
struct wl_axis_ratio {
	unsigned col, have, less, of;
};

/*
 * How rows of ranks become one by coordinate. Columns are given by their bits; a column in none
 * of the sets is left out. The columns of WL_AXIS_COLS and WL_AXIS_COUNT begin at first.
 */
struct wl_axis_rule {
	unsigned by;    /* the parameter --by, */
	int64_t choice; /* and of its choices the first that is an axis */
	unsigned first;
	unsigned rank, device; /* the columns by which ranks are counted */
	uint64_t keys;         /* rows that differ in one of these stay apart */
	uint64_t sums, most;
	struct wl_axis_ratio ratio[WL_MAX_AXIS_RATIOS]; /* of == 0 ends */
};

/* Whether these arguments ask for an axis, and for which. */
bool wl_axis_asked(const struct wl_analysis *a, const union wl_arg *arg, enum wl_axis *ret);

/* WL_E_NODATA where no rank has such a coordinate, in the words of wl_axis_group. */
int wl_axis_check(const struct wl_analysis *a, enum wl_axis axis, const struct wl_run *run,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* Make *out an empty table by this axis: its column and the count of ranks come first. */
void wl_axis_table(const struct wl_analysis *a, enum wl_axis axis, struct wl_arena *arena,
		   struct wl_table *out);

/*
 * Fill such a table: one row of all rows with the same coordinate and keys, sorted by coordinate;
 * notes and coverage stay. A sort of the rows. WL_E_NODATA where no row has the coordinate.
 */
int wl_axis_group(const struct wl_analysis *a, enum wl_axis axis, const struct wl_table *rows,
		  struct wl_table *out, struct wl_err *reterr) WL_MUST_CHECK;

#endif
