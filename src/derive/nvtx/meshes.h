/* SPDX-License-Identifier: MIT */
/*
 * meshes.h - the place of each process in the job: its coordinates and its host.
 *
 * Coordinates are what the first NVTX range named rank=N says after the rank:
 * "pp=1/4 dp=0/2; mbs=1 seq=4096". The host is that of its file, of a job; of another trace
 * that of the process, where processes run on several.
 */
#ifndef WL_DERIVE_MESHES_H
#define WL_DERIVE_MESHES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_derived;

/* Pipeline, data, context, expert and tensor parallelism, and the host. */
enum wl_axis {
	WL_AXIS_PP,
	WL_AXIS_DP,
	WL_AXIS_CP,
	WL_AXIS_EP,
	WL_AXIS_TP,
	WL_N_COORDINATES,
	WL_AXIS_HOST = WL_N_COORDINATES,
	WL_N_AXES
};

struct wl_mesh {
	const char *label;            /* behind the rank; NULL where it says nothing */
	int64_t at[WL_N_COORDINATES]; /* -1 where it has none */
	uint32_t host;                /* string; WL_NONE */
};

struct wl_meshes {
	const struct wl_mesh *of; /* by process */
};

/* Linear in ranges. Owned by the arena; false when that is exhausted. */
bool wl_meshes_find(const struct wl_derived *derived, struct wl_arena *arena,
		    struct wl_meshes *ret) WL_MUST_CHECK;

/* The coordinate on an axis other than the host, 1 of "pp=1/4"; -1 where it has none. */
int64_t wl_mesh_coordinate(const char *label, enum wl_axis axis);

#endif
