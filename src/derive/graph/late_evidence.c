/* SPDX-License-Identifier: MIT */
#include "derive/graph/late_evidence.h"

#include "derive/derived.h"
#include "derive/graph/late_kernels.h"
#include "derive/graph/late_subject.h"
#include "derive/rows/stats.h"

static bool find_slow_steps(const struct wl_late_evidence *e, size_t i, struct wl_arena *arena)
{
	const struct wl_late_suspects *cells = e->compared->by.cells;
	const struct wl_excess *excess = e->evened[i].excess;
	bool *slow = WL_NEW(arena, bool, cells->n_steps);
	wl_ns most = 0;

	for (size_t k = 0; k < cells->n_steps; k++)
		most = excess[k].all > most ? excess[k].all : most;
	for (size_t k = 0; slow && k < cells->n_steps; k++) {
		slow[k] = excess[k].all > 0 && excess[k].all >= cells->step / 100 &&
			  excess[k].all >= most / 4;
		e->straggler[i].n_slow += slow[k];
	}
	e->straggler[i].slow = slow;
	return slow != NULL;
}

static void add_slow_step(const struct wl_excess *step, struct wl_late_set *set)
{
	for (unsigned i = 0; i < WL_N_LATE_SHARES; i++) {
		set->own[i] = wl_add_up(set->own[i], step->own[i]);
		set->others[i] = wl_add_up(set->others[i], step->others[i]);
	}
}

/* Three quarters of the steps or more are always. */
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
				add_slow_step(&e->evened[i].excess[k], set);
		}
		set->n_slow += slow[k];
	}
	if (4 * set->n_slow >= 3 * set->n_steps)
		set->n_slow = 0;
	return slow != NULL;
}

/*
 * Whether chance gives such a mean over steps less than once in 2,000 times, by Student's t; yes
 * where there are too few steps to tell. Of n steps t is about 3.3 * (1 + 4 / (n - 1)): 5.2 of 8
 * steps, 3.7 of 30.
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

static void take_kernels(const struct wl_late_kernels *k, bool are_alike, bool is_shared,
			 struct wl_late_set *set)
{
	set->factor = k->factor;
	set->kernel[0] = k->kernel[0];
	set->kernel[1] = k->kernel[1];
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

static bool judge_kernels(const struct wl_late_evidence *e, struct wl_arena *arena,
			  struct wl_late_set *set)
{
	struct wl_late_kernels kernels;
	struct wl_arena scratch;
	struct wl_late_in *in;
	bool ok, are_alike = true, is_shared = false;

	wl_arena_init_child(&scratch, arena);
	in = WL_NEW(&scratch, struct wl_late_in, set->n);
	ok = in != NULL;
	for (size_t i = 0; ok && i < set->n; i++) {
		struct wl_straggler *s = &e->straggler[i];

		in[i] = (struct wl_late_in){ s->member, s->slow };
		ok = wl_late_kernels_find(e->compared, &in[i], 1, &scratch, &kernels) &&
		     wl_late_tenant_find(e->given, e->compared->by.cells, &scratch, s);
		s->factor = kernels.factor;
		s->is_alike = kernels.is_alike;
		are_alike &= kernels.is_alike;
		is_shared |= s->tenant.process != WL_NONE;
		set->is_steady |= is_steady(e->evened[i].excess, set->n_steps);
	}
	if (ok && set->n > 1)
		ok = wl_late_kernels_find(e->compared, in, set->n, &scratch, &kernels);
	if (ok)
		take_kernels(&kernels, are_alike, is_shared, set);
	wl_arena_release(&scratch);
	return ok;
}

/* Kernels are why by default. */
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

bool wl_late_evidence_find(const struct wl_late_evidence *e, struct wl_arena *arena,
			   struct wl_late_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		if (!find_slow_steps(e, i, arena))
			return false;
	}
	if (!join_slow_steps(e, arena, set) || !judge_kernels(e, arena, set))
		return false;
	choose_reason(set);
	return wl_late_subject_find(e->given, e->straggler, arena, set);
}
