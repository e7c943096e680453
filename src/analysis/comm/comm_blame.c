/* SPDX-License-Identifier: MIT */
#include "analysis/comm/comm_blame.h"

#include <inttypes.h>
#include <stdio.h>

#include "derive/comm/clocks/host_clocks.h"
#include "derive/comm/match/arrivals.h"

enum { TWENTIETH = 20, HUNDREDTH = 100 };

/* Sums over the matches of a group that count. */
struct sums {
	wl_ns *late;   /* by member: how much later than the median member */
	wl_ns all;     /* wait time of all members */
	wl_ns caused;  /* of all: wait time of the others in matches where a late member is last */
	wl_ns between; /* in those matches, from the last of the others to the last of all */
	int64_t n;     /* such matches */
};

struct blaming {
	const struct wl_comm_rows *r;
	const struct wl_matches *m;
	struct wl_arrivals arrivals;
	struct sums *sums;           /* by group */
	struct wl_comm_blame *blame; /* the same */
};

/* The position of a member in a group. */
static size_t place_of(const struct wl_comm_group *g, uint32_t member)
{
	size_t lo = 0, hi = g->n;

	while (lo + 1 < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (g->member[mid] <= member)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* Whether some operation of the match is in the scope. */
static bool counts(const struct blaming *b, size_t match)
{
	wl_ns start, end;

	/* Each message has one sender: note_sender() ranks those. */
	if (b->m->set[b->m->at[match].set].by_message)
		return false;
	for (uint32_t i = b->arrivals.first[match]; i < b->arrivals.first[match + 1]; i++) {
		if (wl_comm_admits(b->r, &b->m->queues.op[b->arrivals.op[i]], &start, &end))
			return true;
	}
	return false;
}

static void add_lateness(struct blaming *b, size_t match)
{
	uint32_t group = b->m->set[b->m->at[match].set].group;
	struct sums *s = &b->sums[group];

	s->all = wl_add_up(s->all, b->m->at[match].caused);
	for (uint32_t i = b->arrivals.first[match]; i < b->arrivals.first[match + 1]; i++) {
		uint32_t op = b->arrivals.op[i];
		size_t at =
			place_of(&b->m->group[group], b->m->member_of[b->m->queues.op[op].queue]);

		s->late[at] = wl_add_up(s->late[at], wl_arrival_lateness(b->m, &b->arrivals, op));
	}
}

static wl_ns hundredth(const struct blaming *b, uint32_t group)
{
	uint32_t first = b->m->group[group].member[0];
	const struct wl_interval *window = &b->r->run->scope->device[b->m->member[first].device];

	return (window->end - window->begin) / HUNDREDTH;
}

static void choose(struct blaming *b, uint32_t group, bool *is_late)
{
	const struct sums *s = &b->sums[group];
	wl_ns most = 0, least = hundredth(b, group);
	size_t n = 0;

	for (size_t i = 0; i < b->m->group[group].n; i++)
		most = s->late[i] > most ? s->late[i] : most;
	/*
	 * Two GPUs that are 1.3 and 1.1 times as slow as the others are both late. A rule that asks
	 * for more than half of the waiting names only the first, and neither of two equally slow
	 * ones. The latest member counts regardless of the window; is_enough() decides.
	 */
	least = most / TWENTIETH > least ? most / TWENTIETH : least;
	for (size_t i = 0; most > 0 && i < b->m->group[group].n; i++)
		n += is_late[i] = s->late[i] >= least || s->late[i] == most;
	b->blame[group] = (struct wl_comm_blame){ .is_late = is_late, .n = n };
}

/* Add the wait time of members that are not late, if a late member comes last. */
static void add_waits(struct blaming *b, size_t match)
{
	const struct wl_match *at = &b->m->at[match];
	uint32_t group = b->m->set[at->set].group;
	const struct wl_comm_blame *blame = &b->blame[group];
	struct sums *s = &b->sums[group];
	/* From the last on-time member to the last of all. */
	wl_ns between = INT64_MAX;

	if (blame->n == 0 || !blame->is_late[at->last])
		return;
	for (uint32_t i = b->arrivals.first[match]; i < b->arrivals.first[match + 1]; i++) {
		const struct wl_comm_op *op = &b->m->queues.op[b->arrivals.op[i]];

		if (blame->is_late[place_of(&b->m->group[group], b->m->member_of[op->queue])])
			continue;
		s->caused = wl_add_up(s->caused, op->late);
		between = op->late < between ? op->late : between;
	}
	if (between == INT64_MAX)
		return;
	s->between = wl_add_up(s->between, between);
	s->n++;
}

/* Late members may also wait for each other, which is not part of the others' waiting. */
static bool is_enough(const struct blaming *b, uint32_t group)
{
	const struct sums *s = &b->sums[group];

	return s->n && s->caused > s->all / 2 && s->between > 0 &&
	       s->between >= hundredth(b, group) &&
	       s->between / s->n > b->r->run->derived->host_clocks->error;
}

static bool make_room(struct blaming *b, bool **ret_late)
{
	struct wl_arena *arena = b->r->run->arena;
	size_t n = 0, at = 0;
	wl_ns *late;

	for (size_t i = 0; i < b->m->n_groups; i++)
		n += b->m->group[i].n;
	late = WL_NEW(arena, wl_ns, n);
	*ret_late = WL_NEW(arena, bool, n);
	b->sums = WL_NEW(arena, struct sums, b->m->n_groups);
	b->blame = WL_NEW(arena, struct wl_comm_blame, b->m->n_groups);
	if (!late || !*ret_late || !b->sums || !b->blame)
		return false;
	for (size_t i = 0; i < b->m->n_groups; at += b->m->group[i].n, i++)
		b->sums[i].late = late + at;
	return true;
}

const struct wl_comm_blame *wl_comm_blame_find(const struct wl_comm_rows *r)
{
	struct blaming b = { .r = r, .m = r->matches };
	bool *counted = WL_NEW(r->run->arena, bool, b.m->n), *late;
	size_t at = 0;

	if (!counted || !make_room(&b, &late) || !wl_arrivals_find(b.m, r->run->arena, &b.arrivals))
		return NULL;
	for (size_t i = 0; i < b.m->n; i++) {
		counted[i] = counts(&b, i);
		if (counted[i])
			add_lateness(&b, i);
	}
	for (uint32_t i = 0; i < b.m->n_groups; at += b.m->group[i].n, i++)
		choose(&b, i, late + at);
	for (size_t i = 0; i < b.m->n; i++) {
		if (counted[i])
			add_waits(&b, i);
	}
	for (uint32_t i = 0; i < b.m->n_groups; i++) {
		if (is_enough(&b, i))
			b.blame[i].caused = b.sums[i].caused;
		else
			b.blame[i].n = 0;
	}
	return b.blame;
}

/* Whether all members of the group have a rank. */
static bool has_ranks(const struct wl_comm_rows *r, const struct wl_comm_group *g)
{
	for (size_t i = 0; i < g->n; i++) {
		if (r->ranks->of[r->matches->member[g->member[i]].process] < 0)
			return false;
	}
	return true;
}

const char *wl_comm_blame_say(const struct wl_comm_rows *r, uint32_t group,
			      const struct wl_comm_blame *blame)
{
	enum { MOST = 8, SIZE = 320 };
	const struct wl_comm_group *g = &r->matches->group[group];
	bool by_rank = has_ranks(r, g);
	char text[SIZE];
	size_t n = 0, at;

	at = (size_t)snprintf(text, SIZE, "%s%s ", by_rank ? "rank" : "GPU",
			      blame->n > 1 ? "s" : "");
	for (size_t i = 0; i < g->n; i++) {
		const struct wl_member *m = &r->matches->member[g->member[i]];

		if (!blame->is_late[i] || n++ >= MOST)
			continue;
		at += (size_t)snprintf(text + at, SIZE - at, "%s%" PRId64,
				       n == 1          ? ""
				       : blame->n == 2 ? " and "
						       : ", ",
				       by_rank ? r->ranks->of[m->process] : (int64_t)m->device);
		if (by_rank && blame->n == 1)
			at += (size_t)snprintf(text + at, SIZE - at, " (GPU %" PRIu32 ")",
					       m->device);
	}
	if (n > MOST)
		(void)snprintf(text + at, SIZE - at, " and %zu more", n - MOST);
	return wl_arena_strdup(r->run->arena, text);
}
