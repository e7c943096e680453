/* SPDX-License-Identifier: MIT */
#include "derive/derived.h"

/*
 * The macros of derived.def, which is included several times below, each time for a different part
 * of its lines.
 */
#define FROM(set) (set)
#define NOTHING   UINT64_C(0)
#define COLUMNS(...)                                                                               \
	{                                                                                          \
		__VA_ARGS__, WL_N_COLUMNS                                                          \
	}
#define NO_COLUMNS                                                                                 \
	{                                                                                          \
		WL_N_COLUMNS                                                                       \
	}

#define WL_DERIVE(id, name, type, above, columns)                                                  \
	static const enum wl_column_id columns_of_##id[] = columns;
#define WL_SCOPED(id, name, type, above, columns)                                                  \
	static const enum wl_column_id columns_of_##id[] = columns;
#define WL_OVER(id, above, columns) static const enum wl_column_id columns_of_##id[] = columns;
#include "derive/derived.def"

/* A line names only lines above it, so the graph has no cycles and is ordered by line. */
#define WL_DERIVE(id, name, type, above, columns)                                                  \
	static_assert((above) < WL_FROM(id), "derived.def: " #id " stands above what it is from");
#define WL_SCOPED(id, name, type, above, columns)                                                  \
	static_assert((above) < WL_FROM(id), "derived.def: " #id " stands above what it is from");
#define WL_OVER(id, above, columns)                                                                \
	static_assert((above) < WL_FROM(id), "derived.def: " #id " stands above what it is from");
#define WL_LATER(id, above)                                                                        \
	static_assert((above) < WL_FROM(id), "derived.def: " #id " stands above what it asks for");
#include "derive/derived.def"

const struct wl_derivation_info wl_derivation_infos[WL_N_DERIVATIONS] = {
#define WL_DERIVE(id, name, type, above, columns)                                                  \
	[WL_DERIVATION_##id] = { #id, above, columns_of_##id },
#define WL_SCOPED(id, name, type, above, columns)                                                  \
	[WL_DERIVATION_##id] = { #id, above, columns_of_##id },
#define WL_OVER(id, above, columns) [WL_DERIVATION_##id] = { #id, above, columns_of_##id },
#include "derive/derived.def"
};

/* The sources of a line are above it, so one pass from the last line to the first is enough. */
uint64_t wl_from_closure(uint64_t from)
{
	for (size_t i = WL_N_DERIVATIONS; i-- > 0;) {
		if (from >> i & 1)
			from |= wl_derivation_infos[i].from;
	}
	return from;
}

/* What each asks for later; empty for most. */
static const uint64_t later_of[WL_N_DERIVATIONS] = {
#define WL_LATER(id, above) [WL_DERIVATION_##id] = (above),
#include "derive/derived.def"
};

uint64_t wl_from_reach(uint64_t from)
{
	for (size_t i = WL_N_DERIVATIONS; i-- > 0;) {
		if (from >> i & 1)
			from |= wl_derivation_infos[i].from | later_of[i];
	}
	return from;
}

uint64_t wl_from_later(uint64_t from)
{
	uint64_t later = 0;

	for (size_t i = 0; i < WL_N_DERIVATIONS; i++)
		later |= from >> i & 1 ? later_of[i] : 0;
	return wl_from_reach(later);
}

void wl_want(struct wl_wanted *wanted, uint64_t from, const enum wl_column_id *columns)
{
	wanted->from |= from;
	for (; columns && *columns != WL_N_COLUMNS; columns++)
		wl_columns_add(&wanted->columns, *columns);
}

void wl_want_also(struct wl_wanted *wanted, const struct wl_wanted *other)
{
	wanted->from |= other->from;
	wl_columns_join(&wanted->columns, &other->columns);
}

struct wl_columns wl_wanted_columns(const struct wl_wanted *wanted)
{
	struct wl_wanted all = *wanted;
	uint64_t from = wl_from_reach(wanted->from);

	for (size_t i = 0; i < WL_N_DERIVATIONS; i++) {
		if (from >> i & 1)
			wl_want(&all, 0, wl_derivation_infos[i].columns);
	}
	return all.columns;
}

struct wl_derived wl_derived_only(const struct wl_derived *view, uint64_t from)
{
	uint64_t all = wl_from_closure(from);
	struct wl_derived only = { .trace = view->trace,
				   .opts = view->opts,
				   .later = view->later,
				   .may = view->may & wl_from_later(all) };

#define WL_DERIVE(id, name, type, above, columns) only.name = all & WL_FROM(id) ? view->name : NULL;
#define WL_SCOPED(id, name, type, above, columns) only.name = all & WL_FROM(id) ? view->name : NULL;
#include "derive/derived.def"
	return only;
}

static bool has_all(const struct wl_derived *view, uint64_t set)
{
	uint64_t has = 0;

#define WL_DERIVE(id, name, type, above, columns) has |= view->name ? WL_FROM(id) : 0;
#include "derive/derived.def"
	return (set & ~has) == 0;
}

const struct wl_derived *wl_derived_with(const struct wl_derived *view, uint64_t set,
					 struct wl_arena *arena)
{
	struct wl_derived *with, found;

	if (has_all(view, set))
		return view;
	assert(view->later && (set & ~view->may) == 0);
	with = WL_NEW(arena, struct wl_derived, 1);
	if (!with || !view->later->find(view->later->ctx, set, view->opts.pool, &found))
		return NULL;
	*with = *view;
#define WL_DERIVE(id, name, type, above, columns)                                                  \
	if (set & WL_FROM(id))                                                                     \
		with->name = found.name;
#include "derive/derived.def"
	return with;
}
