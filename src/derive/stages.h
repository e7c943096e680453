/*
 * stages.h - which stage of a training step, and which purpose, a launch has.
 *
 * Both come from the ranges around the whole launch call, innermost first, on
 * the launching thread. Where the convention has a stage pattern, a stage is its last
 * match in the first name that begins as it must and matches. Elsewhere it is the
 * label of the innermost range that is neither of NCCL's domain nor named like
 * a call of it. The purpose is the first of the convention's purposes that fits a
 * name; a convention without purposes takes the stage.
 */
#ifndef WL_DERIVE_STAGES_H
#define WL_DERIVE_STAGES_H

#include "base/arena.h"
#include "base/attr.h"
#include "model/trace.h"

struct wl_derived;

struct wl_stages {
	/* By node of the forest: index of text, for a launch whose innermost range it is; or
	 * WL_NONE. */
	const uint32_t *stage, *purpose;
	const char *const *text;
	size_t n;
};

/* Matches each distinct name once. False when the arena is exhausted. */
bool wl_stages_find(struct wl_derived *derived, struct wl_arena *arena,
		    struct wl_stages *ret) WL_MUST_CHECK;

#endif
