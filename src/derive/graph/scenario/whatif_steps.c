/* SPDX-License-Identifier: MIT */
/* whatif_steps.c - the saving per step in a replay, measured between the ends of steps. */
#include "derive/derived.h"
#include "derive/graph/scenario/scenario_parts.h"
#include "derive/iters/iters.h"

/* The steps of a process that begin in the window. */
struct span {
	size_t lo, n;
};

static struct span find_span(const struct wl_process_iters *iters, const struct wl_interval *window)
{
	size_t lo = 0, hi = iters->n;

	while (window && lo < hi && iters->at[lo].tile.begin < window->begin)
		lo++;
	while (window && hi > lo && iters->at[hi - 1].tile.begin >= window->end)
		hi--;
	return (struct span){ lo, hi - lo };
}

/* The most common number of steps per process, the larger on a tie; 0 for none. */
static size_t commonest(const struct span *span, size_t n)
{
	size_t ret = 0, most = 0;

	for (size_t i = 0; i < n; i++) {
		size_t alike = 0;

		for (size_t k = 0; k < n; k++)
			alike += span[k].n == span[i].n;
		if (span[i].n && (alike > most || (alike == most && span[i].n > ret))) {
			most = alike;
			ret = span[i].n;
		}
	}
	return ret;
}

/* Whether an operation belongs to a step of its process; only those that start inside the step are
 * looked up. */
static bool is_in(const struct wl_whatif *w, uint32_t op, const struct wl_process_iters *iters,
		  size_t step)
{
	const struct wl_graph *g = w->plan->graph;
	const struct wl_iteration *it = &iters->at[step];
	wl_ns start = wl_graph_start(g, op);

	return start >= it->tile.begin && start <= it->last_end &&
	       wl_iteration_of(g->trace, iters, start, wl_graph_launch(g, op)) == step;
}

/* List the operations of the first and the last step: first their numbers, then the operations. */
static void list_ops(struct wl_whatif *w, const struct span *span, uint32_t *first, uint32_t *last)
{
	const struct wl_graph *g = w->plan->graph;
	struct wl_whole_steps *s = &w->whole;

	s->n_first = s->n_last = 0;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		uint32_t process = wl_graph_process(g, i), position = w->plan->at[i];
		const struct wl_process_iters *iters = &w->given->iterations->process[process];

		if (span[process].n != w->n_steps || !position)
			continue;
		if (is_in(w, i, iters, span[process].lo)) {
			if (first)
				first[s->n_first] = position;
			s->n_first++;
		}
		if (is_in(w, i, iters, span[process].lo + w->n_steps - 1)) {
			if (last)
				last[s->n_last] = position;
			s->n_last++;
		}
	}
	s->first = first;
	s->last = last;
}

bool wl_whole_steps_find(struct wl_whatif *w, const struct wl_interval *window)
{
	size_t n = w->given->trace->n_processes;
	struct wl_whole_steps *s = &w->whole;
	struct span *span = WL_NEW(w->arena, struct span, n + 1);

	*s = (struct wl_whole_steps){ .n = 0 };
	for (size_t i = 0; span && i < n; i++)
		span[i] = find_span(&w->given->iterations->process[i], window ? &window[i] : NULL);
	w->n_steps = span ? commonest(span, n) : 0;
	if (w->n_steps < 2)
		return span != NULL;
	list_ops(w, span, NULL, NULL);
	if (s->n_first && s->n_last) {
		uint32_t *first = WL_NEW(w->arena, uint32_t, s->n_first);
		uint32_t *last = WL_NEW(w->arena, uint32_t, s->n_last);

		if (!first || !last)
			return false;
		list_ops(w, span, first, last);
		s->n = w->n_steps - 1;
	}
	return true;
}

/* The latest end of the operations, as measured or with the shifts of the last run. */
static wl_ns end_of(const struct wl_whatif *w, const uint32_t *position, size_t n, bool is_replayed)
{
	wl_ns ret = INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		wl_ns end = wl_graph_end(w->plan->graph, w->plan->activity[position[i]]);

		if (is_replayed)
			end += w->shifts.at[2 * (size_t)position[i] + 1];
		ret = end > ret ? end : ret;
	}
	return ret;
}

wl_ns wl_whole_steps_saving(const struct wl_whatif *w, wl_ns saving)
{
	const struct wl_whole_steps *s = &w->whole;
	wl_ns between;

	if (!s->n)
		return w->n_steps ? saving / (wl_ns)w->n_steps : 0;
	between = end_of(w, s->last, s->n_last, false) - end_of(w, s->first, s->n_first, false) -
		  end_of(w, s->last, s->n_last, true) + end_of(w, s->first, s->n_first, true);
	/* Savings in the first step or in work after the last one do not count for the other
	 * steps. */
	between = between > saving ? saving : between;
	/* An earlier end of the first step must not turn a saving into a loss. */
	return saving >= 0 && between < 0 ? 0 : between / (wl_ns)s->n;
}

/* The earliest start of the operations, replayed or recorded. */
static wl_ns start_of(const struct wl_whatif *w, const uint32_t *position, size_t n,
		      bool is_replayed)
{
	wl_ns ret = INT64_MAX;

	for (size_t i = 0; i < n; i++) {
		wl_ns start = wl_graph_start(w->plan->graph, w->plan->activity[position[i]]);

		if (is_replayed)
			start += w->shifts.at[2 * (size_t)position[i]];
		ret = start < ret ? start : ret;
	}
	return ret;
}

wl_ns wl_whole_steps_inside(const struct wl_whatif *w, wl_ns saving)
{
	const struct wl_whole_steps *s = &w->whole;
	wl_ns inside, least;

	if (!s->n)
		return saving;
	inside = end_of(w, s->last, s->n_last, false) - end_of(w, s->last, s->n_last, true) -
		 start_of(w, s->first, s->n_first, false) + start_of(w, s->first, s->n_first, true);
	/* The first operation may run ahead; the savings of the steps after the first count
	 * anyway. */
	least = wl_whole_steps_saving(w, saving) * (wl_ns)s->n;
	inside = inside < least ? least : inside;
	return inside > saving ? saving : inside;
}

bool wl_whatif_per_step(const struct wl_whatif *w, const struct wl_whatif_result *result,
			wl_ns *ret)
{
	*ret = result->per_step;
	return w->n_steps && !result->is_once;
}
