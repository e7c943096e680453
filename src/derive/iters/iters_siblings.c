/* SPDX-License-Identifier: MIT */
/*
 * iters_siblings.c - finds steps made of several consecutive ranges: forward, backward, optimizer;
 * or schedule, then prefill or decode, then sampling. No range owns the GPU's time alone, or only
 * one kind of step has it, but the ranges at one depth of the anchor thread own it together. A step
 * begins at each range of the label with the most instances; ranges named for prefill or decode
 * count as one label.
 */
#include <stdio.h>

#include "base/memory/compare.h"
#include "base/memory/sort.h"
#include "base/num.h"
#include "derive/iters/iters_parts.h"
#include "known/calls/steps.h"

enum {
	MOST_DEPTHS = 4, /* depths tried, from the outermost; deeper ranges are parts of a step */
	MOST_CUTS = 4,   /* labels tried at each depth, most instances first */
	MOST_KINDS = 3,  /* kinds of step: prefill, decode, both */
	MIN_STEPS = 8,
};

#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* One depth of a thread: its ranges in order of start, without those of NCCL. */
struct level {
	const struct wl_iter_input *in;
	const struct wl_iter_process *process;
	uint32_t *node;
	size_t n;
	const uint8_t *does; /* by name: bits of the kinds that it says; NULL if no name says one */
	uint32_t *count;     /* by name: instances of the label; 0 between two depths */
	uint32_t *piece;     /* by name: the last piece that has the label */
	uint32_t kind_label; /* the label that stands for all names that say a kind; WL_NONE */
};

static const struct wl_range_name *name_of(const struct level *l, size_t i)
{
	return &l->in->names->name[l->in->forest->name[l->node[i]]];
}

/* The label that a range counts as. */
static uint32_t label_of(const struct level *l, size_t i)
{
	if (l->kind_label != WL_NONE && l->does[l->in->forest->name[l->node[i]]])
		return l->kind_label;
	return name_of(l, i)->label;
}

static void take_depth(struct level *l, struct wl_slice nodes, size_t depth)
{
	const struct wl_forest *f = l->in->forest;
	unsigned does = 0;

	l->n = 0;
	l->kind_label = WL_NONE;
	for (size_t i = nodes.lo; i < nodes.hi; i++) {
		if (f->up.depth[i] != depth || l->in->names->name[f->name[i]].is_nccl)
			continue;
		l->node[l->n++] = (uint32_t)i;
		does |= l->does ? l->does[f->name[i]] : 0;
	}
	for (size_t i = 0; does == (WL_DOES_PREFILL | WL_DOES_DECODE) && i < l->n; i++) {
		if (l->does[f->name[l->node[i]]]) {
			l->kind_label = name_of(l, i)->label;
			break;
		}
	}
}

/* The untried label with the most instances, on a tie the first. */
static uint32_t next_cut(struct level *l, const uint32_t *tried, size_t n_tried)
{
	uint32_t best = WL_NONE;

	for (size_t i = 0; i < l->n; i++)
		l->count[label_of(l, i)]++;
	/* Labels that failed are not tried again. */
	for (size_t k = 0; k < n_tried; k++)
		l->count[tried[k]] = 0;
	for (size_t i = 0; i < l->n; i++) {
		uint32_t label = label_of(l, i);

		if (l->count[label] >= MIN_STEPS &&
		    (best == WL_NONE || l->count[label] > l->count[best]) &&
		    !wl_name_is_layer(l->in->names->name[label].label_text))
			best = label;
	}
	for (size_t i = 0; i < l->n; i++)
		l->count[label_of(l, i)] = 0;
	return best;
}

/* By piece, from the first cut on: a hash of its labels in order; 0 if a label repeats. */
static size_t hash_pieces(struct level *l, uint32_t cut, uint64_t *hash)
{
	uint32_t piece = 0;

	for (size_t i = 0; i < l->n; i++)
		l->piece[name_of(l, i)->label] = 0;
	for (size_t i = 0; i < l->n; i++) {
		uint32_t label = name_of(l, i)->label, *seen = &l->piece[label];
		uint64_t *h;

		if (label_of(l, i) == cut)
			hash[piece++] = 1;
		if (piece == 0)
			continue;
		h = &hash[piece - 1];
		/* 0 only for a piece that repeats a label: otherwise the lowest bit is set. */
		*h = *seen == piece || *h == 0 ? 0 : wl_mul_fold(*h ^ label, HASH_FACTOR) | 1;
		*seen = piece;
	}
	return piece;
}

WL_LESS(hash_less, uint64_t)

/* The hashes that most pieces have, without 0; the rest of ret is 0. */
static bool find_usual(const uint64_t *hash, size_t n, struct wl_arena *scratch,
		       uint64_t ret[MOST_KINDS])
{
	uint32_t *order = WL_NEW(scratch, uint32_t, n), *tmp = WL_NEW(scratch, uint32_t, n);
	size_t most[MOST_KINDS] = { 0 };

	if (!order || !tmp)
		return false;
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	wl_sort_index(order, n, tmp, hash_less, hash);
	for (size_t lo = 0, hi; lo < n; lo = hi) {
		size_t least = 0;

		for (hi = lo + 1; hi < n && hash[order[hi]] == hash[order[lo]];)
			hi++;
		for (size_t k = 1; k < MOST_KINDS; k++)
			least = most[k] < most[least] ? k : least;
		if (hash[order[lo]] && hi - lo > most[least]) {
			most[least] = hi - lo;
			ret[least] = hash[order[lo]];
		}
	}
	return true;
}

