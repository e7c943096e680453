/* SPDX-License-Identifier: MIT */
#include "findings/rules/stage_chains.h"

#include "base/memory/sort.h"
#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/graph/late/late_stages.h"
#include "derive/iters/iters.h"
#include "derive/kinds/activity.h"

enum { MOST_NEIGHBOURS = 2 };

struct neighbours {
	uint32_t at[MOST_NEIGHBOURS], group[MOST_NEIGHBOURS];
	size_t n;
	bool is_done;
};

struct finding_chains {
	const struct wl_rule_state *d;
	const struct wl_matches *m;
	struct wl_arena *scratch;
	struct neighbours *of; /* by member */
	struct wl_stage_chains *to;
	uint32_t *group; /* by chain and stage: its group with the next stage */
	size_t *count;   /* by chain and stage, too: matches in most steps; 0: varies */
};

static bool is_of_stages(const struct wl_matches *m, const struct wl_match_set *set)
{
	const struct wl_comm_queue *q = &m->queues.queue[set->queue[0]];

	return m->group[set->group].n == 2 && q->type == WL_SEND_RECV && !wl_comm_is_mpi(q);
}

static bool may_be_neighbours(const struct finding_chains *f, const struct wl_comm_group *group)
{
	const struct wl_meshes *meshes = f->d->run->derived->meshes;
	uint32_t a = f->m->member[group->member[0]].process;
	uint32_t b = f->m->member[group->member[1]].process;

	return wl_may_be_stages(&meshes->of[a], &meshes->of[b]);
}

/* Add a group once, however many sets it has. False if a member has too many neighbours. */
static bool add_neighbours(struct finding_chains *f, uint32_t group)
{
	const uint32_t *member = f->m->group[group].member;

	for (size_t i = 0; i < 2; i++) {
		struct neighbours *of = &f->of[member[i]];

		if (of->n && of->group[of->n - 1] == group)
			return true;
		if (of->n == MOST_NEIGHBOURS)
			return false;
		of->group[of->n] = group;
		of->at[of->n++] = member[!i];
	}
	return true;
}

/* False if the neighbours make no chains. */
static bool find_neighbours(struct finding_chains *f)
{
	for (uint32_t g = 0; g < f->m->n_groups; g++) {
		bool is_there = false;

		for (size_t i = 0; i < f->m->n_sets && !is_there; i++)
			is_there = f->m->set[i].group == g && is_of_stages(f->m, &f->m->set[i]);
		if (is_there && may_be_neighbours(f, &f->m->group[g]) && !add_neighbours(f, g))
			return false;
	}
	return true;
}

/* Walk a chain from one end to the other; returns its length. */
static size_t walk(struct finding_chains *f, uint32_t from, uint32_t *member, uint32_t *group)
{
	uint32_t before = WL_NONE;
	size_t n = 0;

	for (;;) {
		struct neighbours *of = &f->of[from];
		size_t next = of->n == MOST_NEIGHBOURS && of->at[0] == before;

		of->is_done = true;
		member[n] = from;
		if (n > 0 && of->n < MOST_NEIGHBOURS)
			return n + 1;
		group[n++] = of->group[next];
		before = from;
		from = of->at[next];
	}
}

static bool find_chains(struct finding_chains *f)
{
	struct wl_stage_chains *to = f->to;
	size_t n = 0;

	for (uint32_t i = 0; i < f->m->n_members; i++) {
		size_t n_own;

		if (f->of[i].n != 1 || f->of[i].is_done)
			continue;
		n_own = walk(f, i, to->member + n, f->group + n);
		if (to->n && n_own != to->n_stages)
			return false;
		to->n_stages = n_own;
		to->n++;
		n += n_own;
	}
	for (size_t i = 0; i < f->m->n_members; i++) {
		if (f->of[i].n && !f->of[i].is_done)
			return false;
	}
	return to->n > 0;
}

static bool have_coordinates(const struct finding_chains *f)
{
	const struct wl_meshes *meshes = f->d->run->derived->meshes;

	for (size_t i = 0; i < f->to->n * f->to->n_stages; i++) {
		if (meshes->of[f->m->member[f->to->member[i]].process].at[WL_AXIS_PP] < 0)
			return false;
	}
	return true;
}

/* Find the GPU of each member. False if one is not shown, or its process has no steps. */
static bool find_gpus(struct finding_chains *f)
{
	for (size_t i = 0; i < f->to->n * f->to->n_stages; i++) {
		const struct wl_member *member = &f->m->member[f->to->member[i]];
		uint32_t g = 0;

		while (g < f->d->n_gpus && (f->d->gpu[g].lane->device != member->device ||
					    f->d->gpu[g].lane->process != member->process))
			g++;
		if (g == f->d->n_gpus || !f->d->gpu[g].by_step)
			return false;
		f->to->gpu[i] = g;
	}
	return true;
}

