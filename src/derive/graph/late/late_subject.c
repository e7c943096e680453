/* SPDX-License-Identifier: MIT */
#include "derive/graph/late/late_subject.h"

#include "derive/comm/hosts.h"
#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/iters/iters.h"
#include "derive/nvtx/meshes.h"
#include "derive/rows/ops.h"
#include "derive/rows/scope.h"
#include "derive/rows/stats.h"

static bool is_rotating(const struct wl_straggler *at, const struct wl_late_set *set)
{
	wl_ns all = 0, most = 0;
	size_t n = 0, n_shared = 0;

	for (size_t i = 0; i < set->n; i++) {
		all = wl_add_up(all, at[i].late);
		most = at[i].late > most ? at[i].late : most;
	}
	for (size_t step = 0; step < set->n_steps; step++) {
		size_t n_here = 0;

		for (size_t i = 0; i < set->n; i++)
			n_here += at[i].slow[step];
		n += n_here > 0;
		n_shared += n_here > 1;
	}
	return set->n >= 3 && most <= all / 2 && 10 * n_shared <= n;
}

struct asking {
	const struct wl_derived *given;
	const struct wl_matches *m;
	bool *is_one; /* by member: a straggler */
	size_t n;     /* stragglers */
};

static int64_t value_at(const struct asking *a, unsigned axis, uint32_t member)
{
	uint32_t process = a->m->member[member].process;
	const struct wl_mesh *of = &a->given->meshes->of[process];

	if (axis != WL_AXIS_HOST)
		return of->at[axis];
	return of->host == WL_NONE ? -1 : (int64_t)a->given->hosts->of[process];
}

/* Whether all members with this member's value are stragglers, and how many there are. */
static bool has_whole_value(const struct asking *a, unsigned axis, uint32_t member, size_t *ret_n)
{
	int64_t value = value_at(a, axis, member);

	*ret_n = 0;
	for (uint32_t i = 0; value >= 0 && i < a->m->n_members; i++) {
		if (value_at(a, axis, i) != value)
			continue;
		if (!a->is_one[i])
			return false;
		++*ret_n;
	}
	return value >= 0;
}

/* The stragglers have one value of a coordinate, or any number of hosts but not all: some member
 * has another value. */
static bool is_axis(const struct asking *a, unsigned axis)
{
	for (uint32_t i = 0; i < a->m->n_members; i++) {
		size_t n;

		if (!a->is_one[i])
			continue;
		if (!has_whole_value(a, axis, i, &n) || (axis != WL_AXIS_HOST && n != a->n))
			return false;
	}
	return a->n < a->m->n_members;
}

bool wl_late_subject_find(const struct wl_derived *given, const struct wl_straggler *at,
			  struct wl_arena *arena, struct wl_late_set *set)
{
	struct wl_arena scratch;
	struct asking a = { .given = given, .m = given->matches, .n = set->n };

	set->subject = is_rotating(at, set) ? WL_LATE_ROTATING : WL_LATE_MEMBERS;
	if (set->subject == WL_LATE_ROTATING)
		return true;
	wl_arena_init_child(&scratch, arena);
	a.is_one = WL_NEW(&scratch, bool, a.m->n_members);
	for (size_t i = 0; a.is_one && i < set->n; i++)
		a.is_one[at[i].member] = true;
	for (unsigned i = 0; a.is_one && i <= WL_AXIS_HOST; i++) {
		unsigned axis = i == 0 ? (unsigned)WL_AXIS_HOST : i - 1;

		if (set->subject != WL_LATE_MEMBERS ||
		    (axis == WL_AXIS_HOST && given->hosts->n < 2) || !is_axis(&a, axis))
			continue;
		set->subject = WL_LATE_AXIS;
		set->axis = axis;
	}
	wl_arena_release(&scratch);
	return a.is_one != NULL;
}

