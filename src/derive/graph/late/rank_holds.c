/* SPDX-License-Identifier: MIT */
#include "derive/graph/late/rank_holds.h"

#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/graph/build/graph.h"

static bool *find_members(const struct wl_matches *m, size_t n_processes, struct wl_arena *arena)
{
	bool *ret = WL_NEW(arena, bool, n_processes);

	for (size_t i = 0; ret && i < m->n_groups; i++) {
		for (size_t k = 0; k < m->group[i].n; k++)
			ret[m->member[m->group[i].member[k]].process] = true;
	}
	return ret;
}

static wl_ns find_run(const struct wl_graph *g, const bool *is_member)
{
	wl_ns begin = INT64_MAX, end = INT64_MIN;

	for (unsigned kind = 0; kind < WL_N_OP_FAMILIES; kind++) {
		const struct wl_ops *ops = &g->ops[kind];

		for (size_t i = 0; i < ops->n; i++) {
			wl_ns start = ops->start[i],
			      stop = start + wl_dur(ops->family, ops->dur, i);

			if (!is_member[g->trace->places[ops->place[i]].process])
				continue;
			begin = start < begin ? start : begin;
			end = stop > end ? stop : end;
		}
	}
	return begin < end ? end - begin : 0;
}

bool wl_rank_holds_find(const struct wl_derived *given, struct wl_arena *arena,
			struct wl_rank_holds *ret)
{
	const struct wl_graph *g = given->graph;
	size_t n = g->trace->n_processes;

	*ret = (struct wl_rank_holds){ .is_member = find_members(given->matches, n, arena),
				       .time = g->unexplained,
				       .worst = WL_NONE };
	if (!ret->is_member)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (ret->is_member[i] &&
		    (ret->worst == WL_NONE || ret->time[i] > ret->time[ret->worst]))
			ret->worst = i;
	}
	ret->run = ret->worst == WL_NONE ? 0 : find_run(g, ret->is_member);
	return true;
}
