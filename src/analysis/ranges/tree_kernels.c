/* SPDX-License-Identifier: MIT */
/*
 * A device's operations are visited in order of start: the union of a leaf's executions needs only
 * a running end, as in derive/use/range_use.c.
 */
#include "analysis/ranges/tree_kernels.h"

#include <string.h>

#include "base/memory/intern.h"
#include "base/memory/sort.h"
#include "base/memory/texts.h"
#include "derive/derived.h"
#include "derive/rows/ops.h"

/* Interned by its bytes: no padding. */
struct leaf_key {
	uint32_t fold, name;
};

/* A leaf whose executions are being counted. */
struct leaf_tally {
	struct wl_gpu_use use;
	wl_ns until;     /* end of the union so far, on the device */
	uint32_t device; /* device of the last execution */
	uint32_t stream;
};

struct gathering {
	const struct wl_run *run;
	const struct wl_range_rows *rows;
	const char **text;    /* by kernel name */
	const uint32_t *same; /* by kernel name: the first with this text */
	struct wl_intern keys;
	struct wl_vec tallies; /* by key */
};

static void count(struct leaf_tally *t, const struct wl_op *op, uint32_t device, uint32_t stream)
{
	wl_ns until = t->device == device ? t->until : INT64_MIN;

	t->stream = t->use.ops == 0 || t->stream == stream ? stream : WL_NONE;
	t->device = device;
	t->until = until > op->end ? until : op->end;
	t->use.ops++;
	t->use.sum = wl_add_up(t->use.sum, op->end - op->start);
	if (until < op->end)
		t->use.busy =
			wl_add_up(t->use.busy, op->end - (until > op->start ? until : op->start));
}

/* The fold of the innermost push/pop range around the kernel's launch call, or WL_NONE. */
static uint32_t fold_of(const struct gathering *g, const struct wl_op *op)
{
	uint32_t call = wl_link_of(g->run->derived->links, op->kind, op->row);
	uint32_t node = call == WL_NONE ? WL_NONE : g->rows->forest->of_call[call];

	return node == WL_NONE ? WL_NONE : g->rows->folds.of_node[node];
}

static bool gather_op(struct gathering *g, const struct wl_op *op, uint32_t device)
{
	const struct wl_trace *t = g->run->trace;
	struct leaf_key key = { fold_of(g, op), g->same[wl_kernels_name(t)[op->row]] };
	const struct leaf_tally none = { .device = WL_NONE };
	uint32_t at;

	if (key.fold == WL_NONE)
		return true;
	at = wl_intern_put(&g->keys, &key);
	if (at == g->tallies.n)
		wl_vec_push(&g->tallies, &none);
	if (at == WL_NONE || g->tallies.failed)
		return false;
	count((struct leaf_tally *)g->tallies.data + at, op, device, t->places[op->place].stream);
	return true;
}

static bool gather_device(struct gathering *g, uint32_t device)
{
	const struct wl_scope *scope = g->run->scope;
	struct wl_op_cursor cursor;
	struct wl_op op;

	wl_ops_begin(g->run->trace, device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		if (op.kind == WL_OP_KERNEL && scope->place_on[op.place] &&
		    wl_clip(scope, scope->device[device], &op.start, &op.end) &&
		    !gather_op(g, &op, device))
			return false;
	}
	return true;
}

static bool gather(struct gathering *g)
{
	const struct wl_trace *t = g->run->trace;

	g->text = WL_NEW(g->run->arena, const char *, t->n_kernel_names);
	for (size_t i = 0; g->text && i < t->n_kernel_names; i++)
		g->text[i] = wl_str(t, t->kernel_names[i].demangled);
	g->same = g->text ? wl_texts_merge(g->text, t->n_kernel_names, g->run->arena) : NULL;
	for (uint32_t i = 0; g->same && i < t->n_devices; i++) {
		if (!gather_device(g, i))
			return false;
	}
	return g->same != NULL;
}

static bool leaf_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_tree_leaf *leaf = ctx;

	if (leaf[a].use.sum != leaf[b].use.sum)
		return leaf[a].use.sum > leaf[b].use.sum;
	return strcmp(leaf[a].name, leaf[b].name) < 0;
}

static bool sort_leaves(const struct gathering *g, struct wl_tree_leaves *ret)
{
	size_t n = g->tallies.n;
	const struct leaf_key *key = g->keys.items.data;
	const struct leaf_tally *tally = g->tallies.data;
	struct wl_tree_leaf *leaf = WL_NEW(g->run->arena, struct wl_tree_leaf, n);
	struct wl_tree_leaf *sorted = WL_NEW(g->run->arena, struct wl_tree_leaf, n);
	uint32_t *order = WL_NEW(g->run->arena, uint32_t, 2 * n);

	if (!leaf || !sorted || !order)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		order[i] = i;
		leaf[i] = (struct wl_tree_leaf){ key[i].fold, tally[i].stream, g->text[key[i].name],
						 tally[i].use };
	}
	wl_sort_index(order, n, order + n, leaf_less, leaf);
	for (size_t i = 0; i < n; i++)
		sorted[i] = leaf[order[i]];
	*ret = (struct wl_tree_leaves){ sorted, n };
	return true;
}

bool wl_tree_leaves_find(const struct wl_run *run, const struct wl_range_rows *rows,
			 struct wl_tree_leaves *ret)
{
	struct gathering g = { .run = run, .rows = rows };
	struct wl_budget *budget = wl_arena_budget(run->arena);
	bool ok;

	*ret = (struct wl_tree_leaves){ .n = 0 };
	/* A trace without kernels still has a tree of ranges. */
	if (!wl_kernels_name(run->trace))
		return true;
	wl_intern_init(&g.keys, sizeof(struct leaf_key), budget);
	wl_vec_init(&g.tallies, sizeof(struct leaf_tally), budget);
	ok = gather(&g) && sort_leaves(&g, ret);
	wl_vec_release(&g.tallies);
	wl_intern_release(&g.keys);
	return ok;
}

void wl_tree_leaf_put(const struct wl_tree_leaf *leaf, struct wl_table *out)
{
	wl_table_row(out);
	wl_put_str(out, WL_RANGE_NAME, leaf->name);
	wl_put_str(out, WL_RANGE_STYLE, "kernel");
	wl_put_i64(out, WL_RANGE_COUNT, (int64_t)leaf->use.ops);
	wl_put_i64(out, WL_RANGE_GPU_OPS, (int64_t)leaf->use.ops);
	wl_put_i64(out, WL_RANGE_GPU_SUM, leaf->use.sum);
	wl_put_i64(out, WL_RANGE_GPU_BUSY, leaf->use.busy);
	if (leaf->stream != WL_NONE)
		wl_put_i64(out, WL_RANGE_STREAM, leaf->stream);
}
