/* SPDX-License-Identifier: MIT */
#include "derive/graph/late/late_evidence.h"

#include <math.h>

#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/graph/late/late_kernels.h"
#include "derive/graph/late/late_subject.h"
#include "derive/iters/change.h"
#include "derive/iters/iters.h"
#include "derive/rows/stats.h"

/*
 * The last step has no period. If a capture ends in it, its content depends on how far the member
 * got, so it counts only if its own cell is changed.
 */
static bool tells(const struct wl_late_suspects *cells, uint32_t member, size_t step)
{
	return step + 1 < cells->n_steps || cells->is_whole ||
	       (wl_late_cell(cells, member, step) & WL_CELL_CHANGED);
}

/* The excess of a step without the gap before its first call. */
static wl_ns without_gap(const struct wl_excess *e)
{
	return e->all - (e->own_gap - e->others_gap);
}

/* Move the gap before the first call of a step to the previous step. */
static void give_gap(struct wl_excess *from, struct wl_excess *to)
{
	to->all += from->own_gap - from->others_gap;
	to->own[WL_LATE_BY_HOST] += from->own_gap;
	to->others[WL_LATE_BY_HOST] += from->others_gap;
	from->all = without_gap(from);
	from->own[WL_LATE_BY_HOST] -= from->own_gap;
	from->others[WL_LATE_BY_HOST] -= from->others_gap;
	from->own_gap = from->others_gap = 0;
}

/* A pause between two steps, shared by both, makes only one step slow: the one whose period it
 * ends. least: by step, the excess at which it counts as slow. */
static void join_stops(struct wl_excess *excess, const wl_ns *least, bool *slow, size_t n_steps)
{
	for (size_t k = 1; k < n_steps; k++) {
		if (slow[k - 1] && slow[k] && without_gap(&excess[k - 1]) >= least[k - 1] &&
		    without_gap(&excess[k]) < least[k]) {
			give_gap(&excess[k], &excess[k - 1]);
			slow[k] = false;
		}
	}
}

/* The kind of a step, if the member's steps are known to be of different kinds. */
static enum wl_step_kind kind_of(const struct wl_late_evidence *e, uint32_t member, size_t step)
{
	const struct wl_member *m = &e->given->matches->member[member];
	const struct wl_process_iters *iters = &e->given->iterations->process[m->process];

	return iters->has_kinds && step < iters->n ? iters->at[step].kind : WL_STEP_NONE;
}

/* A quarter of the largest excess of the step's kind, because longer kinds of steps have more
 * excess. */
static void find_least(const struct wl_late_evidence *e, size_t i, wl_ns *least)
{
	const struct wl_late_suspects *cells = e->compared->by.cells;
	uint32_t member = e->straggler[i].member;
	const struct wl_excess *excess = e->evened[i].excess;
	wl_ns most[WL_N_STEP_KINDS] = { 0 }, small = cells->step / 100 > 1 ? cells->step / 100 : 1;

	for (size_t k = 0; k < cells->n_steps; k++) {
		wl_ns *of = &most[kind_of(e, member, k)];

		if (tells(cells, member, k) && excess[k].all > *of)
			*of = excess[k].all;
	}
	for (size_t k = 0; k < cells->n_steps; k++) {
		wl_ns part = most[kind_of(e, member, k)] / 4;

		least[k] = part > small ? part : small;
	}
}

static bool find_slow_steps(const struct wl_late_evidence *e, size_t i, struct wl_arena *arena)
{
	const struct wl_late_suspects *cells = e->compared->by.cells;
	struct wl_excess *excess = e->evened[i].excess;
	bool *slow = WL_NEW(arena, bool, cells->n_steps);
	wl_ns *least = WL_NEW(arena, wl_ns, cells->n_steps);

	if (!slow || !least)
		return false;
	find_least(e, i, least);
	for (size_t k = 0; k < cells->n_steps; k++)
		slow[k] = tells(cells, e->straggler[i].member, k) && excess[k].all >= least[k];
	join_stops(excess, least, slow, cells->n_steps);
	for (size_t k = 0; k < cells->n_steps; k++)
		e->straggler[i].n_slow += slow[k];
	e->straggler[i].slow = slow;
	return true;
}

