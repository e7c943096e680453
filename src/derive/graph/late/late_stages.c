/* SPDX-License-Identifier: MIT */
#include "derive/graph/late/late_stages.h"

#include "base/memory/sort.h"
#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/graph/late/late_suspects.h"
#include "derive/graph/replay/replay_plan.h"
#include "derive/rows/stats.h"

static bool has_coordinates(const struct wl_mesh *m)
{
	for (size_t i = 0; i < WL_N_COORDINATES; i++) {
		if (m->at[i] >= 0)
			return true;
	}
	return false;
}

bool wl_may_be_stages(const struct wl_mesh *a, const struct wl_mesh *b)
{
	return !has_coordinates(a) || !has_coordinates(b) || a->at[WL_AXIS_PP] != b->at[WL_AXIS_PP];
}

bool wl_is_pipeline(const struct wl_matches *m, const struct wl_late_suspects *suspects,
		    const struct wl_meshes *meshes, uint32_t part)
{
	for (size_t i = 0; i < m->n_sets; i++) {
		const struct wl_match_set *set = &m->set[i];
		const struct wl_comm_group *group = &m->group[set->group];
		uint32_t a, b;

		if (group->n != 2 || m->queues.queue[set->queue[0]].type != WL_SEND_RECV ||
		    set->by_message)
			continue;
		a = m->member[group->member[0]].process;
		b = m->member[group->member[1]].process;
		if (suspects->part[a] == part && wl_may_be_stages(&meshes->of[a], &meshes->of[b]))
			return true;
	}
	return false;
}

struct summing {
	const struct wl_late_peers *all;
	size_t n_steps;
	int64_t *own; /* by share, step and place among the peers */
	struct wl_late_suspects *to;
};

static int64_t *own_of(const struct summing *s, unsigned share, size_t step)
{
	return s->own + (share * s->n_steps + step) * s->all->who.n;
}

static void add_ops(const struct summing *s, size_t peer, size_t key, size_t step)
{
	const struct wl_positions_of *of = &s->all->ops.of[s->all->who.member[peer]];

	for (size_t i = of->first[key]; i < of->first[key + 1]; i++) {
		int64_t *sum = own_of(s, wl_late_share_of(s->all, of->activity[i]), step) + peer;

		*sum = wl_add_up(*sum, wl_graph_length(s->all->by.graph, of->activity[i]));
	}
}

static void add_calls(const struct summing *s, size_t peer, size_t key, size_t step)
{
	const struct wl_positions_of *of = &s->all->calls.of[s->all->who.member[peer]];
	const struct wl_graph *g = s->all->by.graph;
	int64_t *sum = own_of(s, WL_LATE_BY_HOST, step) + peer;

	for (size_t i = of->first[key]; i < of->first[key + 1]; i++) {
		if (wl_call_has_own_length(g, of->activity[i]))
			*sum = wl_add_up(*sum, wl_graph_length(g, of->activity[i]));
		if (wl_call_has_own_gap(g, of->activity[i]))
			*sum = wl_add_up(*sum, wl_graph_gap(g, of->activity[i]));
	}
}

static void add_all(const struct summing *s, const struct wl_positions *p,
		    void (*add)(const struct summing *s, size_t peer, size_t key, size_t step))
{
	for (size_t key = 0; key < p->n_keys; key++) {
		if (p->step[key] == WL_NONE || p->step[key] >= s->n_steps)
			continue;
		for (size_t i = 0; i < s->all->who.n; i++)
			add(s, i, key, p->step[key]);
	}
}

/* Per member and step, how much longer it takes than the median member. */
static bool compare(const struct summing *s, struct wl_arena *scratch, wl_ns *late)
{
	size_t n = s->all->who.n;
	int64_t *sorted = WL_NEW(scratch, int64_t, n);

	for (unsigned share = 0; sorted && share < WL_N_LATE_SHARES; share++) {
		for (size_t step = 0; step < s->n_steps; step++) {
			const int64_t *own = own_of(s, share, step);
			int64_t middle;

			for (size_t i = 0; i < n; i++)
				sorted[i] = own[i];
			middle = wl_select_i64(sorted, n, (n - 1) / 2);
			for (size_t i = 0; i < n; i++) {
				wl_ns *of = &late[i * s->n_steps + step];

				*of = own[i] - middle > *of ? own[i] - middle : *of;
			}
		}
	}
	return sorted != NULL;
}

