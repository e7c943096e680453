/* SPDX-License-Identifier: MIT */
#include "derive/graph/scenario/held_out.h"

#include <math.h>
#include <string.h>

#include "base/memory/bound.h"
#include "base/memory/hash.h"
#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/graph/scenario/scenario_parts.h"
#include "derive/graph/step_lists.h"
#include "derive/iters/iters.h"
#include "derive/iters/outliers.h"

enum { MOST_STEPS = 25, FEWEST_STEPS = 3 };

/* The times of an activity, looked up once for all pairs. */
struct times {
	uint32_t position;    /* 0 for none */
	uint32_t length, gap; /* WL_LONG if they have to be looked up */
	bool has_gap;         /* it is a call that follows something */
};

struct holding {
	struct wl_whatif *w;
	const struct wl_step_lists *lists;
	const struct wl_graph *g;
	struct wl_arena *arena;
	size_t n;     /* number of steps of each process that counts */
	bool *counts; /* by process */
	size_t step[MOST_STEPS];
	size_t n_steps;
	struct wl_hash_key key;
	wl_ns period[MOST_STEPS]; /* measured periods of the chosen steps */
	struct times **times;     /* by process, chosen step and slot (wl_step_slots) */
	size_t *n_slots;          /* by process */
};

/* A hash of the operations of a step: their names by stream. */
static uint64_t sequence_of(const struct holding *h, size_t step)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < h->g->trace->n_processes; i++) {
		for (size_t lane = 0; h->counts[i] && lane < h->lists->process[i].n_lanes; lane++) {
			struct wl_slice list = wl_step_list(h->lists, i, step, lane);

			for (size_t k = list.lo; k < list.hi; k++) {
				uint32_t activity = h->lists->activity[k];
				uint32_t item[2] = { (uint32_t)lane,
						     wl_activity_name(h->g, activity) };

				if (activity < h->g->n_ops)
					hash = wl_hash(&h->key, item, sizeof(item)) ^
					       (hash * 31 + 7);
			}
		}
	}
	return hash;
}

static bool find_outliers(const struct holding *h, bool *is_out)
{
	for (size_t i = 0; i < h->g->trace->n_processes; i++) {
		const struct wl_process_iters *iters = &h->w->given->iterations->process[i];
		const bool *out = h->counts[i] ? wl_outliers_find(iters, h->arena) : NULL;

		if (h->counts[i] && !out)
			return false;
		for (size_t k = 0; out && k < h->n; k++)
			is_out[k] |=
				out[k] || h->lists->process[i].begin_op[k] == WL_NONE ||
				(k + 1 < h->n && h->lists->process[i].begin_op[k + 1] == WL_NONE);
	}
	return true;
}

/* The most common of n values, given in original and in sorted order; ties go to the one that comes
 * first. */
static int64_t find_commonest(const int64_t *sorted, size_t n, const int64_t *hash, size_t n_hash,
			      size_t *ret_n)
{
	int64_t ret = 0;

	*ret_n = 0;
	for (size_t i = 0; i < n_hash; i++) {
		size_t many = WL_UPTO(sorted, n, hash[i]) - WL_BELOW(sorted, n, hash[i]);

		if (many > *ret_n) {
			*ret_n = many;
			ret = hash[i];
		}
	}
	return ret;
}

/* Choose the processes with the most common number of steps; others do not count. */
static bool choose_processes(struct holding *h)
{
	size_t n = h->g->trace->n_processes, n_stepped = 0, alike;
	int64_t *steps = WL_NEW(h->arena, int64_t, n), *sorted = WL_NEW(h->arena, int64_t, n);

	h->counts = WL_NEW(h->arena, bool, n);
	if (!h->counts || !steps || !sorted)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (h->lists->process[i].n)
			steps[n_stepped++] = (int64_t)h->lists->process[i].n;
	}
	memcpy(sorted, steps, n_stepped * sizeof(*sorted));
	wl_sort_i64(sorted, n_stepped);
	h->n = (size_t)find_commonest(sorted, n_stepped, steps, n_stepped, &alike);
	for (size_t i = 0; i < n; i++)
		h->counts[i] = h->n && h->lists->process[i].n == h->n;
	return true;
}

