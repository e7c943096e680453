/* SPDX-License-Identifier: MIT */
/* scenario_host.c - scenarios about calls, launches and copies. */
#include "base/memory/compare.h"
#include "base/memory/sort.h"
#include "base/num.h"
#include "derive/derived.h"
#include "derive/graph/scenario/scenario_parts.h"
#include "derive/graph/step_lists.h"
#include "known/exports/codes.h"

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "not enough memory for the replay");
}

/* Which threads have waited for the GPU since their last launch, up to the current call. */
struct waited {
	const struct wl_whatif *w;
	bool *thread;
	bool *is_first; /* by call: it is the first launch after a blocking call */
};

static void pass_wait(struct waited *k, uint32_t p)
{
	const struct wl_graph *g = k->w->plan->graph;
	uint32_t row = k->w->plan->activity[p] - g->n_ops, thread = wl_graph_call_thread(g, row);

	if (k->w->does[p] != WL_DOES_BLOCK && k->w->does[p] != WL_DOES_LAUNCH)
		return;
	k->is_first[row] = k->thread[thread];
	k->thread[thread] = k->w->does[p] == WL_DOES_BLOCK;
}

/* Nothing is queued before the first launch after a blocking call, so its latency to the GPU stays.

 */
static bool keeps_latency(const struct waited *k, uint32_t op)
{
	const struct wl_graph *g = k->w->plan->graph;
	uint32_t row = wl_graph_launch(g, op);

	return row != WL_NONE && g->n_calls && k->is_first[g->outer[row]];
}

static void free_host(struct wl_whatif *w, struct waited *k)
{
	for (uint32_t i = 0; i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		/* Communication is not host time, but the gap before it is. */
		if (!(w->plan->flags[p] & WL_PLAN_CALL)) {
			if (!keeps_latency(k, w->plan->activity[p]))
				wl_drop_latency(w, p);
			continue;
		}
		pass_wait(k, p);
		wl_set_gap(w, p, 0);
		if (w->does[p] != WL_DOES_MPI)
			wl_set_length(w, p, 0);
	}
}

int wl_apply_host_free(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	const struct wl_graph *g = w->plan->graph;
	struct waited waited = { .w = w };
	struct wl_arena scratch;
	bool ok = wl_change_lengths(w) && wl_change_gaps(w) && wl_change_launches(w);

	(void)ask;
	wl_arena_init_child(&scratch, w->arena);
	waited.thread = WL_NEW(&scratch, bool, g->trace->n_threads);
	waited.is_first = WL_NEW(&scratch, bool, g->n_calls);
	ok = ok && waited.thread && waited.is_first;
	if (ok)
		free_host(w, &waited);
	wl_arena_release(&scratch);
	return ok ? WL_OK : no_memory(reterr);
}

/* State of each thread and process up to the current call. */
struct launching {
	struct wl_whatif *w;
	const struct wl_graph *g;
	const struct wl_step_lists *steps;
	size_t *after; /* by thread: 1 + steps before its last launch; 0 if there is none or it has
			  waited since */
	size_t *step;  /* by process: steps that have begun */
	bool *is_kept; /* by call: a launch that keeps its time */
};

/* 1 + the number of steps that have begun. A launch at a different number than the one before is
 * the first of its step. */
static size_t pass_steps(struct launching *l, uint32_t process, wl_ns time)
{
	const struct wl_listed_steps *p = &l->steps->process[process];

	while (l->step[process] < p->n && p->begin[l->step[process]] <= time)
		l->step[process]++;
	return 1 + l->step[process];
}

static void pass_call(struct launching *l, uint32_t p)
{
	uint32_t call = l->w->plan->activity[p], row = call - l->g->n_ops;
	uint32_t thread = wl_graph_call_thread(l->g, row);
	size_t now =
		pass_steps(l, l->g->trace->threads[thread].process, wl_graph_start(l->g, call));
	bool is_first = l->after[thread] != now;

	if (l->w->does[p] == WL_DOES_BLOCK) {
		/* The call may launch a copy itself, and the next launch after it is a first one
		 * again. */
		l->is_kept[row] = is_first;
		l->after[thread] = 0;
	} else if (l->w->does[p] == WL_DOES_LAUNCH) {
		l->is_kept[row] = is_first;
		if (!l->is_kept[row])
			wl_set_length(l->w, p, 0);
		l->after[thread] = now;
	}
}

static void pass_op(struct launching *l, uint32_t p)
{
	uint32_t row = wl_graph_launch(l->g, l->w->plan->activity[p]);

	if (row != WL_NONE && !l->is_kept[l->g->outer[row]])
		wl_drop_latency(l->w, p);
}

/* Calls of a thread come in order, and each operation comes after its launch. */
int wl_apply_launch_free(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	const struct wl_graph *g = w->plan->graph;
	struct launching l = { .w = w, .g = g };
	struct wl_arena scratch;
	bool ok = wl_change_lengths(w) && wl_change_gaps(w) && wl_change_launches(w);

	(void)ask;
	wl_arena_init_child(&scratch, w->arena);
	l.after = WL_NEW(&scratch, size_t, g->trace->n_threads);
	l.step = WL_NEW(&scratch, size_t, g->trace->n_processes);
	l.is_kept = WL_NEW(&scratch, bool, g->n_calls);
	l.steps = wl_whatif_steps(w);
	ok = ok && l.after && l.step && l.is_kept && l.steps;
	for (uint32_t i = 0; ok && i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		if (w->plan->flags[p] & WL_PLAN_CALL)
			pass_call(&l, p);
		else
			pass_op(&l, p);
	}
	wl_arena_release(&scratch);
	return ok ? WL_OK : no_memory(reterr);
}

