/* SPDX-License-Identifier: MIT */
/*
 * step_lists.h - the activities of each step, by stream and thread in order of start.
 *
 * For replays a step of a process begins at the launch call of its first operation: it has the
 * operations that are launched, and the calls that start, until the next one begins. An
 * operation whose launch is not known is of the step in which it starts, from its first operation
 * to that of the next one.
 */
#ifndef WL_DERIVE_STEP_LISTS_H
#define WL_DERIVE_STEP_LISTS_H

#include "derive/graph/build/graph.h"
#include "derive/rows/slices.h"

/* The steps of a process. */
struct wl_listed_steps {
	size_t n;                 /* 0: it has none */
	const wl_ns *begin;       /* by step: start of its first launch call, or operation */
	const uint32_t *first_op; /* by step: its first operation by start, then launch; WL_NONE */
	const uint32_t *begin_op; /* by step: the same of those that start when the iteration
				     begins, or later: copies may be issued ahead of it */
	size_t n_lanes;           /* streams and threads with activities; of very many the last ones
				     are one lane, so that lists stay linear in activities */
	size_t lists;             /* of wl_step_lists.first: that of its step 0 and lane 0 */
};

/* Where steps begin, without their activities. */
struct wl_step_bounds {
	const struct wl_listed_steps *process;
};

/* Given the graph and iterations. Linear in operations, and logarithmic in steps for each. */
bool wl_step_bounds_find(const struct wl_derived *given, struct wl_arena *arena,
			 struct wl_step_bounds *ret) WL_MUST_CHECK;

/* The step of an activity; WL_NONE before the first. Logarithmic in steps. */
uint32_t wl_step_of(const struct wl_derived *given, const struct wl_step_bounds *bounds,
		    uint32_t activity);

struct wl_step_lists {
	const struct wl_graph *graph;
	const struct wl_listed_steps *process;
	const size_t *first;      /* by process, step and lane, and once more */
	const uint32_t *activity; /* by list, then start */
};

/* Given the graph and iterations. Linear but for a search of the step of each activity. */
bool wl_step_lists_find(const struct wl_derived *given, struct wl_arena *arena,
			struct wl_step_lists *ret) WL_MUST_CHECK;

/* The activities of a lane in a step. */
static inline struct wl_slice wl_step_list(const struct wl_step_lists *l, size_t process,
					   size_t step, size_t lane)
{
	const struct wl_listed_steps *p = &l->process[process];
	size_t at = p->lists + step * p->n_lanes + lane;

	return (struct wl_slice){ l->first[at], l->first[at + 1] };
}

/* All activities of a step: its lists follow each other. */
static inline struct wl_slice wl_step_all(const struct wl_step_lists *l, size_t process,
					  size_t step)
{
	const struct wl_listed_steps *p = &l->process[process];
	size_t at = p->lists + step * p->n_lanes;

	return (struct wl_slice){ l->first[at], l->first[at + p->n_lanes] };
}

/* What an activity is called: equal for equal names of one stream or thread. */
uint32_t wl_activity_name(const struct wl_graph *graph, uint32_t activity);

/*
 * The counterparts of a step's activities in another step of the process: by place in
 * wl_step_all, the activity of the same lane that is the k-th with its name; WL_NONE for none.
 * Sorts by name; false when the arena is exhausted.
 */
bool wl_step_align(const struct wl_step_lists *lists, size_t process, const size_t steps[2],
		   struct wl_arena *arena, uint32_t *ret) WL_MUST_CHECK;

/* Some steps of a process. */
struct wl_chosen_steps {
	size_t process;
	const size_t *step;
	size_t n;
};

/* Their activities, those that are each other's counterparts in one slot. */
struct wl_step_slots {
	size_t n;                 /* slots; one for whatever any of the steps has */
	const uint32_t *activity; /* by step of those chosen, then slot; WL_NONE: it has none */
};

/* Sorts by name where steps differ. Owned by the arena; false when that is exhausted. */
bool wl_step_slots_find(const struct wl_step_lists *lists, const struct wl_chosen_steps *chosen,
			struct wl_arena *arena, struct wl_step_slots *ret) WL_MUST_CHECK;

#endif