/* The exchanges of one of two neighbours in a step. */
struct exchanges {
	size_t n;
	wl_ns first, last; /* begin of the first and end of the last */
};

/* One of two neighbours. */
struct side {
	uint32_t member;
	const struct wl_rule_gpu *gpu;
	const struct wl_process_iters *iters;
	struct exchanges *by_step;
	struct wl_intervals busy;
};

static void add_exchanges(const struct finding_chains *f, const struct wl_match_set *set,
			  struct side *to)
{
	const struct wl_comm_queues *q = &f->m->queues;
	size_t own = f->m->member_of[set->queue[0]] == to->member ? 0 : 1;
	const struct wl_comm_queue *of = &q->queue[set->queue[own]];

	for (size_t i = of->lo; i < of->hi; i++) {
		const struct wl_comm_op *op = &q->op[i];
		uint32_t step = wl_iteration_around(to->iters, op->start);
		struct exchanges *at;

		if (step == WL_NONE || op->match == WL_NONE || op->match < set->lo ||
		    op->match >= set->hi)
			continue;
		at = &to->by_step[step];
		if (at->n == 0 || op->start < at->first)
			at->first = op->start;
		if (at->n == 0 || wl_comm_end(op) > at->last)
			at->last = wl_comm_end(op);
		at->n++;
	}
}

/* The side of place i of the chains in a group of two. */
static bool look_at(const struct finding_chains *f, size_t i, uint32_t group,
		    struct wl_arena *scratch, struct side *ret)
{
	const struct wl_iterations *all = f->d->run->derived->iterations;
	const struct wl_rule_gpu *gpu = &f->d->gpu[f->to->gpu[i]];

	*ret = (struct side){ .member = f->to->member[i],
			      .gpu = gpu,
			      .iters = &all->process[gpu->lane->process] };
	ret->by_step = WL_NEW(scratch, struct exchanges, ret->iters->n);
	if (!ret->by_step ||
	    !wl_activity_intervals(&f->d->run->derived->all_activity->device[gpu->lane->device],
				   WL_ON_COMPUTE, NULL, scratch, &ret->busy))
		return false;
	for (size_t k = 0; k < f->m->n_sets; k++) {
		if (f->m->set[k].group == group && is_of_stages(f->m, &f->m->set[k]))
			add_exchanges(f, &f->m->set[k], ret);
	}
	return true;
}

static bool is_most(size_t n, size_t of)
{
	return 4 * n >= 3 * of;
}

/* A neighbour's compute in a step before the first exchange with the other, and after the last. */
struct around {
	wl_ns before, after;
};

static struct around around(const struct side *s, uint32_t step)
{
	const struct wl_interval *tile = &s->iters->at[step].tile;
	const struct exchanges *at = &s->by_step[step];

	return (struct around){ wl_intervals_covered(&s->busy, tile->begin, at->first),
				wl_intervals_covered(&s->busy, at->last, tile->end) };
}

/*
 * Before the first exchange, the earlier stage computes a microbatch forward, and the later stage
 * nothing. After the last exchange, the earlier stage computes one backward, and the later one only
 * goes on to the next step.
 */
static bool is_earlier(const struct around *a, const struct around *b)
{
	return a->before > 0 && a->before / 2 >= b->before && a->after > b->after + b->after / 10;
}

struct seen {
	size_t steps, onward,
		back; /* steps in which the first of two is the earlier stage; the later */
};

static struct seen judge(const struct side *a, const struct side *b)
{
	struct seen ret = { .steps = 0 };

	for (uint32_t i = a->gpu->first; i <= a->gpu->last && i < b->iters->n; i++) {
		struct around of_a, of_b;

		ret.steps++;
		if (a->by_step[i].n == 0 || b->by_step[i].n == 0)
			continue;
		of_a = around(a, i);
		of_b = around(b, i);
		ret.onward += is_earlier(&of_a, &of_b);
		ret.back += is_earlier(&of_b, &of_a);
	}
	return ret;
}

/* The number of exchanges of a pair in most steps; 0 if it varies. */
static size_t usual_count(const struct side *s, int64_t *room)
{
	size_t n = 0, n_usual = 0;
	int64_t usual;

	for (uint32_t i = s->gpu->first; i <= s->gpu->last; i++)
		room[n++] = (int64_t)s->by_step[i].n;
	usual = wl_select_i64(room, n, n / 2);
	for (uint32_t i = s->gpu->first; i <= s->gpu->last; i++)
		n_usual += (int64_t)s->by_step[i].n == usual;
	return is_most(n_usual, n) ? (size_t)usual : 0;
}

