/* SPDX-License-Identifier: MIT */
#include "tui/tree/tree_model.h"

#include <stdio.h>
#include <string.h>

#include "base/memory/sort.h"
#include "derive/derived.h"
#include "tui/tree/tree_model_parts.h"

/* Iterations that begin in the window. */
static void count_iterations(struct wl_tree_model *m, const struct wl_run *run,
			     const struct wl_iterations *all)
{
	m->first_iteration = SIZE_MAX;
	for (size_t p = 0; p < run->trace->n_processes; p++) {
		const struct wl_process_iters *iters = &all->process[p];
		struct wl_interval window = run->scope->process[p];
		size_t n = 0;

		for (size_t i = 0; run->scope->process_on[p] && i < iters->n; i++) {
			wl_ns begin = iters->at[i].tile.begin;

			if (!run->scope->whole && (begin < window.begin || begin >= window.end))
				continue;
			n++;
			m->first_iteration = i < m->first_iteration ? i : m->first_iteration;
			m->last_iteration = i > m->last_iteration ? i : m->last_iteration;
		}
		m->n_iterations += n;
		m->n_processes += n > 0;
	}
}

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "no memory for the tree");
}

void wl_tree_model_want(struct wl_wanted *wanted)
{
	static const enum wl_column_id columns[] = { WL_OP_STARTS, WL_N_COLUMNS };

	wl_want(wanted, WL_FROM(ITERATIONS) | WL_FROM(RANGE_USES) | WL_FROM(BRANCHES), columns);
}

int wl_tree_model_make(struct wl_tree_model *m, const struct wl_run *run, enum wl_tree_mode mode,
		       struct wl_budget *budget, struct wl_err *reterr)
{
	const struct wl_fold_opts opts = { .by_path = true };
	const struct wl_iterations *iterations = run->derived->iterations;

	*m = (struct wl_tree_model){ .first_root = WL_NONE,
				     .last_root = WL_NONE,
				     .mode = mode,
				     .trace = run->trace,
				     .forest = run->derived->forest };
	wl_arena_init_on(&m->arena, budget);
	wl_vec_init(&m->node, sizeof(struct wl_tree_node), wl_arena_budget(&m->arena));
	m->n_op_names = run->trace->n_kernel_names + WL_TREE_N_OTHER_OPS;
	if (!wl_folds_find(run->derived, m->forest, &opts, &m->arena, &m->folds))
		return no_memory(reterr);
	count_iterations(m, run, iterations);
	if (!(mode == WL_TREE_AGGREGATED ? wl_tree_fold(m, run, iterations)
					 : wl_tree_items_make(m, run)) ||
	    m->node.failed)
		return no_memory(reterr);
	return WL_OK;
}

void wl_tree_model_drop(struct wl_tree_model *m)
{
	if (m->node.size)
		wl_vec_release(&m->node);
	wl_arena_release(&m->arena);
	*m = (struct wl_tree_model){ .trace = NULL };
}

uint32_t wl_tree_kernel_name(const struct wl_tree_model *m, const struct wl_tree_node *node)
{
	size_t row;

	if (node->kind != WL_TREE_OP)
		return WL_NONE;
	if (m->mode == WL_TREE_AGGREGATED)
		return node->id < m->trace->n_kernel_names ? node->id : WL_NONE;
	if (wl_tree_op_of(m->trace, node->id, &row) != WL_OP_KERNEL)
		return WL_NONE;
	return wl_kernels_name(m->trace)[row];
}

/* "layer.#" of 32 names reads as "layer ×32". */
const char *wl_tree_node_name(const struct wl_tree_node *n, char buf[WL_TREE_NAME])
{
	size_t length = strlen(n->name);

	if (n->n_names <= 1 || n->kind == WL_TREE_MORE)
		return n->name;
	if (length > 1 && n->name[length - 1] == '#') {
		length--;
		while (length > 1 && strchr(" ._-/:#=", n->name[length - 1]))
			length--;
	}
	(void)snprintf(buf, WL_TREE_NAME, "%.*s ×%u", (int)(length < 400 ? length : 400), n->name,
		       n->n_names);
	return buf;
}

/* From the node upwards: the path is written from the end of the buffer. */
const char *wl_tree_path(const struct wl_tree_model *m, uint32_t node, char *buf, size_t size)
{
	static const char joint[] = " › ";
	size_t at = size - 1;

	buf[at] = '\0';
	while (node != WL_NONE) {
		const struct wl_tree_node *n = wl_tree_get(m, node);
		char name_buf[WL_TREE_NAME];
		const char *name = wl_tree_node_name(n, name_buf);
		size_t length = strlen(name);
		size_t gap = n->parent == WL_NONE ? 0 : strlen(joint);

		if (at < length + gap)
			break;
		at -= length;
		memcpy(buf + at, name, length);
		at -= gap;
		memcpy(buf + at, joint, gap);
		node = n->parent;
	}
	return buf + at;
}

uint32_t wl_tree_of_fold(const struct wl_tree_model *m, uint32_t fold)
{
	return m->node_of_fold ? m->node_of_fold[fold == WL_NONE ? m->folds.n : fold] : WL_NONE;
}

/* The key by which nodes are matched. */
struct node_key {
	const char *label;
	uint32_t parent;
	uint8_t kind;
};

/* A node of the other model by its key. */
struct matching {
	const struct wl_tree_model *b;
	const uint32_t *order; /* of its nodes */
	struct node_key key;
};

static struct node_key key_of(const struct wl_tree_node *n)
{
	return (struct node_key){ n->label, n->parent, n->kind };
}

static int compare_key(struct node_key a, struct node_key b)
{
	if (a.parent != b.parent)
		return a.parent < b.parent ? -1 : 1;
	if (a.kind != b.kind)
		return a.kind < b.kind ? -1 : 1;
	return strcmp(a.label, b.label);
}

static bool node_less(const void *ctx, uint32_t a, uint32_t b)
{
	return compare_key(key_of(wl_tree_get(ctx, a)), key_of(wl_tree_get(ctx, b))) < 0;
}

static bool before_key(const void *ctx, size_t i)
{
	const struct matching *k = ctx;

	return compare_key(key_of(wl_tree_get(k->b, k->order[i])), k->key) < 0;
}

/* A parent is matched before its children. */
uint32_t *wl_tree_match(const struct wl_tree_model *a, const struct wl_tree_model *b,
			struct wl_arena *arena)
{
	size_t n = wl_tree_n(b);
	uint32_t *ret = WL_NEW(arena, uint32_t, wl_tree_n(a));
	uint32_t *order = WL_NEW(arena, uint32_t, n), *tmp = WL_NEW(arena, uint32_t, n);

	if (!ret || !order || !tmp)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	wl_sort_index(order, n, tmp, node_less, b);
	for (uint32_t i = 0; i < wl_tree_n(a); i++) {
		const struct wl_tree_node *x = wl_tree_get(a, i), *y;
		struct matching m = { .b = b, .order = order, .key = key_of(x) };
		size_t at;

		ret[i] = WL_NONE;
		m.key.parent = x->parent == WL_NONE ? WL_NONE : ret[x->parent];
		if (x->parent != WL_NONE && m.key.parent == WL_NONE)
			continue;
		at = wl_lower_bound(n, before_key, &m);
		y = at < n ? wl_tree_get(b, order[at]) : NULL;
		if (y && compare_key(key_of(y), m.key) == 0)
			ret[i] = order[at];
	}
	return ret;
}
