/* SPDX-License-Identifier: MIT */
#include "derive/exposed/exposed_groups.h"

#include <string.h>

#include "base/memory/intern.h"
#include "base/memory/sort.h"
#include "base/process/pool.h"
#include "derive/calls/launch.h"
#include "derive/derived.h"
#include "derive/nvtx/forest.h"
#include "derive/nvtx/ranks.h"
#include "derive/rows/stats.h"

static const char no_stage[] = "(none)";

struct finding {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const struct wl_classes *classes;
	const struct wl_activity *all; /* by device */
	enum wl_exposed_by by;
	struct wl_streams streams;
	const struct wl_links *links;
	const struct wl_forest *forest;
	const struct wl_stages *stages;
	const struct wl_ranks *ranks;
	uint32_t none; /* the text of a stage that has the same name as "no stage" */
	struct wl_exposed_device *device;
};

/* The key of a group. It has no padding. */
struct key {
	int64_t rank;
	uint32_t stage; /* or the stream */
	uint32_t by;    /* enum wl_exposed_by, widened to avoid padding */
};

/* Counts for a group by stage. */
struct tally {
	size_t bridged;   /* operations that communicate */
	uint32_t process; /* process of the first operation */
	bool several;     /* another process has operations too */
};

/* The groups of one device. */
struct keys {
	const struct finding *finding;
	struct wl_intern seen;
	struct wl_vec tally; /* struct tally, by group */
	size_t n_comm_with_stage;
};

static uint32_t stage_of(const struct finding *f, const struct wl_op *op, bool *ret_bridged)
{
	uint32_t call = wl_link_of(f->links, op->kind, op->row), stage;

	*ret_bridged = false;
	if (call == WL_NONE)
		return WL_NONE;
	stage = wl_stage_of_call(f->stages, f->trace, f->forest, call, ret_bridged);
	/*
	 * A range that is itself named "(none)" counts as having no stage, because two rows must
	 * not look alike.
	 */
	return stage == f->none ? WL_NONE : stage;
}

/* False when memory is exhausted. */
static bool count_op(struct keys *k, uint32_t group, uint32_t process, bool bridged)
{
	struct tally *t;

	/* Groups are numbered in order of first appearance, so at most one is added at a time. */
	while (group != WL_NONE && k->tally.n <= group && !k->tally.failed)
		wl_vec_push(&k->tally, &(struct tally){ .process = process });
	if (group == WL_NONE || k->tally.failed)
		return false;
	t = (struct tally *)k->tally.data + group;
	t->bridged += bridged;
	t->several = t->several || t->process != process;
	return true;
}

static uint32_t group_of(void *ctx, const struct wl_op *op)
{
	struct keys *k = ctx;
	const struct finding *f = k->finding;
	struct key key = { .stage = f->streams.of_place[op->place], .by = f->by };
	uint32_t group, process = f->trace->places[op->place].process;
	bool bridged, is_comm;

	if (f->by != WL_EXPOSED_BY_STAGE)
		return wl_intern_put(&k->seen, &key);
	key.stage = stage_of(f, op, &bridged);
	key.rank = f->ranks->of[process];
	is_comm = wl_class_of(f->trace, f->classes, op->family, op->row) == WL_COMM;
	k->n_comm_with_stage += key.stage != WL_NONE && is_comm;
	group = wl_intern_put(&k->seen, &key);
	return count_op(k, group, process, bridged && is_comm) ? group : WL_GROUP_FAIL;
}

static bool group_less(const void *ctx, uint32_t ia, uint32_t ib)
{
	const struct wl_exposed_group *a = (const struct wl_exposed_group *)ctx + ia;
	const struct wl_exposed_group *b = (const struct wl_exposed_group *)ctx + ib;

	/*
	 * Largest loss first, then by the key of the row: the result does not depend on the order
	 * of rows in the file.
	 */
	if (a->sums.exposed != b->sums.exposed)
		return a->sums.exposed > b->sums.exposed;
	if (a->sums.compute != b->sums.compute)
		return a->sums.compute > b->sums.compute;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return a->stage ? strcmp(a->stage, b->stage) < 0 : a->place < b->place;
}

static struct wl_exposed_group *name_groups(const struct keys *k, const struct wl_exposures *e,
					    struct wl_arena *arena)
{
	const struct finding *f = k->finding;
	const struct key *key = k->seen.items.data;
	const struct tally *tally = k->tally.data;
	struct wl_exposed_group *out = WL_NEW(arena, struct wl_exposed_group, e->n);
	bool by_stage = f->by == WL_EXPOSED_BY_STAGE;

	for (size_t i = 0; out && i < e->n; i++) {
		out[i] = (struct wl_exposed_group){ .place = key[i].stage,
						    .rank = key[i].rank,
						    .sums = e->group[i] };
		if (by_stage) {
			out[i].stage =
				key[i].stage == WL_NONE ? no_stage : f->stages->text[key[i].stage];
			out[i].place = WL_NONE;
			out[i].n_bridged = tally[i].bridged;
			out[i].process = tally[i].several ? WL_NONE : tally[i].process;
		}
	}
	return out;
}

/* Sort the groups. Streams are compared by number and replaced by a place afterwards. */
static bool order_groups(const struct finding *f, struct wl_exposed_group *g, size_t n,
			 struct wl_arena *arena, struct wl_exposed_device *ret)
{
	struct wl_exposed_group *out = WL_NEW(arena, struct wl_exposed_group, n);
	uint32_t *order = WL_NEW(arena, uint32_t, 2 * n);

	if (!out || !order)
		return false;
	wl_sort_all(order, n, group_less, g);
	for (size_t i = 0; i < n; i++) {
		out[i] = g[order[i]];
		if (f->by == WL_EXPOSED_BY_STREAM)
			out[i].place = f->streams.place[out[i].place];
	}
	ret->group = out;
	ret->n = n;
	return true;
}

