/* SPDX-License-Identifier: MIT */
/*
 * iters_nvtx.c - finds iterations by an NVTX label that repeats and owns the GPU's time.
 *
 * One pass over all ranges sorts them into groups (thread, style, label) and adds up what each
 * group owns. The launches inside a range are a slice of the process's launches, found with two
 * searches. The total duration of operations is an upper bound of the time that they kept the GPU
 * busy. Only the few groups that could own enough are measured, each in two passes over the
 * process's operations.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory/bound.h"
#include "base/memory/sort.h"
#include "base/num.h"
#include "base/process/pool.h"
#include "derive/derived.h"
#include "derive/iters/iters_parts.h"
#include "derive/rows/stats.h"
#include "known/exports/codes.h"

const char *wl_iter_say_range(const char *label, struct wl_arena *arena)
{
	char text[256];

	(void)snprintf(text, sizeof(text), "NVTX range `%.200s`", label);
	return wl_arena_strdup(arena, text);
}

/* At most this many labels that own enough, and own different things, are measured. */
enum { MOST_MEASURED = 256 };

static const double tie = 0.01; /* shares this close count as equal */

/* A label with fewer instances, such as epochs, does not mark steps if another one owns as much. */
enum { ENOUGH_STEPS = 8 };

struct group {
	uint32_t thread, label, first_row;
	bool is_span, overlaps;
	size_t n, n_empty;
	size_t first_member; /* of its rows, which are adjacent */
	wl_ns until;         /* end of its last instance */
	wl_ns sum;           /* of the operations that it owns */
	wl_ns host;          /* of its instances */
	uint64_t owned;      /* a hash of the slices that it owns */
};

struct grouping {
	const struct wl_iter_input *in;
	struct wl_vec groups;
	uint32_t *slot[2]; /* by style and label: the last group made for it */
	uint32_t *group_of, *member;
};

/* The first of n sorted times that is not before t; `from` must not be beyond it. */
static size_t first_from(const wl_ns *at, size_t n, size_t from, wl_ns t)
{
	size_t step = 1;

	while (from + step < n && at[from + step] < t) {
		from += step;
		step *= 2;
	}
	n = from + step < n ? from + step : n;
	return from + WL_BELOW(at + from, n - from, t);
}

static struct group *find_group(struct grouping *g, uint32_t row, uint32_t thread, bool is_span)
{
	uint32_t label = wl_range_name_of(g->in->names, row)->label;
	uint32_t *slot = &g->slot[is_span][label];
	struct group *groups = g->groups.data;

	/*
	 * Rows come thread by thread: a slot that holds another thread's group is never needed
	 * again.
	 */
	if (*slot == WL_NONE || groups[*slot].thread != thread) {
		*slot = (uint32_t)g->groups.n;
		wl_vec_push(&g->groups, &(struct group){ .thread = thread,
							 .label = label,
							 .first_row = row,
							 .is_span = is_span,
							 .until = INT64_MIN });
		if (g->groups.failed)
			return NULL;
		groups = g->groups.data;
	}
	g->group_of[row] = *slot;
	return &groups[*slot];
}

static bool is_span(unsigned kind)
{
	return kind == WL_NVTX_START_END || kind == WL_NVTX_START_END_IMPORTED;
}

/* Rows come by thread, start and end, so the instances of a group come in order. */
static bool add_rows(struct grouping *g)
{
	const struct wl_trace *t = g->in->trace;
	uint32_t last_thread = WL_NONE;
	size_t from = 0;

	for (uint32_t row = 0; row < t->family[WL_F_NVTX].n; row++) {
		uint32_t thread = wl_nvtx_thread(t)[row];
		const struct wl_iter_process *p = &g->in->process[t->threads[thread].process];
		wl_ns start = wl_nvtx_start(t)[row], end;
		struct group *group;
		size_t to;

		g->group_of[row] = WL_NONE;
		if (g->in->names->of[row] == WL_NONE || !wl_span_is_on_one_thread(t, row))
			continue;
		group = find_group(g, row, thread, is_span(wl_nvtx_kind(t)[row]));
		if (!group)
			return false;
		/*
		 * Starts of a thread's ranges ascend, so each search continues from the last one;
		 * ends do not, and are searched from the start.
		 */
		from = first_from(p->launch, p->n_launches, thread == last_thread ? from : 0,
				  start);
		last_thread = thread;
		end = start + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), row);
		to = first_from(p->launch, p->n_launches, from, end);
		group->n++;
		group->n_empty += from == to;
		group->overlaps = group->overlaps || start < group->until;
		group->until = end;
		group->sum = wl_add_up(group->sum, p->sum[to] - p->sum[from]);
		group->host = wl_add_up(group->host, end - start);
		if (from != to)
			group->owned = wl_mul_fold(group->owned ^ (from + 1),
						   UINT64_C(0x9e3779b97f4a7c15) ^ to);
	}
	return true;
}

