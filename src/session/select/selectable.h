/* SPDX-License-Identifier: MIT */
/* selectable.h - the values that --gpu, --pid, --rank and --stream can take in a trace. */
#ifndef WL_SESSION_SELECTABLE_H
#define WL_SESSION_SELECTABLE_H

#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_ranks;

enum wl_selectable { WL_SELECT_GPU, WL_SELECT_PID, WL_SELECT_RANK, WL_SELECT_STREAM };

/*
 * For an error message: "the trace has GPUs 0 to 3", "the trace has processes 70000 and
 * 70001", "no process of the trace has a rank; --gpu
 * selects GPUs". At most eight numbers are spelled out.
 * Owned by the arena; a constant text when that is exhausted. A sort of the numbers.
 */
const char *wl_selectable_say(const struct wl_trace *trace, const struct wl_ranks *ranks,
			      enum wl_selectable what, struct wl_arena *arena);

#endif
