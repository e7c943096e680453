/* SPDX-License-Identifier: MIT */
/* whatif.c - replays with scenarios: their changes and the resulting time of the run. */
#include "derive/calls/blocking.h"
#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/graph/late/rank_holds.h"
#include "derive/graph/replay/early_calls.h"
#include "derive/graph/scenario/scenario_parts.h"
#include "derive/kinds/classes.h"

static enum wl_does does_of(enum wl_op_kind kind, enum wl_class class, bool meets)
{
	if (class == WL_COMM)
		return meets ? WL_DOES_MEET : WL_DOES_COMM;
	if (kind == WL_OP_MEMCPY)
		return class == WL_COMPUTE ? WL_DOES_LOCAL : WL_DOES_COPY;
	return WL_DOES_COMPUTE;
}

/* A call that copies pageable memory returns when the memory has been read or written. */
static void note_launch(const struct wl_whatif *w, uint32_t op, uint8_t *does)
{
	const struct wl_graph *g = w->plan->graph;
	bool is_copy = wl_graph_kind(g, op) == WL_OP_MEMCPY;

	if (is_copy && wl_copy_is_pageable(g->trace, op - g->first[WL_OP_MEMCPY]))
		*does = WL_DOES_BLOCK;
	else if (*does != WL_DOES_BLOCK)
		*does = WL_DOES_LAUNCH;
}

/* Find what each position does; calls that launch are recognized by their operations. */
static uint8_t *find_does(const struct wl_whatif *w)
{
	const struct wl_replay_plan *plan = w->plan;
	const struct wl_graph *g = plan->graph;
	uint8_t *does = WL_NEW(w->arena, uint8_t, (size_t)plan->n + 1);

	for (uint32_t i = 0; does && i < g->n_ops; i++) {
		enum wl_op_kind kind = wl_graph_kind(g, i);
		enum wl_class class = wl_class_of(g->trace, w->given->classes, wl_op_families[kind],
						  i - g->first[kind]);
		uint32_t row = wl_graph_launch(g, i);

		does[plan->at[i]] = (uint8_t)does_of(kind, class, g->slot_of[i] != WL_NONE);
		if (row != WL_NONE && g->n_calls)
			note_launch(w, i, &does[plan->at[wl_graph_call(g, g->outer[row])]]);
	}
	for (uint32_t i = 0; does && i < g->n_calls; i++) {
		uint32_t call = wl_graph_call(g, i), p = plan->at[call];

		if (p == 0)
			continue;
		if (wl_graph_is_mpi(g, call))
			does[p] = WL_DOES_MPI;
		else if (g->releaser[i] != WL_NONE || w->given->blocking->call[i] != WL_BLOCKS_NOT)
			does[p] = WL_DOES_BLOCK;
		else if (does[p] != WL_DOES_LAUNCH && does[p] != WL_DOES_BLOCK)
			does[p] = WL_DOES_CALL;
	}
	return does;
}

uint32_t wl_stream_before(const struct wl_replay_plan *plan, uint32_t position)
{
	uint32_t from;

	if (plan->first[position] == plan->first[position + 1] ||
	    !(plan->flags[position] & WL_PLAN_ORDERED))
		return 0;
	from = plan->from[plan->first[position]];
	return from & 1 ? from >> 1 : 0;
}

/*
 * Find the job: the processes that are in groups, if there are any. Another program on one of its
 * GPUs may continue after it, regardless of what a scenario saves.
 */
static bool find_job(struct wl_whatif *w)
{
	const struct wl_matches *m = w->given->matches;
	size_t n = w->given->trace->n_processes;

	w->in_job = WL_NEW(w->arena, bool, n + 1);
	for (size_t i = 0; w->in_job && i < n; i++)
		w->in_job[i] = !m || m->n_members < 2;
	for (size_t i = 0; w->in_job && m && i < m->n_members; i++)
		w->in_job[m->member[i].process] = true;
	return w->in_job != NULL;
}

static bool is_of_job(const struct wl_whatif *w, uint32_t p)
{
	return w->in_job[wl_graph_process(w->plan->graph, w->plan->activity[p])];
}

