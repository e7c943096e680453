/* SPDX-License-Identifier: MIT */
#include "compare/diff/beside_tree.h"

/* What makes a node. other is 0, or a row's number from 1 where a sibling of its side is equal. */
struct path {
	uint32_t parent, key, other;
};

/* Nodes as they are met, with parents before their children. */
struct joining {
	struct wl_intern paths;
	struct wl_beside_node *node;
	size_t n;
};

static uint32_t find_node(struct joining *j, uint32_t parent, uint32_t key, uint32_t other)
{
	const struct path path = { parent, key, other };
	uint32_t id = wl_intern_put(&j->paths, &path);

	if (id != WL_NONE && id == j->n)
		j->node[j->n++] = (struct wl_beside_node){ WL_NONE, WL_NONE, parent };
	return id;
}

static uint32_t *row_in(struct joining *j, uint32_t id, bool is_after)
{
	return is_after ? &j->node[id].after : &j->node[id].before;
}

static bool add_side(struct joining *j, const struct wl_beside_side *side, bool is_after,
		     struct wl_arena *arena)
{
	const struct wl_table *t = side->table;
	uint32_t *of_row = WL_NEW(arena, uint32_t, t->n_rows);

	for (uint32_t row = 0; of_row && row < t->n_rows; row++) {
		uint32_t above = wl_table_parent(t, row);
		uint32_t parent = above == WL_NO_ROW ? WL_NONE : of_row[above];
		uint32_t id = find_node(j, parent, side->key[row], 0);

		if (id != WL_NONE && *row_in(j, id, is_after) != WL_NONE)
			id = find_node(j, parent, side->key[row], row + 1);
		if (id == WL_NONE)
			return false;
		*row_in(j, id, is_after) = row;
		of_row[row] = id;
	}
	return of_row != NULL;
}

/* Children by parent as lists; the roots are those of number n. */
struct family {
	uint32_t *first, *next;
};

static bool find_family(const struct joining *j, struct wl_arena *arena, struct family *ret)
{
	ret->first = WL_NEW(arena, uint32_t, j->n + 1);
	ret->next = WL_NEW(arena, uint32_t, j->n + 1);
	if (!ret->first || !ret->next)
		return false;
	for (size_t i = 0; i <= j->n; i++)
		ret->first[i] = WL_NONE;
	for (size_t i = j->n; i-- > 0;) {
		uint32_t parent = j->node[i].parent;
		size_t at = parent == WL_NONE ? j->n : parent;

		ret->next[i] = ret->first[at];
		ret->first[at] = (uint32_t)i;
	}
	return true;
}

/* Depth first; deep trees need no stack, as each node knows its parent. */
static bool order_nodes(const struct joining *j, struct wl_arena *arena, struct wl_beside_node *ret)
{
	uint32_t *place = WL_NEW(arena, uint32_t, j->n + 1), at, n = 0;
	struct family f;

	if (!place || !find_family(j, arena, &f))
		return false;
	at = f.first[j->n];
	while (at != WL_NONE) {
		uint32_t parent = j->node[at].parent;

		place[at] = n;
		ret[n] = j->node[at];
		ret[n++].parent = parent == WL_NONE ? WL_NONE : place[parent];
		if (f.first[at] != WL_NONE) {
			at = f.first[at];
			continue;
		}
		while (at != WL_NONE && f.next[at] == WL_NONE)
			at = j->node[at].parent;
		at = at == WL_NONE ? WL_NONE : f.next[at];
	}
	return true;
}

bool wl_trees_beside(const struct wl_beside_side *before, const struct wl_beside_side *after,
		     struct wl_arena *arena, struct wl_beside_node **ret, size_t *ret_n)
{
	size_t most = before->table->n_rows + after->table->n_rows;
	struct joining j = { .node = WL_NEW(arena, struct wl_beside_node, most + 1) };
	bool ok;

	*ret = WL_NEW(arena, struct wl_beside_node, most + 1);
	wl_intern_init(&j.paths, sizeof(struct path), wl_arena_budget(arena));
	ok = j.node && *ret && add_side(&j, after, true, arena) &&
	     add_side(&j, before, false, arena) && order_nodes(&j, arena, *ret);
	wl_intern_release(&j.paths);
	*ret_n = ok ? j.n : 0;
	return ok;
}
