/* SPDX-License-Identifier: MIT */
/* project.h - the GPU time of an NVTX range: the extent of the work launched in it. */
#ifndef WL_DERIVE_PROJECT_H
#define WL_DERIVE_PROJECT_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/rows/scope.h"

struct wl_derived;

struct wl_projection {
	uint32_t row;            /* of the nvtx family, WL_NONE if the process has no such range */
	size_t n_instances;      /* ranges of that name in the process */
	bool is_bridged;         /* no operation was launched inside it on its thread: the
				    operations are those that other threads launched */
	size_t n_ops;            /* operations launched inside it; 0: the interval means nothing */
	struct wl_interval span; /* from their first start to their last end */
};

/*
 * For each process, the instance-th range (from 0, by start) with this name and the operations of
 * the process whose launch call lies inside it on its thread. The name is the range's text, or
 * domain:text. If there are none, and the range is a push/pop range of the process's anchor thread
 * (forest.h), the operations are those that other threads of the process launched while it was
 * open.
 *
 * Needs the nvtx, api and operation columns that wl_projection_columns lists. The array has one
 * element per process and is owned by the arena; NULL when that is exhausted. Linear in ranges and
 * operations, except for the launch links.
 */
const struct wl_projection *wl_project_named(const struct wl_derived *derived, const char *name,
					     size_t instance, struct wl_arena *arena) WL_MUST_CHECK;

#endif
