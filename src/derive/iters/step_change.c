/* SPDX-License-Identifier: MIT */
#include "derive/iters/step_change.h"

#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/iters/iters.h"
#include "derive/iters/iters_parts.h"

enum { QUARTER = 4 }; /* a drift is compared with 1/QUARTER of the series */

struct finding {
	const struct wl_iterations *iterations;
	size_t n_processes;
	bool *takes_part;
	wl_ns *period;  /* by step; WL_NO_TIME if it has none or is of another kind */
	uint8_t *kind;  /* by step: its kind in the first process that takes part */
	uint32_t *step; /* the steps of the series */
	size_t n, n_steps;
};

/* Choose the processes that have steps; if some of these are in groups, only those. */
static void choose_processes(struct finding *f, const struct wl_matches *matches)
{
	bool is_any = false;

	for (size_t i = 0; matches && i < matches->n_groups; i++) {
		const struct wl_comm_group *g = &matches->group[i];

		for (size_t k = 0; k < g->n; k++) {
			uint32_t process = matches->member[g->member[k]].process;

			f->takes_part[process] = f->iterations->process[process].n > 0;
			is_any = is_any || f->takes_part[process];
		}
	}
	for (size_t i = 0; !is_any && i < f->n_processes; i++)
		f->takes_part[i] = f->iterations->process[i].n > 0;
}

/* Drop processes with a different number of steps than most: their steps cannot be compared side by
 * side. */
static bool keep_commonest(struct finding *f, struct wl_arena *scratch)
{
	wl_ns *room = WL_NEW(scratch, wl_ns, f->n_processes);

	if (!room)
		return false;
	f->n_steps = wl_iter_commonest_number(f->iterations->process, f->takes_part, f->n_processes,
					      room);
	for (size_t i = 0; i < f->n_processes; i++)
		f->takes_part[i] = f->takes_part[i] && f->iterations->process[i].n == f->n_steps;
	return true;
}

/* Find the period of each step, and its kind in the first process. */
static void find_periods(struct finding *f)
{
	bool is_first = true;

	for (size_t i = 0; i < f->n_processes; i++) {
		const struct wl_process_iters *p = &f->iterations->process[i];

		for (size_t k = 0; f->takes_part[i] && k < f->n_steps; k++) {
			wl_ns own = p->at[k].tile.end - p->at[k].tile.begin;

			f->period[k] = own > f->period[k] ? own : f->period[k];
			if (is_first)
				f->kind[k] = (uint8_t)p->at[k].kind;
		}
		is_first = is_first && !f->takes_part[i];
	}
}

static uint8_t commonest_kind(const struct finding *f)
{
	size_t n[WL_N_STEP_KINDS] = { 0 };
	unsigned most = 0;

	for (size_t k = 1; k + 1 < f->n_steps; k++)
		n[f->kind[k]]++;
	for (unsigned i = 1; i < WL_N_STEP_KINDS; i++)
		most = n[i] > n[most] ? i : most;
	return (uint8_t)most;
}

/* Fill in the numbers of the series, at most WL_CHANGE_MOST. */
static size_t make_series(const struct finding *f, wl_ns *value, wl_ns *room, size_t *ret_block)
{
	size_t block = (f->n + WL_CHANGE_MOST - 1) / WL_CHANGE_MOST, n;

	*ret_block = block ? block : 1;
	n = f->n / *ret_block;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < block; k++)
			room[k] = f->period[f->step[i * block + k]];
		value[i] = wl_middle(room, block);
	}
	return n;
}

/* Set the side of the steps from one place in the series to another; the end of the series extends
 * to the last step. */
static void put_side(const struct finding *f, uint8_t *side, size_t from, size_t to,
		     enum wl_step_side which)
{
	uint32_t last = to < f->n ? f->step[to] : (uint32_t)f->n_steps;
	uint8_t kind = f->n ? f->kind[f->step[0]] : 0;

	for (uint32_t k = from < f->n ? f->step[from] : last; k < last; k++) {
		if (f->kind[k] == kind)
			side[k] = (uint8_t)which;
	}
}