static bool find_device(void *ctx, size_t device, struct wl_arena *arena)
{
	struct finding *f = ctx;
	struct keys k = { .finding = f };
	struct wl_exposed_group *groups;
	struct wl_exposures e;
	bool ok;

	if (!f->scope->device_on[device])
		return true;
	wl_intern_init(&k.seen, sizeof(struct key), wl_arena_budget(arena));
	wl_vec_init(&k.tally, sizeof(struct tally), wl_arena_budget(arena));
	ok = wl_exposure_find(f->trace, f->scope, f->classes, &f->all[device], group_of, &k, arena,
			      &e) &&
	     (groups = name_groups(&k, &e, arena)) != NULL &&
	     order_groups(f, groups, e.n, arena, &f->device[device]);
	if (ok) {
		f->device[device].sums = e.device;
		f->device[device].n_comm_with_stage = k.n_comm_with_stage;
	}
	wl_vec_release(&k.tally);
	wl_intern_release(&k.seen);
	return ok;
}

static void find_stages(struct finding *f, const struct wl_derived *derived)
{
	f->links = derived->links;
	f->forest = derived->forest;
	f->stages = derived->stages;
	f->ranks = derived->ranks;
	for (uint32_t i = 0; i < f->stages->n && f->none == WL_NONE; i++) {
		if (strcmp(f->stages->text[i], no_stage) == 0)
			f->none = i;
	}
}

const struct wl_exposed_device *wl_exposed_groups_find(const struct wl_derived *derived,
						       const struct wl_scope *scope,
						       enum wl_exposed_by by,
						       struct wl_arena *arena)
{
	const struct wl_trace *t = derived->trace;
	struct finding f = { .trace = t,
			     .scope = scope,
			     .classes = derived->classes,
			     .all = derived->all_activity->device,
			     .by = by,
			     .none = WL_NONE,
			     .device = WL_NEW(arena, struct wl_exposed_device, t->n_devices) };

	if (by == WL_EXPOSED_BY_STAGE)
		find_stages(&f, derived);
	if (!f.device || !wl_streams_find(t, arena, &f.streams) ||
	    !wl_pool_map(derived->opts.pool, t->n_devices, find_device, &f, arena))
		return NULL;
	return f.device;
}

static void add_group(struct wl_exposed_stage *to, const struct wl_exposed_group *g)
{
	struct wl_exposure *sums = &to->sums;
	const struct wl_exposure *more = &g->sums;

	to->n_bridged += g->n_bridged;
	sums->compute = wl_add_up(sums->compute, more->compute);
	sums->comm = wl_add_up(sums->comm, more->comm);
	sums->copy = wl_add_up(sums->copy, more->copy);
	sums->exposed = wl_add_up(sums->exposed, more->exposed);
	sums->exposed_copy = wl_add_up(sums->exposed_copy, more->exposed_copy);
	sums->n_ops += more->n_ops;
	sums->n_comm += more->n_comm;
	sums->n_comm_kernels += more->n_comm_kernels;
	sums->n_graphs += more->n_graphs;
	wl_comm_parts_join(&sums->parts, &more->parts);
}

static bool stage_less(const void *ctx, uint32_t ia, uint32_t ib)
{
	const struct wl_exposed_stage *a = (const struct wl_exposed_stage *)ctx + ia;
	const struct wl_exposed_stage *b = (const struct wl_exposed_stage *)ctx + ib;

	if (a->sums.exposed != b->sums.exposed)
		return a->sums.exposed > b->sums.exposed;
	if (a->sums.compute != b->sums.compute)
		return a->sums.compute > b->sums.compute;
	return strcmp(a->stage, b->stage) < 0;
}

/* Stages with the same text are one stage. Texts are shared, so comparing their pointers is
 * enough. */
static bool sum_stages(const struct wl_exposed_device *all, size_t n, struct wl_intern *seen,
		       struct wl_exposed_stage *stage)
{
	for (size_t d = 0; d < n; d++) {
		for (size_t i = 0; i < all[d].n; i++) {
			const struct wl_exposed_group *g = &all[d].group[i];
			uint32_t k = wl_intern_put(seen, &g->stage);

			if (k == WL_NONE)
				return false;
			stage[k].stage = g->stage;
			stage[k].n_groups++;
			stage[k].n_graphs += all[d].sums.n_comm_kernels ? 0 : all[d].sums.n_graphs;
			add_group(&stage[k], g);
		}
	}
	return true;
}

const struct wl_exposed_stage *wl_exposed_stages_sum(const struct wl_exposed_device *all, size_t n,
						     struct wl_arena *arena, size_t *ret_n)
{
	struct wl_exposed_stage *stage, *out;
	struct wl_intern seen;
	uint32_t *order;
	size_t n_groups = 0;

	for (size_t d = 0; d < n; d++)
		n_groups += all[d].n;
	stage = WL_NEW(arena, struct wl_exposed_stage, n_groups);
	out = WL_NEW(arena, struct wl_exposed_stage, n_groups);
	order = WL_NEW(arena, uint32_t, 2 * n_groups);
	wl_intern_init(&seen, sizeof(const char *), wl_arena_budget(arena));
	if (!stage || !out || !order || !sum_stages(all, n, &seen, stage)) {
		wl_intern_release(&seen);
		return NULL;
	}
	*ret_n = seen.items.n;
	wl_intern_release(&seen);
	for (uint32_t i = 0; i < *ret_n; i++)
		order[i] = i;
	wl_sort_index(order, *ret_n, order + n_groups, stage_less, stage);
	for (size_t i = 0; i < *ret_n; i++)
		out[i] = stage[order[i]];
	return out;
}
