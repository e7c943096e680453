/* SPDX-License-Identifier: MIT */
/* nsys_words.h - options as users of nsys type them, as wishes of a capture. */
#ifndef WL_CAPTURE_PLAN_NSYS_WORDS_H
#define WL_CAPTURE_PLAN_NSYS_WORDS_H

#include "capture/plan/plan.h"

/* What became of the options; texts in the arena, "" for none. */
struct wl_nsys_words {
	const char *ours;     /* the same in options of capture: "--gate delay:30" */
	const char *passed;   /* what nsys gets as it was given: "--trace=cuda" */
	const char *unneeded; /* what needs no option here, and why */
	const char *dir;      /* of --output, variables expanded; NULL for none */
};

/* The value of an environment variable; NULL for none. */
typedef const char *wl_variable_fn(const char *name);

/*
 * Take the options into the wishes, whose own gate they must not contradict; is_gated: the user
 * gave one. WL_E_USAGE for what a capture decides itself and for two gates; WL_E_NOMEM.
 */
int wl_nsys_words_take(const struct wl_nsys_setting *given, size_t n, bool is_gated,
		       wl_variable_fn *variable, struct wl_arena *arena, struct wl_wishes *wishes,
		       struct wl_nsys_words *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
