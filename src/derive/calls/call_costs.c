/* SPDX-License-Identifier: MIT */
#include "derive/calls/call_costs.h"

#include "base/memory/bound.h"
#include "derive/derived.h"
#include "derive/rows/outermost.h"

static uint32_t list_of(const void *ctx, size_t row)
{
	return wl_call_costs_thread(ctx)[row];
}

static uint32_t list_of_jit(const void *ctx, size_t row)
{
	return wl_jits_thread(ctx)[row];
}

/* A piece without its times. */
typedef struct wl_cost_piece make_fn(const struct wl_trace *t, uint32_t row);

static struct wl_cost_piece cost_of(const struct wl_trace *t, uint32_t row)
{
	const uint32_t *names = wl_call_costs_name(t);
	const char *name = !names || names[row] == WL_NONE ? NULL : wl_str(t, names[row]);
	uint8_t code = wl_call_costs_kind(t) ? wl_call_costs_kind(t)[row] : WL_NO_U8;

	return (struct wl_cost_piece){ .name = name,
				       .class = wl_call_cost_of(name, code),
				       .jit = WL_NONE };
}

static struct wl_cost_piece jit_of(const struct wl_trace *t, uint32_t row)
{
	uint8_t op = wl_jits_op(t) ? wl_jits_op(t)[row] : WL_NO_U8;
	uint8_t entry = wl_jits_entry(t) ? wl_jits_entry(t)[row] : WL_NO_U8;

	return (struct wl_cost_piece){ .name = wl_jit_name(op, entry),
				       .class = WL_COST_LOADING,
				       .jit = row };
}

/* Rows come in nesting order: what an earlier one covers is not counted again. */
static size_t put_pieces(const struct wl_trace *t, const struct wl_outer_lists *rows,
			 struct wl_slice list, make_fn *make, struct wl_cost_piece *out)
{
	wl_ns until = INT64_MIN;
	size_t n = 0;

	for (size_t i = list.lo; i < list.hi; i++) {
		struct wl_cost_piece piece = make(t, rows->row[i]);

		piece.begin = rows->start[rows->row[i]];
		piece.end = wl_outer_end(rows, rows->row[i]);
		if (piece.begin < until)
			piece.begin = until;
		if (piece.begin >= piece.end)
			continue;
		until = piece.end;
		out[n++] = piece;
	}
	return n;
}

/* The pieces of a thread, of both sources. */
struct pieces {
	const struct wl_cost_piece *at, *end;
};

/* All of the first, and of the others what those leave. At most two and one for each. */
static size_t merge(struct pieces jit, struct pieces cost, struct wl_cost_piece *out)
{
	wl_ns until = INT64_MIN;
	size_t n = 0;

	for (; cost.at < cost.end; cost.at++) {
		struct wl_cost_piece rest = *cost.at;

		for (; jit.at < jit.end && jit.at->begin < rest.end; jit.at++) {
			const struct wl_cost_piece before = { until > rest.begin ? until
										 : rest.begin,
							      jit.at->begin, rest.name, rest.class,
							      WL_NONE };

			if (before.begin < before.end)
				out[n++] = before;
			out[n++] = *jit.at;
			until = jit.at->end;
		}
		rest.begin = until > rest.begin ? until : rest.begin;
		if (rest.begin < rest.end)
			out[n++] = rest;
	}
	for (; jit.at < jit.end; jit.at++)
		out[n++] = *jit.at;
	return n;
}

/* What the pieces are made of. */
struct sources {
	const struct wl_trace *trace;
	struct wl_outer_lists cost, jit;
	struct wl_cost_piece *of_jit, *of_cost; /* of a thread; NULL: there are no compilations */
};

static bool find_sources(const struct wl_trace *t, struct wl_arena *arena, struct sources *ret)
{
	size_t n_costs = t->family[WL_F_CALL_COSTS].n, n_jits = t->family[WL_F_JITS].n;
	const struct wl_list_deal costs = { WL_F_CALL_COSTS, t->n_threads, list_of, t };
	const struct wl_list_deal jits = { WL_F_JITS, t->n_threads, list_of_jit, t };

	*ret = (struct sources){ .trace = t };
	if (!wl_outer_lists_make(t, &costs, arena, &ret->cost))
		return false;
	if (n_jits == 0)
		return true;
	ret->of_jit = WL_NEW(arena, struct wl_cost_piece, n_jits);
	ret->of_cost = WL_NEW(arena, struct wl_cost_piece, n_costs);
	return ret->of_jit && ret->of_cost && wl_outer_lists_make(t, &jits, arena, &ret->jit);
}

