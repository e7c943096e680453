/* SPDX-License-Identifier: MIT */
#include "derive/graph/late/late_kernels.h"

#include <math.h>

#include "base/memory/compare.h"
#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/iters/change.h"
#include "derive/rows/stats.h"

/* The kernels with one name. */
struct tally {
	size_t n, n_others, at, at_others; /* number of lengths on both sides, and their offsets */
	double own;                        /* time */
	int64_t median, median_others;     /* n_others > 0 */
	int64_t longest, mean, mean_others;
	double ratio;
	double least, most; /* 95% interval of the ratio */
};

struct comparing {
	const struct wl_late_peers *all;
	const struct wl_graph *g;
	struct wl_arena *scratch;
	struct tally *tally; /* by kernel name */
	int64_t *length; /* lengths of all names, own and others; NULL during the counting pass */
	struct wl_late_kernels *to;
};

static double grid_of(const struct wl_trace *t, uint32_t kernel)
{
	const uint32_t *config = wl_kernels_config(t);
	const uint32_t *grid = config ? t->configs[config[kernel]].grid : NULL;

	return grid ? (double)grid[0] * (double)grid[1] * (double)grid[2] : 0;
}

/* Whether the grid is larger than the grids of most counterparts. */
static bool is_larger(const struct comparing *c, const struct wl_references *of, size_t key,
		      size_t k, uint32_t op)
{
	double own = grid_of(c->g->trace, op);
	size_t n = 0, n_smaller = 0;

	for (size_t i = 0; i < of->n; i++) {
		uint32_t other = wl_position_at(&c->all->ops, of->member[i], key, k);

		if (other == WL_NONE)
			continue;
		n++;
		n_smaller += grid_of(c->g->trace, other) < own;
	}
	return 2 * n_smaller > n;
}

static void add_up(const struct comparing *c, const struct wl_references *of, size_t key, size_t k,
		   uint32_t op, struct wl_counterpart *others)
{
	double own = (double)wl_graph_length(c->g, op);
	double usual = others->n ? (double)wl_middle(others->length, others->n) : 0;

	c->to->excess += own - usual;
	c->to->base += usual;
	if (others->n == 0 || is_larger(c, of, key, k, op))
		c->to->more += own - usual;
}

static void take(const struct comparing *c, const struct wl_references *of,
		 const struct wl_own_position *at, uint32_t op)
{
	struct tally *t = &c->tally[wl_kernels_name(c->g->trace)[op]];
	struct wl_counterpart others;

	if (of->n == 0)
		return;
	wl_counterpart_find(c->all, &c->all->ops, of, at, &others);
	if (!c->length) {
		t->n++;
		t->n_others += others.n;
		t->own += (double)wl_graph_length(c->g, op);
		add_up(c, of, at->key, at->k, op, &others);
		return;
	}
	c->length[t->at++] = wl_graph_length(c->g, op);
	for (size_t i = 0; i < others.n; i++)
		c->length[t->at_others++] = others.length[i];
}

/* All operations with one key are of the same kind. */
static size_t count_kernels(const struct comparing *c, uint32_t member, size_t key)
{
	const struct wl_positions_of *of = &c->all->ops.of[member];
	size_t n = of->first[key + 1] - of->first[key];

	return n && of->activity[of->first[key]] < c->g->first[WL_OP_KERNEL + 1] ? n : 0;
}

static bool is_slow(const struct comparing *c, const struct wl_late_in *in, size_t key)
{
	uint32_t step = c->all->ops.step[key];

	return step != WL_NONE && step < c->all->by.cells->n_steps && in->slow[step];
}

static bool take_all(const struct comparing *c, const struct wl_late_in *in, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct wl_references *of =
			wl_references_find(c->all, in[i].member, c->scratch);

		if (!of)
			return false;
		for (size_t key = 0; key < c->all->ops.n_keys; key++) {
			size_t n_kernels =
				is_slow(c, &in[i], key) ? count_kernels(c, in[i].member, key) : 0;

			for (size_t k = 0; k < n_kernels; k++)
				take(c, &of[c->all->ops.step[key]],
				     &(struct wl_own_position){ key, k, n_kernels },
				     wl_position_at(&c->all->ops, in[i].member, key, k));
		}
	}
	return true;
}