/* Store the rows of each group together. */
static void put_members(struct grouping *g)
{
	struct group *groups = g->groups.data;
	size_t at = 0;

	for (size_t i = 0; i < g->groups.n; i++) {
		groups[i].first_member = at;
		at += groups[i].n;
		groups[i].n = 0;
	}
	for (uint32_t row = 0; row < g->in->trace->family[WL_F_NVTX].n; row++) {
		if (g->group_of[row] != WL_NONE) {
			struct group *group = &groups[g->group_of[row]];

			g->member[group->first_member + group->n++] = row;
		}
	}
}

static bool make_groups(struct grouping *g, struct wl_arena *arena)
{
	size_t n = g->in->trace->family[WL_F_NVTX].n, n_names = g->in->names->n;

	g->slot[0] = WL_NEW(arena, uint32_t, n_names);
	g->slot[1] = WL_NEW(arena, uint32_t, n_names);
	g->group_of = WL_NEW(arena, uint32_t, n);
	g->member = WL_NEW(arena, uint32_t, n);
	if (!g->slot[0] || !g->slot[1] || !g->group_of || !g->member)
		return false;
	for (size_t i = 0; i < n_names; i++)
		g->slot[0][i] = g->slot[1][i] = WL_NONE;
	if (!add_rows(g))
		return false;
	put_members(g);
	return true;
}

static const struct wl_iter_process *process_of(const struct grouping *g, const struct group *group)
{
	return &g->in->process[g->in->trace->threads[group->thread].process];
}

/* The length of an instance. */
static wl_ns length_of(const struct grouping *g, const struct group *group, size_t i)
{
	const struct wl_trace *t = g->in->trace;

	return wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), g->member[group->first_member + i]);
}

/* Whether the group has two ranges that are not steps, the first of them a warm-up. */
static bool is_warm_up(const struct grouping *g, const struct group *group)
{
	return group->n == 2 && group->n_empty == 0 &&
	       length_of(g, group, 0) / 10 >= length_of(g, group, 1);
}

static bool may_own_enough(const struct grouping *g, const struct group *group)
{
	const struct wl_iter_process *p = process_of(g, group);

	/*
	 * A label must own 80% of a stretch that has 50% of the busy time (iters_share.c), that is
	 * at least 40%. Summed lengths are an upper bound of what it owns.
	 */
	return ((group->n >= 3 && group->n_empty <= 2) || is_warm_up(g, group)) &&
	       !group->overlaps && p->busy > 0 && 10 * (double)group->sum >= 4 * (double)p->busy;
}

static const char *label_of(const struct grouping *g, const struct group *group)
{
	return g->in->names->name[group->label].label_text;
}

static wl_ns start_of(const struct grouping *g, const struct group *group)
{
	return wl_nvtx_start(g->in->trace)[group->first_row];
}

/* By process, then the group that owns most first: it is measured even if not all can be. */
static bool group_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct grouping *g = ctx;
	const struct group *ga = (const struct group *)g->groups.data + a;
	const struct group *gb = (const struct group *)g->groups.data + b;
	const struct wl_thread *threads = g->in->trace->threads;
	int order;

	if (threads[ga->thread].process != threads[gb->thread].process)
		return threads[ga->thread].process < threads[gb->thread].process;
	if (ga->sum != gb->sum)
		return ga->sum > gb->sum;
	if (start_of(g, ga) != start_of(g, gb))
		return start_of(g, ga) < start_of(g, gb);
	order = strcmp(label_of(g, ga), label_of(g, gb));
	return order ? order < 0 : a < b;
}

