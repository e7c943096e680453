/* SPDX-License-Identifier: MIT */
/* tree_model_parts.c - nodes, operations and items of a tree, shared by both modes of filling
 * it. */
#include "tui/tree/tree_model_parts.h"
#include "derive/derived.h"
#include "derive/rows/ops.h"
#include "known/exports/codes.h"

uint32_t wl_tree_add(struct wl_tree_model *m, const struct wl_tree_node *node)
{
	uint32_t at = (uint32_t)m->node.n, *last;
	struct wl_tree_node *fresh =
		m->node.n < WL_NONE ? (struct wl_tree_node *)wl_vec_extend(&m->node, 1) : NULL;

	if (!fresh)
		return WL_NONE;
	*fresh = *node;
	fresh->first = fresh->last = fresh->next = WL_NONE;
	fresh->depth = 0;
	if (node->parent == WL_NONE) {
		last = &m->last_root;
		if (m->first_root == WL_NONE)
			m->first_root = at;
	} else {
		struct wl_tree_node *parent = wl_tree_get(m, node->parent);

		fresh->depth = parent->depth + 1;
		parent->has_children = true;
		last = &parent->last;
		if (parent->first == WL_NONE)
			parent->first = at;
	}
	if (*last != WL_NONE)
		wl_tree_get(m, *last)->next = at;
	*last = at;
	return at;
}

uint32_t wl_tree_op_number(const struct wl_trace *t, enum wl_op_kind kind, size_t row)
{
	size_t number = row;

	for (size_t i = 0; i < (size_t)kind; i++)
		number += t->family[wl_op_families[i]].n;
	return (uint32_t)number;
}

enum wl_op_kind wl_tree_op_of(const struct wl_trace *t, uint32_t number, size_t *ret_row)
{
	size_t kind = 0, row = number;

	while (kind + 1 < WL_N_OP_FAMILIES && row >= t->family[wl_op_families[kind]].n)
		row -= t->family[wl_op_families[kind++]].n;
	*ret_row = row;
	return (enum wl_op_kind)kind;
}

uint32_t wl_tree_op_name(const struct wl_trace *t, enum wl_op_kind kind, size_t row)
{
	if (kind == WL_OP_KERNEL)
		return wl_kernels_name(t)[row];
	if (kind == WL_OP_MEMCPY)
		return (uint32_t)t->n_kernel_names + wl_memcpys_kind(t)[row];
	return (uint32_t)t->n_kernel_names + WL_TREE_COPIES + (kind == WL_OP_GRAPH);
}

const char *wl_tree_op_text(const struct wl_trace *t, uint32_t name)
{
	size_t other;

	if (name < t->n_kernel_names)
		return wl_str(t, t->kernel_names[name].demangled);
	other = name - t->n_kernel_names;
	if (other < WL_TREE_COPIES)
		return wl_copy_kind_title((unsigned)other);
	return other == WL_TREE_COPIES ? "[CUDA memset]" : "(graph)";
}

void wl_tree_take_branch(const struct wl_branch_use *use, struct wl_tree_figures *ret)
{
	ret->gpu = use->gpu.busy;
	ret->ops = use->gpu.ops;
	ret->own = use->own;
	ret->comm = use->comm;
	ret->exposed = use->exposed;
}

uint32_t wl_tree_item_row(const struct wl_forest *f, uint32_t item)
{
	return item < f->n ? f->row[item] : f->span[item - f->n];
}

uint32_t wl_tree_item_place(const struct wl_tree_model *m, uint32_t item)
{
	const struct wl_forest *f = m->forest;
	const struct wl_trace *t = m->trace;
	uint32_t row = wl_tree_item_row(f, item), around;
	wl_ns start;

	if (item < f->n)
		return f->parent[item] == WL_NONE ? 0 : f->parent[item] + 1;
	if (!wl_span_is_on_one_thread(t, row))
		return 0;
	start = wl_nvtx_start(t)[row];
	around = wl_forest_around(f, wl_nvtx_thread(t)[row], start,
				  start + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), row));
	return around == WL_NONE ? 0 : around + 1;
}

bool wl_tree_item_clip(const struct wl_tree_model *m, uint32_t item, wl_ns *start, wl_ns *end)
{
	const struct wl_trace *t = m->trace;
	uint32_t row = wl_tree_item_row(m->forest, item);

	*start = wl_nvtx_start(t)[row];
	*end = *start + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), row);
	return wl_host_clip(t, &m->items->scope, wl_nvtx_thread(t)[row], start, end);
}