static size_t put_thread(const struct sources *s, size_t thread, struct wl_cost_piece *out)
{
	size_t n_jits, n_costs;

	if (!s->of_jit)
		return put_pieces(s->trace, &s->cost, s->cost.list[thread], cost_of, out);
	n_jits = put_pieces(s->trace, &s->jit, s->jit.list[thread], jit_of, s->of_jit);
	n_costs = put_pieces(s->trace, &s->cost, s->cost.list[thread], cost_of, s->of_cost);
	return merge((struct pieces){ s->of_jit, s->of_jit + n_jits },
		     (struct pieces){ s->of_cost, s->of_cost + n_costs }, out);
}

bool wl_call_costs_find(const struct wl_derived *given, struct wl_arena *arena,
			struct wl_call_costs *ret)
{
	const struct wl_trace *t = given->trace;
	size_t n_rows = t->family[WL_F_CALL_COSTS].n + 2 * t->family[WL_F_JITS].n;
	struct wl_cost_piece *piece;
	struct wl_slice *list;
	struct sources sources;

	*ret = (struct wl_call_costs){ .n = 0 };
	if (n_rows == 0)
		return true;
	list = WL_NEW(arena, struct wl_slice, t->n_threads);
	piece = WL_NEW(arena, struct wl_cost_piece, n_rows);
	if (!list || !piece || !find_sources(t, arena, &sources))
		return false;
	ret->piece = piece;
	ret->list = list;
	for (size_t i = 0; i < t->n_threads; i++) {
		list[i].lo = ret->n;
		ret->n += put_thread(&sources, i, piece + ret->n);
		list[i].hi = ret->n;
	}
	return true;
}

/* The first piece of a thread that ends after t, or the end of its list. */
static size_t find_piece(const struct wl_call_costs *costs, struct wl_slice list, wl_ns t)
{
	return list.lo +
	       WL_UPTO_BY(wl_cost_piece, end, costs->piece + list.lo, list.hi - list.lo, t);
}

void wl_call_costs_add(const struct wl_call_costs *costs, uint32_t thread, wl_ns begin, wl_ns end,
		       wl_ns sum[WL_N_CALL_COSTS])
{
	struct wl_slice list;

	if (costs->n == 0)
		return;
	list = costs->list[thread];
	for (size_t i = find_piece(costs, list, begin); i < list.hi; i++) {
		const struct wl_cost_piece *p = &costs->piece[i];
		wl_ns from = p->begin > begin ? p->begin : begin;
		wl_ns to = p->end < end ? p->end : end;

		if (p->begin >= end)
			break;
		sum[p->class] += to - from;
	}
}

const struct wl_cost_piece *wl_call_cost_at(const struct wl_call_costs *costs, uint32_t thread,
					    wl_ns t, wl_ns *until)
{
	const struct wl_cost_piece *p;
	struct wl_slice list;
	wl_ns change;
	size_t i;

	if (costs->n == 0)
		return NULL;
	list = costs->list[thread];
	i = find_piece(costs, list, t);
	if (i == list.hi)
		return NULL;
	p = &costs->piece[i];
	change = p->begin > t ? p->begin : p->end;
	*until = change < *until ? change : *until;
	return p->begin > t ? NULL : p;
}

const struct wl_cost_piece *wl_call_cost_before(const struct wl_call_costs *costs, uint32_t thread,
						wl_ns t)
{
	struct wl_slice list;
	size_t n;

	if (costs->n == 0)
		return NULL;
	list = costs->list[thread];
	n = WL_BELOW_BY(wl_cost_piece, begin, costs->piece + list.lo, list.hi - list.lo, t);
	return n ? &costs->piece[list.lo + n - 1] : NULL;
}
