/* SPDX-License-Identifier: MIT */
/* colour_by.h - what viewers choose the colour of an event by. */
#ifndef WL_SCENE_COLOUR_BY_H
#define WL_SCENE_COLOUR_BY_H

/* Saved views of the terminal keep the number: append, do not reorder. */
enum wl_colour_by {
	WL_COLOUR_BY_CATEGORY,
	WL_COLOUR_BY_NAME,
	WL_COLOUR_BY_NVTX,     /* the innermost NVTX range around the launch; of a range its own */
	WL_COLOUR_BY_DURATION, /* ns */
	WL_COLOUR_BY_STREAM,   /* the row that it is of */
	WL_N_COLOUR_BY
};

#endif
