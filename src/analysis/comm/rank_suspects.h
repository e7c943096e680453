/* SPDX-License-Identifier: MIT */
/* rank_suspects.h - notes about members that may be stragglers, where none is replayed. */
#ifndef WL_ANALYSIS_RANK_SUSPECTS_H
#define WL_ANALYSIS_RANK_SUSPECTS_H

#include "analysis/analysis.h"
#include "derive/use/rank_use.h"

enum { WL_RANK_NAME = 48 };

/* "rank 3", or "GPU 1": a member of the matches. */
const char *wl_say_rank(const struct wl_derived *derived, uint32_t member, char to[WL_RANK_NAME]);

/*
 * A note per suspect: how late it is, and of compute, exposed copies and idle time what it has most
 * more than the median of the others of its group, if a hundredth of the run; or the rank it
 * waits for itself, where that is more. False when the arena of the run is exhausted.
 */
bool wl_rank_suspects_note(const struct wl_run *run, const struct wl_rank_uses *uses,
			   struct wl_table *out) WL_MUST_CHECK;

#endif
