/* SPDX-License-Identifier: MIT */
/*
 * phase_map.h - phases as a user's JSON file defines them: sets of NVTX ranges by their names.
 *
 *     {"forward": ["forward", "re:^fwd[0-9]"], "decode": {"domain": "LLM"}}
 */
#ifndef WL_ANALYSIS_PHASE_MAP_H
#define WL_ANALYSIS_PHASE_MAP_H

#include "analysis/analysis.h"
#include "base/memory/vec.h"
#include "derive/nvtx/range_names.h"

/* What phases call the rest; no phase may be called so. */
extern const char wl_phase_none[];

struct wl_phase_map {
	const char *verb;   /* for messages */
	const char **phase; /* names, in the order of the file */
	size_t n;
	struct wl_vec rules; /* what names must match, in the order of the file */
};

/*
 * Names are borrowed from the document, which may be NULL: WL_E_USAGE, as for one that is no map.
 * WL_E_NOMEM has no message. Release the map in any case.
 */
int wl_phase_map_read(const char *verb, const struct wl_json *doc, struct wl_arena *arena,
		      struct wl_phase_map *ret, struct wl_err *reterr) WL_MUST_CHECK;
void wl_phase_map_release(struct wl_phase_map *map);

/*
 * By name the phase, or WL_NONE; the first rule that matches counts, and each distinct name is
 * matched once. NULL when the arena is exhausted.
 */
uint32_t *wl_phase_map_match(const struct wl_phase_map *map, const struct wl_range_names *names,
			     struct wl_arena *arena) WL_MUST_CHECK;

#endif