struct measured {
	const struct group *group;
	double share;
	bool is_enough;
	size_t depth;
};

static bool get_markers(const struct grouping *g, const struct group *group, struct wl_arena *arena,
			struct wl_markers *ret)
{
	const struct wl_trace *t = g->in->trace;

	ret->n = group->n;
	ret->at = WL_NEW(arena, struct wl_marker, group->n);
	for (size_t i = 0; ret->at && i < group->n; i++) {
		uint32_t row = g->member[group->first_member + i];
		wl_ns start = wl_nvtx_start(t)[row];

		ret->at[i] = (struct wl_marker){
			start, start + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), row), row
		};
	}
	return ret->at != NULL;
}

static bool measure(const struct grouping *g, struct measured *m, struct wl_arena *arena)
{
	struct wl_markers markers;
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	ok = get_markers(g, m->group, &scratch, &markers);
	if (ok)
		m->is_enough = wl_iter_owns_enough(process_of(g, m->group), &markers, &m->share);
	wl_arena_release(&scratch);
	return ok;
}

struct sought {
	const struct wl_forest *forest;
	size_t first; /* first node of the thread */
	wl_ns start, end;
	uint32_t row;
};

/* Nodes of a thread are in order of start, longer first, then row. */
static bool node_before(const void *ctx, size_t i)
{
	const struct sought *s = ctx;
	const struct wl_forest *f = s->forest;
	size_t node = s->first + i;

	if (f->start[node] != s->start)
		return f->start[node] < s->start;
	return f->end[node] != s->end ? f->end[node] > s->end : f->row[node] < s->row;
}

/* The number of push/pop ranges around the group's first instance. */
static size_t depth_of(const struct grouping *g, const struct group *group)
{
	const struct wl_trace *t = g->in->trace;
	const struct wl_forest *f = g->in->forest;
	struct wl_slice nodes = f->nodes[group->thread];
	struct sought s = { f, nodes.lo, start_of(g, group), 0, group->first_row };
	uint32_t node;

	s.end = s.start + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), s.row);
	if (!group->is_span)
		return f->up.depth[nodes.lo + wl_lower_bound(nodes.hi - nodes.lo, node_before, &s)];
	node = wl_forest_around(f, group->thread, s.start, s.end);
	return node == WL_NONE ? 0 : 1 + f->up.depth[node];
}

/* Groups that own the same launches are measured once. */
static const struct measured *find_same(const struct measured *m, size_t n,
					const struct group *group)
{
	for (size_t i = 0; i < n; i++) {
		if (m[i].group->owned == group->owned && m[i].group->sum == group->sum)
			return &m[i];
	}
	return NULL;
}

/* Of two groups that own as much: the outermost with enough instances, else the one with the
 * most. */
static bool is_better(const struct grouping *g, const struct measured *a, const struct measured *b)
{
	const struct group *ga = a->group, *gb = b->group;
	bool enough = ga->n >= ENOUGH_STEPS;
	int order;

	if (enough != (gb->n >= ENOUGH_STEPS))
		return enough;
	if (!enough && ga->n != gb->n)
		return ga->n > gb->n;
	if (a->depth != b->depth)
		return a->depth < b->depth;
	if (ga->host != gb->host)
		return ga->host > gb->host;
	if (start_of(g, ga) != start_of(g, gb))
		return start_of(g, ga) < start_of(g, gb);
	order = strcmp(label_of(g, ga), label_of(g, gb));
	return order ? order < 0 : ga->thread < gb->thread;
}

struct choosing {
	struct grouping *g;
	const uint32_t *candidate;    /* groups, by process */
	const struct wl_slice *slice; /* by process: its candidates */
	struct wl_steps_found *out;   /* by process */
};

