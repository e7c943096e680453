/* SPDX-License-Identifier: MIT */
/* roofline.h - finds the kernels below their roofs of a trace that is viewed with a report of ncu.
 */
#ifndef WL_SCENE_ROOFLINE_H
#define WL_SCENE_ROOFLINE_H

#include "scene/scene.h"

/*
 * Ask for "roofline" of the whole trace, and fill scene->roofline; nothing without a report.
 * WL_E_NOMEM, WL_E_CANCELED; any other failure is a section that says why it has no table.
 */
int wl_scene_find_roofline(struct wl_scene *scene, struct wl_err *reterr) WL_MUST_CHECK;

/* The same of "kernels --by block", and scene->blocks; nothing where no blocks were recorded. */
int wl_scene_find_blocks(struct wl_scene *scene, struct wl_err *reterr) WL_MUST_CHECK;

#endif
