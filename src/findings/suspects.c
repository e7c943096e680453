/* SPDX-License-Identifier: MIT */
#include "findings/suspects.h"

#include "derive/derived.h"
#include "derive/graph/late/late_suspects.h"
#include "derive/graph/late/straggler.h"
#include "derive/rows/stats.h"

static bool number_suspects(struct wl_suspects *t)
{
	struct wl_arena *arena = t->state->run->arena;
	size_t n = 0, *begin = WL_NEW(arena, size_t, t->matches->n_groups);

	for (size_t i = 0; begin && i < t->matches->n_groups; n += t->matches->group[i].n, i++)
		begin[i] = n;
	t->begin = begin;
	t->n = n;
	t->group = WL_NEW(arena, uint32_t, n);
	t->is_costly = WL_NEW(arena, bool, n);
	t->root = WL_NEW(arena, uint32_t, n);
	t->gpu_of = WL_NEW(arena, uint32_t, t->matches->n_members);
	t->set_of = WL_NEW(arena, uint32_t, t->matches->n_members);
	if (!begin || !t->group || !t->is_costly || !t->root || !t->gpu_of || !t->set_of)
		return false;
	for (uint32_t i = 0; i < t->matches->n_groups; i++) {
		for (size_t k = 0; k < t->matches->group[i].n; k++)
			t->group[begin[i] + k] = i;
	}
	return true;
}

/* Members and GPUs are in the order of devices. */
static void find_gpus(struct wl_suspects *t)
{
	size_t gpu = 0;

	for (size_t i = 0; i < t->matches->n_members; i++) {
		const struct wl_member *member = &t->matches->member[i];
		const struct wl_ledger_lane *lane;

		while (gpu < t->state->n_gpus && t->state->gpu[gpu].lane->device < member->device)
			gpu++;
		lane = gpu < t->state->n_gpus ? t->state->gpu[gpu].lane : NULL;
		t->gpu_of[i] = lane && lane->device == member->device &&
					       (lane->process == WL_NONE ||
						lane->process == member->process)
				       ? (uint32_t)gpu
				       : WL_NONE;
	}
}

bool wl_suspects_are_one(const struct wl_suspects *s, uint32_t a, uint32_t b)
{
	uint32_t set = s->set_of[a];

	return a == b || (set != WL_NONE && set == s->set_of[b] && !s->is_in_turn[set]);
}

/* Where no other member is left to wait, stragglers wait for each other. */
static bool find_turns(struct wl_suspects *t)
{
	const struct wl_stragglers *all = t->state->run->derived->stragglers;

	t->is_in_turn = WL_NEW(t->state->run->arena, bool, all->n_sets);
	for (uint32_t i = 0; t->is_in_turn && i < all->n_sets; i++) {
		uint32_t first = all->at[all->set[i].lo].member;
		bool has_others = false;

		for (uint32_t k = 0; k < t->matches->n_members; k++)
			has_others |= t->set_of[k] != i && wl_members_meet(all->suspects, first, k);
		t->is_in_turn[i] = wl_late_changes(&all->set[i]) || !has_others;
	}
	return t->is_in_turn != NULL;
}

/* Stragglers of a set are late together: what one of them is later than another costs nobody. */
static bool find_alone(struct wl_suspects *t)
{
	const struct wl_stragglers *all = t->state->run->derived->stragglers;
	const struct wl_matches *m = t->matches;

	t->alone = WL_NEW(t->state->run->arena, wl_ns, m->n);
	for (uint32_t i = 0; i < m->n_members; i++) {
		const struct wl_straggler *s = wl_straggler_of(all, i);

		t->set_of[i] = s ? s->set : WL_NONE;
	}
	if (!t->alone || !find_turns(t))
		return false;
	for (size_t i = 0; i < m->n; i++)
		t->alone[i] = m->at[i].caused ? INT64_MAX : 0;
	for (size_t i = 0; i < m->queues.n_ops; i++) {
		const struct wl_comm_op *op = &m->queues.op[i];
		const struct wl_match *at = op->match == WL_NONE ? NULL : &m->at[op->match];
		const struct wl_match_set *set = at ? &m->set[at->set] : NULL;
		uint32_t last = at ? m->group[set->group].member[at->last] : 0;
		uint32_t own = m->member_of[op->queue];

		if (!at || wl_suspects_are_one(t, own, last))
			continue;
		if (set->by_message)
			t->alone[op->match] = at->alone;
		else if (op->late < t->alone[op->match])
			t->alone[op->match] = op->late;
	}
	for (size_t i = 0; i < m->n; i++)
		t->alone[i] = t->alone[i] == INT64_MAX ? 0 : t->alone[i];
	return true;
}

static bool is_in_sample(const struct wl_rule_gpu *gpu, wl_ns at)
{
	size_t i;

	if (!gpu->by_step) /* then one tile is all */
		return true;
	i = wl_ledger_step_at(gpu->lane, at);
	return i < gpu->lane->n_tiles && gpu->in_sample[i];
}

/* Without steps a few matches are no habit. */
static bool is_costly(const struct wl_rule_gpu *gpu, wl_ns alone, uint32_t n)
{
	enum { HABIT = 10 };

	return alone > 0 && alone >= gpu->length / 100 && (gpu->by_step || n >= HABIT);
}

