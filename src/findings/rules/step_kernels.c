/* SPDX-License-Identifier: MIT */
#include "findings/rules/step_kernels.h"

#include <math.h>

#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/kinds/classes.h"

enum { MOST_PERCENT = 80, APART = 5 };

struct comparing {
	const struct wl_rule_state *d;
	const struct wl_step_cause *cause;
	struct wl_arena *scratch;
	double *sum[2]; /* by kernel name: in reference and in changed steps */
	double *ratio;  /* by kernel name */
	size_t n_names;
	double n_steps[2]; /* of all GPUs */
};

static int side_of(const struct comparing *c, uint32_t process, uint32_t step)
{
	switch (wl_step_side_of(c->cause->change, process, step)) {
	case WL_STEP_REFERENCE:
		return 0;
	case WL_STEP_CHANGED:
		return 1;
	case WL_STEP_APART:
		break;
	}
	return -1;
}

/* Whether a GPU counts: one that stands out says nothing about what all share. */
static bool counts(const struct comparing *c, size_t gpu)
{
	return c->cause->gpu[gpu].takes_part && !c->cause->gpu[gpu].stands_out;
}

/* By place: whether its lane counts. */
static bool *choose_places(const struct comparing *c)
{
	const struct wl_trace *t = c->d->run->trace;
	bool *on = WL_NEW(c->scratch, bool, t->n_places);

	for (size_t i = 0; on && i < t->n_places; i++) {
		for (size_t g = 0; g < c->d->n_gpus; g++) {
			const struct wl_ledger_lane *lane = c->d->gpu[g].lane;

			on[i] = on[i] || (counts(c, g) && lane->device == t->places[i].device &&
					  lane->process == t->places[i].process);
		}
	}
	return on;
}

static void count_steps(struct comparing *c)
{
	for (size_t g = 0; g < c->d->n_gpus; g++) {
		if (!counts(c, g))
			continue;
		for (uint32_t k = 0; k < c->cause->change->n; k++) {
			int side = side_of(c, c->d->gpu[g].lane->process, k);

			if (side >= 0)
				c->n_steps[side]++;
		}
	}
}

static void add_kernels(const struct comparing *c, const bool *on)
{
	const struct wl_trace *t = c->d->run->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);
	const struct wl_iterations *all = c->d->run->derived->iterations;

	for (size_t i = 0; i < ops.n; i++) {
		uint32_t process = t->places[ops.place[i]].process, step, name;
		int side;

		name = wl_kernels_name(t)[i];
		if (!on[ops.place[i]] ||
		    c->d->run->derived->classes->kernel_name[name] != WL_COMPUTE)
			continue;
		step = wl_iteration_around(&all->process[process], ops.start[i]);
		side = step == WL_NONE ? -1 : side_of(c, process, step);
		if (side >= 0)
			c->sum[side][name] += (double)wl_dur(ops.family, ops.dur, i);
	}
}

static bool ratio_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct comparing *c = ctx;

	return c->ratio[a] < c->ratio[b];
}

/* Make means per step and their ratios, which are infinite for kernels only in changed steps;
 * returns the sum of reference means. */
static double make_means(struct comparing *c)
{
	double all = 0;

	for (size_t i = 0; i < c->n_names; i++) {
		for (unsigned side = 0; side < 2; side++)
			c->sum[side][i] /= c->n_steps[side];
		c->ratio[i] = c->sum[0][i] > 0 ? c->sum[1][i] / c->sum[0][i] : HUGE_VAL;
		all += c->sum[0][i];
	}
	return all;
}

static bool find_factor(struct comparing *c, struct wl_step_kernels *ret)
{
	uint32_t *order = WL_NEW(c->scratch, uint32_t, c->n_names);
	uint32_t *tmp = WL_NEW(c->scratch, uint32_t, c->n_names);
	double all = make_means(c), upto = 0, near = 0;

	if (!order || !tmp)
		return false;
	for (uint32_t i = 0; i < c->n_names; i++)
		order[i] = i;
	wl_sort_index(order, c->n_names, tmp, ratio_less, c);
	for (size_t i = 0; i < c->n_names && 2 * upto < all; i++) {
		upto += c->sum[0][order[i]];
		ret->factor = c->ratio[order[i]];
	}
	for (size_t i = 0; i < c->n_names; i++) {
		if (fabs(c->ratio[i] - ret->factor) <= (ret->factor - 1) / APART)
			near += c->sum[0][i];
	}
	ret->are_alike = ret->factor > 1 && 100 * near >= MOST_PERCENT * all;
	return true;
}

static double excess(const struct comparing *c, uint32_t name)
{
	return name == WL_NONE ? 0 : c->sum[1][name] - c->sum[0][name];
}

static void find_most(const struct comparing *c, struct wl_step_kernels *ret)
{
	uint32_t most[2] = { WL_NONE, WL_NONE };
	double all = 0;

	for (uint32_t i = 0; i < c->n_names; i++) {
		double by = excess(c, i);

		all += by;
		if (by > excess(c, most[0])) {
			most[1] = most[0];
			most[0] = i;
		} else if (by > excess(c, most[1])) {
			most[1] = i;
		}
	}
	ret->is_first_half = most[0] != WL_NONE && 2 * excess(c, most[0]) >= all;
	for (unsigned i = 0; i < 2; i++) {
		ret->most[i].name = most[i];
		if (most[i] == WL_NONE)
			continue;
		ret->most[i].like = (wl_ns)c->sum[0][most[i]];
		ret->most[i].now = (wl_ns)c->sum[1][most[i]];
	}
}

bool wl_step_kernels_find(struct wl_rule_state *d, const struct wl_step_cause *cause,
			  struct wl_step_kernels *ret)
{
	struct wl_arena scratch;
	struct comparing c = { .d = d,
			       .cause = cause,
			       .scratch = &scratch,
			       .n_names = d->run->trace->n_kernel_names };
	const bool *on;
	bool ok;

	*ret = (struct wl_step_kernels){ .factor = 1 };
	wl_arena_init_child(&scratch, d->run->arena);
	on = choose_places(&c);
	c.ratio = WL_NEW(&scratch, double, c.n_names);
	c.sum[0] = WL_NEW(&scratch, double, c.n_names);
	c.sum[1] = WL_NEW(&scratch, double, c.n_names);
	ok = on && c.ratio && c.sum[0] && c.sum[1];
	if (ok) {
		count_steps(&c);
		add_kernels(&c, on);
		ok = find_factor(&c, ret);
		find_most(&c, ret);
	}
	wl_arena_release(&scratch);
	return ok;
}
