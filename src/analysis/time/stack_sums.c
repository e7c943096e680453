/* SPDX-License-Identifier: MIT */
#include "analysis/time/stack_sums.h"

#include <stdio.h>
#include <string.h>

struct summing {
	const struct wl_run *run;
	const struct wl_stack_choice *choice;
	struct wl_stack_sums *sums;
	struct wl_interval window;
	uint32_t thread; /* whose pieces are visited */
};

static void take_piece(void *ctx, const struct wl_stack_piece *piece)
{
	const struct summing *s = ctx;
	wl_ns length = piece->end - piece->begin;

	s->sums->total.all += length;
	s->sums->thread[s->thread].all += length;
	if (piece->stack != WL_NONE) {
		s->sums->self[piece->stack] += length;
		return;
	}
	s->sums->total.without[piece->state] += length;
	s->sums->thread[s->thread].without[piece->state] += length;
}

static void add(struct summing *s, wl_ns begin, wl_ns end)
{
	const struct wl_trace *t = s->run->trace;

	if (s->choice->tid >= 0 && t->threads[s->thread].tid != (uint64_t)s->choice->tid)
		return;
	begin = begin > s->window.begin ? begin : s->window.begin;
	end = end < s->window.end ? end : s->window.end;
	if (begin < end)
		wl_thread_stacks_visit(s->run->derived->thread_stacks, s->thread, begin, end,
				       take_piece, s);
}

static void take_gap(void *ctx, const struct wl_gap *gap)
{
	struct summing *s = ctx;

	if (gap->call == WL_NONE || gap->begin >= s->window.end || gap->end <= s->window.begin)
		return;
	s->thread = wl_api_thread(s->run->trace)[gap->call];
	for (size_t i = 0; i < gap->n_parts; i++) {
		if (s->choice->causes >> gap->part[i].cause & 1)
			add(s, gap->part[i].begin, gap->part[i].end);
	}
}

static bool add_gaps(struct summing *s)
{
	const struct wl_run *r = s->run;
	bool ok = true;

	for (uint32_t d = 0; ok && d < r->trace->n_devices; d++) {
		if (!r->scope->device_on[d])
			continue;
		s->window = r->scope->device[d];
		ok = wl_idle_visit(r->derived->idle, r->scope, d, r->arena,
				   &(struct wl_gap_visitor){ .take = take_gap, .ctx = s });
	}
	return ok;
}

static void add_threads(struct summing *s)
{
	const struct wl_thread_stacks *stacks = s->run->derived->thread_stacks;

	for (uint32_t i = 0; i < stacks->n_threads; i++) {
		struct wl_slice rows = stacks->of[i];
		wl_ns begin, end;

		if (rows.lo == rows.hi)
			continue;
		begin = stacks->piece[rows.lo].begin;
		end = stacks->piece[rows.hi - 1].end;
		s->thread = i;
		s->window = (struct wl_interval){ begin, end };
		if (wl_host_clip(s->run->trace, s->run->scope, i, &begin, &end))
			add(s, begin, end);
	}
}

bool wl_stack_sums_find(const struct wl_run *r, const struct wl_stack_choice *choice,
			struct wl_stack_sums *ret)
{
	struct summing s = { .run = r, .choice = choice, .sums = ret };

	*ret = (struct wl_stack_sums){ .self = WL_NEW(r->arena, wl_ns, r->trace->n_stacks + 1),
				       .thread = WL_NEW(r->arena, struct wl_stack_time,
							r->trace->n_threads + 1) };
	if (!ret->self || !ret->thread)
		return false;
	if (choice->causes)
		return add_gaps(&s);
	add_threads(&s);
	return true;
}

const char *wl_module_name(const struct wl_trace *trace, uint32_t module)
{
	const char *path = module == WL_NONE ? "unknown module" : wl_str(trace, module);
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

const char *wl_frame_name(const struct wl_trace *trace, const struct wl_stack_frame *frame,
			  struct wl_arena *arena)
{
	const char *module = wl_module_name(trace, frame->module);
	size_t size = strlen(module) + sizeof("()");
	char *text;

	if (frame->kind != WL_FRAME_ADDRESS)
		return wl_str(trace, frame->symbol);
	text = wl_arena_calloc(arena, size, 1);
	if (text)
		(void)snprintf(text, size, "(%s)", module);
	return text;
}
