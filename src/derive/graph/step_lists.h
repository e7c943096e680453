/* SPDX-License-Identifier: MIT */
/*
 * step_lists.h - the activities of each step, by stream and thread in order of start.
 *
 * In replays, a step of a process begins at the launch call of its first operation. It contains the
 * operations launched and the calls started until the next step begins. An operation with an
 * unknown launch belongs to the step in which it starts, counted from the step's first operation to
 * that of the next step.
 */
#ifndef WL_DERIVE_STEP_LISTS_H
#define WL_DERIVE_STEP_LISTS_H

#include "derive/graph/build/graph.h"
#include "derive/rows/slices.h"

/* The steps of a process. */
struct wl_listed_steps {
	size_t n;                 /* 0 if it has none */
	const wl_ns *begin;       /* by step: start of its first launch call, or operation */
	const uint32_t *first_op; /* by step: its first operation by start, then launch; WL_NONE */
	const uint32_t *begin_op; /* by step: the same, among operations that start at or after the
				     start of the iteration; copies may be issued ahead */
	size_t n_lanes; /* streams and threads with activities; if there are very many, the last
			   ones share a lane to keep the lists linear in activities */
	size_t lists;   /* index into wl_step_lists.first of step 0, lane 0 */
};

/* The starts of steps, without their activities. */
struct wl_step_bounds {
	const struct wl_listed_steps *process;
};

/* Needs the graph and iterations. Linear in operations, with a logarithmic search of the steps for
 * each. */
bool wl_step_bounds_find(const struct wl_derived *given, struct wl_arena *arena,
			 struct wl_step_bounds *ret) WL_MUST_CHECK;

/* The step of an activity; WL_NONE before the first. Logarithmic in steps. */
uint32_t wl_step_of(const struct wl_derived *given, const struct wl_step_bounds *bounds,
		    uint32_t activity);

struct wl_step_lists {
	const struct wl_graph *graph;
	const struct wl_listed_steps *process;
	const size_t *first;      /* by process, step and lane; one more at the end */
	const uint32_t *activity; /* by list, then start */
};

/* Needs the graph and iterations. Linear except for a search for the step of each activity. */
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

/* All activities of a step; its lists are adjacent. */
static inline struct wl_slice wl_step_all(const struct wl_step_lists *l, size_t process,
					  size_t step)
{
	const struct wl_listed_steps *p = &l->process[process];
	size_t at = p->lists + step * p->n_lanes;

	return (struct wl_slice){ l->first[at], l->first[at + p->n_lanes] };
}

/* A number for the name of an activity: equal for equal names on one stream or thread. */
uint32_t wl_activity_name(const struct wl_graph *graph, uint32_t activity);

/*
 * Find the counterparts of a step's activities in another step of the process. By place in
 * wl_step_all: the activity of the same lane that is the k-th with the same name; WL_NONE for none.
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

/* The activities of the chosen steps; counterparts share a slot. */
struct wl_step_slots {
	size_t n;                 /* number of slots; each activity that any step has gets one */
	const uint32_t *activity; /* by chosen step, then slot; WL_NONE if the step has none */
};

/* Sorts by name where steps differ. Owned by the arena; false when that is exhausted. */
bool wl_step_slots_find(const struct wl_step_lists *lists, const struct wl_chosen_steps *chosen,
			struct wl_arena *arena, struct wl_step_slots *ret) WL_MUST_CHECK;

#endif