/* Choose among pairs, or among groups that may be steps. */
static const struct measured *choose(const struct grouping *g, struct measured *m, size_t n,
				     bool is_pair)
{
	const struct measured *best = NULL;
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		if (m[i].is_enough && (m[i].group->n == 2) == is_pair && m[i].share > most)
			most = m[i].share;
	}
	for (size_t i = 0; i < n; i++) {
		if (!m[i].is_enough || (m[i].group->n == 2) != is_pair || most - m[i].share > tie)
			continue;
		m[i].depth = depth_of(g, m[i].group);
		if (!best || is_better(g, &m[i], best))
			best = &m[i];
	}
	return best;
}

static void put_warm_up(const struct grouping *g, const struct group *group, struct wl_warm_up *ret)
{
	*ret = (struct wl_warm_up){ .label = label_of(g, group),
				    .first = length_of(g, group, 0),
				    .second = length_of(g, group, 1) };
	ret->end = start_of(g, group) + ret->first;
}

static bool choose_in_process(void *ctx, size_t process, struct wl_arena *arena)
{
	struct choosing *c = ctx;
	struct wl_slice s = c->slice[process];
	const struct group *groups = c->g->groups.data;
	struct measured *m = WL_NEW(arena, struct measured, s.hi - s.lo);
	const struct measured *best;
	struct wl_steps_found *found;
	size_t n = 0, n_measured = 0;

	if (!m)
		return false;
	for (size_t i = s.lo; i < s.hi; i++) {
		const struct group *group = &groups[c->candidate[i]];
		const struct measured *same = find_same(m, n_measured, group);

		if (!same && n_measured == MOST_MEASURED)
			continue;
		m[n] = same ? *same : (struct measured){ .share = 0 };
		m[n].group = group;
		if (!same) {
			/* Measured ones are moved to the front, which makes looking them up
			 * cheap. */
			struct measured swap = m[n];

			m[n] = m[n_measured];
			m[n_measured] = swap;
			if (!measure(c->g, &m[n_measured++], arena))
				return false;
		}
		n++;
	}
	found = &c->out[process];
	best = choose(c->g, m, n, false);
	if (!best) {
		best = choose(c->g, m, n, true);
		if (best)
			put_warm_up(c->g, best->group, &found->warm_up);
		return true;
	}
	found->method = WL_ITER_NVTX;
	found->what = label_of(c->g, best->group);
	found->is = wl_iter_say_range(found->what, arena);
	return found->is && get_markers(c->g, best->group, arena, &found->markers);
}

static bool choose_all(struct grouping *g, struct wl_steps_found *out, struct wl_arena *arena)
{
	const struct wl_trace *t = g->in->trace;
	const struct group *groups = g->groups.data;
	uint32_t *list = WL_NEW(arena, uint32_t, g->groups.n);
	uint32_t *tmp = WL_NEW(arena, uint32_t, g->groups.n);
	struct wl_slice *slice = WL_NEW(arena, struct wl_slice, t->n_processes);
	struct choosing c = { g, list, slice, out };
	size_t n = 0;

	if (!list || !tmp || !slice)
		return false;
	for (uint32_t i = 0; i < g->groups.n; i++) {
		if (may_own_enough(g, &groups[i]))
			list[n++] = i;
	}
	wl_sort_index(list, n, tmp, group_less, g);
	for (size_t i = 0; i < n; i++) {
		struct wl_slice *s = &slice[t->threads[groups[list[i]].thread].process];

		s->lo = s->hi > s->lo ? s->lo : i;
		s->hi = i + 1;
	}
	return wl_pool_map(g->in->derived->opts.pool, t->n_processes, choose_in_process, &c, arena);
}

struct wl_steps_found *wl_iter_repeated(const struct wl_iter_input *in, struct wl_arena *arena)
{
	struct wl_steps_found *out = WL_NEW(arena, struct wl_steps_found, in->trace->n_processes);
	struct grouping g = { .in = in };
	bool ok;

	if (!out || !in->names)
		return out;
	wl_vec_init(&g.groups, sizeof(struct group), wl_arena_budget(arena));
	ok = make_groups(&g, arena) && choose_all(&g, out, arena);
	wl_vec_release(&g.groups);
	return ok ? out : NULL;
}
