/* SPDX-License-Identifier: MIT */
#include "table/outline.h"

#include "table/origins.h"

int wl_outline_add_ancestors(const struct wl_table *t, struct wl_outline *o, struct wl_arena *arena,
			     struct wl_err *reterr)
{
	bool *keep;
	size_t found = 0;

	if (o->n == t->n_rows)
		return WL_OK;
	keep = WL_NEW(arena, bool, t->n_rows);
	if (!keep)
		return wl_fail(reterr, WL_E_NOMEM, "no memory to filter %zu rows", t->n_rows);
	for (size_t i = 0; i < o->n; i++)
		keep[o->rows[i]] = true;
	/* Parents come before their children: backwards, one pass reaches all ancestors. */
	for (size_t row = t->n_rows; row-- > 0;) {
		uint32_t parent = wl_table_parent(t, row);

		if (keep[row] && parent != WL_NO_ROW)
			keep[parent] = true;
	}
	for (size_t row = 0; row < t->n_rows; row++) {
		if (keep[row])
			o->rows[found++] = (uint32_t)row;
	}
	o->n = found;
	return WL_OK;
}

/*
 * Lists of siblings. Node 0 stands above the roots and node r + 1 for row r, so that 0
 * as a link also means that there is none.
 */
struct links {
	uint32_t *first; /* child of a node */
	uint32_t *next;  /* sibling of a node */
};

static uint32_t node_of_parent(const struct wl_table *t, uint32_t row)
{
	uint32_t parent = wl_table_parent(t, row);

	return parent == WL_NO_ROW ? 0 : parent + 1;
}

static void link_rows(const struct wl_table *t, const struct wl_outline *o, struct links *l)
{
	/* From the end, because each row goes to the front of its list. */
	for (size_t i = o->n; i-- > 0;) {
		uint32_t node = o->rows[i] + 1, parent = node_of_parent(t, o->rows[i]);

		l->next[node] = l->first[parent];
		l->first[parent] = node;
	}
}

/* End the list of a node's children after limit of them. */
static void cut(struct links *l, uint32_t parent, size_t limit)
{
	uint32_t child = l->first[parent];

	for (size_t i = 1; i < limit && child; i++)
		child = l->next[child];
	l->next[child] = 0; /* also where the list ended before: node 0 has no sibling */
}

/* Roots may be of several traces, each of which has the limit. */
static void cut_roots(struct links *l, struct wl_origins *origins, size_t limit)
{
	uint32_t *link = &l->first[0];

	while (*link) {
		if (wl_origins_count(origins, *link - 1) < limit)
			link = &l->next[*link];
		else
			*link = l->next[*link];
	}
}

static void walk(const struct wl_table *t, const struct links *l, struct wl_outline *o)
{
	uint32_t node = l->first[0], level = 0;

	o->n = 0;
	while (node) {
		o->rows[o->n] = node - 1;
		o->levels[o->n++] = level;
		if (l->first[node]) {
			node = l->first[node];
			level++;
			continue;
		}
		while (level > 0 && !l->next[node]) {
			node = node_of_parent(t, node - 1);
			level--;
		}
		node = l->next[node];
	}
}

int wl_outline_arrange(const struct wl_table *t, size_t limit, struct wl_outline *o,
		       struct wl_arena *arena, struct wl_err *reterr)
{
	struct wl_origins origins;
	struct links l = {
		.first = WL_NEW(arena, uint32_t, t->n_rows + 1),
		.next = WL_NEW(arena, uint32_t, t->n_rows + 1),
	};

	o->levels = WL_NEW(arena, uint32_t, o->n);
	if (!l.first || !l.next || !o->levels)
		return wl_fail(reterr, WL_E_NOMEM, "no memory to arrange %zu rows", o->n);
	link_rows(t, o, &l);
	if (limit) {
		if (!wl_origins_find(t, arena, &origins))
			return wl_fail(reterr, WL_E_NOMEM, "no memory to arrange %zu rows", o->n);
		cut_roots(&l, &origins, limit);
		for (size_t i = 0; i < o->n; i++)
			cut(&l, o->rows[i] + 1, limit);
	}
	walk(t, &l, o);
	return WL_OK;
}
