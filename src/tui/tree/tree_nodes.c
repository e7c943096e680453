/* SPDX-License-Identifier: MIT */
/* tree_nodes.c - nodes of the chronological tree, made as their parents are opened. */
#include "derive/rows/ops.h"
#include "tui/tree/tree_model_parts.h"

static size_t n_children(const struct wl_tree_items *x, uint32_t place)
{
	return x->first_child[place + 1] - x->first_child[place] +
	       (place ? x->first_op[place + 1] - x->first_op[place] : x->first_op[1] > 0);
}

static struct wl_tree_node item_node(const struct wl_tree_model *m, uint32_t item)
{
	const struct wl_tree_items *x = m->items;
	const char *name =
		wl_range_name_of(m->folds.names, wl_tree_item_row(m->forest, item))->exact;
	struct wl_tree_node node = { .id = item,
				     .n_names = 1,
				     .kind = item < m->forest->n ? WL_TREE_RANGE : WL_TREE_SPAN,
				     .has_children = n_children(x, item + 1) > 0,
				     .label = name,
				     .name = name };
	wl_ns end;

	wl_tree_take_branch(&x->uses.of[item], &node.is);
	if (wl_tree_item_clip(m, item, &node.start, &end)) {
		node.is.wall = node.is.p50 = node.is.p99 = end - node.start;
		node.is.calls = 1;
	}
	return node;
}

static struct wl_tree_node op_node(const struct wl_tree_model *m, uint32_t number)
{
	size_t row;
	enum wl_op_kind kind = wl_tree_op_of(m->trace, number, &row);
	struct wl_ops ops = wl_trace_ops(m->trace, wl_op_families[kind]);
	const char *name = wl_op_name(m->trace, wl_op_families[kind], row);
	struct wl_tree_node node = {
		.id = number, .n_names = 1, .kind = WL_TREE_OP, .label = name, .name = name
	};
	wl_ns end;

	if (wl_op_clip(m->trace, &m->items->scope, &ops, row, &node.start, &end))
		node.is.gpu = node.is.own = node.is.p50 = node.is.p99 = end - node.start;
	node.is.calls = node.is.ops = 1;
	return node;
}

static struct wl_tree_node outside_node(const struct wl_tree_model *m)
{
	struct wl_tree_node node = { .id = WL_NONE,
				     .n_names = 1,
				     .kind = WL_TREE_OUTSIDE,
				     .has_children = true,
				     .label = "(no NVTX)",
				     .name = "(no NVTX)",
				     .start = WL_NO_TIME };

	wl_tree_take_branch(&m->items->uses.outside, &node.is);
	return node;
}

/* The i-th child of a place, or of OUTSIDE: ranges first, then operations. */
static struct wl_tree_node child_node(const struct wl_tree_model *m, uint32_t place,
				      bool is_outside, size_t i)
{
	const struct wl_tree_items *x = m->items;
	size_t n = is_outside ? 0 : x->first_child[place + 1] - x->first_child[place];

	if (i < n)
		return item_node(m, x->child[x->first_child[place] + i]);
	if (place == 0 && !is_outside)
		return outside_node(m);
	return op_node(m, x->op[x->first_op[place] + i - n]);
}

/* Make children from the i-th on; the first replaces an existing node, unless WL_NONE. */
static void make_children(struct wl_tree_model *m, uint32_t parent, size_t i, uint32_t at)
{
	bool is_outside = parent != WL_NONE && wl_tree_get(m, parent)->kind == WL_TREE_OUTSIDE;
	uint32_t place = parent == WL_NONE || is_outside ? 0 : wl_tree_get(m, parent)->id + 1;
	size_t n = is_outside ? m->items->first_op[1] : n_children(m->items, place);
	size_t end = n - i > WL_TREE_CHUNK ? i + WL_TREE_CHUNK : n;

	for (; i < end; i++) {
		struct wl_tree_node node = child_node(m, place, is_outside, i);

		node.parent = parent;
		if (at != WL_NONE) {
			struct wl_tree_node *old = wl_tree_get(m, at);

			node.first = node.last = WL_NONE;
			node.next = old->next;
			node.depth = old->depth;
			*old = node;
			at = WL_NONE;
		} else if (wl_tree_add(m, &node) == WL_NONE) {
			return;
		}
	}
	if (end < n)
		(void)wl_tree_add(m, &(struct wl_tree_node){ .parent = parent,
							     .id = (uint32_t)end,
							     .n_names = (uint32_t)(n - end),
							     .kind = WL_TREE_MORE,
							     .label = "",
							     .name = "",
							     .start = WL_NO_TIME });
}

