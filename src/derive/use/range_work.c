/* SPDX-License-Identifier: MIT */
/*
 * An operation is added to the innermost range around its launch, and passed up once all are added,
 * by walking the nodes backwards. Ranges that cross the innermost one are not above it: what they
 * own is kept separately and not passed on, since every range around the call gets it directly.
 */
#include "derive/use/range_work.h"

#include "derive/calls/launch.h"
#include "derive/derived.h"
#include "derive/rows/ops.h"

static const struct wl_range_work nothing = { .first = INT64_MAX, .last = INT64_MIN };

static void merge(struct wl_range_work *w, const struct wl_range_work *more)
{
	w->first = more->first < w->first ? more->first : w->first;
	w->last = more->last > w->last ? more->last : w->last;
	w->ops += more->ops;
	w->launches += more->launches;
}

static struct wl_range_work *make(size_t n, struct wl_arena *arena)
{
	struct wl_range_work *ret = WL_NEW(arena, struct wl_range_work, n + 1);

	for (size_t i = 0; ret && i < n; i++)
		ret[i] = nothing;
	return ret;
}

bool wl_range_works_begin(const struct wl_trace *trace, const struct wl_forest *forest,
			  struct wl_arena *arena, struct wl_range_works *ret)
{
	*ret = (struct wl_range_works){ .trace = trace, .forest = forest };
	ret->node = make(forest->n, arena);
	ret->crossed = make(forest->n, arena);
	ret->span = make(forest->n_spans, arena);
	ret->launched = WL_NEW(arena, bool, trace->family[WL_F_API].n + 1);
	return ret->node && ret->crossed && ret->span && ret->launched &&
	       wl_spans_find(trace, forest, arena, &ret->spans);
}

/* Add to the nodes around the call, innermost first; nodes above the innermost get it later. */
static void add_around(struct wl_range_works *works, uint32_t call, wl_ns until,
		       const struct wl_range_work *more)
{
	const struct wl_forest *f = works->forest;
	uint32_t i = f->of_call[call], above;
	unsigned n = 1;

	if (i == WL_NONE)
		return;
	merge(&works->node[i], more);
	if (!f->crosses[wl_api_thread(works->trace)[call]])
		return;
	above = f->parent[i];
	while ((i = wl_forest_around_next(f, i, until)) != WL_NONE && n++ < WL_MAX_AROUND) {
		if (i == above)
			above = f->parent[i];
		else
			merge(&works->crossed[i], more);
	}
}

void wl_range_works_add(struct wl_range_works *works, uint32_t call, wl_ns start, wl_ns end)
{
	const struct wl_trace *t = works->trace;
	const struct wl_spans *s = &works->spans;
	struct wl_range_work more = { start, end, 1, !works->launched[call] };
	wl_ns from = wl_api_start(t)[call];
	wl_ns until = from + wl_dur(&t->family[WL_F_API], wl_api_dur(t), call);
	unsigned n = 0;
	uint32_t i;

	works->launched[call] = true;
	add_around(works, call, until, &more);
	if (s->n == 0)
		return;
	i = wl_spans_around(s, wl_api_thread(t)[call], from, until);
	for (; i != WL_NONE && n++ < WL_MAX_AROUND; i = wl_spans_next(s, i, until))
		merge(&works->span[s->index[i]], &more);
}

void wl_range_works_end(struct wl_range_works *works)
{
	const struct wl_forest *f = works->forest;

	/* Parents have smaller numbers, so a node is complete when it is reached. */
	for (size_t i = f->n; i-- > 0;) {
		if (f->parent[i] != WL_NONE)
			merge(&works->node[f->parent[i]], &works->node[i]);
	}
	for (size_t i = 0; i < f->n; i++)
		merge(&works->node[i], &works->crossed[i]);
}

bool wl_range_works_find(const struct wl_derived *derived, const struct wl_scope *scope,
			 struct wl_arena *arena, struct wl_range_works *ret)
{
	const struct wl_trace *t = derived->trace;

	if (!wl_range_works_begin(t, derived->forest, arena, ret))
		return false;
	for (uint32_t i = 0; i < t->n_devices; i++) {
		struct wl_op_cursor cursor;
		struct wl_op op;

		wl_ops_begin(t, i, &cursor);
		while (wl_ops_next(&cursor, &op)) {
			uint32_t call = wl_link_of(derived->links, op.kind, op.row);

			if (call != WL_NONE && scope->place_on[op.place] &&
			    wl_clip(scope, scope->device[i], &op.start, &op.end))
				wl_range_works_add(ret, call, op.start, op.end);
		}
	}
	wl_range_works_end(ret);
	return true;
}
