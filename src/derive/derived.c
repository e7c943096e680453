/* SPDX-License-Identifier: MIT */
#include "derive/derived.h"

/*
 * The words of derived.def, which is included several times below, each time for another part
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

/* A line names only lines above it, so the graph has no circles and its order is that of lines. */
#define WL_DERIVE(id, name, type, above, columns)                                                  \
	static_assert((above) < WL_FROM(id), "derived.def: " #id " stands above what it is from");
#define WL_SCOPED(id, name, type, above, columns)                                                  \
	static_assert((above) < WL_FROM(id), "derived.def: " #id " stands above what it is from");
#define WL_OVER(id, above, columns)                                                                \
	static_assert((above) < WL_FROM(id), "derived.def: " #id " stands above what it is from");
#include "derive/derived.def"

const struct wl_derivation_info wl_derivation_infos[WL_N_DERIVATIONS] = {
#define WL_DERIVE(id, name, type, above, columns)                                                  \
	[WL_DERIVATION_##id] = { #id, above, columns_of_##id },
#define WL_SCOPED(id, name, type, above, columns)                                                  \
	[WL_DERIVATION_##id] = { #id, above, columns_of_##id },
#define WL_OVER(id, above, columns) [WL_DERIVATION_##id] = { #id, above, columns_of_##id },
#include "derive/derived.def"
};

/* What a line is from stands above it: one pass from the last line to the first is enough. */
uint64_t wl_from_closure(uint64_t from)
{
	for (size_t i = WL_N_DERIVATIONS; i-- > 0;) {
		if (from >> i & 1)
			from |= wl_derivation_infos[i].from;
	}
	return from;
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
	uint64_t from = wl_from_closure(wanted->from);

	for (size_t i = 0; i < WL_N_DERIVATIONS; i++) {
		if (from >> i & 1)
			wl_want(&all, 0, wl_derivation_infos[i].columns);
	}
	return all.columns;
}

struct wl_derived wl_derived_only(const struct wl_derived *view, uint64_t from)
{
	struct wl_derived only = { .trace = view->trace, .opts = view->opts };
	uint64_t all = wl_from_closure(from);

#define WL_DERIVE(id, name, type, above, columns) only.name = all & WL_FROM(id) ? view->name : NULL;
#define WL_SCOPED(id, name, type, above, columns) only.name = all & WL_FROM(id) ? view->name : NULL;
#include "derive/derived.def"
	return only;
}
