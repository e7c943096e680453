/* SPDX-License-Identifier: MIT */
#include "analysis/gpu/metric_parts.h"

#include "base/memory/vec.h"
#include "derive/iters/iter_pieces.h"
#include "derive/kinds/category_times.h"
#include "derive/kinds/intervals.h"
#include "derive/rows/ops.h"
#include "derive/rows/streams.h"
#include "derive/use/range_spans.h"

void wl_metric_parts_want(enum wl_metric_by by, struct wl_wanted *wanted)
{
	static const enum wl_column_id ops[] = { WL_OP_STARTS, WL_MEMCPYS_KIND, WL_N_COLUMNS };

	switch (by) {
	case WL_METRIC_BY_METRIC:
		break;
	case WL_METRIC_BY_STEP:
		wl_want(wanted, WL_FROM(ITERATIONS), NULL);
		break;
	case WL_METRIC_BY_CATEGORY:
		wl_want(wanted, WL_FROM(NAMED), ops);
		break;
	case WL_METRIC_BY_RANGE:
		wl_want(wanted, WL_FROM(RANGE_USES), NULL);
		break;
	}
}

static void put(struct wl_vec *parts, const char *name, const struct wl_interval *at, size_t n)
{
	if (n)
		wl_vec_push(parts, &(struct wl_metric_part){ name, WL_NONE, WL_NONE, at, n });
}

static void put_whole(const struct wl_run *r, uint32_t device, struct wl_vec *parts)
{
	const struct wl_interval *window = &r->scope->device[device];

	put(parts, NULL, window, window->begin < window->end);
}

/* ---- Steps ---- */

/* The pieces outside all steps form one part, which comes last. */
static bool cut_steps(const struct wl_run *r, uint32_t device, uint32_t process,
		      struct wl_vec *parts)
{
	struct wl_iter_pieces p;
	struct wl_interval *rest;
	size_t n_rest = 0;

	if (!wl_iter_cut(&r->derived->iterations->process[process], r->scope->device[device],
			 r->arena, &p))
		return false;
	rest = WL_NEW(r->arena, struct wl_interval, p.n + 1);
	for (size_t i = 0; rest && i < p.n; i++) {
		if (p.iter[i] == WL_NONE)
			rest[n_rest++] = p.at[i];
		else
			wl_vec_push(parts, &(struct wl_metric_part){ NULL, process, p.iter[i],
								     &p.at[i], 1 });
	}
	if (rest && n_rest)
		wl_vec_push(parts,
			    &(struct wl_metric_part){ NULL, process, WL_NONE, rest, n_rest });
	return rest != NULL;
}

/* Streams are ordered by device and process: each such pair comes once. */
static bool put_steps(const struct wl_run *r, uint32_t device, struct wl_vec *parts)
{
	const struct wl_trace *t = r->trace;
	uint32_t last = WL_NONE;
	struct wl_streams streams;
	bool ok = wl_streams_find(t, r->arena, &streams);

	for (size_t i = ok ? wl_streams_from_device(t, &streams, device) : 0; ok && i < streams.n;
	     i++) {
		const struct wl_place *p = &t->places[streams.place[i]];

		if (p->device != device)
			break;
		if (p->process == last || !r->scope->place_on[streams.place[i]])
			continue;
		last = p->process;
		if (r->derived->iterations->process[last].n)
			ok = cut_steps(r, device, last, parts);
	}
	/* If no process of the device has steps, its whole window is outside of steps. */
	if (ok && parts->n == 0)
		put_whole(r, device, parts);
	return ok;
}

/* ---- Categories ---- */

static bool put_idle(const struct wl_run *r, uint32_t device, struct wl_vec *parts)
{
	struct wl_intervals window, busy, idle;

	if (!wl_intervals_union(&r->scope->device[device], 1, r->arena, &window) ||
	    !wl_intervals_of_device(r->trace, r->scope, device, r->arena, &busy) ||
	    !wl_intervals_subtract(&window, &busy, r->arena, &idle))
		return false;
	put(parts, "(idle)", idle.at, idle.n);
	return true;
}

