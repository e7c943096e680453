/* SPDX-License-Identifier: MIT */
/* groups.h - the groups of events of a page: a code per event, and a text per code. */
#ifndef WL_SERVE_GROUPS_H
#define WL_SERVE_GROUPS_H

#include "serve/answers/answer.h"

enum wl_group_by { WL_GROUP_BY_NAME, WL_GROUP_BY_CATEGORY, WL_GROUP_BY_NVTX, WL_GROUP_BY_ROW };

struct wl_event_groups {
	const struct wl_served *served;
	enum wl_group_by by;
	size_t n; /* codes are below; WL_NONE for an event that is not shown */
	/* Private. By NVTX: code 0 is for none, then come the names of ranges, scene by scene. */
	const char **range_text;
	uint32_t *range_same;             /* by name: the first of this text in all scenes */
	size_t first_range[WL_MAX_SHOWN]; /* by scene, of these two */
	struct wl_arena *arena;
};

/* Equal names of several traces are one group. The arena must outlive it; false without memory. */
bool wl_event_groups_init(struct wl_event_groups *g, const struct wl_ask *ask,
			  enum wl_group_by by) WL_MUST_CHECK;

/* The code of event i of a lane of the row; by NVTX, of a stream's. Several threads may ask. */
uint32_t wl_group_of(const struct wl_event_groups *g, const struct wl_asked_row *row,
		     const struct wl_lane *lane, size_t i);

/* What people call it; NULL without memory. */
const char *wl_group_text(const struct wl_event_groups *g, size_t code);

#endif