static void name_drift(const struct finding *f, struct wl_step_change *c, uint8_t *side)
{
	const struct wl_series_change *d = c->found;
	size_t n = f->n / c->block, quarter = n / QUARTER;
	bool is_slower = d->inside > d->outside;
	wl_ns by = is_slower ? d->inside - d->outside : d->outside - d->inside;

	c->is_faster_later = !is_slower;
	put_side(f, side, 0, f->n, WL_STEP_CHANGED);
	if (is_slower)
		put_side(f, side, 0, quarter * c->block, WL_STEP_REFERENCE);
	else
		put_side(f, side, (n - quarter) * c->block, f->n, WL_STEP_REFERENCE);
	c->changed = is_slower ? d->inside : d->outside;
	c->reference = is_slower ? d->outside : d->inside;
	c->more = d->median > 0 ? (double)by / (double)d->median : 0;
}

/* Steps at the faster level are the reference; all others are slower. */
static void name_ramp(const struct finding *f, struct wl_step_change *c, uint8_t *side)
{
	const struct wl_series_change *d = c->found;
	bool is_slower = d->inside > d->outside;
	size_t begin = d->begin * c->block, end = d->end * c->block;

	put_side(f, side, 0, begin, is_slower ? WL_STEP_REFERENCE : WL_STEP_CHANGED);
	put_side(f, side, begin, end, WL_STEP_CHANGED);
	put_side(f, side, end, f->n, is_slower ? WL_STEP_CHANGED : WL_STEP_REFERENCE);
	c->is_faster_later = !is_slower;
	c->ramp = is_slower ? f->step[end] : f->step[begin - 1];
	c->changed = is_slower ? d->inside : d->outside;
	c->reference = is_slower ? d->outside : d->inside;
	c->more = c->reference > 0 ? (double)(c->changed - c->reference) / (double)c->reference : 0;
}

/*
 * The step at which one level turns into another. A block is a median and does not show at which of
 * its steps that happens. It is the step in the two blocks at the edge at which the differences
 * from both levels are least.
 */
static size_t find_edge(const struct finding *f, const struct wl_step_change *c, size_t edge,
			wl_ns before, wl_ns after)
{
	size_t at = edge * c->block, best = at;
	wl_ns sum = 0, least = 0;

	if (c->block == 1 || edge == 0 || edge == f->n / c->block)
		return edge == f->n / c->block ? f->n : at;
	for (size_t i = at - c->block; i < at + c->block; i++) {
		wl_ns own = f->period[f->step[i]];

		/* The cost of placing the step before the edge rather than after it. */
		sum += (own > before ? own - before : before - own) -
		       (own > after ? own - after : after - own);
		if (i == at - c->block || sum < least) {
			least = sum;
			best = i + 1;
		}
	}
	return least < 0 ? best : at - c->block;
}

static void name_levels(const struct finding *f, struct wl_step_change *c, uint8_t *side)
{
	const struct wl_series_change *d = c->found;
	size_t begin = find_edge(f, c, d->begin, d->outside, d->inside);
	size_t end = find_edge(f, c, d->end, d->inside, d->outside);
	bool is_slow = d->inside > d->outside;
	enum wl_step_side in = is_slow ? WL_STEP_CHANGED : WL_STEP_REFERENCE;
	enum wl_step_side out = is_slow ? WL_STEP_REFERENCE : WL_STEP_CHANGED;

	put_side(f, side, 0, begin, out);
	put_side(f, side, begin, end, in);
	put_side(f, side, end, f->n, out);
	c->changed = is_slow ? d->inside : d->outside;
	c->reference = is_slow ? d->outside : d->inside;
	c->more = c->reference > 0 ? (double)(c->changed - c->reference) / (double)c->reference : 0;
	c->is_around = d->kind == WL_CHANGE_EPISODE && !is_slow;
	c->is_faster_later = d->kind != WL_CHANGE_EPISODE && (d->begin == 0) == is_slow;
}

