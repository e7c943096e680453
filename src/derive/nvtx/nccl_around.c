/* SPDX-License-Identifier: MIT */
/* nccl_around.c - the NCCL call around a launch: see nccl.h. */
#include "base/memory/sort.h"
#include "derive/nvtx/nccl.h"

bool wl_nccl_around_init(struct wl_nccl_around *a, const struct wl_trace *trace,
			 const struct wl_nccl_ranges *ranges, struct wl_arena *arena)
{
	*a = (struct wl_nccl_around){ .trace = trace,
				      .ranges = ranges,
				      .open = WL_NEW(arena, uint32_t, ranges->n),
				      .thread = WL_NONE };
	return a->open != NULL;
}

/* Threads come in row order, as the ranges do. */
static void look_upto(struct wl_nccl_around *a, uint32_t thread, wl_ns t)
{
	const struct wl_nccl_ranges *r = a->ranges;
	uint64_t global = a->trace->threads[thread].global;

	if (thread != a->thread) {
		a->thread = thread;
		while (a->next < r->n && a->trace->threads[r->thread[a->next]].global < global)
			a->next++;
		a->n = 0;
	}
	for (; a->next < r->n && r->thread[a->next] == thread && r->start[a->next] <= t;
	     a->next++) {
		/*
		 * Each range is pushed and popped once, so all calls together are linear in ranges.
		 */
		while (a->n && r->end[a->open[a->n - 1]] <= r->end[a->next])
			a->n--;
		a->open[a->n++] = (uint32_t)a->next;
	}
}

static bool outlasts(const void *ctx, size_t i)
{
	const struct wl_nccl_around *a = ctx;

	return a->ranges->end[a->open[i]] >= a->until;
}

uint32_t wl_nccl_around_find(struct wl_nccl_around *a, uint32_t thread, wl_ns start, wl_ns end)
{
	size_t n;

	look_upto(a, thread, start);
	a->until = end;
	n = wl_lower_bound(a->n, outlasts, a);
	return n ? a->open[n - 1] : WL_NONE;
}
