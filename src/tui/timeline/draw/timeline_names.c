/* SPDX-License-Identifier: MIT */
/* timeline_names.c - names of rows: on the screen, and in saved state. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tui/timeline/timeline_parts.h"

const char *wl_timeline_row_key(const struct wl_timeline *t, uint32_t track,
				char buf[WL_ROW_KEY_BUF])
{
	const struct wl_tracks *tracks = &wl_timeline_scene(t)->tracks;
	const struct wl_track *at;

	buf[0] = '\0';
	if (track == WL_NONE)
		return buf;
	at = &tracks->at[track];
	if (at->parent == WL_NONE)
		(void)snprintf(buf, WL_ROW_KEY_BUF, "%s", at->label);
	else
		(void)snprintf(buf, WL_ROW_KEY_BUF, "%s/%s", tracks->at[at->parent].label,
			       at->label);
	return buf;
}

uint32_t wl_timeline_row_find(const struct wl_timeline *t, const char *key)
{
	const struct wl_tracks *tracks = &wl_timeline_scene(t)->tracks;
	char buf[WL_ROW_KEY_BUF];

	for (uint32_t i = 0; i < tracks->n; i++)
		if (strcmp(wl_timeline_row_key(t, i, buf), key) == 0)
			return i;
	return WL_NONE;
}

/* "NVTX 70005"; a number of seven digits leaves no room for the blank. */
static void put_thread(int64_t tid, char buf[WL_ROW_KEY_BUF])
{
	(void)snprintf(buf, WL_ROW_KEY_BUF, tid < 1000000 ? "NVTX %" PRId64 : "NVTX%" PRId64, tid);
}

const char *wl_timeline_row_name(const struct wl_timeline *t, uint32_t track,
				 char buf[WL_ROW_KEY_BUF])
{
	const struct wl_tracks *tracks = &wl_timeline_scene(t)->tracks;
	const struct wl_track *at = &tracks->at[track];

	if (wl_holds(at) == WL_HOLDS_PROJECTIONS && !wl_row_is_apart(wl_row_kind(at)) &&
	    at->parent != WL_NONE && at->thread != WL_NONE && wl_timeline_n_nvtx(t, at->parent) > 1)
		/* The thread's number tells one from the other, and is what other rows show. */
		put_thread(tracks->trace->threads[at->thread].tid, buf);
	else if (at->parent != WL_NONE && wl_holds(&tracks->at[at->parent]) == WL_HOLDS_GPU_TIME)
		(void)snprintf(buf, WL_ROW_KEY_BUF, "%s %s", tracks->at[at->parent].brief,
			       at->brief);
	else
		(void)snprintf(buf, WL_ROW_KEY_BUF, "%s", at->brief);
	return buf;
}