/* The first and the last step of a side; not all steps between them need be on it. */
static void find_ends(const struct wl_step_change *c, enum wl_step_side which, uint32_t *ret_first,
		      uint32_t *ret_last)
{
	bool is_any = false;

	for (uint32_t k = 0; k < c->n; k++) {
		if (c->side[k] != (uint8_t)which)
			continue;
		*ret_first = is_any ? *ret_first : k;
		*ret_last = k;
		is_any = true;
	}
}

static void name_change(const struct finding *f, struct wl_step_change *c, uint8_t *side)
{
	c->kind = c->found->kind;
	if (c->kind == WL_CHANGE_DRIFT)
		name_drift(f, c, side);
	else if (c->kind == WL_CHANGE_RAMP)
		name_ramp(f, c, side);
	else
		name_levels(f, c, side);
	find_ends(c, WL_STEP_CHANGED, &c->first, &c->last);
	find_ends(c, WL_STEP_REFERENCE, &c->like_first, &c->like_last);
}

static bool find_change(struct finding *f, struct wl_arena *arena, struct wl_arena *scratch,
			struct wl_step_change *ret)
{
	wl_ns value[WL_CHANGE_MOST];
	struct wl_series_change *found = WL_NEW(arena, struct wl_series_change, 1);
	uint8_t *side = WL_NEW(arena, uint8_t, f->n_steps), most;
	wl_ns *room = WL_NEW(scratch, wl_ns, f->n_steps);
	size_t n;

	f->period = WL_NEW(scratch, wl_ns, f->n_steps);
	f->kind = WL_NEW(scratch, uint8_t, f->n_steps);
	f->step = WL_NEW(scratch, uint32_t, f->n_steps);
	if (!found || !side || !room || !f->period || !f->kind || !f->step)
		return false;
	find_periods(f);
	most = commonest_kind(f);
	for (uint32_t k = 1; k + 1 < f->n_steps; k++) {
		if (f->kind[k] == most)
			f->step[f->n++] = k;
	}
	n = make_series(f, value, room, &ret->block);
	if (!wl_change_find(value, n, scratch, found))
		return false;
	ret->n = f->n_steps;
	ret->side = side;
	ret->found = found;
	ret->n_tested = n >= WL_CHANGE_FEWEST ? f->n : 0;
	if (found->kind != WL_CHANGE_NONE)
		name_change(f, ret, side);
	return true;
}

bool wl_step_change_of(const struct wl_iterations *iterations, size_t n_processes,
		       const struct wl_matches *matches, struct wl_arena *arena,
		       struct wl_step_change *ret)
{
	struct finding f = { .iterations = iterations,
			     .n_processes = n_processes,
			     .takes_part = WL_NEW(arena, bool, n_processes) };
	struct wl_arena scratch;
	bool ok;

	*ret = (struct wl_step_change){ .takes_part = f.takes_part, .block = 1 };
	wl_arena_init_child(&scratch, arena);
	if (f.takes_part)
		choose_processes(&f, matches);
	ok = f.takes_part && keep_commonest(&f, &scratch) && find_change(&f, arena, &scratch, ret);
	wl_arena_release(&scratch);
	return ok;
}

bool wl_step_change_find(const struct wl_derived *given, struct wl_arena *arena,
			 struct wl_step_change *ret)
{
	return wl_step_change_of(given->iterations, given->trace->n_processes, given->matches,
				 arena, ret);
}

bool wl_step_change_explains(const struct wl_step_change *c, const struct wl_process_iters *iters,
			     size_t process, size_t step)
{
	wl_ns by, room, above;

	/* The first step is not in the series and is treated like the second. */
	if (!c || c->kind == WL_CHANGE_NONE || c->kind == WL_CHANGE_WARM_UP ||
	    wl_step_side_of(c, process, step ? step : 1) != WL_STEP_CHANGED)
		return false;
	by = c->changed - c->reference;
	room = by > c->changed / 20 ? by : c->changed / 20;
	above = iters->at[step].tile.end - iters->at[step].tile.begin - c->changed;
	return above <= room;
}
