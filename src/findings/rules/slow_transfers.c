/* SPDX-License-Identifier: MIT */
#include "findings/rules/slow_transfers.h"

#include <string.h>

#include "base/memory/sort.h"
#include "base/text/units.h"
#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/iters/iters.h"
#include "derive/rows/stats.h"

enum {
	TIMES = 2,      /* times as long as elsewhere; less is normal variation */
	PAIR_TIMES = 2, /* pairs of one pipeline differ by at most this factor in exchanges */
	UNMATCHED = 5,  /* at most one in this many operations of a pair is unmatched */
};

struct asking {
	struct wl_rule_state *d;
	const struct wl_matches *m;
	const struct wl_claim *claim;
	const char *collective;
	size_t gpu;
	struct wl_arena *scratch;
};

static bool is_of_kind(const struct asking *a, const struct wl_match_set *set)
{
	const struct wl_comm_queue *q = &a->m->queues.queue[set->queue[0]];

	return !set->by_message && !wl_comm_is_mpi(q) && set->hi > set->lo &&
	       strcmp(wl_collective_title(q->type), a->collective) == 0;
}

/* The queue of the claim's GPU in a set; WL_NONE if it has none. */
static uint32_t own_queue(const struct asking *a, const struct wl_match_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		if (a->m->queues.queue[set->queue[i]].device == a->d->gpu[a->gpu].lane->device)
			return set->queue[i];
	}
	return WL_NONE;
}

static wl_ns usual_transfer(const struct asking *a, const struct wl_match_set *set)
{
	int64_t *of = WL_NEW(a->scratch, int64_t, set->hi - set->lo);
	size_t n = 0;

	for (size_t i = set->lo; of && i < set->hi; i++)
		of[n++] = a->m->at[i].shortest;
	return n ? wl_select_i64(of, n, n / 2) : WL_NO_TIME;
}

static bool is_in(const struct wl_match_set *set, const struct wl_comm_op *op)
{
	return op->match != WL_NONE && op->match >= set->lo && op->match < set->hi;
}

/* The size of the first operation matched in this set: a pipeline stage's queue has matches with
 * two neighbours. */
static int64_t bytes_of(const struct asking *a, const struct wl_match_set *set)
{
	const struct wl_comm_queues *q = &a->m->queues;
	const struct wl_comm_queue *of = &q->queue[set->queue[0]];
	size_t i = of->lo;

	while (i + 1 < of->hi && !is_in(set, &q->op[i]))
		i++;
	return q->op[i].bytes;
}

static bool is_pair(const struct asking *a, const struct wl_match_set *set)
{
	return set->n == 2 && a->m->queues.queue[set->queue[0]].type == WL_SEND_RECV;
}

/* Sends that do not wait for their receivers are occasionally matched by accident. */
static bool is_matched(const struct asking *a, const struct wl_match_set *set)
{
	const struct wl_comm_queues *q = &a->m->queues;

	for (size_t i = 0; i < set->n; i++) {
		const struct wl_comm_queue *of = &q->queue[set->queue[i]];
		size_t n = 0;

		for (size_t k = of->lo; k < of->hi; k++)
			n += q->op[k].match == WL_NONE;
		if (UNMATCHED * n > of->hi - of->lo)
			return false;
	}
	return true;
}

static bool have_one_role(const struct asking *a, const struct wl_match_set *x,
			  const struct wl_match_set *y)
{
	const struct wl_comm_queue *of_x = &a->m->queues.queue[x->queue[0]];
	const struct wl_comm_queue *of_y = &a->m->queues.queue[y->queue[0]];

	return of_x->class == of_y->class && of_x->order == of_y->order;
}

/*
 * Groups run the same program if they have equally many matches. If a send and a receive are one
 * operation, pairs of pipeline stages have more matches the nearer they are to the pipeline's
 * start.
 */
static bool run_alike(const struct asking *a, const struct wl_match_set *x,
		      const struct wl_match_set *y)
{
	size_t of_x = x->hi - x->lo, of_y = y->hi - y->lo;

	if (!is_pair(a, x) || !is_pair(a, y))
		return of_x == of_y;
	return is_matched(a, x) && is_matched(a, y) &&
	       (of_x == of_y ||
		(have_one_role(a, x, y) && of_x <= PAIR_TIMES * of_y && of_y <= PAIR_TIMES * of_x));
}

