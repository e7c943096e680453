/* SPDX-License-Identifier: MIT */
/* scenario_changes.c - the changes that the scenarios of a run make, by position. */
#include <string.h>

#include "derive/graph/replay/launch_lags.h"
#include "derive/graph/scenario/scenario_parts.h"
#include "derive/graph/step_lists.h"

const struct wl_step_lists *wl_whatif_steps(struct wl_whatif *w)
{
	if (!w->steps) {
		w->steps = WL_NEW(w->arena, struct wl_step_lists, 1);
		if (w->steps && !wl_step_lists_find(w->given, w->arena, w->steps))
			w->steps = NULL;
	}
	return w->steps;
}

/* Provide a zeroed array; it is cleared by position, or as a whole for a large window. */
static bool want(struct wl_whatif *w, wl_ns **room, wl_ns **ret)
{
	size_t n = (size_t)w->plan->n + 1;

	if (*ret)
		return true;
	if (!*room)
		*room = WL_NEW(w->arena, wl_ns, n);
	else if (!w->window.at)
		memset(*room, 0, n * sizeof(wl_ns));
	for (uint32_t i = 0; *room && w->window.at && i < w->window.n; i++)
		(*room)[w->window.at[i]] = 0;
	*ret = *room;
	return *ret != NULL;
}

bool wl_change_gaps(struct wl_whatif *w)
{
	return want(w, &w->room.gap, &w->changes.gap);
}

bool wl_change_lengths(struct wl_whatif *w)
{
	return want(w, &w->room.length, &w->changes.length);
}

/* The same for n marks. */
static bool want_marks(struct wl_whatif *w, uint8_t **room, uint8_t **ret, size_t n)
{
	if (*ret)
		return true;
	if (!*room)
		*room = WL_NEW(w->arena, uint8_t, n);
	else
		memset(*room, 0, n);
	*ret = *room;
	return *ret != NULL;
}

bool wl_change_launches(struct wl_whatif *w)
{
	return want_marks(w, &w->room.sent, &w->changes.sent, (size_t)w->plan->n + 1);
}

bool wl_change_ends(struct wl_whatif *w)
{
	return want_marks(w, &w->room.lone, &w->changes.lone, (size_t)w->plan->n + 1);
}

bool wl_change_candidates(struct wl_whatif *w)
{
	size_t n = (size_t)w->plan->n + 1;

	if (!w->changes.after) {
		if (!w->room.after)
			w->room.after = WL_NEW(w->arena, uint32_t, n);
		else
			memset(w->room.after, 0, n * sizeof(uint32_t));
		w->changes.after = w->room.after;
	}
	return w->changes.after &&
	       want_marks(w, &w->room.drop, &w->changes.drop, w->plan->n_candidates + 1);
}

wl_ns wl_changed_length(const struct wl_whatif *w, uint32_t position)
{
	return wl_graph_own_length(w->plan->graph, w->plan->activity[position]) +
	       (w->changes.length ? w->changes.length[position] : 0);
}

void wl_set_length(struct wl_whatif *w, uint32_t position, wl_ns length)
{
	wl_ns change = length - wl_graph_own_length(w->plan->graph, w->plan->activity[position]);

	w->n_changed += change != w->changes.length[position];
	w->changes.length[position] = change;
}

void wl_set_gap(struct wl_whatif *w, uint32_t position, wl_ns gap)
{
	wl_ns change = gap - wl_graph_gap(w->plan->graph, w->plan->activity[position]);

	/* A call without a predecessor keeps its time. */
	if (w->plan->first[position] == w->plan->first[position + 1])
		return;
	w->n_changed += change != w->changes.gap[position];
	w->changes.gap[position] = change;
}

void wl_even_length(struct wl_whatif *w, uint32_t position, wl_ns length)
{
	wl_ns now = wl_changed_length(w, position);

	wl_set_length(w, position, w->changes.length[position] < 0 && now < length ? now : length);
}

void wl_follow_launches(struct wl_whatif *w)
{
	for (uint32_t i = 0; i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);
		wl_ns lag = wl_launch_lag_change(w->plan, w->changes.length, p);

		if (lag < 0 && lag < w->changes.gap[p])
			w->changes.gap[p] = lag;
	}
}

void wl_even_gap(struct wl_whatif *w, uint32_t position, wl_ns gap)
{
	wl_ns now = wl_graph_gap(w->plan->graph, w->plan->activity[position]) +
		    w->changes.gap[position];

	wl_set_gap(w, position, w->changes.gap[position] < 0 && now < gap ? now : gap);
}

/*
 * Whether a position waited for its launch, in the order of the critical path: among candidates
 * done at the same time, events, the default stream and stream order come before a launch, and
 * inferred ones after it.
 */
static bool waits_for_launch(const struct wl_replay_plan *plan, uint32_t position)
{
	const struct wl_graph *g = plan->graph;
	uint32_t i = plan->first[position], last = plan->first[position + 1] - 1;
	uint32_t edge = g->edge_first[plan->activity[position]];

	if (!(plan->flags[position] & WL_PLAN_LAUNCHED) || plan->slack[last] != 0)
		return false;
	if (plan->flags[position] & WL_PLAN_ORDERED && i < last && plan->slack[i++] == 0)
		return false;
	for (; i < last; i++, edge++) {
		if (plan->slack[i] == 0 && g->edge_kind[edge] != WL_EDGE_INFERRED)
			return false;
	}
	return true;
}

void wl_drop_lag(struct wl_whatif *w, uint32_t position)
{
	const struct wl_replay_plan *plan = w->plan;
	const struct wl_graph *g = plan->graph;
	uint32_t op = plan->activity[position];

	if (waits_for_launch(plan, position))
		w->changes.gap[position] = wl_graph_call_start(g, wl_graph_launch(g, op)) +
					   plan->latency[position] - wl_graph_start(g, op);
}

void wl_drop_latency(struct wl_whatif *w, uint32_t position)
{
	if (!(w->plan->flags[position] & WL_PLAN_LAUNCHED))
		return;
	w->changes.sent[position] = 1;
	w->n_changed++;
	wl_drop_lag(w, position);
}