/* An operation that follows another starts after it, and the other ends before it does. */
static bool find_tips(struct wl_whatif *w, struct wl_arena *arena)
{
	enum { IS_HERE = 1, IS_FOLLOWED = 2 };
	struct wl_arena scratch;
	uint32_t *tip = NULL;
	uint8_t *mark;

	wl_arena_init_child(&scratch, arena);
	mark = WL_NEW(&scratch, uint8_t, (size_t)w->plan->n + 1);
	for (uint32_t i = 0; mark && i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		mark[p] |= IS_HERE;
		mark[wl_stream_before(w->plan, p)] |= IS_FOLLOWED;
	}
	for (unsigned pass = 0; mark && pass < 2; pass++) {
		w->n_tips = 0;
		for (uint32_t i = 0; i < w->window.n; i++) {
			uint32_t p = wl_window_at(&w->window, i);

			if (w->plan->flags[p] & WL_PLAN_CALL || !is_of_job(w, p) ||
			    (mark[p] & IS_FOLLOWED && mark[wl_stream_before(w->plan, p)] & IS_HERE))
				continue;
			if (tip)
				tip[w->n_tips] = p;
			w->n_tips++;
		}
		if (!tip)
			w->tip = tip = WL_NEW(arena, uint32_t, w->n_tips);
		if (!tip)
			break;
	}
	wl_arena_release(&scratch);
	return tip != NULL;
}

static void widen(const struct wl_whatif *w, size_t p, struct wl_interval *to)
{
	const struct wl_graph *g = w->plan->graph;
	wl_ns start = wl_graph_start(g, w->plan->activity[p]) + w->shifts.at[2 * p];
	wl_ns end = wl_graph_end(g, w->plan->activity[p]) + w->shifts.at[2 * p + 1];

	to->begin = start < to->begin ? start : to->begin;
	to->end = end > to->end ? end : to->end;
}

/*
 * First start and last end of the job's operations in the window, with the shifts of the last run.
 * If candidates were left out, all operations are examined.
 */
static struct wl_interval extent_of(const struct wl_whatif *w)
{
	struct wl_interval ret = { INT64_MAX, INT64_MIN };

	for (size_t i = 0; !w->changes.drop && i < w->n_tips; i++)
		widen(w, w->tip[i], &ret);
	for (uint32_t i = 0; w->changes.drop && i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		if (!(w->plan->flags[p] & WL_PLAN_CALL) && is_of_job(w, p))
			widen(w, p, &ret);
	}
	return ret.begin > ret.end ? (struct wl_interval){ 0, 0 } : ret;
}

static bool find_early(struct wl_whatif *w, struct wl_arena *arena)
{
	const struct wl_replay_plan *plan = w->plan;
	uint32_t *early = NULL;

	for (unsigned pass = 0; pass < 2; pass++) {
		w->n_early = 0;
		for (uint32_t i = 0; i < w->window.n; i++) {
			uint32_t p = wl_window_at(&w->window, i);

			if (!(plan->flags[p] & WL_PLAN_CALL) ||
			    wl_graph_start(plan->graph, plan->activity[p]) >= w->measured.begin)
				continue;
			if (early)
				early[w->n_early] = p;
			w->n_early++;
		}
		if (!early)
			w->early = early = WL_NEW(arena, uint32_t, w->n_early);
		if (!early)
			return false;
	}
	return true;
}

bool wl_whatif_begin(const struct wl_derived *given, const struct wl_interval *window,
		     struct wl_arena *arena, struct wl_whatif *ret)
{
	given = wl_derived_with(
		given, WL_FROM(GRAPH) | WL_FROM(RANK_HOLDS) | WL_FROM(PATH) | WL_FROM(REPLAY_PLAN),
		arena);
	if (!given)
		return false;
	*ret = (struct wl_whatif){ .given = given, .plan = given->replay_plan, .arena = arena };
	ret->window.n = given->replay_plan->n;
	ret->does = find_does(ret);
	if (!ret->does || !wl_shifts_make(given->replay_plan, arena, &ret->shifts) ||
	    (window && !wl_window_plan_make(given->replay_plan, window, arena, &ret->window)))
		return false;
	if (!find_job(ret) || !find_tips(ret, arena))
		return false;
	ret->measured = extent_of(ret);
	return find_early(ret, arena) && wl_whole_steps_find(ret, window);
}

