/* SPDX-License-Identifier: MIT */
#include "scene/row_colour.h"

#include "derive/kinds/classes.h"

enum wl_colour wl_row_colour(enum wl_holds holds, uint8_t cat)
{
	static const enum wl_colour classes[WL_N_CLASSES] = {
		[WL_COMPUTE] = WL_COLOUR_GEMM,
		[WL_COMM] = WL_COLOUR_COMM,
		[WL_COPY] = WL_COLOUR_COPY,
	};

	if (holds == WL_HOLDS_GAPS)
		return wl_swatch_of(wl_gap_cat_name((enum wl_gap_cat)cat), 0).colour;
	if (holds == WL_HOLDS_GPU_TIME)
		return cat < WL_N_CLASSES ? classes[cat] : WL_COLOUR_NEUTRAL;
	return holds == WL_HOLDS_LEVELS ? WL_COLOUR_OTHER : (enum wl_colour)cat;
}
