/* SPDX-License-Identifier: MIT */
/* iters_alike.c - groups processes whose iterations were found in the same way, and sums up the
 * steps of most. */
#include <string.h>

#include "derive/iters/iters.h"

static bool is_alike(const struct wl_process_iters *a, const struct wl_process_iters *b)
{
	if (a->method != b->method || a->has_kinds != b->has_kinds)
		return false;
	/* Periods of ranks differ a little, which does not matter here. */
	return a->method == WL_ITER_NONE || a->method == WL_ITER_SEQUENCE ||
	       (strcmp(a->is, b->is) == 0 && strcmp(a->by, b->by) == 0);
}

static void add(struct wl_steps_alike *a, const struct wl_process_iters *p)
{
	if (a->n == 0)
		*a = (struct wl_steps_alike){ .example = p,
					      .least = p->n,
					      .most = p->n,
					      .shortest = p->median,
					      .longest = p->median };
	a->n++;
	a->n_dropped += p->n_dropped;
	a->least = p->n < a->least ? p->n : a->least;
	a->most = p->n > a->most ? p->n : a->most;
	a->shortest = p->median < a->shortest ? p->median : a->shortest;
	a->longest = p->median > a->longest ? p->median : a->longest;
}

size_t wl_iterations_alike(const struct wl_trace *t, const struct wl_iterations *all,
			   const bool *process_on, struct wl_steps_alike alike[WL_MOST_ALIKE],
			   size_t *ret_n_on)
{
	size_t n = 0, k;

	*ret_n_on = 0;
	for (size_t i = 0; i < t->n_processes; i++) {
		const struct wl_process_iters *p = &all->process[i];

		if (!t->processes[i].on_gpu || !process_on[i] || p->method == WL_ITER_TENANT)
			continue;
		(*ret_n_on)++;
		for (k = 0; k < n && !is_alike(alike[k].example, p);)
			k++;
		/* If there are more kinds of steps, the first ranks are described. */
		if (k == n && n == WL_MOST_ALIKE)
			continue;
		if (k == n) {
			alike[k] = (struct wl_steps_alike){ .n = 0 };
			n++;
		}
		add(&alike[k], p);
	}
	return n;
}

bool wl_iterations_sum(const struct wl_trace *trace, const struct wl_iterations *all,
		       const bool *process_on, struct wl_step_sum *ret)
{
	struct wl_steps_alike alike[WL_MOST_ALIKE];
	size_t n_on, n = wl_iterations_alike(trace, all, process_on, alike, &n_on);

	*ret = (struct wl_step_sum){ .example = NULL };
	for (size_t i = 0; i < n; i++) {
		const struct wl_steps_alike *a = &alike[i];

		if (a->example->method != WL_ITER_NONE && a->n > ret->n_processes)
			*ret = (struct wl_step_sum){ a->example, a->n, a->most, a->longest };
	}
	return ret->example != NULL;
}
