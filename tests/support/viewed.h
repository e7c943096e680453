/* SPDX-License-Identifier: MIT */
/*
 * viewed.h - a trace in memory as views see it, with all its rows and causes, and no
 * findings. Order of calls: mem_init(&v.mem) and its puts; viewed_make; viewed_release.
 */
#ifndef WL_TESTS_VIEWED_H
#define WL_TESTS_VIEWED_H

#include "scene/scene.h"
#include "support/mem.h"

struct viewed {
	struct mem mem;
	struct mem_scope scope;
	struct wl_scene scene;
};

/* Seal the trace and find everything. The whole trace is selected. */
void viewed_make(struct viewed *v);
void viewed_release(struct viewed *v);

/* The row of that kind of a device; fails the test where there is none. */
uint32_t viewed_track(const struct viewed *v, enum wl_track_kind kind, uint32_t device);

#endif
