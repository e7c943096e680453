/* SPDX-License-Identifier: MIT */
#include "compare/diff/diff.h"

#include <assert.h>
#include <stdlib.h>

#include "base/text/apportion.h"
#include "compare/diff/diff_parts.h"
#include "known/kernels/labels.h"

/* Round the parts of a side so that they add up to its rounded mean. */
static bool round_parts(struct wl_diff *d, enum wl_side side, struct wl_arena *arena)
{
	const wl_ns *part = d->side[side]->part[d->extent];
	wl_ns sum = 0, rounded = 0;

	for (size_t p = 0; p < WL_N_PARTS; p++)
		sum += part[p];
	/*
	 * The whole is rounded first and the parts to it, because rounded parts would not add up to
	 * the mean that other tables show.
	 */
	d->mean[side] = wl_rounded_mean(sum, d->by[side]);
	if (!wl_apportion(part, WL_N_PARTS, d->by[side], d->mean[side], arena, d->part[side]))
		return false;
	for (size_t p = 0; p < WL_N_PARTS; p++)
		rounded += d->part[side][p];
	assert(rounded == d->mean[side]);
	return true;
}

static bool judge_steps(struct wl_diff *d, struct wl_arena *arena)
{
	struct wl_sorted sample[WL_N_SIDES];

	if (d->extent == WL_OF_WINDOW) {
		d->step = (struct wl_judgement){ .before = d->mean[WL_BEFORE],
						 .after = d->mean[WL_AFTER],
						 .verdict = WL_TOTALS };
		return true;
	}
	for (size_t s = 0; s < WL_N_SIDES; s++) {
		if (!wl_sorted_make(d->side[s]->step, d->side[s]->n_steps, arena, &sample[s]))
			return false;
		d->worth[s] = sample[s].draws;
	}
	return wl_judge(sample[WL_BEFORE], sample[WL_AFTER], d->threshold, arena, &d->step);
}

static bool make_pairs(const struct wl_diff *d, const struct wl_fp_list *before,
		       const struct wl_fp_list *after, bool rename, struct wl_arena *arena,
		       struct wl_row_pairs *ret)
{
	const struct wl_pairing how = { .before = before,
					.after = after,
					.extent = d->extent,
					.by_before = d->by[WL_BEFORE],
					.by_after = d->by[WL_AFTER],
					.rename = rename,
					.threshold = d->threshold };

	return wl_row_pairs_make(&how, arena, ret);
}

static struct wl_rank_change make_rank(const struct wl_diff *d, const struct wl_fp_rank *x,
				       const struct wl_fp_rank *y)
{
	const struct wl_fp_rank *of[WL_N_SIDES] = { x, y };
	struct wl_rank_change r = { .rank = x->rank, .device = y->device, .of = { x, y } };

	for (size_t s = 0; s < WL_N_SIDES; s++) {
		int64_t n = (int64_t)d->side[s]->n_steps;

		r.pid[s] = of[s]->pid;
		r.compute[s] = wl_rounded_mean(of[s]->compute, n);
		r.exposed_comm[s] = wl_rounded_mean(of[s]->exposed_comm, n);
	}
	return r;
}

static wl_ns find_skew(const struct wl_diff *d, enum wl_side side)
{
	wl_ns most = 0, sum = 0;

	for (size_t i = 0; i < d->n_ranks; i++) {
		most = d->rank[i].compute[side] > most ? d->rank[i].compute[side] : most;
		sum += d->rank[i].compute[side];
	}
	return d->n_ranks ? most - wl_rounded_mean(sum, (int64_t)d->n_ranks) : 0;
}

/* What a rank's compute changed, in the direction of the whole. */
static wl_ns more_compute(const struct wl_rank_change *r, int sign)
{
	return sign * (r->compute[WL_AFTER] - r->compute[WL_BEFORE]);
}

/* What a rank spends per step in a kernel; -1 where that is not known. */
static wl_ns time_in(const struct wl_diff *d, enum wl_side side, const struct wl_fp_rank *rank,
		     const struct wl_fp_row *row)
{
	const struct wl_fp_row *rows = d->side[side]->kernels.row;

	/* At most WL_FP_RANK_KERNELS. */
	for (size_t i = 0; row && i < rank->n_kernels; i++) {
		if (&rows[rank->kernel[i].row] == row)
			return wl_rounded_mean(rank->kernel[i].ns, (int64_t)d->side[side]->n_steps);
	}
	return -1;
}

