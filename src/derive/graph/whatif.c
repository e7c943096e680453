/* SPDX-License-Identifier: MIT */
/* whatif.c - replays with scenarios: what they change, and what the run takes then. */
#include "derive/calls/blocking.h"
#include "derive/derived.h"
#include "derive/graph/scenario_parts.h"
#include "derive/iters/iters.h"
#include "derive/kinds/classes.h"

/* Copies within a GPU are copies, too. */
static enum wl_does does_of(enum wl_op_kind kind, enum wl_class class, bool meets)
{
	if (class == WL_COMM)
		return meets ? WL_DOES_MEET : WL_DOES_COMM;
	return kind == WL_OP_MEMCPY ? WL_DOES_COPY : WL_DOES_COMPUTE;
}

/* A call that copies pageable memory returns when that was read or written. */
static void note_launch(const struct wl_whatif *w, uint32_t op, uint8_t *does)
{
	const struct wl_graph *g = w->plan->graph;
	bool is_copy = wl_graph_kind(g, op) == WL_OP_MEMCPY;

	if (is_copy && wl_copy_is_pageable(g->trace, op - g->first[WL_OP_MEMCPY]))
		*does = WL_DOES_BLOCK;
	else if (*does != WL_DOES_BLOCK)
		*does = WL_DOES_LAUNCH;
}

/* By position; calls that launch are told by their operations. */
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

/* The operation before it on its stream, if that must end first; 0. */
static uint32_t follows(const struct wl_replay_plan *plan, uint32_t position)
{
	uint32_t from;

	if (plan->first[position] == plan->first[position + 1] ||
	    !(plan->flags[position] & WL_PLAN_ORDERED))
		return 0;
	from = plan->from[plan->first[position]];
	return from & 1 ? from >> 1 : 0;
}

/* An operation that follows another one starts after it, and that one ends before it does. */
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
		mark[follows(w->plan, p)] |= IS_FOLLOWED;
	}
	for (unsigned pass = 0; mark && pass < 2; pass++) {
		w->n_tips = 0;
		for (uint32_t i = 0; i < w->window.n; i++) {
			uint32_t p = wl_window_at(&w->window, i);

			if (w->plan->flags[p] & WL_PLAN_CALL ||
			    (mark[p] & IS_FOLLOWED && mark[follows(w->plan, p)] & IS_HERE))
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
 * First start and last end of the operations of the window, with the shifts of the last run. Where
 * candidates were left out all of them are asked.
 */
static struct wl_interval extent_of(const struct wl_whatif *w)
{
	struct wl_interval ret = { INT64_MAX, INT64_MIN };

	for (size_t i = 0; !w->changes.drop && i < w->n_tips; i++)
		widen(w, w->tip[i], &ret);
	for (uint32_t i = 0; w->changes.drop && i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		if (!(w->plan->flags[p] & WL_PLAN_CALL))
			widen(w, p, &ret);
	}
	return ret.begin > ret.end ? (struct wl_interval){ 0, 0 } : ret;
}

/* Steps of the process that has most, of those that begin in the window. */
static size_t count_steps(const struct wl_derived *given, const struct wl_interval *window)
{
	size_t most = 0;

	for (size_t i = 0; i < given->trace->n_processes; i++) {
		const struct wl_process_iters *iters = &given->iterations->process[i];
		size_t n = 0;

		for (size_t k = 0; k < iters->n; k++)
			n += !window || (iters->at[k].tile.begin >= window[i].begin &&
					 iters->at[k].tile.begin < window[i].end);
		most = n > most ? n : most;
	}
	return most;
}

bool wl_whatif_begin(const struct wl_derived *given, const struct wl_interval *window,
		     struct wl_arena *arena, struct wl_whatif *ret)
{
	*ret = (struct wl_whatif){ .given = given, .plan = given->replay_plan, .arena = arena };
	ret->window.n = given->replay_plan->n;
	ret->does = find_does(ret);
	if (!ret->does || !wl_shifts_make(given->replay_plan, arena, &ret->shifts) ||
	    (window && !wl_window_plan_make(given->replay_plan, window, arena, &ret->window)))
		return false;
	if (!find_tips(ret, arena))
		return false;
	ret->measured = extent_of(ret);
	ret->n_steps = count_steps(given, window);
	return true;
}

static int run_once(struct wl_whatif *w, const struct wl_asked *asks, size_t n,
		    struct wl_whatif_result *ret, struct wl_err *reterr)
{
	struct wl_interval extent;
	int r = WL_OK;

	*ret = (struct wl_whatif_result){ .measured = w->measured.end - w->measured.begin };
	ret->replayed = ret->measured;
	w->changes = (struct wl_changes){ .gap = NULL };
	w->n_changed = 0;
	w->remark = NULL;
	w->forecast = WL_PREDICTION;
	w->moves_begin = false;
	for (size_t i = 0; r == WL_OK && i < n; i++) {
		const struct wl_scenario_kind *kind = asks[i].kind;

		if (kind->refuse && !ret->refused)
			ret->refused = kind->refuse(w);
		if (kind->forecast == WL_UPPER_BOUND)
			w->forecast = WL_UPPER_BOUND;
		if (!ret->refused)
			r = kind->apply(w, &asks[i], reterr);
	}
	ret->remark = w->remark;
	ret->forecast = w->forecast;
	if (r < 0 || ret->refused)
		return r;
	wl_shifts_run(w->plan, &w->window, &w->changes, &w->shifts);
	extent = extent_of(w);
	ret->replayed = extent.end - extent.begin;
	ret->saving = ret->measured - ret->replayed;
	ret->per_step = w->n_steps ? (double)ret->saving / (double)w->n_steps : 0;
	ret->n_changed = w->n_changed;
	wl_whatif_walk(w, ret->spent);
	return WL_OK;
}

/*
 * A host that takes no time before the run, either, moves the first start. Where something else
 * holds the end, that would make the run longer.
 */
int wl_whatif_run(struct wl_whatif *w, const struct wl_asked *asks, size_t n,
		  struct wl_whatif_result *ret, struct wl_err *reterr)
{
	int r;

	w->keeps_begin = false;
	r = run_once(w, asks, n, ret, reterr);
	if (r < 0 || ret->refused || ret->saving >= 0 || !w->moves_begin)
		return r;
	w->keeps_begin = true;
	return run_once(w, asks, n, ret, reterr);
}
