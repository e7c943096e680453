/* SPDX-License-Identifier: MIT */
/* lateness.h - finds how late each rank is in each step of a trace that is viewed. */
#ifndef WL_SCENE_LATENESS_H
#define WL_SCENE_LATENESS_H

#include "scene/scene.h"

/*
 * Ask for "ranks --by step" of the whole trace, and fill scene->lateness. A map is no reason to
 * refuse a trace: without an answer, or memory for it, there is none.
 */
void wl_scene_find_lateness(struct wl_scene *scene);

#endif