static bool is_usual(const uint64_t usual[MOST_KINDS], uint64_t hash)
{
	for (size_t k = 0; k < MOST_KINDS; k++) {
		if (hash && hash == usual[k])
			return true;
	}
	return false;
}

/*
 * Steps have few kinds: those with the three commonest label sequences, without repeats, are nine
 * tenths of all, and their ranges own the GPU's time. Framework operators have as many kinds as a
 * step has operators.
 */
static bool are_steps(struct level *l, uint32_t cut, struct wl_arena *scratch, bool *ret)
{
	const struct wl_forest *f = l->in->forest;
	struct wl_markers m = { .at = WL_NEW(scratch, struct wl_marker, l->n) };
	uint64_t *hash = WL_NEW(scratch, uint64_t, l->n), usual[MOST_KINDS] = { 0 };
	size_t n, n_usual = 0, piece = 0;
	double share;

	if (!m.at || !hash)
		return false;
	n = hash_pieces(l, cut, hash);
	if (!find_usual(hash, n, scratch, usual))
		return false;
	for (size_t i = 0; i < l->n; i++) {
		struct wl_marker *last = m.n ? &m.at[m.n - 1] : NULL;
		wl_ns start = f->start[l->node[i]], end = f->end[l->node[i]];
		bool begins = label_of(l, i) == cut;

		piece += begins;
		if (piece == 0 || !is_usual(usual, hash[piece - 1]))
			continue;
		n_usual += begins;
		/* Ranges that cross are merged. */
		if (last && start < last->end)
			last->end = end > last->end ? end : last->end;
		else
			m.at[m.n++] = (struct wl_marker){ start, end, WL_NONE };
	}
	*ret = m.n && 10 * n_usual >= 9 * n && wl_iter_owns_enough(l->process, &m, &share);
	return true;
}

/* Make a marker from each range of the label to the next one; the last reaches to the end of the
 * depth. */
static bool put_markers(const struct level *l, uint32_t cut, struct wl_arena *arena,
			struct wl_markers *ret)
{
	const struct wl_forest *f = l->in->forest;
	struct wl_marker *last = NULL;

	*ret = (struct wl_markers){ .at = WL_NEW(arena, struct wl_marker, l->n) };
	for (size_t i = 0; ret->at && i < l->n; i++) {
		wl_ns start = f->start[l->node[i]], end = f->end[l->node[i]];

		if (label_of(l, i) == cut) {
			if (last)
				last->end = start;
			last = &ret->at[ret->n++];
			*last = (struct wl_marker){ start, end, f->row[l->node[i]] };
		} else if (last && end > last->end) {
			last->end = end;
		}
	}
	return ret->at != NULL;
}

/* Whether at most two pieces launch nothing. */
static bool are_full(const struct level *l, const struct wl_markers *m)
{
	size_t n_empty = 0, at = 0;

	for (size_t i = 0; i < m->n; i++) {
		while (at < l->process->n_launches && l->process->launch[at] < m->at[i].start)
			at++;
		n_empty += at == l->process->n_launches || l->process->launch[at] >= m->at[i].end;
	}
	return n_empty <= 2;
}

static bool say(const struct level *l, uint32_t cut, struct wl_arena *arena,
		struct wl_steps_found *ret)
{
	const char *label = l->in->names->name[cut].label_text;
	char is[300];

	if (cut == l->kind_label)
		(void)snprintf(is, sizeof(is),
			       "from one NVTX range that says prefill or decode to the "
			       "next");
	else
		(void)snprintf(is, sizeof(is), "from one NVTX range `%.200s` to the next", label);
	ret->what = label;
	ret->is = wl_arena_strdup(arena, is);
	ret->method = WL_ITER_NVTX;
	ret->is_joined = true;
	return ret->is != NULL;
}

static bool try_depth(struct level *l, struct wl_arena *arena, struct wl_steps_found *ret)
{
	uint32_t tried[MOST_CUTS];

	for (size_t k = 0; k < MOST_CUTS; k++) {
		struct wl_arena scratch;
		bool fits, ok;

		tried[k] = next_cut(l, tried, k);
		if (tried[k] == WL_NONE)
			return true;
		wl_arena_init_child(&scratch, arena);
		ok = are_steps(l, tried[k], &scratch, &fits);
		wl_arena_release(&scratch);
		if (!ok)
			return false;
		if (!fits)
			continue;
		if (!put_markers(l, tried[k], arena, &ret->markers))
			return false;
		if (are_full(l, &ret->markers))
			return say(l, tried[k], arena, ret);
		ret->markers.n = 0;
	}
	return true;
}

bool wl_iter_siblings(const struct wl_iter_input *in, uint32_t process,
		      const struct wl_iter_does *does, struct wl_arena *arena,
		      struct wl_steps_found *ret)
{
	uint32_t thread = in->forest->anchor[process];
	struct wl_slice nodes =
		thread == WL_NONE ? (struct wl_slice){ 0, 0 } : in->forest->nodes[thread];
	struct level l = { .in = in,
			   .process = &in->process[process],
			   .does = does->range,
			   .node = WL_NEW(arena, uint32_t, nodes.hi - nodes.lo),
			   .count = WL_NEW(arena, uint32_t, in->names->n),
			   .piece = WL_NEW(arena, uint32_t, in->names->n) };

	*ret = (struct wl_steps_found){ .method = WL_ITER_NONE };
	if (!l.node || !l.count || !l.piece)
		return false;
	for (size_t depth = 0; depth < MOST_DEPTHS && ret->method == WL_ITER_NONE; depth++) {
		take_depth(&l, nodes, depth);
		if (l.n >= MIN_STEPS && !try_depth(&l, arena, ret))
			return false;
	}
	return true;
}
