/* SPDX-License-Identifier: MIT */
/* tree_model_parts.h - declarations for filling the tree's model, private to its sources. */
#ifndef WL_TUI_TREE_MODEL_PARTS_H
#define WL_TUI_TREE_MODEL_PARTS_H

#include "tui/tree/tree_model.h"

/* Names of operations other than kernels: copies by kind, memsets, graphs. */
enum { WL_TREE_COPIES = 256, WL_TREE_N_OTHER_OPS = WL_TREE_COPIES + 2 };

/* Append a node below its parent; WL_NONE without memory. */
uint32_t wl_tree_add(struct wl_tree_model *model, const struct wl_tree_node *node);

/* Fill the model. False when memory is exhausted. */
bool wl_tree_fold(struct wl_tree_model *model, const struct wl_run *run,
		  const struct wl_iterations *iterations) WL_MUST_CHECK;
bool wl_tree_items_make(struct wl_tree_model *model, const struct wl_run *run) WL_MUST_CHECK;

/* Items are the nodes of the forest, then its spans. Place 0 holds what no range contains. */
struct wl_tree_items {
	size_t n;
	uint32_t *first_child; /* by place: where its items begin in child */
	uint32_t *child;
	uint32_t *first_op; /* by place: where its operations begin in op */
	uint32_t *op;
	struct wl_branch_uses uses;
	struct wl_scope scope; /* a copy: the run's own scope ends with the run */
};

/* An item's row of nvtx, and the place of the range around it. */
uint32_t wl_tree_item_row(const struct wl_forest *forest, uint32_t item);
uint32_t wl_tree_item_place(const struct wl_tree_model *model, uint32_t item);
/* The part of an item inside the window; false if there is none. */
bool wl_tree_item_clip(const struct wl_tree_model *model, uint32_t item, wl_ns *start, wl_ns *end);

/* The figures of a branch as those of a node. */
void wl_tree_take_branch(const struct wl_branch_use *use, struct wl_tree_figures *ret);

/* In order of time: numbers of the operations in and below a node, n of them. */
const uint32_t *wl_tree_ops_below(const struct wl_tree_model *model, uint32_t node, size_t *ret_n);

/* The number of an operation's name, and its text. */
uint32_t wl_tree_op_name(const struct wl_trace *trace, enum wl_op_kind kind, size_t row);
const char *wl_tree_op_text(const struct wl_trace *trace, uint32_t name);

/* Operations are numbered through the families. */
uint32_t wl_tree_op_number(const struct wl_trace *trace, enum wl_op_kind kind, size_t row);
enum wl_op_kind wl_tree_op_of(const struct wl_trace *trace, uint32_t number, size_t *ret_row);

#endif
