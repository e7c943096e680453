/* SPDX-License-Identifier: MIT */
/* scenario_steps.c - scenarios in which a rank or a step takes as long as the others. */
#include "base/memory/bound.h"
#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/graph/late/straggler.h"
#include "derive/graph/scenario/scenario_parts.h"
#include "derive/graph/step_lists.h"
#include "derive/iters/iters.h"
#include "derive/iters/outliers.h"
#include "derive/iters/step_change.h"
#include "known/calls/calls.h"

enum { MOST_COMPARED = 25 };    /* number of steps; more would hardly change their median */
enum { LONG_SET_UP = 1000000 }; /* ns */

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "not enough memory for the replay");
}

/* The median; for an even number, the mean of the middle two. */
static wl_ns median(int64_t *v, size_t n)
{
	wl_sort_i64(v, n);
	return v[(n - 1) / 2] + (v[n / 2] - v[(n - 1) / 2]) / 2;
}

/* Positions of a window are in ascending order. */
static bool is_inside(const struct wl_window_plan *window, uint32_t position)
{
	size_t i = window->at ? WL_BELOW(window->at, window->n, position) : 0;

	return !window->at || (i < window->n && window->at[i] == position);
}

int wl_apply_no_straggler(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	const struct wl_stragglers *all = w->given->stragglers;
	const struct wl_replay_plan *plan = w->plan;

	(void)ask;
	w->crosses = true;
	for (size_t i = 0; i < all->n_sets; i++) {
		if (wl_late_is_uneven_work(&all->set[i]))
			w->forecast = WL_UPPER_BOUND;
	}
	if (!wl_change_lengths(w) || !wl_change_gaps(w) || !wl_change_ends(w))
		return no_memory(reterr);
	for (size_t i = 0; i < all->n_changes; i++) {
		const struct wl_evened *change = &all->change[i];
		uint32_t p = plan->at[change->activity];

		if (p == 0 || !is_inside(&w->window, p))
			continue;
		if (wl_graph_is_own_length(plan->graph, change->activity))
			wl_even_length(w, p, change->length);
		if (plan->flags[p] & WL_PLAN_CALL)
			wl_even_gap(w, p, change->gap);
		if (change->is_dropped) {
			wl_set_length(w, p, 0);
			w->n_changed += !w->changes.lone[p];
			w->changes.lone[p] = 1;
		}
	}
	wl_follow_launches(w);
	return WL_OK;
}

/* Selects which steps count as slow. */
enum slowness {
	STAND_OUT, /* by accident */
	/* Those of the finding slow-iterations: includes a warm-up, excludes steps explained by a
	 * change. */
	OF_FINDING,
	CHANGED, /* step_change.h */
};

/* Steps that take longer than usual, and the steps to compare them with. */
struct slow {
	struct wl_whatif *w;
	const struct wl_step_lists *lists;
	size_t process;
	enum slowness which;
	uint8_t *side; /* by step: enum wl_step_side */
	size_t usual[MOST_COMPARED];
	size_t n_usual;
	size_t n_start; /* number of steps of this process in which the run starts (outliers.h) */
	size_t n_slow, n_set_up; /* slow steps of all processes so far, and those among them that
				    set up a run of steps */
};

/* Find, by step, whether it is a slow outlier or part of a warm-up. */
static bool find_outliers(struct slow *s, const struct wl_process_iters *iters,
			  struct wl_arena *scratch)
{
	const struct wl_step_change *c = s->w->given->step_change;
	const bool *is_out = wl_outliers_find(iters, scratch);

	for (size_t i = 0; is_out && i < iters->n; i++) {
		bool is_slow = !iters->at[i].is_last && is_out[i] &&
			       iters->at[i + 1].tile.begin - iters->at[i].tile.begin >
				       wl_usual_period(iters, i);

		if (s->which == OF_FINDING && c)
			is_slow = wl_step_change_warms_up(c, s->process, i) ||
				  (is_slow && !wl_step_change_explains(c, iters, s->process, i));
		s->side[i] = is_slow ? WL_STEP_CHANGED : WL_STEP_REFERENCE;
	}
	return is_out != NULL;
}