/* Directions of copies for which pinned memory has a rate. */
enum { N_DIRECTIONS = 2 };

bool wl_copy_is_pageable(const struct wl_trace *t, uint32_t row)
{
	const uint8_t *src = wl_memcpys_src(t), *dst = wl_memcpys_dst(t);

	return (src && src[row] == WL_MEMORY_PAGEABLE) || (dst && dst[row] == WL_MEMORY_PAGEABLE);
}

static bool is_pinned(const struct wl_trace *t, uint32_t row)
{
	const uint8_t *src = wl_memcpys_src(t), *dst = wl_memcpys_dst(t);

	return (src && src[row] == WL_MEMORY_PINNED) || (dst && dst[row] == WL_MEMORY_PINNED);
}

/* 0 to the device, 1 from it; N_DIRECTIONS for others. */
static unsigned direction_of(const struct wl_trace *t, uint32_t row)
{
	const uint8_t *kind = wl_memcpys_kind(t);
	uint8_t of = kind ? kind[row] : 0;

	return of == WL_COPY_H2D ? 0U : of == WL_COPY_D2H ? 1U : (unsigned)N_DIRECTIONS;
}

struct copied {
	int64_t rate; /* bytes per second, at most 2^53 */
	uint64_t bytes;
};

WL_LESS_BY(is_slower, copied, rate)

/* The median rate, weighted by bytes; 0 for none. Small copies, which are bound by latency, hardly
 * count. */
static int64_t middle_rate(struct copied *of, uint32_t *order, uint32_t *tmp, size_t n)
{
	uint64_t all = 0, sum = 0;
	size_t i = 0;

	for (size_t k = 0; k < n; k++) {
		order[k] = (uint32_t)k;
		all += of[k].bytes;
	}
	wl_sort_index(order, n, tmp, is_slower, of);
	while (i < n && 2 * (sum += of[order[i]].bytes) < all)
		i++;
	return i < n ? of[order[i]].rate : 0;
}

/* Find the rates of copies of pinned memory. */
static bool find_rates(const struct wl_whatif *w, int64_t rate[N_DIRECTIONS])
{
	const struct wl_trace *t = w->given->trace;
	const struct wl_ops *ops = &w->plan->graph->ops[WL_OP_MEMCPY];
	struct wl_arena scratch;
	struct copied *of;
	uint32_t *order, *tmp;

	wl_arena_init_child(&scratch, w->arena);
	of = WL_NEW(&scratch, struct copied, ops->n);
	order = WL_NEW(&scratch, uint32_t, ops->n);
	tmp = WL_NEW(&scratch, uint32_t, ops->n);
	for (unsigned d = 0; of && order && tmp && d < N_DIRECTIONS; d++) {
		size_t n = 0;

		for (uint32_t i = 0; i < ops->n; i++) {
			wl_ns length = wl_dur(ops->family, ops->dur, i);
			uint64_t bytes = (uint64_t)wl_memcpys_bytes(t)[i];

			if (direction_of(t, i) == d && is_pinned(t, i) && length > 0)
				of[n++] = (struct copied){
					(int64_t)((double)bytes * 1e9 / (double)length), bytes
				};
		}
		rate[d] = middle_rate(of, order, tmp, n);
	}
	wl_arena_release(&scratch);
	return of && order && tmp;
}

/* Rounds to the nearest. */
static wl_ns time_at(int64_t bytes, int64_t rate)
{
	wl_u128 product = (wl_u128)(uint64_t)bytes * 1000000000U;
	wl_u128 ret = (product + (uint64_t)rate / 2) / (uint64_t)rate;

	return ret > (wl_u128)WL_TIME_MAX ? WL_TIME_MAX : (wl_ns)ret;
}

int wl_apply_pinned(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	const struct wl_graph *g = w->plan->graph;
	int64_t rate[N_DIRECTIONS] = { 0, 0 };
	size_t n_without = 0;

	(void)ask;
	if (!wl_change_lengths(w) || !wl_change_gaps(w) || !find_rates(w, rate))
		return no_memory(reterr);
	for (uint32_t i = 0; i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i), row, direction;
		wl_ns length, own;

		if (w->does[p] != WL_DOES_COPY)
			continue;
		row = w->plan->activity[p] - g->first[WL_OP_MEMCPY];
		direction = direction_of(g->trace, row);
		if (direction == N_DIRECTIONS || !wl_copy_is_pageable(g->trace, row))
			continue;
		n_without += !rate[direction];
		if (!rate[direction])
			continue;
		/* Pinned memory is never slower; it only seems slower if all its copies are
		 * small. */
		own = wl_graph_length(g, w->plan->activity[p]);
		length = time_at(wl_memcpys_bytes(g->trace)[row], rate[direction]);
		n_without += length > 2 * own;
		wl_even_length(w, p, length < own ? length : own);
		/* A pinned copy needs no staging before it. */
		wl_drop_lag(w, p);
	}
	if (n_without && w->forecast == WL_PREDICTION)
		w->forecast = WL_LOWER_BOUND;
	if (n_without)
		w->remark = (struct wl_whatif_remark){ .kind = WL_REMARK_NO_PINNED };
	return WL_OK;
}
