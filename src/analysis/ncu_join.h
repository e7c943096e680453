/* SPDX-License-Identifier: MIT */
/*
 * ncu_join.h - joins kernels of a trace with those that Nsight Compute measured.
 *
 * A pair has the same grid, block and, if both files say, shared memory, and the same whole name,
 * demangled or mangled. If ncu printed another form of the name, the function name decides,
 * provided it leaves one kernel on either side.
 */
#ifndef WL_ANALYSIS_NCU_JOIN_H
#define WL_ANALYSIS_NCU_JOIN_H

#include "analysis/launch_groups.h"
#include "analysis/measured.h"

enum wl_ncu_match { WL_NCU_NO_MATCH, WL_NCU_BY_NAME, WL_NCU_BY_FUNCTION };

/* What the trace has for a measured kernel: sums over its groups. */
struct wl_ncu_partner {
	enum wl_ncu_match match;
	size_t count;
	wl_ns sum;
};

struct wl_ncu_join {
	struct wl_measured_list ncu;
	struct wl_launch_groups groups;
	struct wl_ncu_partner *of; /* by measured kernel */
	uint32_t *kernel;          /* by group: its measured kernel, or WL_NONE */
	wl_ns joined;              /* sum over joined groups */
};

/* WL_E_USAGE if the document is not an ncu report, or WL_E_NOMEM. O(n log n) in names and
 * configurations. */
int wl_ncu_join_find(const struct wl_run *run, const struct wl_json *doc, struct wl_ncu_join *ret,
		     struct wl_err *reterr) WL_MUST_CHECK;

/* Adds notes: how much of the trace the report covers, differing GPUs, kernels left out. */
void wl_ncu_join_note(const struct wl_run *run, const struct wl_ncu_join *join,
		      struct wl_table *out);

#endif
