/* SPDX-License-Identifier: MIT */
/*
 * show.h - the content of a page: one trace or several, their rows numbered on.
 *
 * A row of the page is a track of a trace; rows of the second trace follow those of the
 * first, and so do its processes and devices. Times of a page are counted from the origin
 * of the trace, so that they fit into a double.
 */
#ifndef WL_SERVE_SHOW_H
#define WL_SERVE_SHOW_H

#include "scene/scene.h"

enum { WL_MAX_SHOWN = 8 }; /* traces of a page */

/*
 * Which events of a row are shown where not all are: those of at least `all` ns, and of those from
 * `some` on a part, spread over the lane. Zeroed: all.
 */
struct wl_cut {
	wl_ns all, some;
	uint32_t part; /* of 2^32 */
};

struct wl_show {
	const struct wl_scene *scene[WL_MAX_SHOWN]; /* all of the stage FINDINGS; borrowed */
	size_t n;
	/* Only what has a part in the scene's window is shown, whole. */
	bool in_window;
	const struct wl_cut *cut; /* by row; NULL: all events are shown */
};

/* How an NVTX event was recorded; pages know these numbers. */
enum wl_range_style { WL_STYLE_PUSH_POP, WL_STYLE_START_END, WL_STYLE_MARK };

enum wl_range_style wl_range_style(const struct wl_scene *scene, uint32_t nvtx_row);

/* How many rows all traces have together. */
size_t wl_show_rows(const struct wl_show *show);

/* The number of a trace's first row. */
size_t wl_show_first_row(const struct wl_show *show, size_t scene);

/* The numbers of a trace's first process and device. */
size_t wl_show_first_process(const struct wl_show *show, size_t scene);
size_t wl_show_first_device(const struct wl_show *show, size_t scene);

/* Which trace a row is of, and in *ret_track which of its tracks. row < wl_show_rows(). */
size_t wl_show_find(const struct wl_show *show, size_t row, size_t *ret_track);

/* The time that is shown of a trace: the extent of its rows, or the window. Not empty. */
struct wl_interval wl_show_extent(const struct wl_show *show, size_t scene);

/* Where times of the trace are counted from: the beginning of all its rows. */
wl_ns wl_show_origin(const struct wl_show *show, size_t scene);

/* The events [lo, hi) of a lane of the trace with a part in what is shown. Logarithmic. */
struct wl_shown_events {
	size_t lo, hi;
};

struct wl_shown_events wl_show_events(const struct wl_show *show, size_t scene,
				      const struct wl_lane *lane);

/* How many events of a trace's track are shown, and of all rows; those that a cut leaves out, too.
 */
uint64_t wl_show_count(const struct wl_show *show, size_t scene, size_t track);
uint64_t wl_show_count_all(const struct wl_show *show);

/* Whether one of these is shown of its row. */
static inline bool wl_show_has(const struct wl_show *show, size_t row, const struct wl_lane *lane,
			       size_t i)
{
	const struct wl_cut *cut = show->cut ? &show->cut[row] : NULL;
	wl_ns dur = wl_lane_dur(lane, i);

	/* Multiples of the golden ratio fall evenly, whatever period the events have. */
	return !cut || dur >= cut->all ||
	       (dur >= cut->some && (uint32_t)i * UINT32_C(2654435769) < cut->part);
}

#endif
