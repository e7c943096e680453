/* SPDX-License-Identifier: MIT */
/*
 * late_say.h - describes stragglers in words: who, in which steps, and why, with numbers for both
 * sides. All verbs use these words.
 */
#ifndef WL_ANALYSIS_LATE_SAY_H
#define WL_ANALYSIS_LATE_SAY_H

#include "base/attr.h"
#include "derive/derived.h"
#include "derive/graph/late/late.h"
#include "derive/graph/late/straggler.h"

enum { WL_LATE_TEXT = 640 };

/* Clauses of a sentence; empty if there is nothing to say. */
struct wl_late_words {
	char who[WL_LATE_TEXT];   /* "GPUs 0 and 1", "nodes node2 and node5 (ranks 4, 5, 10, 11)" */
	char steps[WL_LATE_TEXT]; /* "in steps 5-9", "in steps 7-24, growing" */
	char others[WL_LATE_TEXT]; /* "GPUs 2-3": the ranks to compare with */
	char why[WL_LATE_TEXT];    /* "all kernels take 1.20 times as long as on GPUs 2-3 (...)" */
	char alone[WL_LATE_TEXT];  /* "one alone saves nothing" */
	bool is_many;              /* who is plural */
};

/* Describes the set with this number; derived must have named, iterations, matches, meshes, ranks,
 * hosts, and step_change, which may be NULL. */
void wl_late_say(const struct wl_derived *derived, const struct wl_stragglers *all, size_t set,
		 struct wl_late_words *ret);

/*
 * Describes suspects that are not named: "GPU 2 arrives late by 1.1 ms in 20 steps (9.6% of the
 * run); what it costs cannot be replayed, because ...", or that the run would be no shorter without
 * the lateness.
 */
void wl_late_say_unnamed(const struct wl_derived *derived, const struct wl_stragglers *all,
			 char to[WL_LATE_TEXT]);

/* "in steps 5-9", "in every 4th step: 1, 5, 9, ...", "in 6 of 20 steps"; "" for none. */
void wl_say_steps(const bool *is_one, size_t n_steps, char to[WL_LATE_TEXT]);

#endif