/* Number of steps on a side. */
static size_t count_side(const struct slow *s, size_t n, enum wl_step_side side)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += s->side[i] == (uint8_t)side;
	return sum;
}

/* Evenly spaced. */
static void choose_usual(struct slow *s, size_t n)
{
	size_t n_usual = count_side(s, n, WL_STEP_REFERENCE), k = 0;
	size_t most = n_usual < MOST_COMPARED ? n_usual : (size_t)MOST_COMPARED;

	s->n_usual = 0;
	for (size_t i = 0; i < n; i++) {
		if (s->side[i] != WL_STEP_REFERENCE)
			continue;
		if (s->n_usual < (k + 1) * most / n_usual)
			s->usual[s->n_usual++] = i;
		k++;
	}
}

static bool find_start(struct slow *s, const struct wl_process_iters *iters,
		       struct wl_arena *scratch)
{
	bool *is_slow = WL_NEW(scratch, bool, iters->n);

	for (size_t i = 0; is_slow && i < iters->n; i++)
		is_slow[i] = s->side[i] == WL_STEP_CHANGED;
	s->n_start = is_slow ? wl_outliers_at_start(iters, is_slow) : 0;
	return is_slow != NULL;
}

static bool find_slow(struct slow *s, struct wl_arena *scratch, size_t *ret_n)
{
	const struct wl_process_iters *iters = &s->w->given->iterations->process[s->process];

	s->side = WL_NEW(scratch, uint8_t, iters->n);
	if (!s->side)
		return false;
	if (s->which != CHANGED && !find_outliers(s, iters, scratch))
		return false;
	s->n_start = 0;
	if (s->which == OF_FINDING && !find_start(s, iters, scratch))
		return false;
	for (size_t i = 0; s->which == CHANGED && i < iters->n; i++)
		s->side[i] = (uint8_t)wl_step_side_of(s->w->given->step_change, s->process, i);
	choose_usual(s, iters->n);
	*ret_n = count_side(s, iters->n, WL_STEP_CHANGED);
	return true;
}

/* The activities of other steps at the position of an activity. */
struct counterparts {
	int64_t length[MOST_COMPARED], gap[MOST_COMPARED];
	size_t n;
};

/* other[i * n_step] is the counterpart in the usual step i. */
static void find_counterparts(const struct slow *s, const uint32_t *other, size_t n_step,
			      struct counterparts *ret)
{
	const struct wl_graph *g = s->lists->graph;

	ret->n = 0;
	for (size_t i = 0; i < s->n_usual; i++) {
		uint32_t with = other[i * n_step];

		if (with == WL_NONE)
			continue;
		ret->length[ret->n] = wl_graph_own_length(g, with);
		ret->gap[ret->n++] = with < g->n_ops ? 0 : wl_graph_gap(g, with);
	}
}

/*
 * The usual step lacks a call that fewer than half of the other steps have. In steps in which the
 * run starts, the same applies to GPU work done only there, such as tuning, and to its launches.
 */
static bool is_left_out(const struct slow *s, uint32_t p, bool is_start,
			const struct counterparts *c)
{
	switch (s->which == OF_FINDING ? s->w->does[p] : (uint8_t)WL_DOES_MEET) {
	case WL_DOES_CALL:
		return 2 * c->n < s->n_usual || c->n == 0;
	case WL_DOES_COMPUTE:
	case WL_DOES_COPY:
	case WL_DOES_LOCAL:
	case WL_DOES_LAUNCH:
		return is_start && c->n == 0;
	default:
		return false;
	}
}

/* Activities that few of the other steps have say nothing about a usual step. */
static void make_usual(const struct slow *s, uint32_t activity, bool is_start,
		       struct counterparts *c)
{
	bool is_call = activity >= s->lists->graph->n_ops;
	uint32_t p = s->w->plan->at[activity];

