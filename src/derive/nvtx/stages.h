/* SPDX-License-Identifier: MIT */
/*
 * stages.h - the stage of a training step, and the purpose, of each launch.
 *
 * Both come from the ranges around the whole launch call, innermost first, on the launching thread.
 * A stage is the last match of the convention's stage pattern in the first name that has the
 * required prefix and matches. If the launching thread has none, it comes from the ranges that are
 * open on the anchor thread when the call begins: the stage is then bridged. If the pattern matches
 * nowhere, or the convention has none, the stage is the label of the innermost range that is
 * neither in NCCL's domain nor named like an NCCL call, searched in the same way. The purpose is
 * the first of the convention's purposes that matches a name on the launching thread; a convention
 * without purposes uses the stage.
 */
#ifndef WL_DERIVE_STAGES_H
#define WL_DERIVE_STAGES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_derived;
struct wl_forest;

struct wl_stages {
	/* By node of the forest: index of text for a launch whose innermost range it is, or
	 * WL_NONE. stage comes from patterns, label from the innermost range. */
	const uint32_t *stage, *label, *purpose;
	/* By range name: the texts of the name itself. */
	const uint32_t *stage_of_name, *label_of_name, *purpose_of_name;
	const char *const *text;
	size_t n;
};

/* Matches each distinct name once. False when the arena is exhausted. */
bool wl_stages_find(const struct wl_derived *derived, struct wl_arena *arena,
		    struct wl_stages *ret) WL_MUST_CHECK;

/*
 * The stage of what an API row launches: an index of text, or WL_NONE. *ret_bridged: it comes from
 * the anchor thread. Constant; if ranges cross, linear in those around the call.
 */
uint32_t wl_stage_of_call(const struct wl_stages *stages, const struct wl_trace *trace,
			  const struct wl_forest *forest, uint32_t call, bool *ret_bridged);

/* The purpose of what an API row launches, as above without the anchor thread. */
uint32_t wl_purpose_of_call(const struct wl_stages *stages, const struct wl_trace *trace,
			    const struct wl_forest *forest, uint32_t call);

#endif