static uint32_t first_group(const struct wl_matches *m, uint32_t member)
{
	for (uint32_t i = 0; i < m->n_groups; i++) {
		for (size_t k = 0; k < m->group[i].n; k++) {
			if (m->group[i].member[k] == member)
				return i;
		}
	}
	return WL_NONE;
}

/* Mark its suspect cells and the cells before them, because a delay shows in the next cell. */
static void mark(const struct summing *s, const wl_ns *late, uint8_t *cell,
		 struct wl_late_suspect *suspect)
{
	for (size_t i = 0; i < s->n_steps; i++) {
		if (late[i] <= 0 || late[i] < s->to->step / 100)
			continue;
		suspect->late = wl_add_up(suspect->late, late[i]);
		suspect->n_late++;
		cell[i] |= WL_CELL_SUSPECT;
	}
	if (suspect->late == 0 || suspect->late < suspect->run / 100) {
		suspect->n_late = 0;
		return;
	}
	for (size_t i = 0; i < s->n_steps; i++) {
		if (cell[i] & WL_CELL_SUSPECT)
			cell[i] |= WL_CELL_CHANGED;
		if (i + 1 < s->n_steps && cell[i + 1] & WL_CELL_SUSPECT)
			cell[i] |= WL_CELL_CHANGED;
	}
}

/* Latest first. */
static void insert(struct wl_late_suspects *to, const struct wl_late_suspect *suspect)
{
	size_t i = to->n++;

	for (; i > 0 && to->at[i - 1].late < suspect->late; i--)
		to->at[i] = to->at[i - 1];
	to->at[i] = *suspect;
}

/* All pairs of members of the part are compared. */
static void meet_all(const struct summing *s, uint64_t *meets)
{
	size_t words = (s->to->n_members + 63) / 64;

	for (size_t i = 0; i < s->all->who.n; i++) {
		for (size_t k = 0; k < s->all->who.n; k++)
			meets[s->all->who.member[i] * words + s->all->who.member[k] / 64] |=
				UINT64_C(1) << s->all->who.member[k] % 64;
	}
}

static bool find(struct summing *s, wl_ns run, struct wl_arena *arena, struct wl_arena *scratch)
{
	const struct wl_matches *m = s->all->by.given->matches;
	struct wl_late_suspects *to = s->to;
	size_t n = s->all->who.n;
	wl_ns *late = WL_NEW(scratch, wl_ns, n * s->n_steps);
	uint8_t *cell = WL_NEW(arena, uint8_t, to->n_members * s->n_steps);
	uint64_t *meets = WL_NEW(arena, uint64_t, (to->n_members + 63) / 64 * to->n_members);

	to->at = WL_NEW(arena, struct wl_late_suspect, n);
	s->own = WL_NEW(scratch, int64_t, WL_N_LATE_SHARES * s->n_steps * n);
	if (!late || !cell || !meets || !to->at || !s->own)
		return false;
	add_all(s, &s->all->ops, add_ops);
	add_all(s, &s->all->calls, add_calls);
	if (!compare(s, scratch, late))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct wl_late_suspect suspect = { .member = s->all->who.member[i], .run = run };

		suspect.group = first_group(m, suspect.member);
		mark(s, late + i * s->n_steps, cell + suspect.member * s->n_steps, &suspect);
		if (suspect.n_late)
			insert(to, &suspect);
	}
	meet_all(s, meets);
	to->cell = cell;
	to->meets = meets;
	return true;
}

bool wl_late_stages_find(const struct wl_late_peers *all, wl_ns run, struct wl_arena *arena,
			 struct wl_late_suspects *ret)
{
	struct summing s = { .all = all, .n_steps = all->by.cells->n_steps, .to = ret };
	struct wl_arena scratch;
	bool ok;

	*ret = *all->by.cells;
	ret->is_of_stages = true;
	ret->at = NULL;
	ret->n = 0;
	if (all->who.n < 2)
		return true;
	wl_arena_init_child(&scratch, arena);
	ok = find(&s, run, arena, &scratch);
	wl_arena_release(&scratch);
	return ok;
}
