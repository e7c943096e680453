/* SPDX-License-Identifier: MIT */
/*
 * meshes.h - the place of each process in the job: its coordinates and its host.
 *
 * Coordinates are the text after the rank in the first NVTX range named rank=N: "pp=1/4 dp=0/2;
 * mbs=1 seq=4096". In a job, the host is that of the process's file; in any other trace it is the
 * process's host, if processes run on several hosts.
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
	const char *label;            /* text after the rank; NULL if there is none */
	int64_t at[WL_N_COORDINATES]; /* -1 if there is none */
	uint32_t host;                /* string; WL_NONE */
};

struct wl_meshes {
	const struct wl_mesh *of; /* by process */
};

/* Linear in ranges. Owned by the arena; false when that is exhausted. */
bool wl_meshes_find(const struct wl_derived *derived, struct wl_arena *arena,
		    struct wl_meshes *ret) WL_MUST_CHECK;

/* The coordinate on an axis other than the host, such as 1 for "pp=1/4"; -1 if there is none. */
int64_t wl_mesh_coordinate(const char *label, enum wl_axis axis);

#endif
