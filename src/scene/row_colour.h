/* SPDX-License-Identifier: MIT */
/* row_colour.h - the colour of a category in pictures of rows. */
#ifndef WL_SCENE_ROW_COLOUR_H
#define WL_SCENE_ROW_COLOUR_H

#include "derive/tracks/tracks.h"
#include "known/palette.h"

/* A category of work has its own colour, a cause and a class of GPU time that of its word. */
enum wl_colour wl_row_colour(enum wl_holds holds, uint8_t cat);

#endif
