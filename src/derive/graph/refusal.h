/* SPDX-License-Identifier: MIT */
/* refusal.h - why a replay has no answer; analysis/words/whatif_words.h has the texts. */
#ifndef WL_DERIVE_REFUSAL_H
#define WL_DERIVE_REFUSAL_H

enum wl_refusal {
	WL_NOT_REFUSED,
	/* These apply to a single scenario. */
	WL_NO_CALLS,
	WL_NO_STEPS,
	WL_NO_COLLECTIVES,
	WL_NO_MPI,
	WL_MUCH_UNMATCHED, /* more than a fifth of all communication time */
	WL_NOBODY_LATE,
	WL_LATE_MAYBE_CHANCE,
	WL_LATE_UNLIKE_OTHERS,
	WL_LATE_NOT_REPLAYED,
	WL_NO_STEP_CHANGE,
	WL_NO_HOST_FUNCTIONS,
	/* These apply to all replays of the trace. */
	WL_IDENTITY_MOVES, /* a replay without changes does not give the measured times */
	WL_CLOCKS_SKEWED,  /* operations begin before their launch */
	WL_PATH_UNEXPLAINED,
	WL_CAUSALITY_CONTRADICTED,
	WL_HELD_OUT_WRONG, /* replays predict the times of other steps wrongly */
	WL_N_REFUSALS
};

#endif