/* Processes that share a GPU with the members of groups. */
struct sharing {
	const struct wl_derived *given;
	const struct wl_late_suspects *cells;
	const struct wl_member *member;
	struct wl_straggler *to;
	wl_ns *busy; /* by process: time of operations so far in slow steps, in other steps, and
			their last end */
	wl_ns *busy_else, *last;
	wl_ns slow, other; /* total length of these steps */
	bool *meets;       /* by process: it is a member */
};

/* The part of an interval that is in the straggler's slow steps, or in its other steps. */
static wl_ns covered(const struct sharing *s, const struct wl_interval *of, bool is_slow)
{
	const struct wl_process_iters *iters = &s->given->iterations->process[s->member->process];
	wl_ns sum = 0;

	if (s->cells->is_whole)
		return is_slow ? of->end - of->begin : 0;
	for (size_t i = wl_iteration_around(iters, of->begin) == WL_NONE
				? 0
				: wl_iteration_around(iters, of->begin);
	     i < iters->n && iters->at[i].tile.begin < of->end; i++) {
		const struct wl_interval *tile = &iters->at[i].tile;
		wl_ns begin = tile->begin > of->begin ? tile->begin : of->begin;
		wl_ns end = tile->end < of->end ? tile->end : of->end;

		if (s->to->slow[i] == is_slow && end > begin)
			sum += end - begin;
	}
	return sum;
}

/* Operations come in order of start; overlap with earlier ones counts once. */
static void add(struct sharing *s, uint32_t process, wl_ns start, wl_ns end)
{
	struct wl_interval of = { start > s->last[process] ? start : s->last[process], end };

	if (of.end <= of.begin)
		return;
	s->last[process] = end;
	s->busy[process] += covered(s, &of, true);
	s->busy_else[process] += covered(s, &of, false);
}

static void measure(struct sharing *s)
{
	const struct wl_process_iters *iters = &s->given->iterations->process[s->member->process];
	struct wl_op_cursor cursor;
	struct wl_op op;

	for (size_t i = 0; !s->cells->is_whole && i < iters->n; i++)
		*(s->to->slow[i] ? &s->slow : &s->other) +=
			iters->at[i].tile.end - iters->at[i].tile.begin;
	if (s->cells->is_whole)
		s->slow = s->cells->step;
	wl_ops_begin(s->given->trace, s->member->device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		uint32_t process = s->given->trace->places[op.place].process;

		if (!s->meets[process])
			add(s, process, op.start, op.end);
	}
}

static void choose(struct sharing *s)
{
	double most = 0.2;

	for (uint32_t i = 0; s->slow > 0 && i < s->given->trace->n_processes; i++) {
		double share = (double)s->busy[i] / (double)s->slow;
		double other = s->other > 0 ? (double)s->busy_else[i] / (double)s->other : 0;

		if (share < most || share < 2 * other)
			continue;
		most = share;
		s->to->tenant = (struct wl_late_tenant){ i, share };
	}
}

bool wl_late_tenant_find(const struct wl_derived *given, const struct wl_late_suspects *cells,
			 struct wl_arena *arena, struct wl_straggler *straggler)
{
	size_t n = given->trace->n_processes;
	struct wl_arena scratch;
	struct sharing s = { .given = given,
			     .cells = cells,
			     .member = &given->matches->member[straggler->member],
			     .to = straggler };
	bool ok;

	straggler->tenant = (struct wl_late_tenant){ WL_NONE, 0 };
	wl_arena_init_child(&scratch, arena);
	s.busy = WL_NEW(&scratch, wl_ns, n);
	s.busy_else = WL_NEW(&scratch, wl_ns, n);
	s.last = WL_NEW(&scratch, wl_ns, n);
	s.meets = WL_NEW(&scratch, bool, n);
	ok = s.busy && s.busy_else && s.last && s.meets;
	for (size_t i = 0; ok && i < n; i++)
		s.last[i] = INT64_MIN;
	for (size_t i = 0; ok && i < given->matches->n_members; i++)
		s.meets[given->matches->member[i].process] = true;
	if (ok) {
		measure(&s);
		choose(&s);
	}
	wl_arena_release(&scratch);
	return ok;
}
