/* SPDX-License-Identifier: MIT */
#include "derive/use/gap_stacks.h"

bool wl_gap_stacks_init(struct wl_gap_stacks *g, const struct wl_trace *trace,
			const struct wl_thread_stacks *stacks, const struct wl_stack_names *names,
			struct wl_arena *arena)
{
	*g = (struct wl_gap_stacks){ .trace = trace };
	if (!names)
		return true;
	g->stacks = stacks;
	return wl_function_tally_init(&g->tally, trace, names, arena);
}

void wl_gap_stacks_release(struct wl_gap_stacks *g)
{
	wl_function_tally_release(&g->tally);
}

static void take_piece(void *ctx, const struct wl_stack_piece *piece)
{
	if (piece->stack != WL_NONE)
		wl_function_tally_add(ctx, piece->stack, piece->end - piece->begin, 0);
}

void wl_gap_stacks_add(struct wl_gap_stacks *g, const struct wl_gap *gap,
		       const struct wl_gap_part *p, struct wl_interval window)
{
	wl_ns begin = p->begin > window.begin ? p->begin : window.begin;
	wl_ns end = p->end < window.end ? p->end : window.end;

	if (g->stacks && gap->call != WL_NONE && WL_STACK_CAUSES >> p->cause & 1)
		wl_thread_stacks_visit(g->stacks, wl_api_thread(g->trace)[gap->call], begin, end,
				       take_piece, &g->tally);
}

struct wl_top_function wl_gap_stacks_top(struct wl_gap_stacks *g, const struct wl_gap *gap,
					 struct wl_interval window)
{
	for (size_t i = 0; i < gap->n_parts; i++)
		wl_gap_stacks_add(g, gap, &gap->part[i], window);
	return g->stacks ? wl_function_tally_take(&g->tally)
			 : (struct wl_top_function){ .function = WL_NONE };
}
