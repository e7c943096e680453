/* SPDX-License-Identifier: MIT */
/* whatif_steps.c - what a replay saves per step, over whole steps. */
#include "base/sort.h"
#include "derive/derived.h"
#include "derive/graph/scenario_parts.h"
#include "derive/iters/iters.h"

struct sought {
	const struct wl_graph *g;
	const uint32_t *order;
	wl_ns time;
};

static bool starts_before(const void *ctx, size_t i)
{
	const struct sought *s = ctx;

	return wl_graph_start(s->g, s->order[i]) < s->time;
}

/* The position of the operation of a process that starts at a time; 0 for none. */
static uint32_t op_at(const struct wl_replay_plan *plan, size_t process, wl_ns time)
{
	const struct wl_graph *g = plan->graph;
	size_t lo = g->order_first[process], n = g->order_first[process + 1] - lo;
	const struct sought s = { g, g->order + lo, time };
	size_t i = wl_lower_bound(n, starts_before, &s);

	for (; i < n && wl_graph_start(g, s.order[i]) == time; i++) {
		if (s.order[i] < g->n_ops)
			return plan->at[s.order[i]];
	}
	return 0;
}

/* The steps that begin in the window. The first one of a trace often starts it up. */
static struct wl_whole_steps find_steps(const struct wl_whatif *w, size_t process,
					const struct wl_interval *window, size_t *ret_n)
{
	const struct wl_process_iters *iters = &w->given->iterations->process[process];
	size_t first = 0, last = iters->n;
	struct wl_whole_steps ret = { .n = 0 };

	while (window && first < last && iters->at[first].tile.begin < window->begin)
		first++;
	while (window && last > first && iters->at[last - 1].tile.begin >= window->end)
		last--;
	*ret_n = last - first;
	if (first == 0 && last >= 3)
		first = 1;
	if (last - first < 2)
		return ret;
	ret.first = op_at(w->plan, process, iters->at[first].tile.begin);
	ret.last = op_at(w->plan, process, iters->at[last - 1].tile.begin);
	ret.n = ret.first && ret.last ? last - 1 - first : 0;
	return ret;
}

bool wl_whole_steps_find(struct wl_whatif *w, const struct wl_interval *window)
{
	size_t n = w->given->trace->n_processes;

	w->whole = WL_NEW(w->arena, struct wl_whole_steps, n);
	w->n_steps = 0;
	for (size_t i = 0; w->whole && i < n; i++) {
		size_t n_here;

		w->whole[i] = find_steps(w, i, window ? &window[i] : NULL, &n_here);
		w->n_steps = n_here > w->n_steps ? n_here : w->n_steps;
	}
	return w->whole != NULL;
}

double wl_whole_steps_saving(const struct wl_whatif *w, wl_ns saving)
{
	const struct wl_graph *g = w->plan->graph;
	double measured = 0, replayed = 0;
	bool is_any = false;

	for (size_t i = 0; i < w->given->trace->n_processes; i++) {
		const struct wl_whole_steps *s = &w->whole[i];
		double all, then;

		if (!s->n)
			continue;
		all = (double)(wl_graph_start(g, w->plan->activity[s->last]) -
			       wl_graph_start(g, w->plan->activity[s->first]));
		then = all + (double)(w->shifts.at[2 * (size_t)s->last] -
				      w->shifts.at[2 * (size_t)s->first]);
		measured = all / (double)s->n > measured ? all / (double)s->n : measured;
		replayed = then / (double)s->n > replayed ? then / (double)s->n : replayed;
		is_any = true;
	}
	/* A first step that begins sooner does not make a shorter run longer. */
	if (is_any)
		return saving > 0 && replayed > measured ? 0 : measured - replayed;
	return w->n_steps ? (double)saving / (double)w->n_steps : 0;
}

bool wl_whatif_per_step(const struct wl_whatif *w, const struct wl_whatif_result *result,
			wl_ns *ret)
{
	*ret = (wl_ns)result->per_step;
	return w->n_steps && !result->is_once;
}
