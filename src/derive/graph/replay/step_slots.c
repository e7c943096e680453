/* SPDX-License-Identifier: MIT */
/* step_slots.c - aligns the activities of several steps. */
#include "base/memory/sort.h"
#include "derive/graph/step_lists.h"

/* The alignment of steps; a lane in which all steps have the same names needs no sorting. */
struct slotting {
	const struct wl_step_lists *lists;
	const struct wl_chosen_steps *chosen;
	struct wl_arena *scratch;
	uint32_t **order; /* by chosen step: the positions in each of its lists, by name */
	size_t *at;       /* by chosen step: progress of a walk by name */
	bool *is_equal;   /* by lane */
	size_t n;         /* slots */
	uint32_t *to;     /* by chosen step, then slot; NULL during the counting pass */
};

static bool name_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_step_lists *l = ctx;

	return wl_activity_name(l->graph, l->activity[a]) <
	       wl_activity_name(l->graph, l->activity[b]);
}

static struct wl_slice list_at(const struct slotting *s, size_t k, size_t lane)
{
	return wl_step_list(s->lists, s->chosen->process, s->chosen->step[k], lane);
}

/* The same list by name; it has *ret_n entries. */
static uint32_t *by_name(const struct slotting *s, size_t k, size_t lane, size_t *ret_n)
{
	struct wl_slice all = wl_step_all(s->lists, s->chosen->process, s->chosen->step[k]);
	struct wl_slice list = list_at(s, k, lane);

	*ret_n = list.hi - list.lo;
	return s->order[k] + (list.lo - all.lo);
}

static bool are_equal(const struct slotting *s, struct wl_slice a, struct wl_slice b)
{
	if (a.hi - a.lo != b.hi - b.lo)
		return false;
	for (size_t i = 0; i < a.hi - a.lo; i++) {
		if (wl_activity_name(s->lists->graph, s->lists->activity[a.lo + i]) !=
		    wl_activity_name(s->lists->graph, s->lists->activity[b.lo + i]))
			return false;
	}
	return true;
}

/* Sort a lane by name, unless all steps have the same names in the same order. */
static bool sort_lane(struct slotting *s, size_t lane)
{
	bool ok = true;

	s->is_equal[lane] = true;
	for (size_t k = 1; k < s->chosen->n && s->is_equal[lane]; k++)
		s->is_equal[lane] = are_equal(s, list_at(s, 0, lane), list_at(s, k, lane));
	for (size_t k = 0; ok && !s->is_equal[lane] && k < s->chosen->n; k++) {
		size_t n, lo = list_at(s, k, lane).lo;
		uint32_t *own = by_name(s, k, lane, &n), *room;

		room = WL_NEW(s->scratch, uint32_t, 2 * n);

		ok = room != NULL;
		for (size_t i = 0; ok && i < n; i++)
			room[i] = (uint32_t)(lo + i);
		if (ok)
			wl_sort_index(room, n, room + n, name_less, s->lists);
		for (size_t i = 0; ok && i < n; i++)
			own[i] = s->lists->activity[room[i]];
	}
	return ok;
}

static void put_slot(const struct slotting *s, size_t k, size_t slot, uint32_t activity)
{
	if (s->to)
		s->to[k * s->n + slot] = activity;
}

static size_t slots_in_order(const struct slotting *s, size_t lane, size_t first)
{
	size_t n = 0;

	for (size_t k = 0; k < s->chosen->n; k++) {
		struct wl_slice list = list_at(s, k, lane);

		n = list.hi - list.lo;
		for (size_t i = 0; i < n; i++)
			put_slot(s, k, first + i, s->lists->activity[list.lo + i]);
	}
	return n;
}

/* The first name that no walk has passed; WL_NONE when all are at the end. */
static uint32_t next_name(const struct slotting *s, size_t lane)
{
	uint32_t name = WL_NONE;

	for (size_t k = 0; k < s->chosen->n; k++) {
		size_t n;
		const uint32_t *own = by_name(s, k, lane, &n);
		uint32_t here =
			s->at[k] < n ? wl_activity_name(s->lists->graph, own[s->at[k]]) : WL_NONE;

		name = here < name ? here : name;
	}
	return name;
}

/* Make as many slots for each name as the step with the most activities of that name needs. */
static size_t slots_by_name(const struct slotting *s, size_t lane, size_t first)
{
	size_t n = 0;

	for (size_t k = 0; k < s->chosen->n; k++)
		s->at[k] = 0;
	for (;;) {
		uint32_t name = next_name(s, lane);
		size_t most = 0;

		if (name == WL_NONE)
			return n;
		for (size_t k = 0; k < s->chosen->n; k++) {
			size_t m, i = 0;
			const uint32_t *own = by_name(s, k, lane, &m);

			for (; s->at[k] < m &&
			       wl_activity_name(s->lists->graph, own[s->at[k]]) == name;
			     s->at[k]++)
				put_slot(s, k, first + n + i++, own[s->at[k]]);
			most = i > most ? i : most;
		}
		n += most;
	}
}

static size_t deal_slots(const struct slotting *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->lists->process[s->chosen->process].n_lanes; i++)
		n += s->is_equal[i] ? slots_in_order(s, i, n) : slots_by_name(s, i, n);
	return n;
}

static bool slotting_begin(struct slotting *s)
{
	size_t n_lanes = s->lists->process[s->chosen->process].n_lanes;
	bool ok;

	s->order = WL_NEW(s->scratch, uint32_t *, s->chosen->n);
	s->at = WL_NEW(s->scratch, size_t, s->chosen->n);
	s->is_equal = WL_NEW(s->scratch, bool, n_lanes);
	ok = s->order && s->at && s->is_equal;
	for (size_t k = 0; ok && k < s->chosen->n; k++) {
		struct wl_slice all = wl_step_all(s->lists, s->chosen->process, s->chosen->step[k]);

		s->order[k] = WL_NEW(s->scratch, uint32_t, all.hi - all.lo);
		ok = s->order[k] != NULL;
	}
	for (size_t i = 0; ok && i < n_lanes; i++)
		ok = sort_lane(s, i);
	return ok;
}

bool wl_step_slots_find(const struct wl_step_lists *lists, const struct wl_chosen_steps *chosen,
			struct wl_arena *arena, struct wl_step_slots *ret)
{
	struct wl_arena scratch;
	struct slotting s = { .lists = lists, .chosen = chosen, .scratch = &scratch };
	bool ok;

	wl_arena_init_child(&scratch, arena);
	ok = slotting_begin(&s);
	if (ok) {
		s.n = deal_slots(&s);
		s.to = WL_NEW(arena, uint32_t, s.n * chosen->n);
		ok = s.to != NULL;
	}
	for (size_t i = 0; ok && i < s.n * chosen->n; i++)
		s.to[i] = WL_NONE;
	if (ok)
		(void)deal_slots(&s);
	*ret = (struct wl_step_slots){ s.n, s.to };
	wl_arena_release(&scratch);
	return ok;
}