/* Store the lengths of each name contiguously. */
static bool lay_out(struct comparing *c, const struct wl_late_in *in, size_t n)
{
	size_t at = 0, n_names = c->g->trace->n_kernel_names;

	for (size_t i = 0; i < n_names; i++) {
		c->tally[i].at = at;
		at += c->tally[i].n;
		c->tally[i].at_others = at;
		at += c->tally[i].n_others;
	}
	c->length = WL_NEW(c->scratch, int64_t, at + 1);
	return c->length && take_all(c, in, n);
}

/* The index from either end of n sorted values, counted from 0, between which the median lies in
 * 95% of cases. */
static size_t end_of_interval(size_t n)
{
	double at = (double)n / 2 - 0.98 * sqrt((double)n);

	return at > 0 ? (size_t)at : 0;
}

static double over(int64_t a, int64_t b)
{
	return b ? (double)a / (double)b : (double)INFINITY;
}

/* Both sides are sorted. */
static void find_interval(struct tally *t, const int64_t *own, const int64_t *others)
{
	size_t a = end_of_interval(t->n), b = end_of_interval(t->n_others);

	t->least = over(own[a], others[t->n_others - 1 - b]);
	t->most = over(own[t->n - 1 - a], others[b]);
}

static int64_t mean_of(const int64_t *at, size_t n)
{
	wl_ns sum = 0;

	for (size_t i = 0; i < n; i++)
		sum = wl_add_up(sum, at[i]);
	return sum / (int64_t)n;
}

static void find_medians(const struct comparing *c)
{
	for (size_t i = 0; i < c->g->trace->n_kernel_names; i++) {
		struct tally *t = &c->tally[i];
		int64_t *own, *others;

		/* take() has advanced both offsets to their ends. */
		if (t->n == 0 || t->n_others == 0)
			continue;
		own = c->length + t->at - t->n;
		others = c->length + t->at_others - t->n_others;
		t->median = wl_middle(own, t->n);
		t->median_others = wl_middle(others, t->n_others);
		t->ratio = t->median_others ? (double)t->median / (double)t->median_others : 0;
		find_interval(t, own, others);
		t->longest = own[t->n - 1];
		t->mean = mean_of(own, t->n);
		t->mean_others = mean_of(others, t->n_others);
	}
}

WL_LESS_BY(ratio_less, tally, ratio)

/* The time of as many kernels of the others, by their mean, because lengths for prompts and for
 * single tokens are far apart. */
static double usual_of(const struct tally *t)
{
	return (double)t->n * (double)t->mean_others;
}

static double excess_of(const struct tally *t)
{
	return t->ratio > 0 ? t->own - usual_of(t) : 0;
}

/* Whether the factor fits the ratios of most of the time and explains most of the excess. */
static bool are_alike(const struct comparing *c, const uint32_t *name, size_t n)
{
	double f = c->to->factor, all = 0, near = 0, excess = 0, explained = 0;

	for (size_t i = 0; i < n; i++) {
		const struct tally *t = &c->tally[name[i]];

		all += t->own;
		if (t->least <= f + (f - 1) / 5 && t->most >= f - (f - 1) / 5)
			near += t->own;
		excess += excess_of(t);
		explained += usual_of(t) * (f - 1);
	}
	return f > 1 && near >= 0.8 * all && explained >= 0.8 * excess;
}

/* Count names that take longer, by enough to show with two decimals. */
static void count_slower(const struct comparing *c, const uint32_t *name, size_t n)
{
	double all = 0, slower = 0;

	for (size_t i = 0; i < n; i++) {
		const struct tally *t = &c->tally[name[i]];
		bool is_slower = t->least > 1 && t->ratio >= 1.005;

		all += t->own;
		slower += is_slower ? t->own : 0;
		c->to->n_slower += is_slower;
	}
	c->to->are_slower = n > 1 && slower >= 0.8 * all;
}

