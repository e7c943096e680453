/* SPDX-License-Identifier: MIT */
#include "derive/kinds/category_kernels.h"

#include <string.h>

#include "base/memory/intern.h"
#include "base/memory/sort.h"
#include "base/memory/vec.h"
#include "derive/rows/ops.h"
#include "derive/rows/stats.h"

/* The identity of a name. No padding. */
struct key {
	uint32_t kind, name; /* name of a kernel: its string; of a copy: its kind */
};

static struct key key_of(const struct wl_trace *t, const struct wl_op *op)
{
	struct key key = { .kind = (uint32_t)op->kind };

	if (op->kind == WL_OP_KERNEL)
		key.name = t->kernel_names[wl_kernels_name(t)[op->row]].demangled;
	else if (op->kind == WL_OP_MEMCPY)
		key.name = wl_memcpys_kind(t)[op->row];
	return key;
}

struct naming {
	const struct wl_category_question *q;
	struct wl_intern names; /* struct key */
	struct wl_vec found;    /* struct wl_category_kernel, by number of the name */
};

static bool count(struct naming *n, const struct wl_op *op)
{
	const struct wl_trace *t = n->q->trace;
	const struct key key = key_of(t, op);
	uint32_t i = wl_intern_put(&n->names, &key);
	struct wl_category_kernel *k;

	if (i == WL_NONE)
		return false;
	/* Names are numbered in order of first sight, so at most one is added at a time. */
	if (i == n->found.n) {
		const struct wl_category_kernel first = {
			.family = op->family,
			.row = op->row,
			.category = wl_category_of_op(t, n->q->map, op->kind, op->row)
		};

		wl_vec_push(&n->found, &first);
	}
	if (n->found.failed)
		return false;
	k = (struct wl_category_kernel *)n->found.data + i;
	k->instances++;
	k->sum = wl_add_up(k->sum, op->end - op->start);
	return true;
}

static bool count_all(struct naming *n)
{
	const struct wl_category_question *q = n->q;
	struct wl_op_cursor cursor;
	struct wl_op op;
	bool ok = true;

	wl_ops_begin(q->trace, q->device, &cursor);
	while (ok && wl_ops_next(&cursor, &op)) {
		if (q->scope->place_on[op.place] &&
		    wl_clip(q->scope, q->scope->device[q->device], &op.start, &op.end))
			ok = count(n, &op);
	}
	return ok;
}

struct ranking {
	const struct wl_trace *trace;
	const struct wl_category_kernel *of;
};

static bool rank_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct ranking *r = ctx;

	if (r->of[a].sum != r->of[b].sum)
		return r->of[a].sum > r->of[b].sum;
	return strcmp(wl_op_name(r->trace, r->of[a].family, r->of[a].row),
		      wl_op_name(r->trace, r->of[b].family, r->of[b].row)) < 0;
}

static const struct wl_category_kernel *rank(const struct naming *n, struct wl_arena *arena)
{
	const struct ranking by = { n->q->trace, n->found.data };
	struct wl_category_kernel *ret = WL_NEW(arena, struct wl_category_kernel, n->found.n);
	uint32_t *order = WL_NEW(arena, uint32_t, 2 * n->found.n);

	if (!ret || !order)
		return NULL;
	wl_sort_all(order, n->found.n, rank_less, &by);
	for (size_t i = 0; i < n->found.n; i++)
		ret[i] = by.of[order[i]];
	return ret;
}

const struct wl_category_kernel *wl_category_kernels_find(
	const struct wl_category_question *question, struct wl_arena *arena, size_t *ret_n)
{
	struct naming n = { .q = question };
	const struct wl_category_kernel *ret = NULL;

	wl_intern_init(&n.names, sizeof(struct key), wl_arena_budget(arena));
	wl_vec_init(&n.found, sizeof(struct wl_category_kernel), wl_arena_budget(arena));
	if (count_all(&n))
		ret = rank(&n, arena);
	*ret_n = n.found.n;
	wl_vec_release(&n.found);
	wl_intern_release(&n.names);
	return ret;
}
