/* SPDX-License-Identifier: MIT */
/*
 * finding_place.h - the place in a timeline that shows a finding.
 *
 * That is the gap or the step that its text names. One that sums over a loop has no time of its
 * own, so this is a usual example: the longest gap of its kind in a step that loses as much to it
 * as the median of those that do; for slow iterations the slowest; else the beginning of the
 * iteration that counts as steady, or of the device's work; all of what the finding is about, as of
 * a window.
 */
#ifndef WL_SCENE_FINDING_PLACE_H
#define WL_SCENE_FINDING_PLACE_H

#include "scene/scene.h"

/* What is to be shown. */
struct wl_finding_sought {
	struct wl_interval inside;
	const char *code;
	uint32_t device;
	wl_ns at; /* that the text names; WL_NO_TIME for none */
};

/*
 * WL_NO_TIME where the device has no work; else in *ret_row what the row holds that shows it:
 * gaps or operations. Linear in its gaps. Wants the stage CAUSES. The arena is for scratch memory.
 */
wl_ns wl_finding_place(const struct wl_scene *scene, const struct wl_finding_sought *sought,
		       struct wl_arena *arena, enum wl_holds *ret_row);

/*
 * What of that row shows it: of a gap all that the finding counts, from its
 * first part to its last; the step that it names; else the event at that place, or no more than
 * its time where there is none.
 */
struct wl_interval wl_finding_span(const struct wl_scene *scene,
				   const struct wl_finding_sought *sought, enum wl_holds row,
				   wl_ns at);

#endif
