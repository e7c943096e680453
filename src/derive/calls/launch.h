/* SPDX-License-Identifier: MIT */
/*
 * launch.h - links from GPU operations to the API calls that launched them.
 *
 * Correlation ids are unique per process only, so operations and calls are
 * joined on (process, id). Several operations may share one call (a CUDA graph);
 * an operation may have none. Of several calls with one id the one whose name
 * launches or copies counts, then the longest, then the first.
 */
#ifndef WL_DERIVE_LAUNCH_H
#define WL_DERIVE_LAUNCH_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_derived;

struct wl_links {
	/* By kind and row; NULL where the correlation ids were not loaded. */
	const uint32_t *of[WL_N_OP_FAMILIES];
};

/* The API row that launched an operation or WL_NONE. */
static inline uint32_t wl_link_of(const struct wl_links *links, enum wl_op_kind kind, size_t row)
{
	return links->of[kind] ? links->of[kind][row] : WL_NONE;
}

/*
 * Linear where a process's ids are dense, as CUPTI's are, and by hashing
 * elsewhere. False when the arena is exhausted.
 */
bool wl_links_find(const struct wl_derived *derived, struct wl_arena *arena,
		   struct wl_links *ret) WL_MUST_CHECK;

/* The same of one family alone: by row the API row, or WL_NONE; NULL as in wl_links. */
bool wl_calls_find(const struct wl_trace *trace, enum wl_family_id family, struct wl_arena *arena,
		   const uint32_t **ret) WL_MUST_CHECK;

/* Whether a call has a correlation id other than 0: without, no operation has a known launch. */
bool wl_calls_have_ids(const struct wl_trace *trace);

/* Rows of any table that name a call by the process of their place and a correlation id. */
struct wl_call_ids {
	const uint32_t *place, *corr;
	size_t n;
};

/* Of n such tables: by row the API row, or WL_NONE; NULL where the rows have no ids, or none. */
bool wl_calls_of_ids(const struct wl_trace *trace, const struct wl_call_ids *ids, size_t n,
		     struct wl_arena *arena, const uint32_t **ret) WL_MUST_CHECK;

#endif
