/* SPDX-License-Identifier: MIT */
#include "derive/use/range_spans.h"

#include "derive/calls/launch.h"
#include "derive/derived.h"
#include "derive/rows/ops.h"

static const struct wl_interval no_span = { INT64_MAX, INT64_MIN };

static void stretch(struct wl_interval *span, const struct wl_op *op)
{
	span->begin = op->start < span->begin ? op->start : span->begin;
	span->end = op->end > span->end ? op->end : span->end;
}

static void stretch_around(const struct wl_derived *d, uint32_t call, const struct wl_op *op,
			   struct wl_interval *span)
{
	const struct wl_trace *t = d->trace;
	const struct wl_forest *f = d->forest;
	wl_ns at = wl_api_start(t)[call];
	wl_ns until = at + wl_dur(&t->family[WL_F_API], wl_api_dur(t), call);
	unsigned n = 0;

	for (uint32_t i = f->of_call[call]; i != WL_NONE && n++ < WL_MAX_AROUND;
	     i = wl_forest_around_next(f, i, until))
		stretch(&span[i], op);
	n = 0;
	for (uint32_t i = f->above[call]; i != WL_NONE && n++ < WL_MAX_AROUND;
	     i = wl_forest_open_next(f, i, at))
		stretch(&span[i], op);
}

/* By node of the forest. */
static struct wl_interval *find_spans(const struct wl_derived *d, const struct wl_scope *scope,
				      uint32_t device, struct wl_arena *arena)
{
	struct wl_interval *span = WL_NEW(arena, struct wl_interval, d->forest->n + 1);
	struct wl_op_cursor cursor;
	struct wl_op op;

	for (size_t i = 0; span && i < d->forest->n; i++)
		span[i] = no_span;
	wl_ops_begin(d->trace, device, &cursor);
	while (span && wl_ops_next(&cursor, &op)) {
		uint32_t call = wl_link_of(d->links, op.kind, op.row);

		if (call != WL_NONE && scope->place_on[op.place] &&
		    wl_clip(scope, scope->device[device], &op.start, &op.end))
			stretch_around(d, call, &op, span);
	}
	return span;
}

/* Put the spans of each fold side by side; end holds their end by fold. */
static struct wl_interval *deal(const struct wl_folds *folds, const struct wl_interval *span,
				size_t n, size_t *end, struct wl_arena *arena)
{
	size_t n_all = 0;
	struct wl_interval *ret;

	for (size_t i = 0; i < n; i++)
		end[folds->of_node[i]] += span[i].begin < span[i].end;
	for (size_t i = 0; i < folds->n; i++) {
		size_t n_own = end[i];

		end[i] = n_all; /* begin of the fold, advanced as its spans are put there */
		n_all += n_own;
	}
	ret = WL_NEW(arena, struct wl_interval, n_all + 1);
	for (size_t i = 0; ret && i < n; i++) {
		if (span[i].begin < span[i].end)
			ret[end[folds->of_node[i]]++] = span[i];
	}
	return ret;
}

static bool unite(const struct wl_folds *folds, const struct wl_interval *list, const size_t *end,
		  struct wl_arena *arena, struct wl_intervals *ret)
{
	bool ok = true;

	for (size_t i = 0; ok && i < folds->n; i++) {
		size_t begin = i ? end[i - 1] : 0;

		ok = wl_intervals_unite(list + begin, end[i] - begin, arena, &ret[i]);
	}
	return ok;
}

const struct wl_intervals *wl_range_spans_find(const struct wl_derived *derived,
					       const struct wl_scope *scope,
					       const struct wl_folds *folds, uint32_t device,
					       struct wl_arena *arena)
{
	struct wl_intervals *ret = WL_NEW(arena, struct wl_intervals, folds->n + 1);
	struct wl_interval *span, *list = NULL;
	struct wl_arena scratch;
	size_t *end;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	span = find_spans(derived, scope, device, &scratch);
	end = WL_NEW(&scratch, size_t, folds->n + 1);
	if (span && end)
		list = deal(folds, span, derived->forest->n, end, &scratch);
	ok = ret && list && unite(folds, list, end, arena, ret);
	wl_arena_release(&scratch);
	return ok ? ret : NULL;
}
