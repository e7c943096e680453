/* SPDX-License-Identifier: MIT */
/*
 * names.h - the names of a page's events, numbered.
 *
 * A name is a text, a category and a word: where these are equal it is one name. Numbers are
 * given in the order of rows, lanes and events, so the same trace gives the same numbers. The
 * text is that of wl_track_event_name(); of a gap the cause, and behind ": " the detail.
 */
#ifndef WL_SERVE_NAMES_H
#define WL_SERVE_NAMES_H

#include "base/memory/intern.h"
#include "serve/shown/show.h"

enum { WL_NO_WORD = UINT8_MAX };

struct wl_web_name {
	const char *text; /* as shown: where names are hashed, that; not cleaned */
	/* Of an NVTX range its label (derive/nvtx/range_names.h), of a kernel that of
	   known/kernels/labels.h, where that is another text, else NULL; NULL of hashed names,
	   which are labels. */
	const char *label;
	uint8_t category; /* of the event */
	/* Of an operation: its category as wl_track_op_category() has it, of which a colour has
	   several; else WL_NO_WORD. */
	uint8_t word;
};

struct wl_names {
	size_t n;
	const struct wl_web_name *at;
	/* Private. */
	const struct wl_show *show;
	struct wl_intern keys; /* of struct name_key: what events share without a look at texts */
	const uint32_t *of_key;
};

enum wl_naming { WL_NAMES_AS_THEY_ARE, WL_NAMES_REDACTED };

/*
 * Number the names of all events that are shown; show must outlive them. Texts are owned by
 * the arena or by the scenes. Release also after a failure. False without memory. Linear in
 * events, and sorts the distinct names.
 */
bool wl_names_find(struct wl_names *names, const struct wl_show *show, enum wl_naming how,
		   struct wl_arena *arena) WL_MUST_CHECK;
void wl_names_release(struct wl_names *names); /* accepts a zeroed one */

/*
 * The name of an event that is shown, by its row in the page, ref and category. Does not change
 * anything, so several threads may ask. WL_NONE for an event that is not shown.
 */
uint32_t wl_names_of(const struct wl_names *names, size_t row, uint32_t ref, uint8_t cat);

#endif
