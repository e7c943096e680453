/* SPDX-License-Identifier: MIT */
#include "serve/shown/categories.h"

#include "derive/kinds/classes.h"

const char *wl_colour_key(enum wl_colour colour)
{
	static const char *const keys[WL_N_COLOURS] = {
		[WL_COLOUR_GEMM] = "gemm", [WL_COLOUR_ATTENTION] = "attention",
		[WL_COLOUR_NORM] = "norm", [WL_COLOUR_COMM] = "communication",
		[WL_COLOUR_COPY] = "copy", [WL_COLOUR_OTHER] = "other",
		[WL_COLOUR_HOST] = "host", [WL_COLOUR_NEUTRAL] = "neutral",
	};

	return colour < WL_N_COLOURS ? keys[colour] : "";
}

const char *wl_category_key(enum wl_holds holds, uint8_t category)
{
	static const char *const classes[WL_N_CLASSES] = {
		[WL_COMPUTE] = "compute",
		[WL_COMM] = "exposed_comm",
		[WL_COPY] = "exposed_copy",
	};

	if (holds == WL_HOLDS_GAPS)
		return category < WL_N_GAP_CATS ? wl_gap_cat_name((enum wl_gap_cat)category) : "";
	if (holds == WL_HOLDS_GPU_TIME)
		return category < WL_N_CLASSES ? classes[category] : "";
	return wl_colour_key((enum wl_colour)category);
}

const char *wl_event_category(const struct wl_tracks *tracks, size_t track, uint32_t ref,
			      uint8_t category)
{
	enum wl_holds holds = wl_holds(&tracks->at[track]);

	return holds == WL_HOLDS_OPS ? tracks->category_word[wl_track_op_category(tracks, ref)]
				     : wl_category_key(holds, category);
}
