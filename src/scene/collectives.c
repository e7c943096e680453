/* SPDX-License-Identifier: MIT */
#include "scene/collectives.h"

#include "base/memory/bound.h"
#include "base/memory/sort.h"
#include "derive/comm/match/matches.h"
#include "derive/comm/payloads.h"
#include "derive/derived.h"

static uint32_t ref_of(const struct wl_comm_op *op)
{
	return wl_track_ref(op->is_copy ? WL_F_MEMCPYS : WL_F_KERNELS, op->row);
}

/* Calls of MPI lie on no stream. */
static bool is_matched(const struct wl_matches *m, const struct wl_comm_op *op)
{
	return op->match != WL_NONE && !wl_comm_is_mpi(&m->queues.queue[op->queue]) &&
	       ref_of(op) != WL_NONE;
}

/* Counts by match, then places: what is counted before a match is where it begins. */
static void fill_matches(const struct wl_matches *m, const uint32_t *op, size_t n, uint32_t *first,
			 uint32_t *by_match)
{
	for (size_t i = 0; i < n; i++)
		first[m->queues.op[op[i]].match + 1]++;
	for (size_t i = 0; i < m->n; i++)
		first[i + 1] += first[i];
	for (size_t i = n; i-- > 0;)
		by_match[--first[m->queues.op[op[i]].match + 1]] = op[i];
	for (size_t i = 0; i < m->n; i++)
		first[i] = first[i + 1];
	first[m->n] = (uint32_t)n;
}

static void fill_ranks(const struct wl_derived *derived, uint32_t *ranks)
{
	const struct wl_matches *m = derived->matches;

	for (size_t i = 0; i < m->n_sets; i++) {
		const struct wl_comm_queue *q = &m->queues.queue[m->set[i].queue[0]];
		size_t n = wl_comm_ranks(derived->payloads, q->comm);

		ranks[i] = (uint32_t)(n ? n : m->set[i].n);
	}
}

bool wl_scene_collectives_find(const struct wl_derived *derived, struct wl_arena *arena,
			       struct wl_scene_collectives *ret)
{
	const struct wl_matches *m = derived->matches;
	size_t n = 0, n_ops = m->queues.n_ops;
	uint32_t *index = WL_NEW(arena, uint32_t, n_ops + 1),
		 *tmp = WL_NEW(arena, uint32_t, n_ops + 1);
	uint32_t *key = WL_NEW(arena, uint32_t, n_ops + 1),
		 *ref = WL_NEW(arena, uint32_t, n_ops + 1);
	uint32_t *first = WL_NEW(arena, uint32_t, m->n + 2);
	uint32_t *by_match = WL_NEW(arena, uint32_t, n_ops + 1);
	uint32_t *ranks = WL_NEW(arena, uint32_t, m->n_sets + 1);

	if (!index || !tmp || !key || !ref || !first || !by_match || !ranks)
		return false;
	for (size_t i = 0; i < n_ops; i++) {
		key[i] = ref_of(&m->queues.op[i]);
		if (is_matched(m, &m->queues.op[i]))
			index[n++] = (uint32_t)i;
	}
	fill_matches(m, index, n, first, by_match);
	fill_ranks(derived, ranks);
	wl_sort_by_u32(index, n, tmp, key);
	for (size_t i = 0; i < n; i++)
		ref[i] = key[index[i]];
	*ret = (struct wl_scene_collectives){ .matches = m,
					      .ref = ref,
					      .op = index,
					      .n = n,
					      .first = first,
					      .by_match = by_match,
					      .ranks = ranks };
	return true;
}

const struct wl_comm_op *wl_collective_op(const struct wl_scene_collectives *c, uint32_t ref)
{
	size_t at;

	if (!c || c->n == 0)
		return NULL;
	at = WL_BELOW(c->ref, c->n, ref);
	return at < c->n && c->ref[at] == ref ? &c->matches->queues.op[c->op[at]] : NULL;
}

struct wl_collective_kind wl_collective_kind_of(const struct wl_scene_collectives *c, size_t set)
{
	const struct wl_matches *m = c->matches;
	enum wl_collective type = m->queues.queue[m->set[set].queue[0]].type;

	return (struct wl_collective_kind){
		.title = wl_collective_title(type),
		.n_members = m->set[set].n,
		.n_ranks = c->ranks[set],
		.no_clock = m->group[m->set[set].group].no_clock,
		.volume = wl_collective_volume(type, 1, c->ranks[set]),
		.bus = wl_collective_bus_factor(type, c->ranks[set]),
	};
}
