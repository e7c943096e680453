/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/ranks.h"

#include <string.h>

#include "derive/derived.h"
#include "derive/nvtx/conventions.h"

/* The leading digits of the span as a number; -1 if it begins with something else. */
static int64_t number_in(const char *name, struct wl_regex_span span)
{
	int64_t number = -1;

	for (size_t i = span.begin; i < span.end && name[i] >= '0' && name[i] <= '9'; i++) {
		int64_t digit = name[i] - '0';

		if (number > (INT64_MAX - digit) / 10)
			return INT64_MAX;
		number = (number < 0 ? 0 : number) * 10 + digit;
	}
	return number;
}

/* The first group of the first pattern that matches, as a number; -1 if none does. */
static int64_t rank_in(const struct wl_conventions *c, const char *name)
{
	for (size_t i = 0; i < c->n_rank; i++) {
		struct wl_regex_span whole, group;

		if (wl_regex_find(c->rank[i].regex, name, strlen(name), 0, &whole, &group) == 1 &&
		    number_in(name, group) >= 0)
			return number_in(name, group);
	}
	return -1;
}

static bool by_patterns(const struct wl_derived *d, const struct wl_conventions *c, int64_t *of,
			struct wl_arena *arena)
{
	const struct wl_trace *t = d->trace;
	const struct wl_range_names *names = d->range_names;
	wl_ns *first = WL_NEW(arena, wl_ns, t->n_processes);
	int64_t *by_name = WL_NEW(arena, int64_t, names->n);

	if (!first || !by_name)
		return false;
	for (size_t i = 0; i < t->n_processes; i++)
		first[i] = INT64_MAX;
	/* Match once per distinct name instead of once per range. */
	for (size_t i = 0; i < names->n; i++)
		by_name[i] = names->name[i].text ? rank_in(c, names->name[i].text) : -1;
	for (size_t row = 0; row < t->family[WL_F_NVTX].n; row++) {
		uint32_t name = names->of[row], p = t->threads[wl_nvtx_thread(t)[row]].process;
		wl_ns start = wl_nvtx_start(t)[row];

		/*
		 * The earliest range gives the rank. Of several that start together the lowest rank
		 * counts, so that the order of threads does not matter.
		 */
		if (name == WL_NONE || by_name[name] < 0 || start > first[p] ||
		    (start == first[p] && by_name[name] >= of[p]))
			continue;
		first[p] = start;
		of[p] = by_name[name];
	}
	return true;
}

static bool has_columns(const struct wl_trace *t)
{
	return t->family[WL_F_NVTX].n && wl_nvtx_start(t) && wl_nvtx_thread(t) && wl_nvtx_kind(t) &&
	       wl_nvtx_name(t) && wl_nvtx_domain(t);
}

bool wl_ranks_find(const struct wl_derived *derived, struct wl_arena *arena, struct wl_ranks *ret)
{
	const struct wl_trace *t = derived->trace;
	const struct wl_conventions *c = derived->followed->conventions;
	int64_t *of = WL_NEW(arena, int64_t, t->n_processes);

	if (!of)
		return false;
	for (size_t i = 0; i < t->n_processes; i++)
		of[i] = t->processes[i].rank_source == WL_RANK_NONE ? -1 : t->processes[i].rank;
	ret->of = of;
	return c->n_rank == 0 || !has_columns(t) || by_patterns(derived, c, of, arena);
}

bool wl_ranks_any(const struct wl_ranks *ranks, const struct wl_trace *t)
{
	for (size_t i = 0; i < t->n_processes; i++) {
		if (ranks->of[i] >= 0)
			return true;
	}
	return false;
}
