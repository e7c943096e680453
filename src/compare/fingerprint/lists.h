/* SPDX-License-Identifier: MIT */
/* lists.h - sums of events by name: the largest rows, and one row for the rest. */
#ifndef WL_COMPARE_LISTS_H
#define WL_COMPARE_LISTS_H

#include "compare/fingerprint/events.h"

/* How a list is made. */
struct wl_listing {
	const struct wl_event_source *from;
	wl_events *events;
	size_t n_groups;
	/* The group's name, owned by the arena or longer; NULL without memory. */
	const char *(*name)(const struct wl_event_source *from, uint32_t group,
			    struct wl_arena *arena);
	size_t max_rows, max_bytes; /* of rows with a name of their own, and of their names */
	bool with_positions;
};

/* A name as fingerprints carry it: one that is too long is cut, and its checksum added. */
const char *wl_fp_name(const char *name, struct wl_arena *arena) WL_MUST_CHECK;

/* Bytes that a name takes in the file, at most: JSON escapes some characters by six. */
size_t wl_fp_name_cost(const char *name);

/*
 * Two passes over the events. The groups of the rows are in *ret_group. Owned by the
 * arena; false when that is exhausted. Sums stop at INT64_MAX.
 */
bool wl_list_make(const struct wl_listing *l, struct wl_arena *arena, struct wl_fp_list *ret,
		  const uint32_t **ret_group) WL_MUST_CHECK;

#endif
