/* SPDX-License-Identifier: MIT */
#include "analysis/time/mfu_times.h"

#include <math.h>

#include "derive/iters/iter_accounts.h"
#include "derive/kinds/classes.h"
#include "derive/rows/stats.h"

/* The steps of one device and process, while kernels are added. */
struct strip {
	const struct wl_run *run;
	const struct wl_process_iters *iters;
	struct wl_mfu_times *of;        /* by step */
	const bool *counts;             /* by step */
	const struct wl_ncu_join *join; /* NULL for none */
};

void wl_mfu_add_flops(const struct wl_trace *t, const struct wl_ncu_join *join, size_t row,
		      wl_ns part, struct wl_mfu_times *times)
{
	uint32_t group = wl_launch_group_of(&join->groups, wl_kernels_name(t)[row],
					    wl_kernels_config(t)[row]);
	uint32_t kernel = group == WL_NONE ? WL_NONE : join->kernel[group];
	double flop = kernel == WL_NONE ? (double)NAN : join->ncu.kernel[kernel].flop;
	wl_ns whole = wl_dur(&t->family[WL_F_KERNELS], wl_kernels_dur(t), row);

	/*
	 * Without a measured partner a kernel counts 0; measured says how much of the time is
	 * covered.
	 */
	if (isnan(flop))
		return;
	/* A kernel cut by the window counts in proportion. */
	times->flops += part < whole ? flop * (double)part / (double)whole : flop;
	times->measured = wl_add_up(times->measured, part);
}

/* Whether the account belongs to a step that has a period and was not cut. */
static bool is_whole(const struct wl_iteration *it, wl_ns length)
{
	return !it->is_last && length == it->tile.end - it->tile.begin;
}

static void add_kernels(const struct strip *s, uint32_t device)
{
	const struct wl_trace *t = s->run->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);
	size_t lo, hi, k = 0;

	wl_ops_on_device(t, &ops, device, &lo, &hi);
	for (size_t i = lo; i < hi; i++) {
		/* Kernels and steps are both in time order: one pass over each. */
		while (k < s->iters->n && s->iters->at[k].tile.end <= ops.start[i])
			k++;
		if (k == s->iters->n)
			return;
		if (!s->counts[k] || ops.start[i] < s->iters->at[k].tile.begin ||
		    !s->run->scope->place_on[ops.place[i]] ||
		    wl_class_of(t, s->run->derived->classes, WL_F_KERNELS, i) != WL_COMPUTE)
			continue;
		s->of[k].kernels = wl_add_up(s->of[k].kernels, wl_dur(ops.family, ops.dur, i));
		if (s->join)
			wl_mfu_add_flops(t, s->join, i, wl_dur(ops.family, ops.dur, i), &s->of[k]);
	}
}

/* The times that accounts are added to. */
struct adding {
	const struct wl_run *run;
	const struct wl_ncu_join *join;
	struct wl_mfu_times *of;
};

/* Add the accounts [from, to), all of one process. */
static bool add_accounts(const struct adding *add, uint32_t device,
			 const struct wl_iter_account *from, const struct wl_iter_account *to)
{
	const struct wl_run *run = add->run;
	struct wl_mfu_times *of = add->of;
	const struct wl_process_iters *iters = &run->derived->iterations->process[from->process];
	struct wl_arena scratch;
	bool *counts;

	wl_arena_init_child(&scratch, run->arena);
	counts = WL_NEW(&scratch, bool, iters->n);
	for (const struct wl_iter_account *a = from; counts && a < to; a++) {
		struct wl_mfu_times *x = &of[a->iter];

		if (!is_whole(&iters->at[a->iter], a->time.length))
			continue;
		counts[a->iter] = true;
		x->pieces++;
		x->wall = wl_add_up(x->wall, a->time.length);
		x->busy = wl_add_up(x->busy, wl_account_busy(&a->time));
		x->n_graphs += a->time.n_graphs;
	}
	if (counts)
		add_kernels(&(struct strip){ run, iters, of, counts, add->join }, device);
	wl_arena_release(&scratch);
	return counts != NULL;
}

static bool add_device(const struct adding *add, uint32_t device, const struct wl_device_iters *all)
{
	size_t i = 0;

	while (i < all->n) {
		size_t end = i;

		while (end < all->n && all->at[end].iter != WL_NONE &&
		       all->at[end].process == all->at[i].process)
			end++;
		if (end > i && !add_accounts(add, device, &all->at[i], &all->at[end]))
			return false;
		i = end > i ? end : i + 1;
	}
	return true;
}

const struct wl_mfu_times *wl_mfu_steps_find(const struct wl_run *run,
					     const struct wl_ncu_join *join, size_t *ret_n)
{
	const struct wl_trace *t = run->trace;
	const struct wl_device_iters *all = run->derived->iter_accounts->device;
	struct wl_mfu_times *of;
	size_t n = 0;

	for (size_t i = 0; i < t->n_processes; i++) {
		size_t steps = run->derived->iterations->process[i].n;

		n = steps > n ? steps : n;
	}
	of = WL_NEW(run->arena, struct wl_mfu_times, n);
	if (!of)
		return NULL;
	for (uint32_t d = 0; d < t->n_devices; d++) {
		if (!add_device(&(struct adding){ run, join, of }, d, &all[d]))
			return NULL;
	}
	*ret_n = n;
	return of;
}