/* Choose evenly spaced steps with the most common sequence. */
static bool choose_steps(struct holding *h)
{
	bool *is_out = WL_NEW(h->arena, bool, h->n + 1);
	int64_t *hash = WL_NEW(h->arena, int64_t, h->n + 1),
		*sorted = WL_NEW(h->arena, int64_t, h->n + 1), commonest;
	size_t n = 0, most = 0, k = 0;

	if (!is_out || !hash || !sorted || !find_outliers(h, is_out))
		return false;
	wl_hash_key_init(&h->key);
	for (size_t i = 1; i + 1 < h->n; i++) {
		/* The last bit is dropped so that adding one cannot overflow. */
		hash[i] = (int64_t)(sequence_of(h, i) >> 1);
		if (!is_out[i])
			sorted[n++] = hash[i];
	}
	wl_sort_i64(sorted, n);
	commonest = h->n > 2 ? find_commonest(sorted, n, hash + 1, h->n - 2, &most) : 0;
	for (size_t i = 1; most && i + 1 < h->n; i++) {
		size_t room = most < MOST_STEPS ? most : (size_t)MOST_STEPS;

		if (is_out[i] || hash[i] != commonest)
			continue;
		if (h->n_steps < (k + 1) * room / most)
			h->step[h->n_steps++] = i;
		k++;
	}
	return true;
}

/* The longest time, over processes, from the first start of a step to that of the next. */
static wl_ns period_of(const struct holding *h, size_t step)
{
	const struct wl_shifts *shifts = &h->w->shifts;
	wl_ns most = 0;

	for (size_t i = 0; i < h->g->trace->n_processes; i++) {
		const uint32_t *op = h->lists->process[i].begin_op;
		wl_ns from, to;

		if (!h->counts[i])
			continue;
		from = wl_graph_start(h->g, op[step]) +
		       shifts->at[2 * (size_t)h->w->plan->at[op[step]]];
		to = wl_graph_start(h->g, op[step + 1]) +
		     shifts->at[2 * (size_t)h->w->plan->at[op[step + 1]]];
		most = to - from > most ? to - from : most;
	}
	return most;
}

/* The call that launches the operation with which a step begins; WL_NONE. */
static uint32_t first_call(const struct holding *h, size_t process, size_t step)
{
	uint32_t row = wl_graph_launch(h->g, h->lists->process[process].begin_op[step]);

	return row == WL_NONE || !h->g->n_calls ? WL_NONE : wl_graph_call(h->g, h->g->outer[row]);
}

/* The time when the next step has begun in all processes. */
static wl_ns latest_begin(const struct holding *h, size_t step)
{
	wl_ns latest = INT64_MIN;

	for (size_t i = 0; i < h->g->trace->n_processes; i++) {
		wl_ns start =
			h->counts[i] ? wl_graph_start(h->g, h->lists->process[i].begin_op[step + 1])
				     : INT64_MIN;

		latest = start > latest ? start : latest;
	}
	return latest;
}

/* Activities to replay. */
struct chosen {
	uint32_t *activity; /* NULL during the counting pass */
	size_t n, n_ops;
};

static void choose(const struct holding *h, uint32_t activity, struct chosen *to)
{
	if (to->activity)
		to->activity[to->n] = activity;
	to->n_ops += activity < h->g->n_ops;
	to->n++;
}

/* Choose the activities of a step that start by a given time. */
static void choose_until(const struct holding *h, size_t step, wl_ns until, struct chosen *to)
{
	for (size_t i = 0; i < h->g->trace->n_processes; i++) {
		size_t n_lanes = h->counts[i] ? h->lists->process[i].n_lanes : 0;

		for (size_t lane = 0; lane < n_lanes; lane++) {
			struct wl_slice list = wl_step_list(h->lists, i, step, lane);

			for (size_t k = list.lo; k < list.hi; k++) {
				uint32_t activity = h->lists->activity[k];

				if (wl_graph_start(h->g, activity) > until)
					break;
				choose(h, activity, to);
			}
		}
	}
}

/* Choose the activities of the next step that have started when it begins: mostly its first
 * operations and their launches. */
static void choose_begin(const struct holding *h, size_t step, struct chosen *to)
{
	size_t n_processes = h->g->trace->n_processes, n_counted = 0;
	struct chosen begun = { .n = 0 };
	wl_ns until = latest_begin(h, step);

	for (size_t i = 0; i < n_processes; i++) {
		uint32_t call;

		if (!h->counts[i])
			continue;
		n_counted++;
		choose(h, h->lists->process[i].begin_op[step + 1], to);
		call = first_call(h, i, step + 1);
		if (call != WL_NONE)
			choose(h, call, to);
	}
	/* Only another operation of the step can delay these. */
	choose_until(h, step + 1, until, &begun);
	if (begun.n_ops > n_counted)
		choose_until(h, step + 1, until, to);
}

