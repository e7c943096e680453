/* SPDX-License-Identifier: MIT */
#include "sql/funcs/span_set.h"

#include <stdlib.h>

#include "base/memory/compare.h"
#include "base/memory/sort.h"

/* Only this very text makes a pointer readable: no other extension can forge a set. */
static const char type[] = "warplens.intervals";

void wl_span_set_unref(void *ptr)
{
	struct wl_span_set *set = ptr;

	if (!set || --set->n_refs > 0)
		return;
	wl_vec_release(&set->list);
	wl_arena_release(&set->arena);
	free(set);
}

struct wl_span_set *wl_span_set_ref(struct wl_span_set *set)
{
	set->n_refs++;
	return set;
}

struct wl_span_set *wl_span_set_of(sqlite3_value *value)
{
	return sqlite3_value_pointer(value, type);
}

void wl_span_set_result(sqlite3_context *to, struct wl_span_set *set)
{
	if (set)
		sqlite3_result_pointer(to, set, type, wl_span_set_unref);
	else
		sqlite3_result_error_nomem(to);
}

WL_LESS_BY(begins_before, wl_interval, begin)

/* Drop what is empty; true when the rest is in order of begin. */
static bool tidy(struct wl_vec *list)
{
	struct wl_interval *at = list->data;
	size_t n = 0;
	bool in_order = true;

	for (size_t i = 0; i < list->n; i++) {
		if (at[i].begin >= at[i].end)
			continue;
		in_order = in_order && (n == 0 || at[n - 1].begin <= at[i].begin);
		at[n++] = at[i];
	}
	list->n = n;
	return in_order;
}

static bool sort(struct wl_vec *list)
{
	struct wl_vec sorted;
	struct wl_interval *to = NULL;
	struct wl_arena scratch;
	uint32_t *order;

	if (tidy(list))
		return true;
	if (list->n >= UINT32_MAX)
		return false;
	wl_vec_init(&sorted, sizeof(struct wl_interval), list->budget);
	wl_arena_init_on(&scratch, list->budget);
	order = WL_NEW(&scratch, uint32_t, 2 * list->n);
	if (order)
		to = wl_vec_extend(&sorted, list->n);
	if (to) {
		const struct wl_interval *from = list->data;

		wl_sort_all(order, list->n, begins_before, from);
		for (size_t i = 0; i < list->n; i++)
			to[i] = from[order[i]];
		wl_vec_replace(list, &sorted);
	}
	wl_arena_release(&scratch);
	if (!to)
		wl_vec_release(&sorted);
	return to != NULL;
}

struct wl_span_set *wl_span_set_new(struct wl_vec *list)
{
	struct wl_span_set *set = list->failed ? NULL : calloc(1, sizeof(*set));

	if (!set) {
		wl_vec_release(list);
		return NULL;
	}
	set->n_refs = 1;
	set->list = *list;
	*list = (struct wl_vec){ 0 };
	wl_arena_init_on(&set->arena, set->list.budget);
	if (!sort(&set->list) ||
	    !wl_intervals_union(set->list.data, set->list.n, &set->arena, &set->join)) {
		wl_span_set_unref(set);
		return NULL;
	}
	wl_vec_trim(&set->list);
	return set;
}

static bool append(struct wl_vec *list, const struct wl_intervals *set)
{
	struct wl_interval *to;

	if (set->n == 0)
		return true;
	to = wl_vec_extend(list, set->n);
	for (size_t i = 0; to && i < set->n; i++)
		to[i] = set->at[i];
	return to != NULL;
}

struct wl_span_set *wl_span_set_combine(const struct wl_span_set *a, const struct wl_span_set *b,
					enum wl_span_op op)
{
	struct wl_intervals result = { 0, NULL, NULL };
	struct wl_arena scratch;
	struct wl_vec list;
	bool ok;

	wl_vec_init(&list, sizeof(struct wl_interval), a->list.budget);
	wl_arena_init_on(&scratch, a->list.budget);
	if (op == WL_SPAN_UNION)
		ok = append(&list, &a->join) && append(&list, &b->join);
	else if (op == WL_SPAN_INTERSECT)
		ok = wl_intervals_intersect(&a->join, &b->join, &scratch, &result);
	else
		ok = wl_intervals_subtract(&a->join, &b->join, &scratch, &result);
	ok = ok && append(&list, &result);
	wl_arena_release(&scratch);
	if (!ok) {
		wl_vec_release(&list);
		return NULL;
	}
	return wl_span_set_new(&list);
}
