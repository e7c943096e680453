/* SPDX-License-Identifier: MIT */
/* categories.h - the names of the categories of rows in a page. */
#ifndef WL_SERVE_CATEGORIES_H
#define WL_SERVE_CATEGORIES_H

#include "derive/tracks/tracks.h"
#include "known/palette.h"

const char *wl_colour_key(enum wl_colour colour); /* "gemm", "communication", ... */

/* Of an event of a row that holds such: the key of a colour, a cause or a class. */
const char *wl_category_key(enum wl_holds holds, uint8_t category);

/* The category of an event: of an operation that of "categories", else as above. */
const char *wl_event_category(const struct wl_tracks *tracks, size_t track, uint32_t ref,
			      uint8_t category);

#endif
