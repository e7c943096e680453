/* SPDX-License-Identifier: MIT */
#include "derive/graph/late_kernels.h"

#include <string.h>

#include "base/sort.h"
#include "derive/derived.h"
#include "derive/graph/no_straggler.h"

/* A kernel of the straggler beside the median of its counterparts. */
struct pair {
	wl_ns own, others;
	uint32_t name;
};

/* The kernels of one name. */
struct tally {
	double own, others, mean; /* sums where both have one: of others medians, and means */
};

/* By what its kernels take longer in a step. */
struct excess {
	double time;
	bool is_any;
};

struct comparing {
	const struct wl_graph *g;
	const struct wl_positions *p;
	struct pair *pair;
	size_t n;
	struct tally *tally; /* by kernel name */
	struct excess *step; /* by step */
	size_t n_steps;
	double excess, base; /* of the pairs: longer than the others, and the others' time */
	double more;         /* of kernels that others do not have, or with larger grids */
};

static bool is_kernel(const struct comparing *c, uint32_t op)
{
	return op < c->g->first[WL_OP_KERNEL + 1];
}

static double grid_of(const struct wl_trace *t, uint32_t kernel)
{
	const uint32_t *config = wl_kernels_config(t);
	const uint32_t *grid = config ? t->configs[config[kernel]].grid : NULL;

	return grid ? (double)grid[0] * (double)grid[1] * (double)grid[2] : 0;
}

/* Whether the grid is larger than that of most counterparts. */
static bool is_larger(const struct comparing *c, size_t key, size_t k, uint32_t op)
{
	double own = grid_of(c->g->trace, op);
	size_t n = 0, n_smaller = 0;

	for (size_t i = 1; i < c->p->n; i++) {
		uint32_t other = wl_position_at(c->p, i, key, k);

		if (other == WL_NONE)
			continue;
		n++;
		n_smaller += grid_of(c->g->trace, other) < own;
	}
	return 2 * n_smaller > n;
}

static void take(struct comparing *c, size_t key, size_t k, uint32_t op)
{
	struct wl_counterpart others = wl_counterpart_of(c->g, c->p, key, k);
	wl_ns own = wl_graph_length(c->g, op);
	uint32_t name = wl_kernels_name(c->g->trace)[op];

	if (c->p->step[key] < c->n_steps) {
		c->step[c->p->step[key]].time += (double)(own - others.length);
		c->step[c->p->step[key]].is_any = true;
	}
	if (others.n == 0) {
		c->more += (double)own;
		return;
	}
	*(is_larger(c, key, k, op) ? &c->more : &c->excess) += (double)(own - others.length);
	c->base += (double)others.length;
	c->tally[name].own += (double)own;
	c->tally[name].others += (double)others.length;
	c->tally[name].mean += others.mean;
	c->pair[c->n++] = (struct pair){ own, others.length, name };
}

static size_t count_kernels(const struct comparing *c, size_t member, size_t key)
{
	const struct wl_positions_of *of = &c->p->of[member];
	size_t n = of->first[key + 1] - of->first[key];

	/* A key is of one kind of operation. */
	return n && is_kernel(c, of->activity[of->first[key]]) ? n : 0;
}

static bool take_all(struct comparing *c, struct wl_arena *scratch)
{
	size_t n = 0;

	for (size_t key = 0; key < c->p->n_keys; key++) {
		uint32_t step = c->p->step[key];

		n += count_kernels(c, 0, key);
		c->n_steps = step != WL_NONE && step >= c->n_steps ? (size_t)step + 1 : c->n_steps;
	}
	c->pair = WL_NEW(scratch, struct pair, n);
	c->tally = WL_NEW(scratch, struct tally, c->g->trace->n_kernel_names);
	c->step = WL_NEW(scratch, struct excess, c->n_steps);
	if (!c->pair || !c->tally || !c->step)
		return false;
	for (size_t key = 0; key < c->p->n_keys; key++) {
		for (size_t k = 0; k < count_kernels(c, 0, key); k++)
			take(c, key, k, wl_position_at(c->p, 0, key, k));
	}
	return true;
}

static double ratio(const struct pair *p)
{
	return p->others ? (double)p->own / (double)p->others : 1;
}

enum { DIGIT_BITS = 11, N_DIGITS = 1 << DIGIT_BITS };

/* The bits of numbers that are not negative have their order. */
static uint64_t bits_of(const struct pair *p)
{
	double r = ratio(p);
	uint64_t bits;

	memcpy(&bits, &r, sizeof(bits));
	return bits;
}

/*
 * The ratio at which half of the others' time has a lower one or the same. By digits of its bits
 * from the highest on: linear, where a sort of all kernels took a tenth of the verdict.
 */