static bool are_alike(const struct asking *a, const struct wl_match_set *x,
		      const struct wl_match_set *y)
{
	int64_t of_x = bytes_of(a, x), of_y = bytes_of(a, y);

	return x->n == y->n && run_alike(a, x, y) && (of_x < 0 || of_y < 0 || of_x == of_y);
}

struct slow_group {
	const struct wl_match_set *set; /* NULL: none */
	wl_ns own, others;
};

static bool compare_group(const struct asking *a, const struct wl_match_set *set,
			  struct slow_group *ret)
{
	int64_t *other = WL_NEW(a->scratch, int64_t, a->m->n_sets);
	wl_ns own = usual_transfer(a, set), others;
	size_t n = 0;

	for (size_t i = 0; other && i < a->m->n_sets; i++) {
		const struct wl_match_set *of = &a->m->set[i];

		if (of->group != set->group && is_of_kind(a, of) && are_alike(a, set, of)) {
			other[n++] = usual_transfer(a, of);
			if (other[n - 1] == WL_NO_TIME)
				return false;
		}
	}
	if (!other || own == WL_NO_TIME)
		return false;
	others = n ? wl_select_i64(other, n, n / 2) : own;
	if (own / TIMES < others || (ret->set && own - others <= ret->own - ret->others))
		return true;
	*ret = (struct slow_group){ set, own, others };
	return true;
}

static bool find_group(const struct asking *a, struct slow_group *ret)
{
	*ret = (struct slow_group){ .set = NULL };
	for (size_t i = 0; i < a->m->n_sets; i++) {
		const struct wl_match_set *set = &a->m->set[i];

		if (is_of_kind(a, set) && own_queue(a, set) != WL_NONE &&
		    !compare_group(a, set, ret))
			return false;
	}
	return true;
}

static bool put_group(const struct asking *a, const struct slow_group *of, const char *where,
		      const char *elsewhere, struct wl_slow_transfers *ret)
{
	char own[WL_UNITS_BUF], others[WL_UNITS_BUF];

	ret->text = wl_say(a->d, WL_STOP "; transfers %s take %.1f times as long as %s (%s vs %s)",
			   where, (double)of->own / (double)of->others, elsewhere,
			   wl_fmt_ns(own, of->own, WL_UNIT_AUTO),
			   wl_fmt_ns(others, of->others, WL_UNIT_AUTO));
	return ret->text != NULL;
}

static const char compare_links[] =
	"Compare NVLink, PCIe and network of these GPUs with others (nvidia-smi topo -m, "
	"nvidia-smi nvlink --status, nccl-tests on these GPUs), and whether they send more bytes.";

static bool say_pair(const struct asking *a, const struct slow_group *of,
		     struct wl_slow_transfers *ret)
{
	const uint32_t *member = a->m->group[of->set->group].member;
	const char *where = wl_say(a->d, "between GPUs %u and %u", a->m->member[member[0]].device,
				   a->m->member[member[1]].device);

	if (!where || !put_group(a, of, where, "between other pairs", ret))
		return false;
	ret->fix.action = wl_say(a->d, "Check the link %s", where);
	ret->fix.advice = compare_links;
	return ret->fix.action != NULL;
}

static bool say_group(const struct asking *a, const struct slow_group *of,
		      struct wl_slow_transfers *ret)
{
	const char *group = wl_comm_group_name(a->m, of->set->group, a->d->run->arena);
	const char *where = group ? wl_say(a->d, "in the group of GPUs %s", group) : NULL;

	if (is_pair(a, of->set))
		return say_pair(a, of, ret);
	if (!where || !put_group(a, of, where, "in other groups of as many GPUs", ret))
		return false;
	ret->fix.action = wl_say(a->d, "Check the links between GPUs %s", group);
	ret->fix.advice = compare_links;
	return ret->fix.action != NULL;
}

/* For each step of the GPU's process: time and number of the collective's transfers. */
struct by_step {
	int64_t *ns, *n;
	bool *is_there; /* the claim has this step */
	size_t n_steps;
};

static void add_set(const struct asking *a, const struct wl_process_iters *iters,
		    const struct wl_match_set *set, uint32_t queue, const struct by_step *to)
{
	const struct wl_comm_queues *q = &a->m->queues;

	for (size_t i = q->queue[queue].lo; i < q->queue[queue].hi; i++) {
		uint32_t step = wl_iteration_around(iters, q->op[i].start);

		if (!is_in(set, &q->op[i]) || step == WL_NONE)
			continue;
		to->ns[step] = wl_add_up(to->ns[step], a->m->at[q->op[i].match].shortest);
		to->n[step]++;
	}
}

