/* SPDX-License-Identifier: MIT */
/* launch_groups.h - kernels by whole name and launch configuration, with their time. */
#ifndef WL_ANALYSIS_LAUNCH_GROUPS_H
#define WL_ANALYSIS_LAUNCH_GROUPS_H

#include "analysis/analysis.h"
#include "derive/rows/stats.h"

struct wl_launch_group {
	uint32_t name;                         /* index of kernel names: the first with this text */
	const struct wl_launch_config *config; /* the first with this grid, block and shared memory;
						  WL_NONE if the file does not say */
	bool is_comm;
	size_t count;
	wl_ns sum; /* as in kernels: only the part inside the window */
};

/* Maps the code of a row to its group. */
struct wl_launch_code {
	uint64_t code;
	uint32_t group;
};

struct wl_launch_groups {
	const struct wl_launch_group *group; /* largest sum first */
	size_t n;
	wl_ns compute;                     /* sum of groups that are not communication */
	const uint32_t *label, *shape;     /* by kernel name, by configuration */
	const struct wl_launch_code *code; /* n of them, sorted */
	uint64_t n_shapes;
};

/* Columns of tables whose rows are such groups: those that identify the group begin at first, those
 * of its time at another column. */
#define WL_LAUNCH_CONFIG_COLS(first, grid_flags)                                                   \
	WL_COL_AT(first, "kernel", "Kernel", WL_T_STR, WL_KEY | WL_KERNEL, "Name of the kernel."), \
		WL_COL_AT((first) + 1, "grid", "Grid", WL_T_STR, WL_KEY | (grid_flags),            \
			  "Blocks of the grid: x,y,z."),                                           \
		WL_COL_AT((first) + 2, "block", "Block", WL_T_STR, WL_KEY | WL_MINOR,              \
			  "Threads of a block: x,y,z."),                                           \
		WL_COL_AT((first) + 3, "shared", "Shared", WL_T_BYTES, WL_KEY | WL_MINOR,          \
			  "Shared memory of a block, static and dynamic.")

#define WL_LAUNCH_TIME_COLS(first)                                                                 \
	WL_COL_AT(first, "count", "Count", WL_T_COUNT, WL_SUM | WL_MINOR,                          \
		  "Launches in the trace."),                                                       \
		WL_COL_AT((first) + 1, "sum", "Sum", WL_T_NS, WL_SUM,                              \
			  "Their durations in the trace, summed."),                                \
		WL_COL_AT((first) + 2, "share", "Share", WL_T_RATIO, WL_PLAIN,                     \
			  "Share of the sum over all compute kernels of the trace.")

/* Columns needed besides WL_FROM(CLASSES); ends with WL_N_COLUMNS. */
extern const enum wl_column_id wl_launch_group_columns[];

/* Owned by the run's arena; false when it is exhausted. */
bool wl_launch_groups_find(const struct wl_run *run, struct wl_launch_groups *ret) WL_MUST_CHECK;

/* The group of a row that counts, by its name and configuration; WL_NONE if there is none. O(log
 * n). */
uint32_t wl_launch_group_of(const struct wl_launch_groups *groups, uint32_t name, uint32_t config);

/* Shared memory of a block in bytes, static plus dynamic; -1 if the file does not say. */
int64_t wl_launch_shared(const struct wl_launch_config *config);

#endif