static wl_ns change_of(const struct wl_rank_kernel *k)
{
	return k->ns[WL_AFTER] - k->ns[WL_BEFORE];
}

/* Put it where it belongs among those that changed most; what falls out at the end is lost. */
static void keep_kernel(struct wl_culprit *c, struct wl_rank_kernel new)
{
	for (size_t i = 0; i < c->n_kernels; i++) {
		if (llabs(change_of(&new)) > llabs(change_of(&c->kernel[i]))) {
			struct wl_rank_kernel old = c->kernel[i];

			c->kernel[i] = new;
			new = old;
		}
	}
	if (c->n_kernels < WL_CULPRIT_KERNELS)
		c->kernel[c->n_kernels++] = new;
}

/* One that changed by less than a tenth of the rank's compute explains nothing. */
static void find_kernels(const struct wl_diff *d, struct wl_culprit *c)
{
	for (size_t i = 0; i < d->kernels.n; i++) {
		const struct wl_pair *p = &d->kernels.pair[i];
		struct wl_rank_kernel k = {
			.name = p->name,
			.label = d->kernel_label[i],
			.ns = { time_in(d, WL_BEFORE, c->rank->of[WL_BEFORE], p->before.row),
				time_in(d, WL_AFTER, c->rank->of[WL_AFTER], p->after.row) },
		};

		if (k.ns[WL_BEFORE] >= 0 && k.ns[WL_AFTER] >= 0 &&
		    (change_of(&k) > 0) == (c->change > 0) &&
		    10 * llabs(change_of(&k)) >= llabs(c->change))
			keep_kernel(c, k);
	}
}

/*
 * The rank whose compute changed most, if that explains the change: half of it or more
 * lies between its change and the next largest, and the others' exposed communication
 * changed by half of that or more.
 */
static void find_culprit(struct wl_diff *d)
{
	wl_ns whole = d->mean[WL_AFTER] - d->mean[WL_BEFORE], next = INT64_MIN, wait = 0, alone;
	const struct wl_rank_change *most = d->rank;
	int sign = whole < 0 ? -1 : 1;

	if (d->n_ranks < 2 || whole == 0)
		return;
	for (size_t i = 1; i < d->n_ranks; i++) {
		if (more_compute(&d->rank[i], sign) > more_compute(most, sign))
			most = &d->rank[i];
	}
	for (size_t i = 0; i < d->n_ranks; i++) {
		const struct wl_rank_change *r = &d->rank[i];

		if (r == most)
			continue;
		next = more_compute(r, sign) > next ? more_compute(r, sign) : next;
		wait += sign * (r->exposed_comm[WL_AFTER] - r->exposed_comm[WL_BEFORE]);
	}
	alone = more_compute(most, sign) - next;
	/*
	 * Numbers of a fingerprint are at most WL_FP_MAX, 2^53, and ranks at most WL_FP_RANKS, so
	 * the products fit.
	 */
	if (2 * alone < sign * whole || 2 * wait < alone * (wl_ns)(d->n_ranks - 1))
		return;
	d->culprit = (struct wl_culprit){ .rank = most, .change = sign * more_compute(most, sign) };
	find_kernels(d, &d->culprit);
}

/* Ranks are in order on both sides; those that one side lacks are left out. */
static bool judge_ranks(struct wl_diff *d, struct wl_arena *arena)
{
	const struct wl_fingerprint *a = d->side[WL_BEFORE], *b = d->side[WL_AFTER];
	struct wl_rank_change *rank = WL_NEW(arena, struct wl_rank_change, a->n_ranks);
	size_t i = 0, k = 0;

	if (!rank)
		return false;
	if (d->extent == WL_OF_WINDOW || a->n_ranks < 2 || b->n_ranks < 2)
		return true;
	while (i < a->n_ranks && k < b->n_ranks) {
		const struct wl_fp_rank *x = &a->rank[i], *y = &b->rank[k];
		struct wl_sorted before, after;

		if (x->rank != y->rank) {
			i += x->rank < y->rank;
			k += x->rank > y->rank;
			continue;
		}
		rank[d->n_ranks] = make_rank(d, x, y);
		if (!wl_series_expand(&x->period, arena, &before) ||
		    !wl_series_expand(&y->period, arena, &after) ||
		    !wl_judge(before, after, d->threshold, arena, &rank[d->n_ranks].j))
			return false;
		d->n_ranks++;
		i++;
		k++;
	}
	d->rank = rank;
	for (size_t s = 0; s < WL_N_SIDES; s++)
		d->compute_skew[s] = find_skew(d, (enum wl_side)s);
	find_culprit(d);
	return true;
}

