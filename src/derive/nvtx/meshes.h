/* SPDX-License-Identifier: MIT */
/*
 * meshes.h - what each process says of its place in the job: "pp=1/4 dp=0/2; mbs=1 seq=4096".
 *
 * It is what the first NVTX range named rank=N says after the rank.
 */
#ifndef WL_DERIVE_MESHES_H
#define WL_DERIVE_MESHES_H

#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"

struct wl_derived;

/* Pipeline, data, context, expert and tensor parallelism. */
enum wl_axis { WL_AXIS_PP, WL_AXIS_DP, WL_AXIS_CP, WL_AXIS_EP, WL_AXIS_TP, WL_N_AXES };

/* By process, NULL where it says nothing; owned by the arena. NULL when that is exhausted. */
const char *const *wl_meshes_find(const struct wl_derived *derived,
				  struct wl_arena *arena) WL_MUST_CHECK;

/* The coordinate on an axis, 1 of "pp=1/4"; -1 where it has none. */
int64_t wl_mesh_coordinate(const char *mesh, enum wl_axis axis);

#endif