/* Gathers the operations of each category, in order of start. */
static bool gather_ops(const struct wl_run *r, uint32_t device, const struct wl_category_map *map,
		       struct wl_vec *lists)
{
	struct wl_op_cursor cursor;
	struct wl_op op;

	wl_ops_begin(r->trace, device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		struct wl_vec *list = &lists[wl_category_of_op(r->trace, map, op.kind, op.row)];

		if (!r->scope->place_on[op.place] ||
		    !wl_clip(r->scope, r->scope->device[device], &op.start, &op.end))
			continue;
		wl_vec_push(list, &(struct wl_interval){ op.start, op.end });
		if (list->failed)
			return false;
	}
	return true;
}

static bool put_gathered(const struct wl_run *r, uint32_t device,
			 const struct wl_category_rules *rules, const struct wl_category_map *map,
			 struct wl_vec *parts)
{
	struct wl_vec lists[WL_MAX_CATEGORIES];
	bool ok;

	for (size_t c = 0; c < rules->n; c++)
		wl_vec_init(&lists[c], sizeof(struct wl_interval), wl_arena_budget(r->arena));
	ok = gather_ops(r, device, map, lists);
	for (size_t c = 0; ok && c < rules->n; c++) {
		struct wl_intervals set;

		ok = wl_intervals_union(lists[c].data, lists[c].n, r->arena, &set);
		if (ok)
			put(parts, wl_arena_strdup(r->arena, rules->category[c]), set.at, set.n);
	}
	for (size_t c = 0; c < rules->n; c++)
		wl_vec_release(&lists[c]);
	return ok && put_idle(r, device, parts);
}

static bool put_categories(const struct wl_run *r, uint32_t device, struct wl_vec *parts)
{
	struct wl_category_rules rules = { .n = 0 };
	struct wl_category_map map;
	/* Uses the built-in rules: the verb has no option for others. */
	bool ok = wl_category_map_generic(r->trace, r->derived->named, r->arena, &rules, &map) &&
		  put_gathered(r, device, &rules, &map, parts);

	wl_category_rules_release(&rules);
	return ok;
}

/* ---- Ranges ---- */

static bool put_ranges(const struct wl_run *r, uint32_t device, struct wl_vec *parts)
{
	const struct wl_fold_opts opts = { .exact = false };
	const struct wl_intervals *span;
	struct wl_folds folds;

	if (!wl_folds_find(r->derived, r->derived->forest, &opts, r->arena, &folds))
		return false;
	span = wl_range_spans_find(r->derived, r->scope, &folds, device, r->arena);
	for (uint32_t i = 0; span && i < folds.n; i++)
		put(parts, wl_fold_name(&folds, i), span[i].at, span[i].n);
	return span != NULL;
}

bool wl_metric_parts_find(const struct wl_run *r, enum wl_metric_by by, uint32_t device,
			  struct wl_metric_parts *ret)
{
	struct wl_metric_part *own;
	struct wl_vec parts;
	bool ok = true;

	wl_vec_init(&parts, sizeof(struct wl_metric_part), wl_arena_budget(r->arena));
	switch (by) {
	case WL_METRIC_BY_METRIC:
		put_whole(r, device, &parts);
		break;
	case WL_METRIC_BY_STEP:
		ok = put_steps(r, device, &parts);
		break;
	case WL_METRIC_BY_CATEGORY:
		ok = put_categories(r, device, &parts);
		break;
	case WL_METRIC_BY_RANGE:
		ok = put_ranges(r, device, &parts);
		break;
	}
	own = WL_NEW(r->arena, struct wl_metric_part, parts.n + 1);
	ok = ok && own && !parts.failed;
	for (size_t i = 0; ok && i < parts.n; i++)
		own[i] = ((const struct wl_metric_part *)parts.data)[i];
	*ret = (struct wl_metric_parts){ own, ok ? parts.n : 0 };
	wl_vec_release(&parts);
	return ok;
}