/* Find the ratio that half of the time does not exceed; returns whether most have about this
 * ratio. */
static bool find_factor(const struct comparing *c)
{
	size_t n = 0, n_names = c->g->trace->n_kernel_names;
	uint32_t *order = WL_NEW(c->scratch, uint32_t, 2 * n_names);
	double all = 0, below = 0;

	if (!order)
		return false;
	for (uint32_t i = 0; i < n_names; i++) {
		if (c->tally[i].ratio <= 0)
			continue;
		order[n++] = i;
		all += c->tally[i].own;
	}
	wl_sort_index(order, n, order + n, ratio_less, c->tally);
	c->to->factor = 1;
	for (size_t i = 0; i < n && 2 * below < all; i++) {
		c->to->factor = c->tally[order[i]].ratio;
		below += c->tally[order[i]].own;
	}
	c->to->is_alike = are_alike(c, order, n);
	count_slower(c, order, n);
	return true;
}

/* Choose the two kernel names with the largest total excess. */
static void choose_kernels(const struct comparing *c)
{
	struct wl_late_kernel *kernel = c->to->kernel;
	double most[2] = { 0, 0 };

	kernel[0].name = kernel[1].name = WL_NONE;
	for (uint32_t i = 0; i < c->g->trace->n_kernel_names; i++) {
		const struct tally *t = &c->tally[i];
		double excess = excess_of(t);
		const struct wl_late_kernel of = {
			.name = i,
			.own = t->median,
			.others = t->median_others,
			.mean = t->mean,
			.others_mean = t->mean_others,
			.longest = t->longest,
			.is_one_run = 2 * (double)(t->longest - t->median_others) >= excess,
			.is_usual = 2 * usual_of(t) * (t->ratio - 1) >= excess,
		};

		if (excess > most[0]) {
			most[1] = most[0];
			kernel[1] = kernel[0];
			most[0] = excess;
			kernel[0] = of;
		} else if (excess > most[1]) {
			most[1] = excess;
			kernel[1] = of;
		}
	}
	if (kernel[0].name != WL_NONE)
		c->to->of_first = c->tally[kernel[0].name].ratio;
}

static uint64_t count_in(const struct comparing *c, const struct wl_late_in *in, uint32_t member)
{
	uint64_t n = 0;

	for (size_t key = 0; key < c->all->ops.n_keys; key++)
		n += is_slow(c, in, key) ? count_kernels(c, member, key) : 0;
	return n;
}

/* Count, in the slow steps of the first member, its kernels and those of the median member that it
 * meets. */
static bool count(const struct comparing *c, const struct wl_late_in *in)
{
	int64_t *n = WL_NEW(c->scratch, int64_t, c->all->who.n + 1);
	size_t n_others = 0;

	for (size_t i = 0; n && i < c->all->who.n; i++) {
		uint32_t other = c->all->who.member[i];

		if (other != in->member && wl_members_meet(c->all->by.cells, in->member, other))
			n[n_others++] = (int64_t)count_in(c, in, other);
	}
	c->to->n_own = count_in(c, in, in->member);
	c->to->n_others = n && n_others ? (uint64_t)wl_middle(n, n_others) : 0;
	return n != NULL;
}

bool wl_late_kernels_find(const struct wl_late_peers *all, const struct wl_late_in *in, size_t n,
			  struct wl_arena *arena, struct wl_late_kernels *ret)
{
	struct wl_arena scratch;
	struct comparing c = { .all = all, .g = all->by.graph, .scratch = &scratch, .to = ret };
	bool ok;

	*ret = (struct wl_late_kernels){ .factor = 1 };
	wl_arena_init_child(&scratch, arena);
	c.tally = WL_NEW(&scratch, struct tally, c.g->trace->n_kernel_names);
	ok = c.tally && take_all(&c, in, n) && lay_out(&c, in, n);
	if (ok) {
		find_medians(&c);
		choose_kernels(&c);
		ok = find_factor(&c) && count(&c, in);
	}
	wl_arena_release(&scratch);
	return ok;
}
