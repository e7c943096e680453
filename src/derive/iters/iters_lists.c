/* SPDX-License-Identifier: MIT */
/* iters_lists.c - lists labels and kernels that a marker could name, for an error message. */
#include <stdio.h>
#include <string.h>

#include "base/memory/sort.h"
#include "derive/iters/iters_parts.h"
#include "derive/rows/stats.h"

enum { MOST_LISTED = 6, NAME_SIZE = 60 };

struct listed {
	const char *name;
	wl_ns sum;
	size_t n;
};

static bool listed_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct listed *l = ctx;

	return l[a].sum != l[b].sum ? l[a].sum > l[b].sum : strcmp(l[a].name, l[b].name) < 0;
}

/* "`step #` (20), `forward` (20)"; sums of names without rows are 0. */
static const char *write_list(const struct listed *all, size_t n, struct wl_arena *arena)
{
	uint32_t *order = WL_NEW(arena, uint32_t, n), *tmp = WL_NEW(arena, uint32_t, n);
	/* 40 bytes hold quotes, dots, separators and a count of 20 digits. */
	char text[MOST_LISTED * (NAME_SIZE + 40)] = "", one[NAME_SIZE + 40];
	size_t n_listed = 0;

	if (!order || !tmp)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		if (all[i].n)
			order[n_listed++] = i;
	}
	n = n_listed;
	wl_sort_index(order, n, tmp, listed_less, all);
	for (size_t i = 0; i < n && i < MOST_LISTED; i++) {
		const struct listed *l = &all[order[i]];

		(void)snprintf(one, sizeof(one), "%s`%.*s%s` (%zu)", i ? ", " : "", NAME_SIZE,
			       l->name, strlen(l->name) > NAME_SIZE ? "..." : "", l->n);
		(void)strncat(text, one, sizeof(text) - strlen(text) - 1);
	}
	if (n > MOST_LISTED) {
		(void)snprintf(one, sizeof(one), " and %zu more", n - MOST_LISTED);
		(void)strncat(text, one, sizeof(text) - strlen(text) - 1);
	}
	return wl_arena_strdup(arena, n ? text : "none");
}

const char *wl_iter_list_ranges(const struct wl_iter_input *in, struct wl_arena *arena)
{
	const struct wl_trace *t = in->trace;
	struct listed *all;

	if (!in->names)
		return wl_arena_strdup(arena, "none");
	all = WL_NEW(arena, struct listed, in->names->n);
	for (size_t i = 0; all && i < t->family[WL_F_NVTX].n; i++) {
		struct listed *l;

		if (in->names->of[i] == WL_NONE)
			continue;
		l = &all[wl_range_name_of(in->names, i)->label];
		l->name = wl_range_name_of(in->names, i)->label_text;
		l->n++;
		l->sum = wl_add_up(l->sum, wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), i));
	}
	return all ? write_list(all, in->names->n, arena) : NULL;
}

const char *wl_iter_list_kernels(const struct wl_iter_input *in, struct wl_arena *arena)
{
	const struct wl_trace *t = in->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);
	struct listed *all = WL_NEW(arena, struct listed, t->n_kernel_names);

	for (size_t i = 0; all && wl_kernels_name(t) && i < ops.n; i++) {
		struct listed *l = &all[wl_kernels_name(t)[i]];

		l->name = wl_str(t, t->kernel_names[wl_kernels_name(t)[i]].brief);
		l->n++;
		l->sum = wl_add_up(l->sum, wl_dur(ops.family, ops.dur, i));
	}
	return all ? write_list(all, t->n_kernel_names, arena) : NULL;
}
