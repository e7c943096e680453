/* SPDX-License-Identifier: MIT */
/* rank_suspects.h - notes about members that may be stragglers, when none is replayed. */
#ifndef WL_ANALYSIS_RANK_SUSPECTS_H
#define WL_ANALYSIS_RANK_SUSPECTS_H

#include "analysis/analysis.h"
#include "derive/use/rank_use.h"

enum { WL_RANK_NAME = 48 };

/* The name of a member of the matches: "rank 3" or "GPU 1". */
const char *wl_say_rank(const struct wl_derived *derived, uint32_t member, char to[WL_RANK_NAME]);

/*
 * Adds a note per suspect: how late it is, and which of compute, exposed copies and idle time
 * exceeds the median of the others in its group by most, if that is a hundredth of the run; or the
 * rank that it waits for itself, if that explains more. False when the arena of the run is
 * exhausted.
 */
bool wl_rank_suspects_note(const struct wl_run *run, const struct wl_rank_uses *uses,
			   struct wl_table *out) WL_MUST_CHECK;

#endif
