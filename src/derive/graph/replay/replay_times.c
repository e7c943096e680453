/* SPDX-License-Identifier: MIT */
/* replay_times.c - a replay by activity: takes changes of single lengths and returns times. */
#include "derive/graph/replay/replay.h"

static bool list_changes(const struct wl_replay_plan *plan, const struct wl_scenario *scenario,
			 struct wl_arena *scratch, struct wl_changes *ret)
{
	const struct wl_graph *g = plan->graph;

	*ret = (struct wl_changes){ .gap = NULL };
	if (!scenario || !scenario->change_of)
		return true;
	ret->gap = WL_NEW(scratch, wl_ns, (size_t)plan->n + 1);
	ret->length = WL_NEW(scratch, wl_ns, (size_t)plan->n + 1);
	if (!ret->gap || !ret->length)
		return false;
	for (uint32_t p = 1; p <= plan->n; p++) {
		uint32_t activity = plan->activity[p], of = scenario->change_of[activity];
		const struct wl_change *change;

		if (of == WL_NONE)
			continue;
		change = &scenario->change[of];
		if (wl_graph_is_own_length(g, activity))
			ret->length[p] = change->length - wl_graph_length(g, activity);
		if (activity >= g->n_ops && plan->first[p] < plan->first[p + 1])
			ret->gap[p] = change->gap - wl_graph_gap(g, activity);
	}
	return true;
}

static wl_ns makespan_of(const struct wl_graph *g, const wl_ns *start, const wl_ns *end)
{
	wl_ns first = INT64_MAX, last = INT64_MIN;

	for (uint32_t i = 0; i < g->n_ops; i++) {
		first = start[i] < first ? start[i] : first;
		last = end[i] > last ? end[i] : last;
	}
	return g->n_ops ? last - first : 0;
}

static bool list_times(const struct wl_replay_plan *plan, const struct wl_shifts *shifts,
		       struct wl_arena *arena, struct wl_replay *ret)
{
	const struct wl_graph *g = plan->graph;
	size_t n = (size_t)g->n_ops + g->n_calls;
	wl_ns *start = WL_NEW(arena, wl_ns, n), *end = WL_NEW(arena, wl_ns, n);

	if (!start || !end)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		size_t p = plan->at[i];

		start[i] = p ? wl_graph_start(g, i) + shifts->at[2 * p] : WL_NO_TIME;
		end[i] = p ? wl_graph_end(g, i) + shifts->at[2 * p + 1] : WL_NO_TIME;
	}
	*ret = (struct wl_replay){ start, end, makespan_of(g, start, end), plan->n_forced };
	return true;
}

bool wl_replay_on(const struct wl_replay_plan *plan, const struct wl_scenario *scenario,
		  struct wl_arena *arena, struct wl_replay *ret)
{
	const struct wl_window_plan all = { .at = NULL };
	struct wl_changes changes;
	struct wl_shifts shifts;
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	ok = list_changes(plan, scenario, &scratch, &changes) &&
	     wl_shifts_make(plan, &scratch, &shifts);
	if (ok) {
		wl_shifts_run(plan, &all, &changes, &shifts);
		ok = list_times(plan, &shifts, arena, ret);
	}
	wl_arena_release(&scratch);
	return ok;
}

bool wl_replay_run(const struct wl_graph *g, const struct wl_scenario *scenario,
		   struct wl_arena *arena, struct wl_replay *ret)
{
	struct wl_arena scratch;
	struct wl_replay_plan plan;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	ok = wl_replay_plan_make(g, &scratch, &plan) && wl_replay_on(&plan, scenario, arena, ret);
	wl_arena_release(&scratch);
	return ok;
}

size_t wl_replay_count_moved(const struct wl_graph *g, const struct wl_replay *replay)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n_order; i++) {
		uint32_t activity = g->order[i];

		n += replay->start[activity] != wl_graph_start(g, activity) ||
		     replay->end[activity] != wl_graph_end(g, activity);
	}
	return n;
}
