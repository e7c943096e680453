/* SPDX-License-Identifier: MIT */
/*
 * phase_map.h - phases defined by a user's JSON file: sets of NVTX ranges, by name.
 *
 *     {"forward": ["forward", "re:^fwd[0-9]"], "decode": {"domain": "LLM"}}
 */
#ifndef WL_ANALYSIS_PHASE_MAP_H
#define WL_ANALYSIS_PHASE_MAP_H

#include "analysis/analysis.h"
#include "base/memory/vec.h"
#include "derive/nvtx/range_names.h"

/* The name of the rest, which no phase may have. */
extern const char wl_phase_none[];

struct wl_phase_map {
	const char *verb;   /* for messages */
	const char **phase; /* names, in the order of the file */
	size_t n;
	struct wl_vec rules; /* the rules that names must match, in the order of the file */
};

/*
 * Names are borrowed from the document. WL_E_USAGE if it is NULL or not a map; WL_E_NOMEM has no
 * message. Release the map in any case.
 */
int wl_phase_map_read(const char *verb, const struct wl_json *doc, struct wl_arena *arena,
		      struct wl_phase_map *ret, struct wl_err *reterr) WL_MUST_CHECK;
void wl_phase_map_release(struct wl_phase_map *map);

/*
 * Returns the phase by name, or WL_NONE; the first matching rule counts, and each distinct name is
 * matched once. NULL when the arena is exhausted.
 */
uint32_t *wl_phase_map_match(const struct wl_phase_map *map, const struct wl_range_names *names,
			     struct wl_arena *arena) WL_MUST_CHECK;

#endif
