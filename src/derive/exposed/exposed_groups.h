/* SPDX-License-Identifier: MIT */
/* exposed_groups.h - exposure by stream and by stage, with the key of each group. */
#ifndef WL_DERIVE_EXPOSED_GROUPS_H
#define WL_DERIVE_EXPOSED_GROUPS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/exposed/exposure.h"
#include "derive/nvtx/stages.h"
#include "derive/rows/streams.h"

struct wl_derived;

/* Whether a group is a stream or a stage. */

enum wl_exposed_by { WL_EXPOSED_BY_STREAM, WL_EXPOSED_BY_STAGE };

struct wl_exposed_group {
	uint32_t place;    /* by stream: one of its places; else WL_NONE */
	const char *stage; /* by stage: its text; "(none)" for operations without a stage */
	int64_t rank;      /* by stage: rank of the processes; -1 if not known */
	uint32_t process;  /* by stage: its process if it has only one, else WL_NONE */
	size_t n_bridged;  /* by stage: operations that communicate whose stage is bridged */
	struct wl_exposure sums;
};

struct wl_exposed_device {
	size_t n;
	struct wl_exposed_group *group; /* most exposed first, then most compute, then by key */
	struct wl_exposure sums;        /* sums of the whole device */
	size_t n_comm_with_stage;       /* number of operations that communicate and have a stage */
};

/*
 * Handles all devices of the scope in parallel; other devices have no groups. The result is by
 * device and owned by the arena; NULL when the arena is exhausted.
 */
const struct wl_exposed_device *wl_exposed_groups_find(const struct wl_derived *derived,
						       const struct wl_scope *scope,
						       enum wl_exposed_by by,
						       struct wl_arena *arena) WL_MUST_CHECK;

/* A stage on all devices: the sums of its groups. */
struct wl_exposed_stage {
	const char *stage;
	size_t n_groups, n_bridged;
	size_t n_graphs; /* graph replays on those of its devices where no communication was traced
			  */
	struct wl_exposure sums;
};

/*
 * The groups by stage, summed over n devices; most exposed first, as above. NULL when the arena is
 * exhausted.
 */
const struct wl_exposed_stage *wl_exposed_stages_sum(const struct wl_exposed_device *all, size_t n,
						     struct wl_arena *arena,
						     size_t *ret_n) WL_MUST_CHECK;

#endif