static bool label_kernels(struct wl_diff *d, struct wl_arena *arena)
{
	const char **label = WL_NEW(arena, const char *, d->kernels.n + 1);

	for (size_t i = 0; label && i < d->kernels.n; i++)
		label[i] = d->kernels.pair[i].name;
	d->kernel_label = label;
	return label && wl_kernel_labels(label, d->kernels.n, arena, label);
}

static bool compare(struct wl_diff *d, struct wl_arena *arena)
{
	const struct wl_fingerprint *a = d->side[WL_BEFORE], *b = d->side[WL_AFTER];

	return round_parts(d, WL_BEFORE, arena) && round_parts(d, WL_AFTER, arena) &&
	       judge_steps(d, arena) &&
	       make_pairs(d, &a->kernels, &b->kernels, true, arena, &d->kernels) &&
	       label_kernels(d, arena) &&
	       make_pairs(d, &a->ranges, &b->ranges, false, arena, &d->ranges) &&
	       make_pairs(d, &a->categories, &b->categories, false, arena, &d->categories) &&
	       make_pairs(d, &a->copies, &b->copies, false, arena, &d->copies) &&
	       wl_diff_waits(d, arena) && wl_diff_functions(d, arena) && judge_ranks(d, arena);
}

/*
 * Kernels tell programs apart. Where they differ, as after a change of the data type, the same
 * ranges around the same categories show that the program is the same; ranges alone do not,
 * because "forward" is in all of them.
 */
static bool is_other_work(const struct wl_diff *d)
{
	return d->kernels.matched < WL_SAME_WORK &&
	       (!d->ranges.n || d->ranges.matched < WL_SAME_WORK ||
		d->categories.matched < WL_SAME_WORK);
}

static bool is_other_machine(const struct wl_diff *d)
{
	const struct wl_fingerprint *a = d->side[WL_BEFORE], *b = d->side[WL_AFTER];

	return a->n_devices != b->n_devices || a->n_processes != b->n_processes;
}

int wl_diff_make(const struct wl_fingerprint *before, const struct wl_fingerprint *after,
		 const struct wl_diff_opts *opts, struct wl_arena *arena, struct wl_diff *ret,
		 struct wl_err *reterr)
{
	*ret = (struct wl_diff){ .side = { before, after }, .threshold = opts->threshold };
	ret->extent = before->n_steps && after->n_steps ? WL_OF_STEPS : WL_OF_WINDOW;
	for (size_t s = 0; s < WL_N_SIDES; s++) {
		ret->by[s] = wl_fp_divisor(ret->side[s], ret->extent);
		/* A selection that leaves no device leaves nothing, of one. */
		ret->by[s] = ret->by[s] ? ret->by[s] : 1;
	}
	if (!compare(ret, arena))
		return wl_fail(reterr, WL_E_NOMEM, "diff: no memory for the comparison");
	if (ret->extent == WL_OF_STEPS && !opts->allow_different) {
		ret->is_incomparable = is_other_work(ret);
		ret->skips_gates = ret->is_incomparable || is_other_machine(ret);
	}
	if (ret->is_incomparable)
		ret->step.verdict = WL_INCOMPARABLE;
	ret->nearest = wl_diff_find_nearest(ret);
	return wl_diff_gates(ret, opts, arena, reterr);
}

enum wl_outcome wl_diff_outcome(const struct wl_diff *d)
{
	enum wl_outcome all = WL_GATE_PASSED;

	for (size_t i = 0; i < d->n_gated; i++) {
		enum wl_outcome one = d->gated[i].result.outcome;

		all = one > all ? one : all;
	}
	return all;
}
