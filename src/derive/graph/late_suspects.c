/* SPDX-License-Identifier: MIT */
#include "derive/graph/late_suspects.h"

#include "derive/comm/host_clocks.h"
#include "derive/comm/matches.h"
#include "derive/derived.h"
#include "derive/rows/stats.h"

struct search {
	const struct wl_derived *given;
	struct wl_arena *arena;
	uint32_t *part;             /* by process: another one of its part, or itself */
	struct wl_interval *extent; /* by part */
};

/* Waits of what cannot be matched may be anybody's: no verdict where that is a fifth. */
static bool is_matched_enough(const struct wl_matches *m)
{
	double all = 0, matched = 0;

	for (size_t i = 0; i < m->queues.n_ops; i++) {
		all += (double)m->queues.op[i].dur;
		matched += m->queues.op[i].match != WL_NONE ? (double)m->queues.op[i].dur : 0;
	}
	return all - matched <= all / 5;
}

static uint32_t part_of(const struct search *s, uint32_t process)
{
	while (s->part[process] != process)
		process = s->part[process] = s->part[s->part[process]];
	return process;
}

static uint32_t process_of(const struct search *s, uint32_t member)
{
	return s->given->matches->member[member].process;
}

/* Processes that meet in a group are of one part. */
static void join_groups(const struct search *s)
{
	const struct wl_matches *m = s->given->matches;

	for (size_t i = 0; i < m->n_groups; i++) {
		for (size_t k = 1; k < m->group[i].n; k++)
			s->part[part_of(s, process_of(s, m->group[i].member[k]))] =
				part_of(s, process_of(s, m->group[i].member[0]));
	}
}

static bool make_parts(struct search *s, const struct wl_interval *extent)
{
	size_t n = s->given->trace->n_processes;

	s->part = WL_NEW(s->arena, uint32_t, n);
	s->extent = WL_NEW(s->arena, struct wl_interval, n);
	if (!s->part || !s->extent)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		s->part[i] = i;
		s->extent[i] = (struct wl_interval){ INT64_MAX, INT64_MIN };
	}
	join_groups(s);
	for (uint32_t i = 0; i < n; i++) {
		struct wl_interval *of = &s->extent[part_of(s, i)];

		of->begin = extent[i].begin < of->begin ? extent[i].begin : of->begin;
		of->end = extent[i].end > of->end ? extent[i].end : of->end;
	}
	for (uint32_t i = 0; i < n; i++)
		s->part[i] = part_of(s, i);
	return true;
}

/* How long a member of a group was late alone, and how often it was the last. */
struct lateness {
	wl_ns alone;
	size_t n_last;
};

/* By group and position in it. */
static bool add_up_alone(const struct wl_matches *m, struct wl_arena *scratch, size_t **ret_begin,
			 struct lateness **ret)
{
	size_t n = 0, *begin = WL_NEW(scratch, size_t, m->n_groups);
	struct lateness *late;

	for (size_t i = 0; begin && i < m->n_groups; n += m->group[i].n, i++)
		begin[i] = n;
	late = WL_NEW(scratch, struct lateness, n);
	if (!begin || !late)
		return false;
	for (size_t i = 0; i < m->n; i++) {
		struct lateness *of = &late[begin[m->set[m->at[i].set].group] + m->at[i].last];

		of->alone = wl_add_up(of->alone, m->at[i].alone);
		of->n_last++;
	}
	*ret_begin = begin;
	*ret = late;
	return true;
}

/* What the error of the clocks can make of arrivals at one moment is no lateness. */
static bool is_beyond_clocks(const struct wl_host_clocks *clocks, const struct lateness *late)
{
	return (double)late->alone > (double)late->n_last * (double)clocks->error;
}

/* Keep the suspects that are late most, each member once. */
static void keep(struct wl_late_suspects *to, const struct wl_late_suspect *s)
{
	size_t at = to->n;

	for (size_t i = 0; i < to->n; i++)
		at = to->at[i].member == s->member ? i : at;
	if (at < to->n && to->at[at].alone >= s->alone)
		return;
	if (at == to->n && to->n == WL_MOST_SUSPECTS) {
		at = to->n - 1;
		if (to->at[at].alone >= s->alone)
			return;
	}
	to->n += at == to->n;
	for (; at > 0 && to->at[at - 1].alone < s->alone; at--)
		to->at[at] = to->at[at - 1];
	to->at[at] = *s;
}

static void suspect(const struct search *s, uint32_t group, uint32_t member,
		    const struct lateness *late, struct wl_late_suspects *to)
{
	const struct wl_interval *e = &s->extent[s->part[process_of(s, member)]];
	const struct wl_late_suspect found = { .member = member,
					       .group = group,
					       .alone = late->alone,
					       .makespan = e->end - e->begin };

	if (is_beyond_clocks(s->given->host_clocks, late) && found.alone >= found.makespan / 100)
		keep(to, &found);
}

static bool find(struct search *s, struct wl_late_suspects *to)
{
	const struct wl_matches *m = s->given->matches;
	size_t *begin = NULL;
	struct lateness *late = NULL;

	if (!add_up_alone(m, s->arena, &begin, &late))
		return false;
	for (uint32_t i = 0; i < m->n_groups; i++) {
		for (size_t k = 0; k < m->group[i].n; k++)
			suspect(s, i, m->group[i].member[k], &late[begin[i] + k], to);
	}
	to->part = s->part;
	return true;
}

bool wl_late_suspects_find(const struct wl_derived *given, const struct wl_interval *extent,
			   struct wl_arena *arena, struct wl_late_suspects *ret)
{
	struct search s = { .given = given, .arena = arena };

	*ret = (struct wl_late_suspects){ .is_refused = !is_matched_enough(given->matches),
					  .no_clock = given->host_clocks->is_refused };
	if (ret->is_refused || ret->no_clock || given->matches->n == 0)
		return true;
	return make_parts(&s, extent) && find(&s, ret);
}