static double find_factor(const struct comparing *c)
{
	uint64_t bits = 0, known = 0;
	double all = 0, below = 0, ret;

	for (size_t i = 0; i < c->n; i++)
		all += (double)c->pair[i].others;
	if (all <= 0)
		return 1;
	for (unsigned shift = 66; shift > 0;) {
		double time[N_DIGITS] = { 0 };
		uint64_t digit = 0;

		shift -= DIGIT_BITS;
		for (size_t i = 0; i < c->n; i++) {
			uint64_t of = bits_of(&c->pair[i]);

			if (((of ^ bits) & known) == 0)
				time[of >> shift & (N_DIGITS - 1)] += (double)c->pair[i].others;
		}
		for (; digit + 1 < N_DIGITS && 2 * (below + time[digit]) < all; digit++)
			below += time[digit];
		bits |= digit << shift;
		known |= (uint64_t)(N_DIGITS - 1) << shift;
	}
	memcpy(&ret, &bits, sizeof(ret));
	return ret;
}

/* The two kernel names with most time, or with most of what is longer. */
static void choose_kernels(const struct comparing *c, bool by_excess, struct wl_straggler *s)
{
	double most[2] = { 0, 0 };

	s->kernel[0].name = s->kernel[1].name = WL_NONE;
	for (uint32_t i = 0; i < c->g->trace->n_kernel_names; i++) {
		const struct tally *t = &c->tally[i];
		double of = by_excess ? t->own - t->others : t->own;

		if (of > most[0]) {
			most[1] = most[0];
			s->kernel[1].name = s->kernel[0].name;
			most[0] = of;
			s->kernel[0].name = i;
		} else if (of > most[1]) {
			most[1] = of;
			s->kernel[1].name = i;
		}
	}
}

static bool find_medians(const struct comparing *c, struct wl_late_kernel *kernel,
			 struct wl_arena *scratch)
{
	int64_t *own = WL_NEW(scratch, int64_t, 2 * c->n), *others = own + c->n;
	size_t n = 0;

	if (kernel->name == WL_NONE)
		return true;
	for (size_t i = 0; own && i < c->n; i++) {
		if (c->pair[i].name != kernel->name)
			continue;
		own[n] = c->pair[i].own;
		others[n++] = c->pair[i].others;
	}
	if (!own || n == 0)
		return own != NULL;
	kernel->own = wl_select_i64(own, n, wl_rank(n, 50));
	kernel->others = wl_select_i64(others, n, wl_rank(n, 50));
	return true;
}

/*
 * Whether chance gives such a mean over steps less than once in 2,000 times, by Student's t; yes
 * where there are too few steps to tell. Of n steps t is about 3.3 * (1 + 4 / (n - 1)): 5.2 of 8
 * steps, 3.7 of 30.
 */
static bool is_steady(const struct comparing *c)
{
	enum { FEW_STEPS = 4 };
	double n = 0, sum = 0, squares = 0, least;

	for (size_t i = 0; i < c->n_steps; i++) {
		n += c->step[i].is_any;
		sum += c->step[i].time;
		squares += c->step[i].time * c->step[i].time;
	}
	if (n < FEW_STEPS)
		return true;
	least = 3.3 * (1 + 4 / (n - 1));
	/* sum / n > least * sqrt((squares - sum * sum / n) / (n - 1) / n) */
	return sum > 0 && sum * sum * (n - 1) >= least * least * (n * squares - sum * sum);
}

/* How many kernels it has, and the median of the others. */
static void count(const struct comparing *c, struct wl_straggler *s)
{
	int64_t n[WL_MOST_COMPARED] = { 0 };

	for (size_t i = 0; i < c->p->n; i++) {
		for (size_t key = 0; key < c->p->n_keys; key++)
			n[i] += (int64_t)count_kernels(c, i, key);
	}
	s->n_own = (uint64_t)n[0];
	wl_sort_i64(n + 1, c->p->n - 1);
	s->n_others = c->p->n > 1 ? (uint64_t)n[1 + wl_rank(c->p->n - 1, 50)] : 0;
}

bool wl_late_kernels_find(const struct wl_compared_by *by, const struct wl_positions *positions,
			  struct wl_arena *scratch, struct wl_straggler *s)
{
	struct comparing c = { .g = by->graph, .p = positions };
	const struct tally *slow;

	if (!take_all(&c, scratch))
		return false;
	s->factor = find_factor(&c);
	count(&c, s);
	s->reason = WL_LATE_SLOW_KERNEL;
	if (c.more > 0 && 2 * c.more >= c.excess + c.more)
		s->reason = WL_LATE_MORE_WORK;
	else if ((s->factor - 1) * c.base >= 0.8 * c.excess)
		s->reason = WL_LATE_SLOW_GPU;
	choose_kernels(&c, s->reason == WL_LATE_SLOW_KERNEL, s);
	if (s->reason == WL_LATE_MORE_WORK && c.base > 0)
		s->factor = (c.base + c.excess + c.more) / c.base;
	slow = s->kernel[0].name == WL_NONE ? NULL : &c.tally[s->kernel[0].name];
	if (s->reason == WL_LATE_SLOW_KERNEL && slow && slow->mean > 0)
		s->factor = slow->own / slow->mean;
	s->is_steady = is_steady(&c);
	return find_medians(&c, &s->kernel[0], scratch) && find_medians(&c, &s->kernel[1], scratch);
}
