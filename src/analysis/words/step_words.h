/* SPDX-License-Identifier: MIT */
/*
 * step_words.h - what a step is, and how steps change over time, in sentences.
 *
 * derive/ gives counts, times and enums; what people read about them is written here and nowhere
 * else, so that a verb, a finding and a page say the same.
 */
#ifndef WL_ANALYSIS_STEP_WORDS_H
#define WL_ANALYSIS_STEP_WORDS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/derived.h"
#include "derive/iters/iters.h"
#include "derive/iters/step_change.h"

/* What to say where no process has any. */
extern const char wl_no_iterations[];

/* Of n_uneven processes, where steady is spoken of. */
#define WL_STEADY_UNEVEN                                                                           \
	"%zu processes have another number of iterations than most and a steady iteration of "     \
	"their own"

/*
 * What a step of the process is, how many there are, their median, the mix of kinds, and
 * what to doubt: "step = NVTX range `iteration #` (20 steps, median 53.42 ms)". An
 * answer per step says this once. Owned by the arena; NULL when that is exhausted.
 */
const char *wl_step_say(const struct wl_process_iters *iters, struct wl_arena *arena) WL_MUST_CHECK;

/*
 * The same of the processes that are on: a sentence for those that are alike, at most
 * four. NULL ends; owned by the arena; NULL itself when that is exhausted.
 */
const char *const *wl_iterations_notes(const struct wl_trace *trace,
				       const struct wl_iterations *all, const bool *process_on,
				       struct wl_arena *arena) WL_MUST_CHECK;

/*
 * When steps are slow, after "is slow" or "takes longer": "since step 10", "until step 11", "in
 * steps 10-14", "outside steps 10-14", "increasingly, over steps 1-23". "" without a change. NULL
 * when the arena is exhausted.
 */
const char *wl_step_change_when(const struct wl_step_change *c,
				struct wl_arena *arena) WL_MUST_CHECK;

/*
 * "steps take 28.9% longer since step 10: 11.77 ms instead of 9.135 ms", or of a drift "step time
 * grows by 35.8% over 23 steps, from 9.324 ms to 13.39 ms"; begins a sentence where that is asked
 * for, and may then end early (WL_STOP). "" without a change. NULL when the arena is exhausted.
 */
const char *wl_step_change_say(const struct wl_step_change *c, bool is_sentence,
			       struct wl_arena *arena) WL_MUST_CHECK;

/*
 * Which convention an answer follows and who chose it, for people; "" for generic that no
 * option asked for. Owned by the arena; NULL when memory is exhausted.
 */
const char *wl_conventions_note(const struct wl_derived *derived,
				struct wl_arena *arena) WL_MUST_CHECK;

#endif
