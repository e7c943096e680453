/* SPDX-License-Identifier: MIT */
/* late_say_parts.h - internals shared by the sources of late_say.h. */
#ifndef WL_ANALYSIS_LATE_SAY_PARTS_H
#define WL_ANALYSIS_LATE_SAY_PARTS_H

#include "analysis/comm/late_say.h"

/* A set being described. */
struct wl_late_saying {
	const struct wl_derived *derived;
	const struct wl_stragglers *all;
	const struct wl_late_set *set;
	const struct wl_straggler *at; /* of the set */
};

/* Append text; truncates what does not fit. */
void wl_late_add(char to[WL_LATE_TEXT], const char *fmt, ...) WL_PRINTF(2, 3);

/* Who is late, and the others: "GPUs 0 and 1", "GPUs 2-3". */
void wl_late_say_who(const struct wl_late_saying *s, struct wl_late_words *ret);

/* Says how often each is late, or in which steps each is, or in which steps all are; "" for
 * always. */
void wl_late_say_when(const struct wl_late_saying *s, char to[WL_LATE_TEXT]);

#endif