	if (is_left_out(s, p, is_start, c)) {
		if (!is_call && s->w->forecast == WL_PREDICTION)
			s->w->forecast = WL_UPPER_BOUND;
		wl_set_length(s->w, p, 0);
		if (is_call)
			wl_set_gap(s->w, p, 0);
	} else if (c->n && 2 * c->n >= s->n_usual) {
		wl_even_length(s->w, p, median(c->length, c->n));
		if (is_call)
			wl_even_gap(s->w, p, median(c->gap, c->n));
	}
}

/* Set the activities of a step to the median of their counterparts. */
static bool speed_up(const struct slow *s, size_t step, struct wl_arena *parent)
{
	struct wl_slice all = wl_step_all(s->lists, s->process, step);
	size_t n = all.hi - all.lo;
	struct wl_arena scratch;
	uint32_t *other;
	bool ok;

	wl_arena_init_child(&scratch, parent);
	other = WL_NEW(&scratch, uint32_t, n * s->n_usual);
	ok = other != NULL;
	for (size_t i = 0; ok && i < s->n_usual; i++)
		ok = wl_step_align(s->lists, s->process, (size_t[2]){ step, s->usual[i] }, &scratch,
				   other + i * n);
	for (size_t k = 0; ok && k < n; k++) {
		struct counterparts c;

		find_counterparts(s, other + k, n, &c);
		make_usual(s, s->lists->activity[all.lo + k], step < s->n_start, &c);
	}
	wl_arena_release(&scratch);
	return ok;
}

/* The call that launches the first operation of a step; 0 if it follows no call. */
static uint32_t first_launch(const struct wl_whatif *w, const struct wl_listed_steps *p,
			     size_t step)
{
	const struct wl_graph *g = w->plan->graph;
	uint32_t op = p->first_op[step], row = op == WL_NONE ? WL_NONE : wl_graph_launch(g, op);
	uint32_t at = row == WL_NONE ? 0 : w->plan->at[wl_graph_call(g, g->outer[row])];

	return at && w->plan->first[at] < w->plan->first[at + 1] ? at : 0;
}

/* The gap before the first launch of the next step belongs to this step, whose period ends with
 * it. */
static void speed_up_next(const struct slow *s, size_t step)
{
	const struct wl_listed_steps *p = &s->lists->process[s->process];
	uint32_t next = step + 1 < p->n ? first_launch(s->w, p, step + 1) : 0;
	int64_t gap[MOST_COMPARED];
	size_t n = 0;

	for (size_t i = 0; i < s->n_usual; i++) {
		size_t after = s->usual[i] + 1;
		uint32_t at = after < p->n ? first_launch(s->w, p, after) : 0;

		if (at)
			gap[n++] = wl_graph_gap(s->w->plan->graph, s->w->plan->activity[at]);
	}
	if (next && n)
		wl_even_gap(s->w, next, median(gap, n));
}

/*
 * If steps are guessed, one that is ten times as long and allocates memory or loads code for 1 ms
 * is not a step but one-time set-up between two runs of steps.
 */
static bool is_set_up(const struct slow *s, size_t step)
{
	const struct wl_process_iters *iters = &s->w->given->iterations->process[s->process];
	const struct wl_graph *g = s->lists->graph;
	struct wl_slice all = wl_step_all(s->lists, s->process, step);
	wl_ns period = iters->at[step + 1].tile.begin - iters->at[step].tile.begin, sum = 0;

	if (!iters->is_guess || period / 10 < wl_usual_period(iters, step))
		return false;
	for (size_t i = all.lo; i < all.hi; i++) {
		uint32_t activity = s->lists->activity[i];
		enum wl_call_class class = WL_CALLS_OTHER;

		if (activity >= g->n_ops && !wl_graph_is_mpi(g, activity))
			class = wl_call_class_of(
				wl_str(g->trace, wl_api_name(g->trace)[activity - g->n_ops]));
		if (class == WL_CALLS_ALLOC || class == WL_CALLS_LOAD)
			sum += wl_graph_length(g, activity);
	}
	return sum >= LONG_SET_UP;
}