/* Which suspects alone cost some GPU a hundredth of its sample. */
static bool find_costly(struct wl_suspects *t)
{
	const struct wl_comm_queues *q = &t->matches->queues;
	struct sum {
		wl_ns alone;
		uint32_t n;   /* matches */
		uint32_t gpu; /* of which this is the sum, counted from 1 */
	} *sums = WL_NEW(t->state->run->arena, struct sum, t->n);

	for (size_t i = 0; sums && i < q->n; i++) {
		uint32_t gpu = t->gpu_of[t->matches->member_of[i]];
		size_t k = t->matches->set_of[i] == WL_NONE || gpu == WL_NONE ? q->queue[i].hi
									      : q->queue[i].lo;

		for (; k < q->queue[i].hi; k++) {
			uint32_t suspect = wl_suspect_of(t, &q->op[k]);
			struct sum *sum = suspect == WL_NONE ? NULL : &sums[suspect];

			if (!sum || !is_in_sample(&t->state->gpu[gpu], q->op[k].start))
				continue;
			if (sum->gpu != gpu + 1)
				*sum = (struct sum){ .gpu = gpu + 1 };
			sum->alone = wl_add_up(sum->alone, t->alone[q->op[k].match]);
			sum->n++;
			if (is_costly(&t->state->gpu[gpu], sum->alone, sum->n))
				t->is_costly[suspect] = true;
		}
	}
	return sums != NULL;
}

/* The member that the suspect's waited for most in its other groups, if that explains its delay. */
static bool find_blocker(const struct wl_suspects *t, uint32_t suspect, wl_ns alone, uint32_t *ret)
{
	const struct wl_comm_queues *q = &t->matches->queues;
	wl_ns *late = WL_NEW(t->state->run->arena, wl_ns, t->n), all = 0;

	*ret = suspect;
	for (size_t i = 0; late && i < q->n; i++) {
		if (t->matches->member_of[i] != wl_suspect_member(t, suspect))
			continue;
		for (size_t k = q->queue[i].lo; k < q->queue[i].hi; k++) {
			uint32_t other = wl_suspect_of(t, &q->op[k]);

			/* Operations of a queue may be matched in several groups. */
			if (other == WL_NONE || t->group[other] == t->group[suspect])
				continue;
			late[other] = wl_add_up(late[other], q->op[k].late);
			all = wl_add_up(all, q->op[k].late);
			*ret = *ret == suspect || late[other] > late[*ret] ? other : *ret;
		}
	}
	if (all < alone / 2)
		*ret = suspect;
	return late != NULL;
}

/* Follow a costly suspect to a straggler: itself, or the rank that it waits for. */
static bool find_root(const struct wl_suspects *t, const wl_ns *alone, uint32_t at, uint32_t *ret)
{
	enum { MOST_STEPS = 8 };

	*ret = WL_NONE;
	for (size_t steps = 0; steps < MOST_STEPS; steps++) {
		uint32_t next = at;

		*ret = t->set_of[wl_suspect_member(t, at)];
		if (*ret != WL_NONE)
			return true;
		if (!find_blocker(t, at, alone[at], &next))
			return false;
		if (next == at)
			return true;
		at = next;
	}
	return true;
}

static bool find_roots(struct wl_suspects *t)
{
	wl_ns *alone = WL_NEW(t->state->run->arena, wl_ns, t->n);

	for (size_t i = 0; alone && i < t->matches->n; i++) {
		const struct wl_match *match = &t->matches->at[i];
		wl_ns *sum = &alone[t->begin[t->matches->set[match->set].group] + match->last];

		*sum = wl_add_up(*sum, t->alone[i]);
	}
	for (uint32_t i = 0; alone && i < t->n; i++) {
		t->root[i] = WL_NONE;
		if (t->is_costly[i] && !find_root(t, alone, i, &t->root[i]))
			return false;
	}
	return alone != NULL;
}

bool wl_suspects_find(struct wl_rule_state *state, struct wl_suspects *ret)
{
	const struct wl_derived *derived = state->run->derived;

	*ret = (struct wl_suspects){ .state = state, .matches = derived->matches };
	if (derived->stragglers->n == 0)
		return true;
	if (!number_suspects(ret))
		return false;
	find_gpus(ret);
	return find_alone(ret) && find_costly(ret) && find_roots(ret);
}

/* What a queue of messages loses to those that are victims already. */
static wl_ns passed_on(const struct wl_suspects *s, size_t queue, const struct wl_rule_gpu *gpu,
		       const bool *is_victim)
{
	const struct wl_comm_queue *q = &s->matches->queues.queue[queue];
	wl_ns sum = 0;

	for (size_t i = q->lo; i < q->hi; i++) {
		const struct wl_comm_op *op = &s->matches->queues.op[i];

		if (wl_suspect_passes_on(s, is_victim, op) && is_in_sample(gpu, op->start))
			sum = wl_add_up(sum, op->late);
	}
	return sum;
}

void wl_suspects_find_victims(const struct wl_suspects *s, uint32_t set, bool *is_victim)
{
	enum { MOST_STEPS = 8 };
	const struct wl_comm_queues *q = &s->matches->queues;
	bool changed = true;

	for (size_t i = 0; i < q->n_ops; i++) {
		uint32_t suspect = wl_suspect_of(s, &q->op[i]);
		uint32_t member = s->matches->member_of[q->op[i].queue];

		if (suspect != WL_NONE && s->root[suspect] == set &&
		    (s->set_of[member] != set || s->is_in_turn[set]))
			is_victim[member] = true;
	}
	for (size_t step = 0; changed && step < MOST_STEPS; step++) {
		changed = false;
		for (size_t i = 0; i < q->n; i++) {
			uint32_t member = s->matches->member_of[i], gpu = s->gpu_of[member];

			if (s->set_of[member] == set || is_victim[member] || gpu == WL_NONE ||
			    !wl_comm_is_message(&q->queue[i]) || s->state->gpu[gpu].length == 0)
				continue;
			is_victim[member] = passed_on(s, i, &s->state->gpu[gpu], is_victim) >=
					    s->state->gpu[gpu].length / 100;
			changed |= is_victim[member];
		}
	}
}