void wl_tree_list(struct wl_tree_model *m, uint32_t node)
{
	if (m->mode != WL_TREE_CHRONOLOGICAL)
		return;
	if (node == WL_NONE
		    ? m->first_root != WL_NONE
		    : wl_tree_get(m, node)->first != WL_NONE || !wl_tree_get(m, node)->has_children)
		return;
	make_children(m, node, 0, WL_NONE);
}

void wl_tree_list_more(struct wl_tree_model *m, uint32_t more)
{
	const struct wl_tree_node *node = wl_tree_get(m, more);

	if (node->kind == WL_TREE_MORE)
		make_children(m, node->parent, node->id, more);
}

/* A node's descendants follow it, and their operations follow its own. */
const uint32_t *wl_tree_ops_below(const struct wl_tree_model *m, uint32_t node, size_t *ret_n)
{
	const struct wl_tree_node *x = wl_tree_get(m, node);
	const uint32_t *first = m->items->first_op, *depth = m->forest->up.depth;
	uint32_t begin = 0, end = 1;

	*ret_n = 0;
	if (x->kind == WL_TREE_RANGE) {
		begin = x->id + 1;
		for (end = x->id + 1; end < m->forest->n && depth[end] > depth[x->id]; end++)
			;
		end++;
	} else if (x->kind != WL_TREE_OUTSIDE) {
		return m->items->op;
	}
	*ret_n = first[end] - first[begin];
	return m->items->op + first[begin];
}

/* The i-th child of a node (WL_NONE: the i-th root), made if needed; WL_NONE if it is too far. */
static uint32_t nth_child(struct wl_tree_model *m, uint32_t node, size_t i)
{
	uint32_t at;

	if (i >= WL_TREE_FURTHEST)
		return WL_NONE;
	wl_tree_list(m, node);
	at = node == WL_NONE ? m->first_root : wl_tree_get(m, node)->first;
	for (; at != WL_NONE; at = wl_tree_get(m, at)->next) {
		if (wl_tree_get(m, at)->kind == WL_TREE_MORE)
			wl_tree_list_more(m, at);
		if (i-- == 0)
			return at;
	}
	return WL_NONE;
}

uint32_t wl_tree_of_item(struct wl_tree_model *m, uint32_t item)
{
	const struct wl_tree_items *x = m->items;
	uint32_t chain[WL_PATH_SHOWN], node = WL_NONE;
	size_t n = 0;

	for (uint32_t i = item; n < WL_PATH_SHOWN; i = wl_tree_item_place(m, i) - 1) {
		chain[n++] = i;
		if (wl_tree_item_place(m, i) == 0)
			break;
	}
	if (wl_tree_item_place(m, chain[n - 1]) != 0)
		return WL_NONE;
	while (n-- > 0) {
		uint32_t place = wl_tree_item_place(m, chain[n]);
		uint32_t i = x->first_child[place];

		while (i < x->first_child[place + 1] && x->child[i] != chain[n])
			i++;
		if (i == x->first_child[place + 1])
			return WL_NONE;
		node = nth_child(m, node, i - x->first_child[place]);
		if (node == WL_NONE)
			return WL_NONE;
	}
	return node;
}

size_t wl_tree_n_items(const struct wl_tree_model *m)
{
	return m->items ? m->items->n : 0;
}

const char *wl_tree_item_name(const struct wl_tree_model *m, uint32_t item)
{
	return wl_range_name_of(m->folds.names, wl_tree_item_row(m->forest, item))->exact;
}