static bool speed_up_all(struct slow *s, struct wl_arena *scratch)
{
	size_t n = s->lists->process[s->process].n, n_here = 0;
	bool ok = find_slow(s, scratch, &n_here);

	if (!ok || n_here == 0)
		return ok;
	s->n_slow += n_here;
	for (size_t i = 0; ok && i < n; i++) {
		if (s->side[i] != WL_STEP_CHANGED)
			continue;
		s->n_set_up += s->which != CHANGED && is_set_up(s, i);
		ok = speed_up(s, i, scratch);
		/* A slow next step already has the gap of usual steps. */
		if (i + 1 == n || s->side[i + 1] != WL_STEP_CHANGED)
			speed_up_next(s, i);
	}
	return ok;
}

static int usual_steps(struct wl_whatif *w, enum slowness which, struct wl_err *reterr)
{
	struct slow s = { .w = w, .lists = wl_whatif_steps(w), .which = which };
	bool ok = s.lists && wl_change_lengths(w) && wl_change_gaps(w);

	for (; ok && s.process < w->given->trace->n_processes; s.process++) {
		struct wl_arena scratch;

		wl_arena_init_child(&scratch, w->arena);
		if (s.lists->process[s.process].n)
			ok = speed_up_all(&s, &scratch);
		wl_arena_release(&scratch);
	}
	if (ok)
		wl_follow_launches(w);
	w->is_once = true;
	if (ok && s.n_slow == 0)
		w->remark = (struct wl_whatif_remark){ .kind = WL_REMARK_NO_SLOW_STEP };
	if (ok && s.n_set_up) {
		w->forecast = WL_UPPER_BOUND;
		w->remark = (struct wl_whatif_remark){ .kind = WL_REMARK_SET_UP,
						       .n = s.n_set_up,
						       .of_n = s.n_slow };
	}
	return ok ? WL_OK : no_memory(reterr);
}

int wl_apply_slow_steps(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	(void)ask;
	return usual_steps(w, STAND_OUT, reterr);
}

int wl_apply_slow_iterations(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	(void)ask;
	return usual_steps(w, OF_FINDING, reterr);
}

int wl_apply_step_change(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	int r = usual_steps(w, CHANGED, reterr);

	(void)ask;
	w->remark = (struct wl_whatif_remark){ .kind = WL_REMARK_STEP_CHANGE,
					       .change = w->given->step_change };
	return r;
}

static bool prepare_data(struct wl_whatif *w, const struct wl_listed_steps *p,
			 struct wl_arena *parent)
{
	const struct wl_graph *g = w->plan->graph;
	struct wl_arena scratch;
	int64_t *gap;
	size_t n = 0, best;

	wl_arena_init_child(&scratch, parent);
	gap = WL_NEW(&scratch, int64_t, p->n);
	for (size_t i = 0; gap && i < p->n; i++) {
		uint32_t at = first_launch(w, p, i);

		if (at)
			gap[n++] = wl_graph_gap(g, w->plan->activity[at]);
	}
	if (gap && n) {
		wl_sort_i64(gap, n);
		best = n / 10 ? n / 10 : 1;
		for (size_t i = 0; i < p->n; i++) {
			uint32_t at = first_launch(w, p, i);
			wl_ns least = gap[(best - 1) / 2];

			if (!at || wl_graph_gap(g, w->plan->activity[at]) <= least)
				continue;
			wl_even_gap(w, at, least);
			if (least == 0)
				w->forecast = WL_UPPER_BOUND;
		}
	}
	wl_arena_release(&scratch);
	return gap != NULL;
}

int wl_apply_data(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	const struct wl_step_lists *lists = wl_whatif_steps(w);
	bool ok = lists && wl_change_gaps(w);

	(void)ask;
	for (size_t i = 0; ok && i < w->given->trace->n_processes; i++)
		ok = prepare_data(w, &lists->process[i], w->arena);
	return ok ? WL_OK : no_memory(reterr);
}
