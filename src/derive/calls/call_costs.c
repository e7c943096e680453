/* SPDX-License-Identifier: MIT */
#include "derive/calls/call_costs.h"

#include "base/memory/bound.h"
#include "derive/derived.h"
#include "derive/rows/outermost.h"

static uint32_t list_of(const void *ctx, size_t row)
{
	return wl_call_costs_thread(ctx)[row];
}

static struct wl_cost_piece piece_of(const struct wl_trace *t, const struct wl_outer_lists *rows,
				     uint32_t row)
{
	const uint32_t *names = wl_call_costs_name(t);
	const char *name = !names || names[row] == WL_NONE ? NULL : wl_str(t, names[row]);
	uint8_t code = wl_call_costs_kind(t) ? wl_call_costs_kind(t)[row] : WL_NO_U8;

	return (struct wl_cost_piece){ .begin = rows->start[row],
				       .end = wl_outer_end(rows, row),
				       .name = name,
				       .class = wl_call_cost_of(name, code) };
}

/* Rows come in nesting order: what an earlier one covers is not counted again. */
static size_t put_pieces(const struct wl_trace *t, const struct wl_outer_lists *rows,
			 struct wl_slice list, struct wl_cost_piece *out)
{
	wl_ns until = INT64_MIN;
	size_t n = 0;

	for (size_t i = list.lo; i < list.hi; i++) {
		struct wl_cost_piece piece = piece_of(t, rows, rows->row[i]);

		if (piece.begin < until)
			piece.begin = until;
		if (piece.begin >= piece.end)
			continue;
		until = piece.end;
		out[n++] = piece;
	}
	return n;
}

bool wl_call_costs_find(const struct wl_derived *given, struct wl_arena *arena,
			struct wl_call_costs *ret)
{
	const struct wl_trace *t = given->trace;
	size_t n_rows = t->family[WL_F_CALL_COSTS].n;
	const struct wl_list_deal deal = { WL_F_CALL_COSTS, t->n_threads, list_of, t };
	struct wl_cost_piece *piece;
	struct wl_outer_lists rows;
	struct wl_slice *list;

	*ret = (struct wl_call_costs){ .n = 0 };
	if (n_rows == 0)
		return true;
	list = WL_NEW(arena, struct wl_slice, t->n_threads);
	piece = WL_NEW(arena, struct wl_cost_piece, n_rows);
	if (!list || !piece || !wl_outer_lists_make(t, &deal, arena, &rows))
		return false;
	ret->piece = piece;
	ret->list = list;
	for (size_t i = 0; i < t->n_threads; i++) {
		list[i].lo = ret->n;
		ret->n += put_pieces(t, &rows, rows.list[i], piece + ret->n);
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
