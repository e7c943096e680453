/* SPDX-License-Identifier: MIT */
/* exposed_groups.h - exposure by stream and by stage, with what identifies each group. */
#ifndef WL_DERIVE_EXPOSED_GROUPS_H
#define WL_DERIVE_EXPOSED_GROUPS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/exposed/exposure.h"
#include "derive/nvtx/stages.h"
#include "derive/rows/streams.h"

struct wl_derived;

/* By stage, besides those of classes. */

enum wl_exposed_by { WL_EXPOSED_BY_STREAM, WL_EXPOSED_BY_STAGE };

struct wl_exposed_group {
	uint32_t place;    /* by stream: one of its places; else WL_NONE */
	const char *stage; /* by stage: its text, "(none)" for operations without one */
	int64_t rank;      /* by stage: of the processes; -1 where it is not known */
	uint32_t process;  /* by stage: the only one it is of, else WL_NONE */
	size_t n_bridged;  /* by stage: operations that communicate whose stage is bridged */
	struct wl_exposure sums;
};

struct wl_exposed_device {
	size_t n;
	struct wl_exposed_group *group; /* the most exposed first, then what computes most, then
					   by key */
	struct wl_exposure sums;        /* of the device as a whole */
	size_t n_comm_with_stage;       /* operations that communicate, by stage */
};

/*
 * Of every device that the scope has, in parallel; others have no groups. By device,
 * owned by the arena; NULL when that is exhausted.
 */
const struct wl_exposed_device *wl_exposed_groups_find(const struct wl_derived *derived,
						       const struct wl_scope *scope,
						       enum wl_exposed_by by,
						       struct wl_arena *arena) WL_MUST_CHECK;

/* A stage on all devices: the sums of its groups. */
struct wl_exposed_stage {
	const char *stage;
	size_t n_groups, n_bridged;
	size_t n_graphs; /* graph replays of its devices on which no communication was traced */
	struct wl_exposure sums;
};

/*
 * The groups by stage of n devices, added up: the most exposed first, as above. NULL when the
 * arena is exhausted.
 */
const struct wl_exposed_stage *wl_exposed_stages_sum(const struct wl_exposed_device *all, size_t n,
						     struct wl_arena *arena,
						     size_t *ret_n) WL_MUST_CHECK;

#endif
