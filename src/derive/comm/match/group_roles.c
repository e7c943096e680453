/* SPDX-License-Identifier: MIT */
#include "derive/comm/match/group_roles.h"

const char *wl_group_role_name(enum wl_group_role role)
{
	static const char *const name[] = { "", "TP", "DP", "PP" };

	return name[role];
}

/* Where members are: by member its host, and its place among the members there. */
struct layout {
	const struct wl_matches *m;
	uint32_t *host, *place;
};

static bool lay_out(const struct wl_matches *m, const struct wl_hosts *hosts,
		    struct wl_arena *arena, struct layout *ret)
{
	uint32_t *n = WL_NEW(arena, uint32_t, hosts->n);

	*ret = (struct layout){ m, WL_NEW(arena, uint32_t, m->n_members),
				WL_NEW(arena, uint32_t, m->n_members) };
	for (size_t i = 0; n && ret->host && ret->place && i < m->n_members; i++) {
		ret->host[i] = hosts->of[m->member[i].process];
		ret->place[i] = n[ret->host[i]]++;
	}
	return n && ret->host && ret->place;
}

/* By group: whether it meets in something else than SendRecv, and in SendRecv. */
struct meets {
	bool collectives, pairs;
};

static struct meets *find_meets(const struct wl_matches *m, struct wl_arena *arena)
{
	struct meets *meets = WL_NEW(arena, struct meets, m->n_groups);

	for (size_t i = 0; meets && i < m->n_sets; i++) {
		const struct wl_match_set *set = &m->set[i];
		struct meets *of = &meets[set->group];

		if (set->by_message)
			continue;
		if (m->queues.queue[set->queue[0]].type == WL_SEND_RECV)
			of->pairs = true;
		else
			of->collectives = true;
	}
	return meets;
}

static bool is_on_one_host(const struct layout *l, const struct wl_comm_group *g)
{
	for (size_t i = 1; i < g->n; i++) {
		if (l->host[g->member[i]] != l->host[g->member[0]])
			return false;
	}
	return true;
}

/* The distance of members on one host, if it is one; 0. */
static uint32_t distance_of(const struct layout *l, const struct wl_comm_group *g)
{
	uint32_t by = l->place[g->member[1]] - l->place[g->member[0]];

	for (size_t i = 1; i < g->n; i++) {
		if (l->place[g->member[i]] - l->place[g->member[i - 1]] != by)
			return 0;
	}
	return by;
}

/* Each member is on a host of its own, at the same place there. Members are in order of hosts. */
static bool is_over_hosts(const struct layout *l, const struct wl_comm_group *g)
{
	for (size_t i = 1; i < g->n; i++) {
		if (l->host[g->member[i]] == l->host[g->member[i - 1]] ||
		    l->place[g->member[i]] != l->place[g->member[0]])
			return false;
	}
	return true;
}

static enum wl_group_role role_of(const struct layout *l, const struct wl_comm_group *g,
				  const struct meets *meets)
{
	if (!meets->collectives)
		return meets->pairs && g->n == 2 ? WL_GROUP_PP : WL_GROUP_ANY;
	if (g->n == l->m->n_members)
		return WL_GROUP_ANY;
	if (!is_on_one_host(l, g))
		return is_over_hosts(l, g) ? WL_GROUP_DP : WL_GROUP_ANY;
	switch (distance_of(l, g)) {
	case 0:
		return WL_GROUP_ANY;
	case 1:
		return WL_GROUP_TP;
	default:
		return WL_GROUP_DP;
	}
}

/* Small groups are inside larger ones of neighbours, which are something else. */
static void drop_larger(const struct wl_matches *m, enum wl_group_role *role)
{
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < m->n_groups; i++)
		least = role[i] == WL_GROUP_TP && m->group[i].n < least ? m->group[i].n : least;
	for (size_t i = 0; i < m->n_groups; i++) {
		if (role[i] == WL_GROUP_TP && m->group[i].n > least)
			role[i] = WL_GROUP_ANY;
	}
}

/* One group of a kind is no pattern. */
static void drop_single(enum wl_group_role *role, size_t n)
{
	size_t count[WL_N_GROUP_ROLES] = { 0 };

	for (size_t i = 0; i < n; i++)
		count[role[i]]++;
	for (size_t i = 0; i < n; i++) {
		if (count[role[i]] < 2)
			role[i] = WL_GROUP_ANY;
	}
}

const enum wl_group_role *wl_group_roles_find(const struct wl_matches *m,
					      const struct wl_hosts *hosts, struct wl_arena *arena)
{
	enum wl_group_role *role = WL_NEW(arena, enum wl_group_role, m->n_groups);
	const struct meets *meets = find_meets(m, arena);
	struct layout l;

	if (!role || !meets || !lay_out(m, hosts, arena, &l))
		return NULL;
	for (size_t i = 0; i < m->n_groups; i++)
		role[i] = role_of(&l, &m->group[i], &meets[i]);
	drop_larger(m, role);
	drop_single(role, m->n_groups);
	return role;
}