static void add_slow_step(const struct wl_excess *step, struct wl_straggler *s,
			  struct wl_late_set *set)
{
	for (unsigned i = 0; i < WL_N_LATE_SHARES; i++) {
		s->own[i] = wl_add_up(s->own[i], step->own[i]);
		s->others[i] = wl_add_up(s->others[i], step->others[i]);
		set->own[i] = wl_add_up(set->own[i], step->own[i]);
		set->others[i] = wl_add_up(set->others[i], step->others[i]);
	}
}

/* Three quarters of the steps or more count as always. */
static bool join_slow_steps(const struct wl_late_evidence *e, struct wl_arena *arena,
			    struct wl_late_set *set)
{
	bool *slow = WL_NEW(arena, bool, e->compared->by.cells->n_steps);

	set->slow = slow;
	set->n_steps = e->compared->by.cells->n_steps;
	for (size_t k = 0; slow && k < set->n_steps; k++) {
		for (size_t i = 0; i < set->n; i++) {
			slow[k] |= e->straggler[i].slow[k];
			if (e->straggler[i].slow[k])
				add_slow_step(&e->evened[i].excess[k], &e->straggler[i], set);
		}
		set->n_slow += slow[k];
	}
	if (4 * set->n_slow >= 3 * set->n_steps)
		set->n_slow = 0;
	return slow != NULL;
}

/*
 * Whether chance gives such a mean over steps less than once in 2,000 times, by Student's t; true
 * if there are too few steps to tell. For n steps, t is about 3.3 * (1 + 4 / (n - 1)): 5.2 for 8
 * steps, 3.7 for 30.
 */
static bool is_steady(const struct wl_excess *excess, size_t n_steps)
{
	enum { FEW_STEPS = 4 };
	double n = 0, sum = 0, squares = 0, least;

	for (size_t i = 0; i < n_steps; i++) {
		double of = (double)excess[i].kernels;

		n += excess[i].is_any;
		sum += of;
		squares += of * of;
	}
	if (n < FEW_STEPS)
		return true;
	least = 3.3 * (1 + 4 / (n - 1));
	/* sum / n > least * sqrt((squares - sum * sum / n) / (n - 1) / n) */
	return sum > 0 && sum * sum * (n - 1) >= least * least * (n * squares - sum * sum);
}

/*
 * Whether it is slower in a few steps, at least three, by far more than the other steps vary; such
 * a difference is not normal variation. sorted: room for one number per step.
 */
