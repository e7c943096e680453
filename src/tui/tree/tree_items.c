/* SPDX-License-Identifier: MIT */
/*
 * tree_items.c - the tree in order of time: ranges one by one, and what they launched.
 *
 * What is found once are two lists, of ranges by the range around them and of operations
 * by the innermost range around their launch; nodes are made of them as they are opened.
 */
#include <string.h>

#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/rows/ops.h"
#include "tui/tree/tree_model_parts.h"

static void *copy(struct wl_arena *arena, const void *from, size_t n, size_t size)
{
	void *to = wl_arena_calloc(arena, n ? n : 1, size);

	if (to && n)
		memcpy(to, from, n * size);
	return to;
}

static bool copy_scope(struct wl_scope *to, const struct wl_scope *from, const struct wl_trace *t,
		       struct wl_arena *arena)
{
	*to = (struct wl_scope){
		.whole = from->whole,
		.device = copy(arena, from->device, t->n_devices, sizeof(*from->device)),
		.device_on = copy(arena, from->device_on, t->n_devices, sizeof(bool)),
		.place_on = copy(arena, from->place_on, t->n_places, sizeof(bool)),
		.process = copy(arena, from->process, t->n_processes, sizeof(*from->process)),
		.process_on = copy(arena, from->process_on, t->n_processes, sizeof(bool)),
	};
	return to->device && to->device_on && to->place_on && to->process && to->process_on;
}

static bool earlier(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_tree_model *m = ctx;
	const wl_ns *start = wl_nvtx_start(m->trace);

	return start[wl_tree_item_row(m->forest, a)] < start[wl_tree_item_row(m->forest, b)];
}

/* Counts by place become where each begins; fill then advances them to where each ends. */
static void lay_out(uint32_t *first, size_t n)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t count = first[i];

		first[i] = sum;
		sum += count;
	}
}

/* After filling, each stands where the next began. */
static void step_back(uint32_t *first, size_t n)
{
	memmove(first + 1, first, (n - 1) * sizeof(*first));
	first[0] = 0;
}

/* Of one thread the nodes below another are in order by themselves. */
static bool list_items(struct wl_tree_model *m, struct wl_arena *scratch)
{
	struct wl_tree_items *x = m->items;
	uint32_t *place = WL_NEW(scratch, uint32_t, x->n), *tmp = WL_NEW(scratch, uint32_t, x->n);
	wl_ns start, end;

	x->first_child = WL_NEW(&m->arena, uint32_t, x->n + 2);
	x->child = WL_NEW(&m->arena, uint32_t, x->n);
	if (!place || !tmp || !x->first_child || !x->child)
		return false;
	for (uint32_t i = 0; i < x->n; i++) {
		bool is_in = wl_tree_item_clip(m, i, &start, &end) || x->uses.of[i].gpu.ops;

		place[i] = is_in ? wl_tree_item_place(m, i) : WL_NONE;
		if (is_in)
			x->first_child[place[i]]++;
	}
	lay_out(x->first_child, x->n + 2);
	for (uint32_t i = 0; i < x->n; i++) {
		if (place[i] != WL_NONE)
			x->child[x->first_child[place[i]]++] = i;
	}
	step_back(x->first_child, x->n + 2);
	for (size_t i = 0; i < (m->forest->n_spans ? x->n + 1 : 1); i++)
		wl_sort_index(x->child + x->first_child[i],
			      x->first_child[i + 1] - x->first_child[i], tmp, earlier, m);
	return true;
}

struct placing {
	struct wl_tree_model *m;
	const struct wl_links *links;
	bool counts; /* else places */
};

static void cover(struct wl_tree_model *m, uint32_t call, wl_ns dur)
{
	bool in = call != WL_NONE && m->forest->of_call[call] != WL_NONE;
	bool bridged = in || (call != WL_NONE && m->forest->above[call] != WL_NONE);

	m->kernels = wl_add_up(m->kernels, dur);
	m->kernels_in = wl_add_up(m->kernels_in, in ? dur : 0);
	m->kernels_bridged = wl_add_up(m->kernels_bridged, bridged ? dur : 0);
}

static void place_ops(const struct placing *p)
{
	struct wl_tree_model *m = p->m;
	struct wl_tree_items *x = m->items;

	for (uint32_t d = 0; d < m->trace->n_devices; d++) {
		struct wl_op_cursor cursor;
		struct wl_op op;

		wl_ops_begin(m->trace, d, &cursor);
		while (wl_ops_next(&cursor, &op)) {
			uint32_t call, node, *at;

			if (!x->scope.place_on[op.place] ||
			    !wl_clip(&x->scope, x->scope.device[d], &op.start, &op.end))
				continue;
			call = wl_link_of(p->links, op.kind, op.row);
			node = call == WL_NONE ? WL_NONE : m->forest->of_call[call];
			at = &x->first_op[node == WL_NONE ? 0 : node + 1];
			if (p->counts && op.kind == WL_OP_KERNEL)
				cover(m, call, op.end - op.start);
			if (!p->counts)
				x->op[*at] = wl_tree_op_number(m->trace, op.kind, op.row);
			++*at;
		}
	}
}

static bool list_ops(struct wl_tree_model *m, const struct wl_links *links)
{
	struct wl_tree_items *x = m->items;
	struct placing p = { .m = m, .links = links, .counts = true };
	size_t n = wl_count_ops(m->trace);

	x->first_op = WL_NEW(&m->arena, uint32_t, x->n + 2);
	x->op = n < WL_NONE ? WL_NEW(&m->arena, uint32_t, n) : NULL;
	if (!x->first_op || !x->op)
		return false;
	place_ops(&p);
	lay_out(x->first_op, x->n + 2);
	p.counts = false;
	place_ops(&p);
	step_back(x->first_op, x->n + 2);
	return true;
}

static void sum_up(struct wl_tree_model *m)
{
	const struct wl_tree_items *x = m->items;
	wl_ns start, end;

	wl_tree_take_branch(&x->uses.all, &m->all);
	for (uint32_t i = x->first_child[0]; i < x->first_child[1]; i++) {
		if (wl_tree_item_clip(m, x->child[i], &start, &end))
			m->all.wall = wl_add_up(m->all.wall, end - start);
	}
	m->n_paths = x->first_child[x->n + 1];
}

bool wl_tree_items_make(struct wl_tree_model *m, const struct wl_run *run)
{
	const struct wl_branch_spec spec = { .forest = m->forest };
	struct wl_tree_items *x = WL_NEW(&m->arena, struct wl_tree_items, 1);
	struct wl_arena scratch;
	bool ok;

	if (!x || m->forest->n + m->forest->n_spans >= WL_NONE)
		return false;
	m->items = x;
	x->n = m->forest->n + m->forest->n_spans;
	wl_arena_init_on(&scratch, wl_arena_budget(&m->arena));
	ok = copy_scope(&x->scope, run->scope, run->trace, &m->arena) &&
	     wl_branch_uses_find(run->derived, run->scope, &spec, &m->arena, &x->uses) &&
	     list_items(m, &scratch) && list_ops(m, run->derived->links);
	wl_arena_release(&scratch);
	if (!ok)
		return false;
	sum_up(m);
	wl_tree_list(m, WL_NONE);
	return true;
}