/* Make a window of step k and the start of the next step. */
static bool make_window(const struct holding *h, size_t step, struct wl_arena *arena,
			struct wl_window_plan *ret)
{
	struct chosen all = { .n = 0 };

	for (unsigned pass = 0; pass < 2; pass++) {
		all.n = 0;
		choose_until(h, step, INT64_MAX, &all);
		choose_begin(h, step, &all);
		if (!all.activity)
			all.activity = WL_NEW(arena, uint32_t, all.n);
		if (!all.activity)
			return false;
	}
	return wl_window_plan_of(h->w->plan, all.activity, all.n, arena, ret);
}

static uint32_t narrow(wl_ns time)
{
	return time >= 0 && time < (wl_ns)WL_LONG ? (uint32_t)time : WL_LONG;
}

static struct times times_of(const struct holding *h, uint32_t activity)
{
	const struct wl_replay_plan *plan = h->w->plan;
	bool is_call = activity != WL_NONE && activity >= h->g->n_ops;
	uint32_t at = activity == WL_NONE ? 0 : plan->at[activity];

	if (at == 0)
		return (struct times){ .position = 0 };
	return (struct times){ at, narrow(wl_graph_own_length(h->g, activity)),
			       is_call ? narrow(wl_graph_gap(h->g, activity)) : 0,
			       is_call && plan->first[at] < plan->first[at + 1] };
}

static wl_ns length_of(const struct holding *h, const struct times *t)
{
	return t->length != WL_LONG ? (wl_ns)t->length
				    : wl_graph_own_length(h->g, h->w->plan->activity[t->position]);
}

static wl_ns gap_of(const struct holding *h, const struct times *t)
{
	return t->gap != WL_LONG ? (wl_ns)t->gap
				 : wl_graph_gap(h->g, h->w->plan->activity[t->position]);
}

/* Give the activities of the k-th step the lengths and gaps of their counterparts in the j-th. */
static void exchange(const struct holding *h, size_t k, size_t j)
{
	const struct wl_changes *c = &h->w->changes;

	for (size_t i = 0; i < h->g->trace->n_processes; i++) {
		size_t n = h->n_slots[i];
		uint32_t next, with_next;

		if (!h->counts[i])
			continue;
		for (size_t m = 0; m < n; m++) {
			const struct times *own = &h->times[i][k * n + m];
			const struct times *with = &h->times[i][j * n + m];

			if (!own->position || !with->position)
				continue;
			c->length[own->position] = length_of(h, with) - length_of(h, own);
			if (own->has_gap)
				c->gap[own->position] = gap_of(h, with) - gap_of(h, own);
		}
		next = first_call(h, i, h->step[k] + 1);
		with_next = first_call(h, i, h->step[j] + 1);
		if (next != WL_NONE && with_next != WL_NONE)
			wl_set_gap(h->w, h->w->plan->at[next], wl_graph_gap(h->g, with_next));
	}
}

/* Errors of all pairs as integers, in millionths of a thousandth, for sorting. */
struct errors {
	int64_t *replayed, *naive;
	size_t n;
};

static int64_t error_of(wl_ns said, wl_ns is)
{
	return is > 0 ? (int64_t)(fabs((double)(said - is)) / (double)is * 1e9) : 0;
}

static bool try_step(struct holding *h, size_t k, struct errors *errors)
{
	struct wl_whatif *w = h->w;
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, h->arena);
	ok = make_window(h, h->step[k], &scratch, &w->window);
	for (size_t j = 0; ok && j < h->n_steps; j++) {
		if (j == k)
			continue;
		w->changes = (struct wl_changes){ .gap = NULL };
		ok = wl_change_lengths(w) && wl_change_gaps(w);
		if (!ok)
			break;
		exchange(h, k, j);
		wl_shifts_run(w->plan, &w->window, &w->changes, &w->shifts);
		errors->replayed[errors->n] = error_of(period_of(h, h->step[k]), h->period[j]);
		errors->naive[errors->n++] = error_of(h->period[k], h->period[j]);
	}
	if (ok)
		wl_shifts_clear(w->plan, &w->window, &w->shifts);
	wl_arena_release(&scratch);
	return ok;
}

