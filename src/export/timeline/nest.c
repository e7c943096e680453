/* SPDX-License-Identifier: MIT */
/*
 * nest.c - a stack of open events per row, and a tree over the rows.
 *
 * What counts is the end of a row's innermost open event: later events fit if they end no later. A
 * row without open events has an infinite end and takes any event. Rows in which something has
 * ended are updated first, each end once; then the first row whose end is late enough is chosen.
 * Each node of the tree has the earliest and the latest end below it. Rows that do not exist yet
 * are empty: finding a row and making one are the same operation.
 *
 * The first row, where nearly all events go, is not in the tree.
 */
#include "export/timeline/nest.h"

#include <assert.h>
#include <string.h>

/* The end of a row without open events. */
#define NEVER INT64_MAX

struct open {
	wl_ns end;
	uint32_t below; /* the event that encloses it; if free, the next free one; WL_NONE */
};

/* Node k has the children 2k and 2k + 1, the root is 1, the leaves are the last half. */
struct node {
	wl_ns earliest, latest;
};

void wl_nest_init(struct wl_nest *nest, bool flat, struct wl_budget *budget)
{
	*nest = (struct wl_nest){ .flat = flat, .free = WL_NONE };
	wl_vec_init(&nest->open, sizeof(struct open), budget);
	wl_vec_init(&nest->top, sizeof(uint32_t), budget);
	wl_vec_init(&nest->tree, sizeof(struct node), budget);
}

void wl_nest_release(struct wl_nest *nest)
{
	wl_vec_release(&nest->tree);
	wl_vec_release(&nest->top);
	wl_vec_release(&nest->open);
}

/* Close the events of the row that have ended at t; returns the end of the innermost open one. */
static wl_ns settle(struct wl_nest *nest, size_t row, wl_ns t)
{
	struct open *open = nest->open.data;
	uint32_t *top = (uint32_t *)nest->top.data + row;

	while (*top != WL_NONE && open[*top].end <= t) {
		uint32_t ended = *top;

		*top = open[ended].below;
		open[ended].below = nest->free;
		nest->free = ended;
	}
	return *top == WL_NONE ? NEVER : open[*top].end;
}

static bool push(struct wl_nest *nest, size_t row, wl_ns end)
{
	uint32_t *top = (uint32_t *)nest->top.data + row, at = nest->free;
	struct open *open;

	if (at == WL_NONE) {
		if (nest->open.n >= WL_NONE || !wl_vec_extend(&nest->open, 1))
			return false;
		at = (uint32_t)(nest->open.n - 1);
		open = (struct open *)nest->open.data + at;
	} else {
		open = (struct open *)nest->open.data + at;
		nest->free = open->below;
	}
	*open = (struct open){ end, *top };
	*top = at;
	return true;
}

static struct node join(struct node a, struct node b)
{
	return (struct node){ a.earliest < b.earliest ? a.earliest : b.earliest,
			      a.latest > b.latest ? a.latest : b.latest };
}

/* Make room for twice the rows. */
static bool tree_grow(struct wl_vec *tree)
{
	size_t half = tree->n / 2, more = half ? 2 * half : 1;
	struct node *at;

	if (!wl_vec_extend(tree, 2 * more - tree->n))
		return false;
	at = tree->data;
	memmove(at + more, at + half, half * sizeof(*at));
	for (size_t k = more + half; k < 2 * more; k++)
		at[k] = (struct node){ NEVER, NEVER };
	for (size_t k = more - 1; k > 0; k--)
		at[k] = join(at[2 * k], at[2 * k + 1]);
	return true;
}

static void tree_set(const struct wl_vec *tree, size_t leaf, wl_ns end)
{
	struct node *at = tree->data;
	size_t k = tree->n / 2 + leaf;

	at[k] = (struct node){ end, end };
	for (k /= 2; k > 0; k /= 2)
		at[k] = join(at[2 * k], at[2 * k + 1]);
}

/* Close the events that have ended in all rows of the tree. */
static void settle_all(struct wl_nest *nest, wl_ns t)
{
	const struct node *at = nest->tree.data;
	size_t half = nest->tree.n / 2;

	while (half && at[1].earliest <= t) {
		size_t k = 1;

		while (k < half)
			k = 2 * k + (at[2 * k].earliest > t);
		tree_set(&nest->tree, k - half, settle(nest, k - half + 1, t));
	}
}

/* The first leaf whose open event ends no earlier; one past the last leaf if there is none. */
static size_t tree_find(const struct wl_vec *tree, wl_ns end)
{
	const struct node *at = tree->data;
	size_t half = tree->n / 2, k = 1;

	if (half == 0 || at[1].latest < end)
		return half;
	while (k < half)
		k = 2 * k + (at[2 * k].latest < end);
	return k - half;
}

/* Find a row from 1 on for the event, and make it if needed. */
static bool find_row(struct wl_nest *nest, wl_ns start, wl_ns fits, size_t *ret)
{
	size_t leaf;

	settle_all(nest, start);
	leaf = tree_find(&nest->tree, fits);
	if (leaf == nest->tree.n / 2 && !tree_grow(&nest->tree))
		return false;
	*ret = leaf + 1;
	while (nest->top.n <= leaf + 1) {
		wl_vec_push(&nest->top, &(uint32_t){ WL_NONE });
		if (nest->top.failed)
			return false;
	}
	return true;
}

uint32_t wl_nest_put(struct wl_nest *nest, wl_ns start, wl_ns end)
{
	wl_ns fits = nest->flat ? NEVER : end;
	size_t row = 0;

	assert(start <= end && end < NEVER);
	if (nest->top.n == 0)
		wl_vec_push(&nest->top, &(uint32_t){ WL_NONE });
	if (nest->failed || nest->top.failed)
		return WL_NONE;
	if ((settle(nest, 0, start) < fits && !find_row(nest, start, fits, &row)) ||
	    (start < end && !push(nest, row, end))) {
		nest->failed = true;
		return WL_NONE;
	}
	if (row && start < end)
		tree_set(&nest->tree, row - 1, end);
	return (uint32_t)row;
}