static bool stands_out(const struct wl_excess *excess, const bool *slow, size_t n_steps,
		       int64_t *sorted)
{
	enum {
		LEAST = 3,
		DEVIATIONS = 12 /* times the median deviation: 8 standard deviations of a normal
				   distribution */
	};
	size_t n = 0, n_out = 0;
	int64_t middle, spread;

	for (size_t i = 0; i < n_steps; i++) {
		if (!slow[i] && excess[i].is_any)
			sorted[n++] = excess[i].kernels;
	}
	/* At most three in nine. */
	if (n < 2 * (size_t)LEAST || 3 * n < 2 * n_steps)
		return false;
	middle = wl_middle(sorted, n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = sorted[i] > middle ? sorted[i] - middle : middle - sorted[i];
	spread = wl_middle(sorted, n);
	for (size_t i = 0; i < n_steps; i++)
		n_out += slow[i] &&
			 (double)excess[i].kernels - (double)middle > DEVIATIONS * (double)spread;
	return n_out >= LEAST;
}

/* The logarithm of n!. Unlike lgamma, it has no shared sign and is safe to call from several
 * threads. */
static double factorial(size_t n)
{
	int sign;

	return lgamma_r((double)n + 1, &sign);
}

/* The probability that at least k of n draws are of a kind with this share. */
static double tail_of(size_t n, size_t k, double share)
{
	double sum = 0;

	if ((double)k <= (double)n * share)
		return 1;
	for (size_t at = k; at <= n; at++) {
		double part = exp(factorial(n) - factorial(at) - factorial(n - at) +
				  (double)at * log(share) + (double)(n - at) * log1p(-share));

		sum += part;
		if (part < sum / 1e9)
			break;
	}
	return sum;
}

/*
 * A set that is slow in few steps has no steady excess. Tests whether its members have more suspect
 * cells than chance gives any set of this size once in 2,000 times: if no member is slow, a late
 * cell can belong to any of them.
 */
static bool has_more_cells(const struct wl_late_evidence *e, const struct wl_late_set *set)
{
	const struct wl_late_suspects *cells = e->compared->by.cells;
	const struct wl_peers *who = &e->compared->who;
	size_t m = who->n, n = set->n, all = 0, own = 0;

	if (n >= m)
		return false;
	for (size_t i = 0; i < m; i++) {
		bool is_own = false;

		for (size_t k = 0; k < n; k++)
			is_own |= e->straggler[k].member == who->member[i];
		for (size_t k = 0; k < cells->n_steps; k++) {
			bool is_late = wl_late_cell(cells, who->member[i], k) & WL_CELL_SUSPECT;

			all += is_late;
			own += is_own && is_late;
		}
	}
	return 2000 * exp(factorial(m) - factorial(n) - factorial(m - n)) *
		       tail_of(all, own, (double)n / (double)m) <=
	       1;
}

static void take_kernels(const struct wl_late_kernels *k, bool are_alike, bool is_shared,
			 struct wl_late_set *set)
{
	set->factor = k->factor;
	set->kernel[0] = k->kernel[0];
	set->kernel[1] = k->kernel[1];
	set->n_slower = k->n_slower;
	set->are_slower = k->are_slower;
	set->n_own = k->n_own;
	set->n_others = k->n_others;
	set->reason = are_alike ? WL_LATE_SLOW_GPU : WL_LATE_SLOW_KERNEL;
	if (set->reason == WL_LATE_SLOW_KERNEL)
		set->factor = k->of_first;
	if (is_shared) {
		set->reason = WL_LATE_SHARED_GPU;
	} else if (k->more > 0 && 2 * k->more >= k->excess) {
		set->reason = WL_LATE_MORE_WORK;
		set->factor = k->base > 0 ? (k->base + k->excess) / k->base : 1;
	}
}

/* The reason with the largest excess; kernels by default. */
static enum wl_late_reason reason_of(const struct wl_straggler *s, const struct wl_late_kernels *k)
{
	unsigned most = 0;

	for (unsigned i = 1; i < WL_N_LATE_SHARES; i++)
		most = s->own[i] - s->others[i] > s->own[most] - s->others[most] ? i : most;
	if (most == WL_LATE_BY_COPIES)
		return WL_LATE_COPIES;
	if (most == WL_LATE_BY_HOST)
		return WL_LATE_HOST;
	if (s->tenant.process != WL_NONE)
		return WL_LATE_SHARED_GPU;
	if (k->more > 0 && 2 * k->more >= k->excess)
		return WL_LATE_MORE_WORK;
	return k->is_alike ? WL_LATE_SLOW_GPU : WL_LATE_SLOW_KERNEL;
}

static bool judge_kernels(const struct wl_late_evidence *e, struct wl_arena *arena,
			  struct wl_late_set *set)
{
	struct wl_late_kernels kernels;
	struct wl_arena scratch;
	struct wl_late_in *in;
	bool ok, are_alike = true, is_shared = false;
	int64_t *sorted;

	wl_arena_init_child(&scratch, arena);
	in = WL_NEW(&scratch, struct wl_late_in, set->n);
	sorted = WL_NEW(&scratch, int64_t, set->n_steps);
	ok = in && sorted;
	for (size_t i = 0; ok && i < set->n; i++) {
		struct wl_straggler *s = &e->straggler[i];

		in[i] = (struct wl_late_in){ s->member, s->slow };
		ok = wl_late_kernels_find(e->compared, &in[i], 1, &scratch, &kernels) &&
		     wl_late_tenant_find(e->given, e->compared->by.cells, &scratch, s);
		s->factor = kernels.factor;
		s->is_alike = kernels.is_alike;
		s->reason = reason_of(s, &kernels);
		are_alike &= kernels.is_alike;
		is_shared |= s->tenant.process != WL_NONE;
		set->is_steady |= is_steady(e->evened[i].excess, set->n_steps) ||
				  stands_out(e->evened[i].excess, s->slow, set->n_steps, sorted);
	}
	if (ok && set->n > 1)
		ok = wl_late_kernels_find(e->compared, in, set->n, &scratch, &kernels);
	if (ok)
		take_kernels(&kernels, are_alike, is_shared, set);
	wl_arena_release(&scratch);
	return ok;
}

/* Kernels are the default reason. */
static void choose_reason(struct wl_late_set *set)
{
	unsigned most = 0;

	for (unsigned i = 1; i < WL_N_LATE_SHARES; i++)
		most = set->share[i] > set->share[most] ? i : most;
	if (most == WL_LATE_BY_COPIES)
		set->reason = WL_LATE_COPIES;
	else if (most == WL_LATE_BY_HOST)
		set->reason = WL_LATE_HOST;
}

/* With few samples, one kernel can look slower than the rest by chance. */
static bool are_of_one_kind(enum wl_late_reason a, enum wl_late_reason b)
{
	return a == b || (a <= WL_LATE_SLOW_KERNEL && b <= WL_LATE_SLOW_KERNEL);
}

static bool is_mixed(const struct wl_straggler *at, const struct wl_late_set *set)
{
	for (size_t i = 1; i < set->n && set->subject != WL_LATE_ROTATING; i++) {
		if (!are_of_one_kind(at[0].reason, at[i].reason))
			return true;
	}
	return false;
}

/* Count the steps in which each takes longest; ties go to the one that is latest overall. */
static void count_longest(const struct wl_late_evidence *e, struct wl_late_set *set)
{
	for (size_t k = 0; k < set->n_steps; k++) {
		size_t best = 0;

		for (size_t i = 1; i < set->n; i++) {
			if (e->evened[i].excess[k].all > e->evened[best].excess[k].all)
				best = i;
		}
		e->straggler[best].n_longest += e->straggler[best].slow[k];
	}
}

/*
 * Whether the set has at least three quarters of the members, and at least three, of which none has
 * more than half of the lateness or is slow in three quarters of the steps, as a cause would be.
 */
static bool is_uneven(const struct wl_late_evidence *e, const struct wl_late_set *set)
{
	wl_ns all = 0, most = 0;

	for (size_t i = 0; i < set->n; i++) {
		const struct wl_straggler *s = &e->straggler[i];

		if (4 * s->n_slow >= 3 * set->n_steps)
			return false;
		all = wl_add_up(all, s->late);
		most = s->late > most ? s->late : most;
	}
	return set->subject == WL_LATE_MEMBERS && !set->is_mixed && !set->is_of_stages &&
	       set->reason != WL_LATE_SHARED_GPU && set->n >= 3 &&
	       4 * set->n >= 3 * e->compared->who.n && most <= all / 2;
}

bool wl_late_evidence_find(const struct wl_late_evidence *e, struct wl_arena *arena,
			   struct wl_late_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		if (!find_slow_steps(e, i, arena))
			return false;
	}
	if (!join_slow_steps(e, arena, set) || !judge_kernels(e, arena, set))
		return false;
	set->is_steady |= has_more_cells(e, set);
	choose_reason(set);
	if (!wl_late_subject_find(e->given, e->straggler, arena, set))
		return false;
	set->is_mixed = is_mixed(e->straggler, set);
	count_longest(e, set);
	if (is_uneven(e, set))
		set->subject = WL_LATE_UNEVEN;
	return true;
}
