/* SPDX-License-Identifier: MIT */
/*
 * levels.h - draws a lane of levels: samples of a counter, each with a height.
 *
 * A level is a value from 1 to 255; 0 means that no sample holds. Sums and peaks per block of
 * samples make the mean and the highest level of any column cheap at every zoom.
 */
#ifndef WL_DERIVE_LEVELS_H
#define WL_DERIVE_LEVELS_H

#include "derive/lanes/columns.h"

/*
 * The level of a value between 0 and top, which is not 0: 1 for 0, UINT8_MAX for top and above;
 * values between are rounded, but not to the level of 0.
 */
uint8_t wl_level_of(int64_t value, int64_t top);

/*
 * Draw into ret[width]: share is the mean level while a sample holds, rounded as above, and cat is
 * the highest level; both are 0 if none holds. Nothing is moved. The lane must have levels. Takes
 * columns times a logarithm of the lane, plus the blocks of the view.
 */
void wl_lane_draw_levels(const struct wl_lane *lane, const struct wl_viewport *v,
			 struct wl_picture_column *ret);

/* Draw a lane by its type: levels, or categories of events. */
static inline void wl_lane_picture(const struct wl_lane *lane, const struct wl_viewport *v,
				   struct wl_picture_column *ret)
{
	if (lane->level)
		wl_lane_draw_levels(lane, v, ret);
	else
		wl_lane_draw(lane, v, ret);
}

#endif
