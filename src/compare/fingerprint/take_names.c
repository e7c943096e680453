/* SPDX-License-Identifier: MIT */
/* take_names.c - the identity of a fingerprint: GPUs, ranks, how steps were found. */
#include <string.h>

#include "base/memory/sort.h"
#include "compare/fingerprint/lists.h"
#include "compare/fingerprint/take_parts.h"
#include "derive/derived.h"
#include "derive/nvtx/ranks.h"
#include "derive/rows/stats.h"

static bool take_gpus(struct wl_taking *k)
{
	const struct wl_trace *t = k->run->trace;
	const char **gpu = k->f->gpu;
	size_t n = 0;

	for (size_t d = 0; d < t->n_devices && n < WL_FP_GPUS; d++) {
		const char *name;
		size_t i = 0;

		if (!k->run->scope->device_on[d] || t->devices[d].name == WL_NONE)
			continue;
		name = wl_fp_name(wl_str(t, t->devices[d].name), k->run->arena);
		if (!name)
			return false;
		while (i < n && strcmp(gpu[i], name) != 0)
			i++;
		if (i == n)
			gpu[n++] = name;
	}
	k->f->n_gpus = n;
	return true;
}

static bool rank_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_fp_rank *r = ctx;

	return r[a].rank != r[b].rank ? r[a].rank < r[b].rank : r[a].pid < r[b].pid;
}

struct longest {
	const struct wl_fp_list *kernels;
	const wl_ns *sum; /* by row */
};

/* Kernels of communication wait for other ranks: their time says nothing about this one. */
static wl_ns time_of(const struct longest *l, uint32_t row)
{
	const char *category = l->kernels->row[row].category;

	return category && strcmp(category, "communication") == 0 ? 0 : l->sum[row];
}

static bool longer_first(const void *ctx, uint32_t a, uint32_t b)
{
	return time_of(ctx, a) > time_of(ctx, b);
}

static bool take_kernels_of(const struct wl_taking *k, size_t member, struct wl_fp_rank *ret)
{
	struct longest l = { .kernels = &k->f->kernels };
	struct wl_fp_rank_kernel *kernel =
		WL_NEW(k->run->arena, struct wl_fp_rank_kernel, WL_FP_RANK_KERNELS);
	uint32_t order[2 * WL_FP_KERNELS];

	if (!kernel)
		return false;
	if (!k->rank_kernel)
		return true;
	l.sum = k->rank_kernel + member * k->f->kernels.n;
	for (uint32_t i = 0; i < l.kernels->n; i++)
		order[i] = i;
	wl_sort_index(order, l.kernels->n, order + WL_FP_KERNELS, longer_first, &l);
	ret->kernel = kernel;
	while (ret->n_kernels < l.kernels->n && ret->n_kernels < WL_FP_RANK_KERNELS &&
	       time_of(&l, order[ret->n_kernels]) > 0) {
		uint32_t row = order[ret->n_kernels];

		kernel[ret->n_kernels++] = (struct wl_fp_rank_kernel){ row, l.sum[row] };
	}
	return true;
}

/* Of more processes than there is room for none is kept: some would look like all. */
static bool take_ranks(struct wl_taking *k)
{
	const struct wl_ranks *ranks = k->run->derived->ranks;
	const struct wl_sample *s = &k->sample;
	size_t n = s->n_steps && s->n_members <= WL_FP_RANKS ? s->n_members : 0;
	struct wl_fp_rank *all = WL_NEW(k->run->arena, struct wl_fp_rank, n);
	struct wl_fp_rank *sorted = WL_NEW(k->run->arena, struct wl_fp_rank, n);
	wl_ns *at = WL_NEW(k->run->arena, wl_ns, s->n_steps);
	uint32_t order[2 * WL_FP_RANKS];

	if (!all || !sorted || !at)
		return false;
	for (uint32_t m = 0; m < n; m++) {
		uint32_t process = k->ledger->lane[s->lane[m]].process;

		all[m] = (struct wl_fp_rank){ .rank = ranks->of[process],
					      .pid = k->run->trace->processes[process].pid,
					      .device = k->ledger->lane[s->lane[m]].device };
		for (size_t i = 0; i < s->n_steps; i++) {
			const struct wl_tile *t = wl_sample_tile(s, k->ledger, m, i);

			at[i] = t->length;
			all[m].compute = wl_add_up(all[m].compute, t->compute);
			all[m].exposed_comm =
				wl_add_up(all[m].exposed_comm, t->loss[WL_LOSS_EXPOSED_COMM]);
		}
		order[m] = m;
		if (!wl_series_make(at, s->n_steps, k->run->arena, &all[m].period) ||
		    !take_kernels_of(k, m, &all[m]))
			return false;
	}
	wl_sort_index(order, n, order + WL_FP_RANKS, rank_less, all);
	for (size_t m = 0; m < n; m++)
		sorted[m] = all[order[m]];
	k->f->rank = sorted;
	k->f->n_ranks = n;
	return true;
}

/* How the iterations were found: of the first process that has any. */
static bool take_method(struct wl_taking *k)
{
	struct wl_fingerprint *f = k->f;
	const struct wl_process_iters *found = NULL;

	f->method = wl_iter_method_name(WL_ITER_NONE);
	f->what = "";
	for (uint32_t p = 0; k->sample.n_steps && p < k->run->trace->n_processes; p++) {
		if (!found && k->sample.step_of[p])
			found = &k->iterations->process[p];
	}
	if (!found)
		return true;
	f->method = wl_iter_method_name(found->method);
	f->what = wl_fp_name(found->is, k->run->arena);
	return f->what != NULL;
}

bool wl_take_names(struct wl_taking *k)
{
	return take_gpus(k) && take_ranks(k) && take_method(k);
}
