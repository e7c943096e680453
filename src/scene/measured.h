/* SPDX-License-Identifier: MIT */
/* measured.h - what Nsight Compute measured of the kernels of a trace that is viewed. */
#ifndef WL_SCENE_MEASURED_H
#define WL_SCENE_MEASURED_H

#include "analysis/analysis.h"
#include "scene/scene.h"

/* The documents of an analysis by parameter: the report, where there is one and it takes one. */
void wl_scene_put_docs(const struct wl_scene *scene, const struct wl_analysis *a,
		       struct wl_json *ret[WL_MAX_PARAMS]);

/*
 * Ask for the roofline of the whole trace, and fill scene->roofline; nothing without a report.
 * WL_E_NOMEM, WL_E_CANCELED; any other failure is a section that says why it has no table.
 */
int wl_scene_find_roofline(struct wl_scene *scene, struct wl_err *reterr) WL_MUST_CHECK;

#endif
