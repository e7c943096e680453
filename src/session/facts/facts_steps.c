/* SPDX-License-Identifier: MIT */
#include "session/facts/facts_steps.h"

#include "derive/idle/idle_before.h"
#include "derive/kinds/sweep.h"
#include "derive/rows/ops.h"

/* What the steps of a rank are made of, by iteration of its process. */
struct steps {
	const struct wl_run *run;
	const struct wl_rank_use *use;
	const struct wl_process_iters *iters;
	const wl_ns *idle_before;
	uint32_t *kernels;
	struct wl_usage *usage;
};

wl_ns wl_facts_idle_of(const struct wl_rank_sum *s)
{
	wl_ns sum = 0;

	for (size_t i = 0; i < WL_N_CAUSES; i++)
		sum += s->idle[i];
	return sum;
}

static void put_usage(struct wl_facts *to, const struct wl_usage *u,
		      enum wl_facts_column_id kernel_busy, enum wl_facts_column_id copy,
		      enum wl_facts_column_id graphs)
{
	wl_facts_put(to, kernel_busy, wl_usage_any(u, WL_ON_KERNEL));
	wl_facts_put(to, copy, wl_usage_any(u, WL_ON_COPY));
	wl_facts_put(to, graphs, u->n_graphs < WL_NONE ? (int64_t)u->n_graphs : WL_NONE - 1);
}

static void put_rank(const struct wl_run *run, const struct wl_rank_use *use, struct wl_facts *to)
{
	uint32_t device = use->lane->device;
	struct wl_usage all;

	wl_sweep_usage(run->trace, run->scope, run->derived->classes,
		       &run->derived->all_activity->device[device], &all);
	put_usage(to, &all, WL_FACTS_RANKS_KERNEL_BUSY, WL_FACTS_RANKS_COPY, WL_FACTS_RANKS_GRAPHS);
}

static void put_method(const struct wl_process_iters *p, struct wl_facts *to)
{
	wl_facts_put_str(to, WL_FACTS_RANKS_METHOD, wl_iter_method_name(p->method));
	wl_facts_put_str(to, WL_FACTS_RANKS_STEP_IS, p->is);
	wl_facts_put_str(to, WL_FACTS_RANKS_STEP_BY, p->by);
	wl_facts_put(to, WL_FACTS_RANKS_GUESS, p->is_guess);
	wl_facts_put(to, WL_FACTS_RANKS_DROPPED,
		     p->n_dropped < WL_NONE ? (int64_t)p->n_dropped : WL_NONE - 1);
}

/* Those of the process itself, by their launches. */
static void count_kernels(const struct steps *s)
{
	const struct wl_trace *t = s->run->trace;
	struct wl_op_cursor cursor;
	struct wl_op op;

	wl_ops_begin(t, s->use->lane->device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		uint32_t at = WL_NONE;

		if (op.kind == WL_OP_KERNEL && t->places[op.place].process == s->use->lane->process)
			at = wl_iteration_of(
				t, s->iters, op.start,
				wl_link_of(s->run->derived->links, WL_OP_KERNEL, op.row));
		if (at != WL_NONE)
			s->kernels[at]++;
	}
}

static void put_step(const struct steps *s, size_t tile, uint32_t rank, struct wl_facts *to)
{
	const struct wl_tile *at = &s->use->lane->tile[tile];
	const struct wl_rank_sum *sum = &s->use->tile[tile];
	const struct wl_iteration *it = &s->iters->at[at->iter];

	wl_facts_row(to, WL_FACTS_STEPS);
	wl_facts_put(to, WL_FACTS_STEPS_RANK, rank);
	wl_facts_put(to, WL_FACTS_STEPS_STEP, at->iter);
	wl_facts_put(to, WL_FACTS_STEPS_BEGIN, at->begin);
	if (!it->is_last)
		wl_facts_put(to, WL_FACTS_STEPS_PERIOD, it->tile.end - it->tile.begin);
	wl_facts_put(to, WL_FACTS_STEPS_LENGTH, at->length);
	wl_facts_put(to, WL_FACTS_STEPS_COMPUTE, sum->compute);
	wl_facts_put(to, WL_FACTS_STEPS_EXPOSED_COMM, sum->wait + sum->transfer);
	wl_facts_put(to, WL_FACTS_STEPS_EXPOSED_COPY, sum->copy);
	wl_facts_put(to, WL_FACTS_STEPS_IDLE, wl_facts_idle_of(sum));
	wl_facts_put(to, WL_FACTS_STEPS_SPAN, it->last_end - it->tile.begin);
	wl_facts_put(to, WL_FACTS_STEPS_KERNELS, s->kernels[at->iter]);
	if (it->kind != WL_STEP_NONE)
		wl_facts_put_str(to, WL_FACTS_STEPS_KIND, wl_step_kind_name(it->kind));
	if (s->idle_before[at->iter] != WL_NO_TIME)
		wl_facts_put(to, WL_FACTS_STEPS_IDLE_BEFORE, s->idle_before[at->iter]);
	put_usage(to, &s->usage[at->iter], WL_FACTS_STEPS_KERNEL_BUSY, WL_FACTS_STEPS_COPY,
		  WL_FACTS_STEPS_GRAPHS);
}

static bool find_steps(struct steps *s, struct wl_arena *arena)
{
	const struct wl_run *run = s->run;
	size_t n = s->iters->n;
	uint32_t device = s->use->lane->device;
	struct wl_interval *tiles = WL_NEW(arena, struct wl_interval, n);

	s->kernels = WL_NEW(arena, uint32_t, n);
	s->usage = WL_NEW(arena, struct wl_usage, n);
	s->idle_before = wl_idle_before_find(run->trace, s->iters, device, arena);
	if (!tiles || !s->kernels || !s->usage || !s->idle_before)
		return false;
	for (size_t i = 0; i < n; i++)
		tiles[i] = s->iters->at[i].tile;
	wl_sweep_tiles(run->trace, run->scope, run->derived->classes,
		       &run->derived->all_activity->device[device], tiles, n, s->usage);
	count_kernels(s);
	return true;
}

bool wl_facts_put_steps(const struct wl_run *run, const struct wl_rank_use *use, uint32_t rank,
			struct wl_facts *facts)
{
	struct steps s = { .run = run, .use = use };
	struct wl_arena scratch;
	bool ok;

	put_rank(run, use, facts);
	if (use->lane->process == WL_NONE)
		return !facts->failed;
	s.iters = &run->derived->iterations->process[use->lane->process];
	put_method(s.iters, facts);
	wl_arena_init_child(&scratch, run->arena);
	ok = find_steps(&s, &scratch);
	for (size_t i = 0; ok && i < use->lane->n_tiles; i++) {
		if (use->lane->tile[i].iter != WL_NONE)
			put_step(&s, i, rank, facts);
	}
	wl_arena_release(&scratch);
	return ok && !facts->failed;
}