static int64_t median_of(const struct asking *a, const struct by_step *of, const int64_t *what,
			 bool is_there)
{
	const struct wl_rule_gpu *gpu = &a->d->gpu[a->gpu];
	int64_t *some = WL_NEW(a->scratch, int64_t, of->n_steps);
	size_t n = 0;

	for (size_t i = 0; some && i < of->n_steps; i++) {
		if (i >= gpu->first && i <= gpu->last && of->is_there[i] == is_there)
			some[n++] = what[i];
	}
	return n ? wl_select_i64(some, n, n / 2) : 0;
}

static bool say_steps(const struct asking *a, const struct by_step *of,
		      struct wl_slow_transfers *ret)
{
	wl_ns there = median_of(a, of, of->ns, true), elsewhere = median_of(a, of, of->ns, false);
	int64_t n = median_of(a, of, of->n, true), n_else = median_of(a, of, of->n, false);
	char own[WL_UNITS_BUF], others[WL_UNITS_BUF];

	if (n == 0 || there / TIMES < elsewhere)
		return true;
	if (n > n_else) {
		ret->text = n_else == 0
				    ? WL_STOP "; other steps have none"
				    : wl_say(a->d,
					     WL_STOP "; these steps have %lld of them, others %lld",
					     (long long)n, (long long)n_else);
		ret->fix.action = "Run it less often, or while the GPUs compute";
		ret->fix.advice = "A checkpoint or an evaluation gathers what other steps do not: "
				  "let each rank write its part, or do it on another stream.";
		return ret->text != NULL;
	}
	if (elsewhere <= 0)
		return true;
	ret->text = wl_say(a->d,
			   WL_STOP "; transfers take %.1f times as long there as in other steps "
				   "(%s vs %s per step)",
			   (double)there / (double)elsewhere, wl_fmt_ns(own, there, WL_UNIT_AUTO),
			   wl_fmt_ns(others, elsewhere, WL_UNIT_AUTO));
	ret->fix.action = wl_say(a->d, "Find what else uses the network, as in step %u",
				 a->claim->step[a->gpu][0]);
	ret->fix.advice = "The same collective is faster in other steps. Checkpoints, data loading "
			  "and other jobs share links, and messages may be larger there.";
	return ret->text && ret->fix.action;
}

static bool compare_steps(const struct asking *a, struct wl_slow_transfers *ret)
{
	const struct wl_rule_gpu *gpu = &a->d->gpu[a->gpu];
	const struct wl_iterations *all = a->d->run->derived->iterations;
	const struct wl_process_iters *iters = &all->process[gpu->lane->process];
	struct by_step of = { WL_NEW(a->scratch, int64_t, iters->n),
			      WL_NEW(a->scratch, int64_t, iters->n),
			      WL_NEW(a->scratch, bool, iters->n), iters->n };

	if (!of.ns || !of.n || !of.is_there)
		return false;
	for (size_t i = 0; i < a->claim->n_steps[a->gpu]; i++)
		of.is_there[a->claim->step[a->gpu][i]] = true;
	for (size_t i = 0; i < a->m->n_sets; i++) {
		uint32_t queue =
			is_of_kind(a, &a->m->set[i]) ? own_queue(a, &a->m->set[i]) : WL_NONE;

		if (queue != WL_NONE)
			add_set(a, iters, &a->m->set[i], queue, &of);
	}
	return say_steps(a, &of, ret);
}

bool wl_slow_transfers_find(struct wl_rule_state *d, const struct wl_claim *claim,
			    const char *collective, struct wl_slow_transfers *ret)
{
	struct wl_arena scratch;
	struct asking a = { .d = d,
			    .m = d->run->derived->matches,
			    .claim = claim,
			    .collective = collective,
			    .gpu = wl_claim_gpu(d, claim),
			    .scratch = &scratch };
	struct slow_group group;
	bool ok;

	*ret = (struct wl_slow_transfers){ .text = "" };
	wl_arena_init_child(&scratch, d->run->arena);
	ok = find_group(&a, &group);
	if (ok && group.set)
		ok = say_group(&a, &group, ret);
	else if (ok && claim->step[a.gpu] && claim->n_steps[a.gpu])
		ok = compare_steps(&a, ret);
	wl_arena_release(&scratch);
	return ok;
}
