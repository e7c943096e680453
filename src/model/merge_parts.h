/* SPDX-License-Identifier: MIT */
/* merge_parts.h - declarations that the sources of merge.h share. */
#ifndef WL_MODEL_MERGE_PARTS_H
#define WL_MODEL_MERGE_PARTS_H

#include "base/memory/arena.h"
#include "model/merge.h"

/* A file whose rows are being taken, and the numbers of its things in the job. */
struct wl_merging {
	struct wl_merge *m;
	struct wl_build *b;
	const struct wl_trace *t;
	uint32_t file;
	struct wl_arena arena;
	uint32_t *string, *place, *thread, *name, *config, *device, *series;
	uint32_t *stack;   /* NULL until a column has stacks */
	uint64_t *process; /* keys */
};

/* The arena must be released, also after a failure. */
bool wl_merging_begin(struct wl_merging *k) WL_MUST_CHECK;

/*
 * A string of the file as one of the job. Numbered when it is first met: most strings of a file are
 * of columns that are not wanted.
 */
uint32_t wl_merging_string(struct wl_merging *k, uint32_t id);

/* Number the stacks of the file, if that was not done. False without memory. */
bool wl_merging_stacks(struct wl_merging *k) WL_MUST_CHECK;

/* Number what rows refer to. False without memory, or without numbers: rows must not be taken. */
bool wl_merging_owners(struct wl_merging *k) WL_MUST_CHECK;

/* Nothing ran out. */
bool wl_merge_is_fine(const struct wl_merge *m);

#endif
