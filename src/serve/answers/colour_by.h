/* SPDX-License-Identifier: MIT */
/*
 * colour_by.h - values that a page colours events by, other than the category: one per event.
 */
#ifndef WL_SERVE_COLOUR_BY_H
#define WL_SERVE_COLOUR_BY_H

#include "scene/colour_by.h"
#include "serve/answers/answer.h"

#define WL_LONGEST_VALUE (UINT32_MAX - 1)

/* No colour: the ref of the innermost range around the launch or call. */
#define WL_BY_RANGE WL_N_COLOUR_BY

/* Parameter "by" of a request. WL_E_USAGE for another word. */
int wl_ask_colour_by(const struct wl_ask *ask, enum wl_colour_by *ret,
		     struct wl_err *reterr) WL_MUST_CHECK;

/*
 * The number of event i of a lane of the row: of its name or range as names.h has it, its length or
 * WL_LONGEST_VALUE where that is longer, its row, the ref of its range. WL_NONE where there is
 * none. Takes a search.
 */
uint32_t wl_colour_value(const struct wl_served *served, const struct wl_asked_row *row,
			 const struct wl_lane *lane, size_t i, enum wl_colour_by by);

#endif