/* Judge the pair of place i of the chains and the next one. */
static bool look_at_pair(struct finding_chains *f, size_t i, struct seen *ret)
{
	struct wl_arena scratch;
	struct side a, b;
	int64_t *room;
	bool ok;

	wl_arena_init_child(&scratch, f->scratch);
	ok = look_at(f, i, f->group[i], &scratch, &a) &&
	     look_at(f, i + 1, f->group[i], &scratch, &b);
	room = ok ? WL_NEW(&scratch, int64_t, a.iters->n) : NULL;
	if (room) {
		*ret = judge(&a, &b);
		f->count[i] = usual_count(&a, room);
	}
	wl_arena_release(&scratch);
	return room != NULL;
}

static void reverse(struct finding_chains *f, size_t lo)
{
	struct wl_stage_chains *to = f->to;

	for (size_t a = lo, b = lo + to->n_stages - 1; a < b; a++, b--) {
		uint32_t member = to->member[a], gpu = to->gpu[a];

		to->member[a] = to->member[b];
		to->member[b] = member;
		to->gpu[a] = to->gpu[b];
		to->gpu[b] = gpu;
	}
	for (size_t a = lo, b = lo + to->n_stages - 1; a + 1 < b; a++, b--) {
		size_t count = f->count[a];

		f->count[a] = f->count[b - 1];
		f->count[b - 1] = count;
	}
}

/* Put the first stage first. *ret_is: whether all pairs agree on the direction. */
static bool direct(struct finding_chains *f, size_t lo, bool *ret_is)
{
	size_t onward = 0, back = 0, n = f->to->n_stages - 1;

	for (size_t i = lo; i < lo + n; i++) {
		struct seen seen;

		if (!look_at_pair(f, i, &seen))
			return false;
		onward += seen.steps > 0 && is_most(seen.onward, seen.steps);
		back += seen.steps > 0 && is_most(seen.back, seen.steps);
	}
	*ret_is = onward == n || back == n;
	if (back == n)
		reverse(f, lo);
	return true;
}

/* Whether a send and a receive are one operation, with M derived from the last two stages. */
static bool is_fused(const size_t *count, size_t n_stages)
{
	size_t m = count[n_stages - 2] - 1;

	for (size_t i = 0; i + 1 < n_stages; i++) {
		size_t warm = n_stages - 1 - i < m ? n_stages - 1 - i : m;

		if (count[i] != m + warm)
			return false;
	}
	return m > 0;
}

static bool is_apart(const size_t *count, size_t n_stages)
{
	for (size_t i = 0; i + 1 < n_stages; i++) {
		if (count[i] != count[0] || count[i] % 2)
			return false;
	}
	return true;
}

/* The number of microbatches; 0 if the trace does not show it. */
static size_t microbatches_of(const size_t *count, size_t n_stages)
{
	size_t last = count[n_stages - 2];
	bool may_be_apart = last > 0 && is_apart(count, n_stages);

	if (last > 0 && is_fused(count, n_stages))
		return may_be_apart && last / 2 != last - 1 ? 0 : last - 1;
	return may_be_apart ? last / 2 : 0;
}

static void find_microbatches(struct finding_chains *f)
{
	struct wl_stage_chains *to = f->to;

	for (size_t i = 0; i < to->n; i++) {
		size_t own = microbatches_of(f->count + i * to->n_stages, to->n_stages);

		if (i > 0 && own != to->microbatches)
			own = 0;
		to->microbatches = (uint32_t)own;
		if (own == 0)
			return;
	}
}

static bool direct_all(struct finding_chains *f, bool *ret_are)
{
	*ret_are = true;
	for (size_t i = 0; i < f->to->n && *ret_are; i++) {
		if (!direct(f, i * f->to->n_stages, ret_are))
			return false;
	}
	return true;
}

static bool find(struct finding_chains *f)
{
	bool are_stages = find_neighbours(f) && find_chains(f) &&
			  (f->to->n_stages > 2 || have_coordinates(f)) && find_gpus(f);

	if (are_stages && !direct_all(f, &are_stages))
		return false;
	if (are_stages)
		find_microbatches(f);
	else
		f->to->n = 0;
	return true;
}

bool wl_stage_chains_find(const struct wl_rule_state *d, struct wl_arena *arena,
			  struct wl_stage_chains *ret)
{
	const struct wl_matches *m = d->run->derived->matches;
	struct wl_arena scratch;
	struct finding_chains f = { .d = d, .m = m, .scratch = &scratch, .to = ret };
	bool ok;

	*ret = (struct wl_stage_chains){ .member = WL_NEW(arena, uint32_t, m->n_members),
					 .gpu = WL_NEW(arena, uint32_t, m->n_members) };
	wl_arena_init_child(&scratch, arena);
	f.of = WL_NEW(&scratch, struct neighbours, m->n_members);
	f.group = WL_NEW(&scratch, uint32_t, m->n_members);
	f.count = WL_NEW(&scratch, size_t, m->n_members);
	ok = ret->member && ret->gpu && f.of && f.group && f.count && find(&f);
	wl_arena_release(&scratch);
	return ok;
}
