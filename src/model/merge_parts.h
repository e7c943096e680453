/* SPDX-License-Identifier: MIT */
/* merge_parts.h - declarations shared by the sources that implement merge.h. */
#ifndef WL_MODEL_MERGE_PARTS_H
#define WL_MODEL_MERGE_PARTS_H

#include "base/memory/arena.h"
#include "model/merge.h"

/* A file whose rows are being merged, and the job's numbers for what they refer to. */
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

/* The arena must be released even after a failure. */
bool wl_merging_begin(struct wl_merging *k) WL_MUST_CHECK;

/*
 * The job's number for a string of the file. It is assigned on first use, because most strings of a
 * file belong to columns that are not wanted.
 */
uint32_t wl_merging_string(struct wl_merging *k, uint32_t id);

/* Number the stacks of the file unless already done. False if out of memory. */
bool wl_merging_stacks(struct wl_merging *k) WL_MUST_CHECK;

/* Number what rows refer to. False if out of memory or of numbers: then rows must not be merged. */
bool wl_merging_owners(struct wl_merging *k) WL_MUST_CHECK;

/* Nothing ran out. */
bool wl_merge_is_fine(const struct wl_merge *m);

#endif
