/* SPDX-License-Identifier: MIT */
/*
 * iters_outer.c - finds ranges around several steps each: iterations of chunks, epochs of steps.
 * They do not change what a step is; an answer may mention them.
 */
#include <string.h>

#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/iters/iters_parts.h"

enum {
	LEAST_STEPS = 2, /* steps of each outer range, on average */
	MOST_LABELS = 8, /* labels tried around a step, counted from the innermost */
};

struct outer {
	const struct wl_iter_input *in;
	const struct wl_process_iters *p;
	uint32_t thread;
};

static const struct wl_range_name *name_of(const struct outer *o, uint32_t node)
{
	return &o->in->names->name[o->in->forest->name[node]];
}

/* The innermost range that is open where a step begins on the host. */
static uint32_t open_at(const struct outer *o, size_t step)
{
	return wl_forest_open_at(o->in->forest, o->thread, o->p->at[step].host.begin);
}

/* Labels of the numbered ranges around a step, other than its own, innermost first. */
static size_t labels_around(const struct outer *o, size_t step, uint32_t label[MOST_LABELS])
{
	uint32_t own = wl_range_name_of(o->in->names, o->p->at[step].marker)->label;
	uint32_t node = open_at(o, step);
	size_t n = 0;

	for (size_t i = 0; node != WL_NONE && i < WL_MAX_AROUND && n < MOST_LABELS; i++) {
		const struct wl_range_name *name = name_of(o, node);

		if (name->label != own && strchr(name->label_text, '#'))
			label[n++] = name->label;
		node = o->in->forest->parent[node];
	}
	return n;
}

/* The range of the label around the step; WL_NONE for none. */
static uint32_t around(const struct outer *o, size_t step, uint32_t label)
{
	uint32_t node = open_at(o, step);

	for (size_t i = 0; node != WL_NONE && i < WL_MAX_AROUND; i++) {
		if (name_of(o, node)->label == label)
			return node;
		node = o->in->forest->parent[node];
	}
	return WL_NONE;
}

/* The start of the first step in each range of the label; returns their number, 0 if too few steps
 * lie in them. */
static size_t find_begins(const struct outer *o, uint32_t label, wl_ns *begin)
{
	size_t n_inside = 0, n = 0;
	uint32_t last = WL_NONE;

	for (size_t i = 0; i < o->p->n; i++) {
		uint32_t node = around(o, i, label);

		n_inside += node != WL_NONE;
		if (node != WL_NONE && node != last)
			begin[n++] = o->p->at[i].tile.begin;
		last = node;
	}
	/* As in iters.c: the first and the last step of a capture may be cut. */
	return 10 * n_inside < 9 * o->p->n ? 0 : n;
}

bool wl_iter_find_outer(const struct wl_iter_input *in, struct wl_process_iters *p,
			struct wl_arena *arena, struct wl_arena *scratch)
{
	struct outer o = { .in = in, .p = p };
	uint32_t label[MOST_LABELS];
	size_t n_labels, n = 0;
	wl_ns *begin;

	if (!p->by_marker || !in->forest || !in->names || p->n < (size_t)2 * LEAST_STEPS)
		return true;
	o.thread = wl_nvtx_thread(in->trace)[p->at[0].marker];
	n_labels = labels_around(&o, p->n / 2, label);
	begin = WL_NEW(scratch, wl_ns, p->n);
	if (!begin)
		return false;
	/* One range around all steps is no information; the next label inside is tried. */
	while (n < 2 && n_labels > 0)
		n = find_begins(&o, label[--n_labels], begin);
	if (n < 2 || LEAST_STEPS * n > p->n)
		return true;
	for (size_t i = 0; i + 1 < n; i++)
		begin[i] = begin[i + 1] - begin[i];
	wl_sort_i64(begin, n - 1);
	p->outer = (struct wl_outer_steps){
		.label = wl_arena_strdup(arena, in->names->name[label[n_labels]].label_text),
		.n = n,
		.median = begin[wl_rank(n - 1, 50)],
	};
	return p->outer.label != NULL;
}
