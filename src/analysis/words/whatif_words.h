/* SPDX-License-Identifier: MIT */
/* whatif_words.h - scenarios and what their replays found, in sentences without a full stop. */
#ifndef WL_ANALYSIS_WHATIF_WORDS_H
#define WL_ANALYSIS_WHATIF_WORDS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/graph/refusal.h"
#include "derive/graph/scenario/scenario.h"

/* What a scenario changes: "transfers take no time, arrivals stay". */
const char *wl_scenario_changes(enum wl_scenario_id scenario);

/* Why a replay has no answer; NULL where there is one. */
const char *wl_refusal_say(enum wl_refusal refusal);

/*
 * What a replay found besides its saving; "" for nothing. NULL when the arena is exhausted. Of
 * several scenarios at once the last one that found anything is said.
 */
const char *wl_whatif_say(const struct wl_whatif_result *result,
			  struct wl_arena *arena) WL_MUST_CHECK;

#endif
