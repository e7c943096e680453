/* SPDX-License-Identifier: MIT */
/*
 * finding_place.h - the place in a timeline that shows a finding.
 *
 * A finding sums over a loop and has no time of its own, so this is the clearest
 * example: the longest gap of its kind on the device; for slow iterations the slowest; else
 * the beginning of the iteration that counts as steady, or of the device's work; all of
 * what the finding is about, as of a window.
 */
#ifndef WL_SCENE_FINDING_PLACE_H
#define WL_SCENE_FINDING_PLACE_H

#include "scene/scene.h"

/*
 * WL_NO_TIME where the device has no work; else in *ret_row what the row holds that shows it:
 * gaps or operations. Linear in its gaps. Wants the stage CAUSES.
 */
wl_ns wl_finding_place(const struct wl_scene *scene, struct wl_interval inside, const char *code,
		       uint32_t device, enum wl_holds *ret_row);

#endif
