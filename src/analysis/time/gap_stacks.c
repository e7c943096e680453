/* SPDX-License-Identifier: MIT */
#include "analysis/time/gap_stacks.h"

bool wl_gap_stacks_init(struct wl_gap_stacks *g, const struct wl_run *run, struct wl_arena *arena)
{
	*g = (struct wl_gap_stacks){ .trace = run->trace, .stacks = run->derived->thread_stacks };
	if (!g->stacks)
		return true;
	g->tally = WL_NEW(arena, struct wl_frame_tally, run->trace->n_frames + 1);
	return g->tally != NULL;
}

/* The innermost function that has a name; else the innermost module. */
static uint32_t telling_frame(const struct wl_trace *t, uint32_t stack)
{
	uint32_t module = WL_NONE;

	for (uint32_t s = stack; s != WL_NONE; s = t->stacks[s].caller) {
		uint32_t frame = t->stacks[s].frame, kind = t->frames[frame].kind;

		if (kind == WL_FRAME_FUNCTION)
			return frame;
		if (kind == WL_FRAME_ADDRESS && module == WL_NONE)
			module = frame;
	}
	return module;
}

struct looking {
	struct wl_gap_stacks *of;
	bool adds; /* the first of two passes */
	struct wl_gap_top top;
};

static void take_piece(void *ctx, const struct wl_stack_piece *piece)
{
	struct looking *l = ctx;
	uint32_t frame = telling_frame(l->of->trace, piece->stack);
	struct wl_frame_tally *tally;

	if (frame == WL_NONE)
		return;
	tally = &l->of->tally[frame];
	if (tally->gap != l->of->n_gaps)
		*tally = (struct wl_frame_tally){ .gap = l->of->n_gaps };
	if (l->adds)
		tally->sum += piece->end - piece->begin;
	else if (tally->sum > l->top.time)
		l->top = (struct wl_gap_top){ frame, tally->sum };
}

struct wl_gap_top wl_gap_stacks_top(struct wl_gap_stacks *g, const struct wl_gap *gap,
				    struct wl_interval window)
{
	struct looking l = { .of = g, .top = { .frame = WL_NONE } };

	if (!g->stacks || gap->call == WL_NONE)
		return l.top;
	g->n_gaps++;
	for (int pass = 0; pass < 2; pass++) {
		l.adds = pass == 0;
		for (size_t i = 0; i < gap->n_parts; i++) {
			const struct wl_gap_part *p = &gap->part[i];
			wl_ns begin = p->begin > window.begin ? p->begin : window.begin;
			wl_ns end = p->end < window.end ? p->end : window.end;

			if (WL_STACK_CAUSES >> p->cause & 1)
				wl_thread_stacks_visit(g->stacks,
						       wl_api_thread(g->trace)[gap->call], begin,
						       end, take_piece, &l);
		}
	}
	return l.top;
}