static double percentile(const int64_t *v, size_t n, unsigned percent)
{
	return n ? (double)v[wl_rank(n, percent)] / 1e9 : 0;
}

static void judge(const struct errors *e, struct wl_held_out *ret)
{
	static const double naive_small = 0.002, poor = 0.02, bad = 0.05;

	wl_sort_i64(e->replayed, e->n);
	wl_sort_i64(e->naive, e->n);
	ret->n_pairs = e->n;
	ret->p50 = percentile(e->replayed, e->n, 50);
	ret->p90 = percentile(e->replayed, e->n, 90);
	ret->naive_p50 = percentile(e->naive, e->n, 50);
	ret->naive_p90 = percentile(e->naive, e->n, 90);
	if (ret->n_steps < FEWEST_STEPS)
		ret->verdict = WL_HELD_OUT_FEW;
	else if (ret->p50 > bad)
		ret->verdict = WL_HELD_OUT_BAD;
	else if (ret->p50 >= ret->naive_p50 && ret->naive_p50 > naive_small)
		ret->verdict = WL_HELD_OUT_UNSHOWN;
	else if (ret->p50 > poor)
		ret->verdict = WL_HELD_OUT_POOR;
}

/* Align the chosen steps of a process. */
static bool align_process(struct holding *h, size_t process)
{
	const struct wl_chosen_steps chosen = { process, h->step, h->n_steps };
	struct wl_step_slots slots;
	struct wl_arena scratch;
	struct times *to = NULL;
	bool ok;

	wl_arena_init_child(&scratch, h->arena);
	ok = wl_step_slots_find(h->lists, &chosen, &scratch, &slots);
	if (ok)
		to = WL_NEW(h->arena, struct times, slots.n * h->n_steps);
	for (size_t i = 0; to && i < slots.n * h->n_steps; i++)
		to[i] = times_of(h, slots.activity[i]);
	h->times[process] = to;
	h->n_slots[process] = ok ? slots.n : 0;
	wl_arena_release(&scratch);
	return to != NULL;
}

static bool align(struct holding *h)
{
	size_t n_processes = h->g->trace->n_processes;
	bool ok;

	h->times = WL_NEW(h->arena, struct times *, n_processes);
	h->n_slots = WL_NEW(h->arena, size_t, n_processes);
	ok = h->times && h->n_slots;
	for (size_t i = 0; ok && i < n_processes; i++)
		ok = !h->counts[i] || align_process(h, i);
	return ok;
}

static bool try_all(struct holding *h, struct errors *e)
{
	bool ok;

	if (h->n_steps < FEWEST_STEPS)
		return true;
	e->replayed = WL_NEW(h->arena, int64_t, (size_t)MOST_STEPS * MOST_STEPS);
	e->naive = WL_NEW(h->arena, int64_t, (size_t)MOST_STEPS * MOST_STEPS);
	ok = e->replayed && e->naive && align(h);
	for (size_t i = 0; i < h->n_steps; i++)
		h->period[i] = period_of(h, h->step[i]);
	for (size_t i = 0; ok && i < h->n_steps; i++)
		ok = try_step(h, i, e);
	return ok;
}

bool wl_held_out_find(struct wl_whatif *w, struct wl_arena *arena, struct wl_held_out *ret)
{
	const struct wl_window_plan whole = w->window;
	struct wl_arena scratch;
	struct holding h = {
		.w = w, .lists = wl_whatif_steps(w), .g = w->plan->graph, .arena = &scratch
	};
	struct errors errors = { .n = 0 };
	bool ok;

	*ret = (struct wl_held_out){ .verdict = WL_HELD_OUT_FEW };
	wl_arena_init_child(&scratch, arena);
	wl_shifts_clear(w->plan, &whole, &w->shifts);
	ok = h.lists && choose_processes(&h) && choose_steps(&h) && try_all(&h, &errors);
	ret->n_steps = h.n_steps;
	if (ok && errors.n) {
		ret->verdict = WL_HELD_OUT_GOOD;
		judge(&errors, ret);
	}
	w->window = whole;
	w->changes = (struct wl_changes){ .gap = NULL };
	wl_arena_release(&scratch);
	return ok;
}