/* Hold the start of the run, which is that of the first operation. */
static void hold_begin(struct wl_whatif *w)
{
	w->changes.holds_begin = true;
	w->changes.begin = w->measured.begin;
	wl_hold_early(w->plan, w->early, w->n_early, &w->changes);
}

/*
 * If more than half of the time that operations lose is in a few of them, each losing more than
 * three average steps, the saving does not apply to every step.
 */
static void find_once(struct wl_whatif *w, struct wl_few_operations *ret)
{
	wl_ns all = 0, once = 0;
	size_t n = 0;

	for (unsigned pass = 0; w->n_steps && w->changes.length && pass < 2; pass++) {
		for (uint32_t i = 0; i < w->window.n; i++) {
			uint32_t p = wl_window_at(&w->window, i);
			wl_ns lost = -w->changes.length[p];

			if (w->plan->flags[p] & WL_PLAN_CALL || lost <= 0)
				continue;
			if (pass == 0) {
				all += lost;
			} else if (lost > 3 * (all / (wl_ns)w->n_steps)) {
				once += lost;
				n++;
			}
		}
	}
	if (once <= all / 2)
		return;
	w->is_once = true;
	*ret = (struct wl_few_operations){ .n = n, .time = once, .of_time = all };
}

static uint32_t first_device(const struct wl_trace *t, uint32_t process)
{
	uint32_t device = WL_NONE;

	for (size_t i = 0; i < t->n_places; i++) {
		if (t->places[i].process == process && t->places[i].device < device)
			device = t->places[i].device;
	}
	return device;
}

/* An unexplained lag stays, however early others arrive. */
static void find_hold(struct wl_whatif *w, struct wl_rank_hold *ret)
{
	const struct wl_rank_holds *h = w->given->rank_holds;

	if (!w->crosses || !wl_rank_holds_are_long(h))
		return;
	w->forecast = WL_LOWER_BOUND;
	*ret = (struct wl_rank_hold){ .rank = w->given->ranks->of[h->worst],
				      .device = first_device(w->given->trace, h->worst),
				      .share = wl_rank_hold_of(h, h->worst) };
}

int wl_whatif_run(struct wl_whatif *w, const struct wl_asked *asks, size_t n,
		  struct wl_whatif_result *ret, struct wl_err *reterr)
{
	int r = WL_OK;

	*ret = (struct wl_whatif_result){ .measured = w->measured.end - w->measured.begin };
	ret->replayed = ret->measured;
	w->changes = (struct wl_changes){ .gap = NULL };
	w->n_changed = 0;
	w->remark = (struct wl_whatif_remark){ .kind = WL_REMARK_NONE };
	w->is_once = false;
	w->crosses = false;
	w->forecast = WL_PREDICTION;
	for (size_t i = 0; r == WL_OK && i < n; i++) {
		const struct wl_scenario_kind *kind = asks[i].kind;

		if (kind->refuse && !ret->refused)
			ret->refused = kind->refuse(w);
		/* Taking no time is not a prediction, because no fix achieves it. */
		if (kind->forecast == WL_UPPER_BOUND || asks[i].times == 0)
			w->forecast = WL_UPPER_BOUND;
		if (!ret->refused)
			r = kind->apply(w, &asks[i], reterr);
	}
	if (r == WL_OK && !ret->refused) {
		find_hold(w, &ret->hold);
		if (!w->is_once)
			find_once(w, &ret->few);
	}
	ret->remark = w->remark;
	ret->is_once = w->is_once;
	ret->forecast = w->forecast;
	if (r < 0 || ret->refused)
		return r;
	hold_begin(w);
	wl_shifts_run(w->plan, &w->window, &w->changes, &w->shifts);
	ret->replayed = extent_of(w).end - w->measured.begin;
	ret->saving = ret->measured - ret->replayed;
	ret->per_step = wl_whole_steps_saving(w, ret->saving);
	ret->in_steps = wl_whole_steps_inside(w, ret->saving);
	ret->n_changed = w->n_changed;
	if (!wl_held_begin(w))
		return wl_fail(reterr, WL_E_NOMEM, "not enough memory for the replay");
	wl_whatif_walk(w, ret);
	if (wl_whatif_is_held(ret))
		ret->forecast = ret->forecast == WL_UPPER_BOUND ? WL_NO_BOUND : WL_LOWER_BOUND;
	return WL_OK;
}
